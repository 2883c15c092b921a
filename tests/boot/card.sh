#!/usr/bin/env bash
# Build what the card trial boots: Debian 13 with cloud-init and no referee, and a card filled as packaging/card/README.md says.
# Usage: tests/boot/card.sh WORK   (as root, after build.sh amd64 WORK; needs dosfstools, mtools and a set-up .venv)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
common=$(cd "$1" && pwd)
work=$common/card
root=$work/amd64/root
mkdir -p "$work/amd64"
version=$(git -C "$checkout" describe --always --dirty --exclude '*')
step() { echo "$(date +%H:%M:%S) card: $*"; }

if [ ! -e "$work/root.done" ]; then
    step "Debian 13 with cloud-init"
    rm -rf "$root"
    cp -a --reflink=auto "$common/amd64/root" "$root"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    # shellcheck disable=SC2016 - for the inner shell
    unshare --mount bash -euc 'mount --bind /proc "$1/proc"; shift; exec chroot "$@"' bash "$root" "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        bash -euo pipefail -c "
        dpkg --purge rummikub-referee
        systemctl --quiet disable board lan players
        apt-get update -qq
        apt-get install -qq --no-install-recommends cloud-init netplan.io >/dev/null
        systemctl --quiet enable systemd-networkd
        rm -rf /srv/evening /etc/systemd/system/referee.service.d \
            /etc/systemd/system-generators/trial /etc/udev/rules.d/99-com.rules /usr/lib/python3/dist-packages/*lgpio* \
            /var/cache/apt/archives/*.deb /var/lib/apt/lists/*"
    echo '/dev/vda / ext4 defaults,noatime 0 1' >"$root/etc/fstab"
    rm -f "$root/etc/resolv.conf" "$work/amd64/base.img"
    truncate -s 2G "$work/amd64/base.img"
    mke2fs -q -t ext4 -L root -O ^orphan_file -d "$root" "$work/amd64/base.img"
    touch "$work/root.done"
fi

step "the card"
rm -rf "$work/deb" "$work/files" "$work/evening.img"
"$checkout/.venv/bin/python" "$checkout/packaging/build_deb.py" --quick --release trixie --arch amd64 --out "$work/deb"
mkdir "$work/files"
cp "$checkout"/packaging/card/{user-data,network-config,meta-data} "$work"/deb/*.deb "$work/files/"
sed -i 's/"CHOOSE"/"830517"/' "$work/files/user-data"
truncate -s 400M "$work/evening.img" # where the other cases have their evening
mkfs.vfat -n CIDATA "$work/evening.img" >/dev/null
mcopy -i "$work/evening.img" "$work"/files/* ::
echo "$version" >"$work/amd64/built"
rm -f "$work"/amd64/*.qcow2 "$work"/amd64/results.json
step "ready: $work/evening.img"
