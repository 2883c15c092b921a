#!/usr/bin/env bash
# Build the disk image of the boot trial: Debian 13 with its own kernel and systemd, the referee installed as
# systemd/README.md says, simulated pins and cameras.
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
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*) echo "architecture $arch is not known; use amd64 or arm64" >&2; exit 2 ;;
esac
mkdir -p "$work/ko" "$work/wheels"
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

in_root() { # ROOT COMMAND
    local at=$1 code=0 folder
    for folder in proc sys dev; do mount --rbind "/$folder" "$at/$folder" && mount --make-rslave "$at/$folder"; done
    cp -L /etc/resolv.conf "$at/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$at/etc/ssl/certs/ca-certificates.crt"
    chroot "$at" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$2" || code=$?
    for folder in dev sys proc; do umount --recursive --lazy "$at/$folder"; done
    return $code
}

if [ ! -e "$work/root.done" ]; then
    step "Debian 13"
    rm -rf "$root"
    debootstrap --variant=minbase --arch="$arch" \
        --include=systemd,systemd-sysv,udev,dbus,kmod,linux-image-"$arch",initramfs-tools,python3,python3-venv,gpiod,v4l-utils,make,git,ca-certificates,procps,sudo,e2fsprogs,iproute2,stress-ng,login \
        trixie "$root" >"$work/debootstrap.log"
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
    touch "$work/modules.done"
fi

step "the product"
make -s -C "$checkout" wheel
platforms=$(printf -- "--platform manylinux%s_$machine " _2_28 _2_27 _2_17 2014)
# shellcheck disable=SC2086 - several words on purpose
"$checkout/.venv/bin/python" -m pip download --quiet --disable-pip-version-check --only-binary=:all: $platforms --python-version 3.13 \
    --dest "$work/wheels" --requirement "$checkout/systemd/pins-3.13.txt"
rm -rf "$root/srv/referee" "$root/srv/wheels" "$root/opt/referee" "$root/opt/trial"
mkdir -p "$root/srv/referee/dist" "$root/srv/evening" "$root/var/log/journal" "$root/opt/trial" "$root/lib/modules/$kernel/updates"
git -C "$checkout" archive HEAD Makefile systemd docs calibration | tar -x -C "$root/srv/referee"
cp "$(ls -t "$checkout"/dist/*.whl | head -1)" "$root/srv/referee/dist/"
cp -r "$work/wheels" "$root/srv/wheels"
cp "$work"/ko/*.ko "$root/lib/modules/$kernel/updates/"
python3 -m zipfile -e "$work"/lgpio-*.whl "$root/usr/lib/python3/dist-packages" # what python3-lgpio is in Raspberry Pi OS
cp -r "$here"/guest/* "$root/opt/trial/"
units=$root/etc/systemd/system
mkdir -p "$units/referee.service.d"
mv "$root"/opt/trial/*.service "$units/"
mv "$root"/opt/trial/board.conf "$units/referee.service.d/"
mv "$root/opt/trial/99-com.rules" "$root/etc/udev/rules.d/"
install -D "$here/guest/generator" "$root/etc/systemd/system-generators/trial"
# A Pi has no such devices; emulated, each module that is tried at a boot costs seconds.
for module in kvm_amd powernow_k8 kvm bochs pcspkr psmouse floppy i2c_i801 lpc_ich iTCO_wdt ghash_clmulni_intel rapl ahci libata; do
    echo "blacklist $module"
done >"$root/etc/modprobe.d/trial.conf"
printf 'MODULES=list\nCOMPRESS=lz4\n' >"$root/etc/initramfs-tools/conf.d/trial"
printf '%s\n' virtio_pci virtio_blk ext4 >"$root/etc/initramfs-tools/modules"
rm -f "$root"/usr/share/initramfs-tools/hooks/udev "$root"/usr/share/initramfs-tools/scripts/init-*/udev
in_root "$root" "depmod $kernel
    update-initramfs -u -k $kernel
    cd /srv/referee && make install PIP_FLAGS='--no-index --find-links /srv/wheels' && cp /opt/trial/referee.toml /etc/referee/
    chmod +x /opt/trial/board && systemctl --quiet enable referee agent board lan players"
rm -rf "$root/srv/wheels" "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
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
