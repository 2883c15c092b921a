"""A virtual machine with a simulated Pi: boots an image under qemu, speaks with it, pulls its plug."""

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BOOT_SECONDS = 3600.0
PROBE_SECONDS = 20.0
SLOWEST = 10  # of our seconds, emulated on a busy machine, for one of the guest
# Emulated, the guest's clock counts instructions while it works, a thousand million a second on one core: fewer than a
# Pi Zero 2 W's four do. So its seconds mean the same however busy this machine is.
ICOUNT = "shift=0,sleep=on"
# qemu 7.2 gets the gathers of AVX2 wrong, and numpy ends at one.
QEMU = {
    "amd64": ("qemu-system-x86_64", "q35", "max,-avx2", "ttyS0"),
    "arm64": ("qemu-system-aarch64", "virt", "cortex-a72", "ttyAMA0"),
}


class GuestGoneError(Exception):
    """The guest does not answer."""


@functools.cache
def accelerator(arch: str, kernel: Path) -> str:
    """`kvm` where this machine's KVM can run the kernel, else `tcg`: emulation, and the models run outside."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine)
    if machine != arch or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    program, kind, _, console = QEMU[arch]
    command: list[str | Path] = [
        program,
        "-accel",
        "kvm",
        "-cpu",
        "host",
        "-M",
        kind,
        "-m",
        "512",
        "-nodefaults",
        "-nographic",
    ]
    command += ["-no-reboot", "-serial", "stdio", "-kernel", kernel, "-append", f"console={console} panic=-1"]
    try:  # without a root it panics, which is all that is asked of it
        done = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "tcg"
    return "kvm" if b"Linux version" in done.stdout else "tcg"


class Guest:
    """One connection to the agent in the guest; commands one after the other."""

    def __init__(self, path: Path) -> None:
        until = time.monotonic() + 30
        while True:
            self._socket = socket.socket(socket.AF_UNIX)
            try:
                self._socket.connect(str(path))
                break
            except OSError:
                self._socket.close()
                if time.monotonic() > until:
                    raise GuestGoneError(f"{path} cannot be reached") from None
                time.sleep(0.2)
        self._rest, self._number = b"", time.time_ns() % 10**12

    def ask(self, command: str, seconds: float = 120.0) -> tuple[int, str]:
        """Run a shell command: its exit code and what it printed."""
        self._number += 1
        try:
            self._socket.sendall(json.dumps({"id": self._number, "run": command, "seconds": seconds}).encode() + b"\n")
            self._socket.settimeout(SLOWEST * seconds + 30)
            return next((said["code"], said["out"].rstrip()) for said in self._said() if said.get("id") == self._number)
        except (OSError, StopIteration):
            raise GuestGoneError(f"no answer to: {command:.80}") from None

    def _said(self) -> Iterator[dict[str, Any]]:
        while True:
            while b"\n" in self._rest:
                line, self._rest = self._rest.split(b"\n", 1)
                try:
                    yield json.loads(line)
                except ValueError:
                    continue
            more = self._socket.recv(65536)
            if not more:
                return
            self._rest += more

    def run(self, command: str, seconds: float = 120.0) -> str:
        """Run a shell command and give what it printed."""
        return self.ask(command, seconds)[1]

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


@dataclass(frozen=True, slots=True)
class World:
    """What the players told until now."""

    event: int = 0
    heard: int = 0
    whats: tuple[dict[str, Any], ...] = ()


class Machine:
    """One simulated Pi with its disk."""

    def __init__(self, work: Path, arch: str, name: str, *, memory: int) -> None:
        self.folder, self.arch, self.name, self.memory = work / arch, arch, name, memory
        self._evening = work / "evening.img"
        kernel = next((self.folder / "root/lib/modules").iterdir()).name
        self._kernel = self.folder / f"root/boot/vmlinuz-{kernel}"
        self._initrd = self.folder / f"root/boot/initrd.img-{kernel}"
        self.accel = accelerator(arch, self._kernel)
        self.image, self._world = self.folder / f"{name}.qcow2", self.folder / f"{name}.world"
        self.models_port = 0
        """Where the networks of an emulated guest are served outside."""
        self._process: subprocess.Popen[bytes] | None = None
        self.guest: Guest
        self.told_before = 0
        """How much the players had told when it was last switched on."""

    def fresh(self) -> None:
        """Take a new disk, and a new evening."""
        base = ["-b", str(self.folder / "base.img"), "-F", "raw"]
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *base, str(self.image)], check=True)
        self._world.unlink(missing_ok=True)

    def boot(self, *, presses: int | None = None, wait: bool = True) -> None:
        """Switch it on; the players go on where they were, and make so many presses in all."""
        program, kind, cpu, console = QEMU[self.arch]
        path = self.folder / f"{self.name}.sock"
        path.unlink(missing_ok=True)
        self.told_before = len(self.world().whats)
        fast = self.accel == "kvm"
        words = [f"root=/dev/vda rw console={console} panic=-1", f"players.start={self.world().event}"]
        words += [] if presses is None else [f"players.presses={presses}"]
        words += [f"players.pace={os.environ.get('PACE', '1' if fast else '0.5')}"]
        words += [] if fast else [f"trial.outside={self.models_port}"]
        command: list[Any] = [
            program,
            "-M",
            kind,
            "-m",
            self.memory,
            "-smp",
            2 if fast else 1,
            "-nodefaults",
            "-nographic",
            "-no-reboot",
        ]
        command += ["-accel", "kvm" if fast else "tcg,tb-size=512", "-cpu", "host" if fast else cpu]
        command += [] if fast else ["-icount", ICOUNT]
        command += ["-kernel", self._kernel, "-initrd", self._initrd, "-append", " ".join(words)]
        command += ["-drive", f"file={self.image},if=virtio,format=qcow2,cache=writeback"]
        command += ["-drive", f"file={self._evening},if=virtio,format=raw,readonly=on"]
        command += ["-device", "virtio-serial", "-device", "virtio-rng"]
        command += ["-chardev", f"socket,id=agent,path={path},server=on,wait=off"]
        command += ["-device", "virtserialport,chardev=agent,name=agent"]
        command += ["-chardev", f"file,id=world,path={self._world},append=on"]
        command += ["-device", "virtserialport,chardev=world,name=world"]
        command += [
            "-chardev",
            f"file,id=console,path={self.folder / self.name}.log,append=on",
            "-serial",
            "chardev:console",
        ]
        command += ["-netdev", "user,id=lan,ipv6=off", "-device", "virtio-net-pci,netdev=lan"]
        self._process = subprocess.Popen([str(word) for word in command])
        self.guest = Guest(path)
        if wait:
            self.wait_up()

    def wait_up(self) -> None:
        """Wait until the agent answers."""
        until = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < until and self.running():
            try:
                if self.guest.ask("true", 5)[0] == 0:
                    return
            except GuestGoneError:
                continue
        raise GuestGoneError(f"{self.name} did not come up; see {self.folder / self.name}.log")

    def running(self) -> bool:
        """Whether it has power."""
        return self._process is not None and self._process.poll() is None

    def pull_the_plug(self) -> None:
        """Take its power; what it had not flushed to its disk is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self.guest.close()

    def switch_off(self) -> str:
        """Shut it down, and say what e2fsck finds on its disk."""
        with contextlib.suppress(GuestGoneError):
            self.guest.ask("systemctl poweroff", 20)
        assert self._process is not None
        self._process.wait(180)
        self.guest.close()
        return self.check_disk()

    def check_disk(self) -> str:
        """Say what e2fsck finds on its disk, whose journal it replays first; empty where all is well."""
        raw = self.image.with_suffix(".raw")
        subprocess.run(["qemu-img", "convert", "-O", "raw", self.image, raw], check=True)
        subprocess.run(["e2fsck", "-p", raw], capture_output=True, check=False)
        done = subprocess.run(["e2fsck", "-fn", raw], capture_output=True, text=True, check=False)
        raw.unlink()
        return "" if done.returncode == 0 else done.stdout.strip()

    def world(self) -> World:
        """What the players told until now."""
        try:
            text = self._world.read_text()
        except OSError:
            return World()
        told = tuple(json.loads(line) for line in text.split("\n")[:-1] if line.startswith("{"))
        if not told:
            return World()
        return World(told[-1]["event"], max(line["heard"] for line in told), told)
