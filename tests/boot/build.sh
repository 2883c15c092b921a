#!/usr/bin/env bash
# Build the disk image of the boot trial: Debian 13 with its own kernel and systemd, the referee's package, simulated pins
# and cameras.
# Usage: tests/boot/build.sh amd64|arm64 WORK   (as root; needs debootstrap, e2fsprogs, a set-up .venv; arm64: qemu-user-static)
# A step that is done is not done again; the product is installed anew for each commit, and its trial begins anew.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
arch=$1
mkdir -p "$2"
common=$(cd "$2" && pwd)
work=$common/$arch
root=$work/root
case $arch in
amd64 | arm64) ;;
*) echo "architecture $arch is not known; use amd64 or arm64" >&2; exit 2 ;;
esac
mkdir -p "$work/ko"
step() { echo "$(date +%H:%M:%S) $arch: $*"; }

# Started disks lie over the image: a trial that was broken off goes on with the image it began with.
version=$(git -C "$checkout" describe --always --dirty --exclude '*')
if [ "${version%-dirty}" = "$version" ] && [ "$(cat "$work/built" 2>/dev/null)" = "$version" ]; then
    step "the image of $version is there"
    exit 0
fi
rm -f "$work"/built "$work"/*.qcow2 "$work"/*.world "$work"/results.json

if [ ! -e "$common/evening.img" ]; then
    step "the evening"
    rm -rf "$common/evening"
    "$checkout/.venv/bin/referee" simulate --seed 1 --size 1024x768 --out "$common/evening"
    mke2fs -q -t ext4 -L evening -d "$common/evening" "$common/evening.new" 400M
    mv "$common/evening.new" "$common/evening.img"
fi

if [ "$arch" = arm64 ] && [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then # flag F: qemu need not lie in the root
    [ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    tr -d '\n' </usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
fi

in_root() { # ROOT COMMAND; its mounts are its own, and end with it however it ends
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
    # shellcheck disable=SC2016 - for the inner shell
    unshare --mount bash -euc 'for folder in proc sys dev; do mount --rbind "/$folder" "$1/$folder"; done
        exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$2"' bash "$1" "$2"
}

if [ ! -e "$work/root.done" ]; then
    step "Debian 13"
    rm -rf "$root"
    debootstrap --variant=minbase --arch="$arch" \
        --include=systemd,systemd-sysv,udev,dbus,kmod,linux-image-"$arch",initramfs-tools,python3,python3-venv,gpiod,v4l-utils,make,git,ca-certificates,procps,sudo,e2fsprogs,iproute2,stress-ng,login \
        trixie "$root" >"$work/debootstrap.log"
    # A Pi has no such devices; emulated, each module that is tried at a boot costs seconds.
    for module in kvm_amd powernow_k8 kvm bochs pcspkr psmouse floppy i2c_i801 lpc_ich iTCO_wdt ghash_clmulni_intel rapl ahci libata; do
        echo "blacklist $module"
    done >"$root/etc/modprobe.d/trial.conf"
    printf 'MODULES=list\nCOMPRESS=lz4\n' >"$root/etc/initramfs-tools/conf.d/trial"
    printf '%s\n' virtio_pci virtio_blk ext4 >"$root/etc/initramfs-tools/modules"
    rm -f "$root"/usr/share/initramfs-tools/hooks/udev "$root"/usr/share/initramfs-tools/scripts/init-*/udev
    in_root "$root" "update-initramfs -u -k all"
    touch "$work/root.done"
fi
kernel=$(ls "$root/lib/modules")

# Debian's kernels have no gpio-sim and no raw-gadget, Debian has no lgpio: built in a root of their own.
if [ ! -e "$work/modules.done" ]; then
    step "modules and lgpio"
    rm -rf "$work/builder"
    cp -a --reflink=auto "$root" "$work/builder"
    in_root "$work/builder" "
        apt-get update -qq
        apt-get install -qq --no-install-recommends build-essential linux-headers-$arch v4l2loopback-dkms- python3-dev swig linux-source xz-utils >/dev/null
        cd /tmp && apt-get download -qq v4l2loopback-dkms && dpkg -x v4l2loopback-dkms_*.deb /srv/loopback
        mkdir -p /srv/mod && cd /srv/mod
        tar xf \$(ls /usr/src/linux-source-*.tar.xz) --strip-components=1 --wildcards '*/drivers/gpio/gpio-sim.c' \
            '*/kernel/irq/irq_sim.c' '*/drivers/usb/gadget/legacy/raw_gadget.c'
        find drivers kernel -type f -exec mv {} . ';'
        # irq_sim is meant to be built in: as a module it needs a licence, and irq_to_desc is not exported
        sed -i 's/irq_to_desc(irqnum)/irq_data_to_desc(irq_get_irq_data(irqnum))/; s,#include <linux/slab.h>,&\n#include <linux/module.h>,' irq_sim.c
        printf '\nMODULE_DESCRIPTION(\"IRQ simulator\");\nMODULE_LICENSE(\"GPL\");\n' >>irq_sim.c
        cp /srv/loopback/usr/src/v4l2loopback-*/*.[ch] .
        echo 'obj-m := irq_sim.o gpio-sim.o raw_gadget.o v4l2loopback.o' >Makefile
        make -s -C /lib/modules/$kernel/build M=/srv/mod modules
        python3 -m venv /tmp/venv
        PYPI=1 /tmp/venv/bin/pip wheel --quiet --no-deps --no-binary lgpio --wheel-dir /srv/wheels lgpio"
    cp "$work"/builder/srv/mod/*.ko "$work/ko/"
    cp "$work"/builder/srv/wheels/lgpio-*.whl "$work/"
    rm -rf "$work/builder"
    mkdir -p "$root/lib/modules/$kernel/updates"
    cp "$work"/ko/*.ko "$root/lib/modules/$kernel/updates/"
    in_root "$root" "depmod $kernel"
    touch "$work/modules.done"
fi

step "the product"
rm -rf "$work/deb" "$root/opt/trial"
"$checkout/.venv/bin/python" "$checkout/packaging/build_deb.py" --quick --release trixie --arch "$arch" --wheels "$work/wheels" --out "$work/deb"
mkdir -p "$root/srv/evening" "$root/var/log/journal" "$root/opt/trial"
cp "$work"/deb/*.deb "$root/srv/referee.deb"
python3 -m zipfile -e "$work"/lgpio-*.whl "$root/usr/lib/python3/dist-packages" # what python3-lgpio is in Raspberry Pi OS
cp -r "$here"/guest/* "$root/opt/trial/"
units=$root/etc/systemd/system
mkdir -p "$units/referee.service.d"
mv "$root"/opt/trial/*.service "$units/"
mv "$root"/opt/trial/board.conf "$units/referee.service.d/"
mv "$root/opt/trial/99-com.rules" "$root/etc/udev/rules.d/"
install -D "$here/guest/generator" "$root/etc/systemd/system-generators/trial"
in_root "$root" "dpkg --force-confnew --unpack /srv/referee.deb"
# Bytecode is the same on every processor; emulated, making it takes a quarter of an hour.
! python3.13 -c "" 2>/dev/null || python3.13 -m compileall -q -s "$root" "$root/opt/referee"
in_root "$root" "dpkg --force-confnew --configure rummikub-referee
    cp /opt/trial/referee.toml /etc/referee/
    chmod +x /opt/trial/board && systemctl --quiet enable agent board lan players"
rm -rf "$root/srv/referee.deb" "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
printf '/dev/vda / ext4 defaults,noatime 0 1\nLABEL=evening /srv/evening ext4 ro,nofail 0 0\n' >"$root/etc/fstab"
echo referee >"$root/etc/hostname"
for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer dpkg-db-backup.timer fstrim.timer; do
    ln -sf /dev/null "$units/$unit"
done
rm -f "$root/etc/resolv.conf" "$work/base.img"
step "the image"
truncate -s 2G "$work/base.img"
mke2fs -q -t ext4 -L root -O ^orphan_file -d "$root" "$work/base.img"
echo "$version" >"$work/built"
step "ready: $work/base.img"
