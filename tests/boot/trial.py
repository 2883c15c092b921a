"""The boot trial: breaks a booted referee in every way that a table knows, and says what it kept.

    tests/boot/trial.py WORK [--arch amd64] [--cuts 30] [--rounds 2] [--only CASE …] [--again] [--record FILE]

WORK holds what build.sh made. Each result is written as soon as it is known, so a broken-off trial goes on where it
was; --again forgets what is known. WORK/ARCH/boot.xml is the report for programs, WORK/ARCH/boot.md for people.
"""

import argparse
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept import NEWEST, BrokenPromiseError, Promises, Truth, moments, truth_of
from machine import GuestGoneError, Machine
from report import Report, Result

HERE = Path(__file__).parent
PLAYS_SECONDS = 60.0  # the guest's own, from the start of the service until the match goes on
RESTARTS = "systemctl show referee -p NRestarts --value"
STARTED = "systemctl show referee -p ExecMainStartTimestampMonotonic --value"
MAIN = "$(systemctl show referee -p MainPID --value)"
HEALTH = "/run/referee/health.json"
BUTTON = "/sys/devices/platform/gpio-sim*/gpiochip*/sim_gpio23/pull"
PRESS, HOLD = (
    f"{{ echo pull-down | tee {BUTTON} && sleep {held} && echo pull-up | tee {BUTTON}; }} >/dev/null"
    for held in (0.2, 2.5)
)
LAMPS = "for n in 17 27 22; do cat /sys/devices/platform/gpio-sim*/gpiochip*/sim_gpio$n/value; done | tr -d '\\n'"


class Trial:
    """One machine on trial."""

    def __init__(self, machine: Machine, truth: Truth) -> None:
        self.machine, self.promises = machine, Promises(machine, truth)
        self.notes: list[str] = []

    def note(self, said: str) -> None:
        """Say and keep what was measured."""
        print(f"{time.strftime('%H:%M:%S')}   {said}", flush=True)
        self.notes.append(said)

    def run(self, command: str, seconds: float = 120.0) -> str:
        """Run a command in the guest."""
        return self.machine.guest.run(command, seconds)

    def must(self, command: str, seconds: float = 120.0) -> str:
        """Run a command that has to succeed."""
        code, said = self.machine.guest.ask(command, seconds)
        if code:
            raise BrokenPromiseError(f"{command:.80}: {said:.300}")
        return said

    def await_true(self, command: str, seconds: float, what: str) -> float:
        """Wait until a command succeeds; the guest's seconds that took."""
        began = self.clock()
        while self.machine.guest.ask(command)[0]:
            if self.clock() - began > seconds:
                raise BrokenPromiseError(f"{what}: not within {seconds:.0f} s; {self.status()}; log: {self.log()}")
            self.rest()
        return self.clock() - began

    def clock(self) -> float:
        """The guest's seconds since it was switched on: emulated on a busy machine they are longer than ours."""
        return float(self.must("cut -d' ' -f1 /proc/uptime"))

    def rest(self) -> None:
        """Wait a second of the guest's: asked by our clock, a slow guest would do nothing but answer."""
        self.run("sleep 1")

    def status(self) -> str:
        """What systemd says of the service."""
        return self.run("systemctl show referee -p ActiveState -p SubState -p StatusText -p NRestarts").replace(
            "\n", " "
        )

    def log(self, lines: int = 12) -> str:
        """The end of the service's log."""
        return self.run(f"journalctl -u referee -b -o cat --no-pager | grep -vE 'VIDEOIO|Corrupt|█|▀' | tail -{lines}")

    def play(self, presses: int = 1, seconds: float = 400.0, *, card: bool = True) -> None:
        """Let the players play on until so many more presses were judged and heard; without a card nothing is kept."""
        done = sum(told["what"] == "judged" for told in self.machine.world().whats)
        self.run(f"echo {done + presses} >/run/players/presses")
        until = self.clock() + seconds
        while sum(told["what"] == "judged" for told in self.machine.world().whats) < done + presses:
            if self.clock() > until:
                raise BrokenPromiseError(f"no verdict within {seconds:.0f} s; {self.status()}; log: {self.log()}")
            self.rest()
        self.note(self.promises.check() if card else f"{self.machine.world().heard} heard while the card takes nothing")

    def restarts(self) -> int:
        """How often systemd has started the service again by itself."""
        return int(self.must(RESTARTS))

    def stands(self, restarts: int, when: str) -> None:
        """Raise BrokenPromiseError where systemd has started the service again since it had done so so many times."""
        if more := self.restarts() - restarts:
            raise BrokenPromiseError(f"the service ended and was started again {more} times {when}; log: {self.log()}")

    def told(self) -> tuple[dict[str, Any], ...]:
        """What the players told since it was switched on."""
        return self.machine.world().whats[self.machine.told_before :]

    def went_on(self, seconds: float = 500.0) -> str:
        """Wait until the match goes on after a boot, by its first start; how long that took by the guest's clock."""
        until = self.clock() + seconds
        while not (plays := [each for each in self.told() if each["what"] in ("plays", "begun")]):
            if self.clock() > until:
                raise BrokenPromiseError(f"it does not go on; {self.status()}; log: {self.log()}")
            self.rest()
        self.stands(0, "after a boot")
        asked = sum(each["what"] == "asked" for each in self.told())
        took = plays[0]["guest"] - float(self.must(STARTED)) / 1e6
        if took > PLAYS_SECONDS and not asked:
            raise BrokenPromiseError(f"it went on {took:.0f} s after the service started; {self.log()}")
        return f"goes on {took:.0f} s after the service started{', asked the players first' if asked else ''}"

    def restart(self) -> None:
        """Start the service anew and wait until the match goes on."""
        self.must("systemctl restart referee", 300)
        self.goes_on("after a restart")

    def goes_on(self, when: str) -> None:
        """Wait until the match goes on; where the referee asks about the table, press."""
        asks = "journalctl -u referee -o cat -n 1 --no-pager | grep -q 'table has changed meanwhile'"
        ours = f'grep -q "\\"pid\\": {MAIN}," {HEALTH}'  # a process that was killed leaves its own behind
        went_on = f"""{ours} && grep -q '"halted": *\\[\\]' {HEALTH} || {{ {asks} && {PRESS}; false; }}"""
        starts = self.restarts()
        took = self.await_true(went_on, 300, f"the match goes on {when}")
        self.stands(starts, when)
        self.note(f"goes on {took:.0f} s {when}")

    def begin(self) -> None:
        """Boot and begin the match."""
        self.machine.boot(presses=0)
        self.note(self.went_on())


def installed(trial: Trial) -> None:
    """As the manual says: the unit runs in its sandbox, on a real gpiochip and a real V4L2 device, and judges."""
    trial.play(2)
    trial.note("camera " + trial.must(f"ls -l /proc/{MAIN}/fd | grep -o '/dev/video[0-9]*' | sort -u | tr '\\n' ' '"))
    trial.note("pins " + trial.must("gpioinfo -c gpiochip0 | grep -c 'consumer='"))
    trial.must("referee status")
    trial.note(trial.must("systemd-analyze security referee --no-pager | tail -1 | tr -d '→'"))
    failed = trial.run("systemctl --failed --no-legend")
    if failed:
        raise BrokenPromiseError(f"failed units: {failed}")


def unplugged(trial: Trial) -> None:
    """A USB camera is pulled out in play and comes back under another number."""
    trial.run(
        "echo usb >/run/players/camera; sleep 2; for i in $(seq 60); do /opt/trial/board unplug && break; sleep 1; done"
    )
    trial.must("/opt/trial/board usb")
    plug = "systemd-run -q --unit=usb-camera python3 /opt/trial/usb_camera.py"
    trial.must(f"systemctl reset-failed usb-camera 2>/dev/null; {plug}")
    trial.must("for i in $(seq 60); do ls /dev/video0 && break; sleep 1; done; cat /sys/class/video4linux/video0/name")
    trial.restart()
    trial.play()
    trial.must("systemctl stop usb-camera")
    took = trial.await_true(
        "journalctl -u referee -b --no-pager | tail -20 | grep -qE 'cable|not there'",
        60,
        "the lost camera is told",
    )
    trial.note(f"pulled: told after {took:.0f} s, lamps {trial.run(LAMPS)}")
    trial.must(
        "modprobe v4l2loopback devices=1 video_nr=0 exclusive_caps=1 card_label='Another device' || true; sleep 5"
    )
    trial.must(f"systemctl reset-failed usb-camera 2>/dev/null; {plug}")
    trial.goes_on("after the camera is back")
    trial.play()
    trial.note("back as " + trial.must(f"ls -l /proc/{MAIN}/fd | grep -o '/dev/video[0-9]*' | sort -u | tr '\\n' ' '"))


def disk_full(trial: Trial) -> None:
    """The card is full to the last byte; then there is room again."""
    trial.must(
        "fallocate -l $(( $(stat -f -c '%f * %S' /) - 8000000 )) /fill; "  # emulated, dd alone takes minutes
        "dd if=/dev/zero of=/fill2 bs=1M status=none; dd if=/dev/zero of=/fill3 bs=1k status=none; df / | tail -1"
    )
    trial.play(2, card=False)
    trial.must("rm -f /fill*; sleep 6")
    trial.play()
    trial.note("replay: " + trial.must(f"cd /tmp; referee replay {NEWEST} | tail -1", 300))


def clock_jumps(trial: Trial) -> None:
    """The wall clock is set to 1970 and to 2036 in play."""
    for day in ("1970-01-02", "2036-01-01", "2026-11-27"):
        trial.must(f"date -s {day} >/dev/null")
        trial.play()


def processor_held(trial: Trial) -> None:
    """Other programs hold the processor."""
    trial.must("systemd-run -q --unit=hog stress-ng --cpu 8 --timeout 600")
    trial.play()
    trial.must("systemctl stop hog")


def memory_held(trial: Trial) -> None:
    """Other programs take all memory there is, again and again."""
    trial.must(
        "systemd-run -q --unit=hog -p OOMScoreAdjust=900 stress-ng --vm 2 --vm-bytes 90% --vm-hang 1 --timeout 600"
    )
    trial.play()
    trial.must("systemctl stop hog")
    killed = trial.run("dmesg | grep -ci 'killed process.*referee' || true")
    trial.note(f"the referee was killed {killed} times; {trial.status()}")


def killed(trial: Trial) -> None:
    """The process is killed twenty times, and once in a while while it starts."""
    for number in range(20):
        trial.run("systemctl kill --signal KILL --kill-whom main referee")  # between two starts there is no PID
        if number % 4 == 3:
            trial.run("sleep 7")  # it starts again after 5 s
            continue
        trial.await_true("systemctl is-active referee", 240, f"kill {number + 1}")
    trial.await_true("systemctl is-active referee", 240, "after 20 kills")
    trial.note(f"after 20 kills: {trial.status()}")
    if trial.machine.guest.ask(f"grep -q safe {HEALTH}")[0] == 0:  # it ends by itself too, after ten minutes
        trial.run(HOLD)
    trial.goes_on("after 20 kills and a long press")
    trial.play()


def read_only(trial: Trial) -> None:
    """The card turns read-only, as ext4 does at an error, is writable again after a restart."""
    trial.must(
        "sync; mount -o remount,ro / || { echo u >/proc/sysrq-trigger; sleep 3; }; "
        "! touch /var/lib/referee/x 2>/dev/null"
    )
    trial.play(card=False)
    trial.note("said: " + trial.must("referee status | grep 'NOT KEPT'"))
    trial.must("mount -o remount,rw /; sleep 6")
    trial.play()
    trial.restart()
    trial.play()
    trial.note("replay: " + trial.must(f"cd /tmp; referee replay {NEWEST} | tail -1", 300))
    trial.must("! ls /var/lib/referee/*.damaged* 2>/dev/null")


def without_swap(trial: Trial) -> None:
    """On 512 MB a match is played without swapping, and nothing is thrown out of memory to be read again at once."""
    before = trial.run("awk '/^(pswpin|pswpout|workingset_refault_file)/{print $2}' /proc/vmstat").split()
    trial.play(3)
    after = trial.run("awk '/^(pswpin|pswpout|workingset_refault_file)/{print $2}' /proc/vmstat").split()
    trial.note(f"read again: {int(after[0]) - int(before[0])} pages; swapped {after[1:]}")
    trial.note(
        trial.run(
            f"grep -h VmRSS /proc/{MAIN}/status; free -m | head -2 | tail -1; cat /proc/pressure/memory | tail -1"
        )
    )


QUICK: dict[str, Callable[[Trial], None]] = {
    each.__name__: each
    for each in (
        installed,
        without_swap,
        disk_full,
        clock_jumps,
        processor_held,
        memory_held,
        read_only,
        unplugged,
        killed,
    )
}


def cut(trial: Trial, number: int, wait: float) -> str:
    """Boot, play for a random time, pull the plug; every tenth cut is in calibration, each other fifth in the boot."""
    machine = trial.machine
    if number % 10 == 9:
        machine.boot(presses=0)
        trial.went_on()
        said = trial.promises.check()
        truth = trial.promises.truth
        step = f"sudo -u referee referee calibrate table --camera usb:0 --points '{truth.corners}' --size {truth.size}"
        outside = "env $(systemctl show referee -p Environment --value)"
        trial.must(
            "systemctl stop referee; systemd-run -q -p WorkingDirectory=/tmp "
            f"bash -c 'while true; do {outside} {step}; done'"
        )
        time.sleep(wait + 20)
        machine.pull_the_plug()
        return f"{wait + 20:.0f} s into a calibration; {said}"
    if number % 5 == 4:
        machine.boot(wait=False)
        time.sleep(wait / 2)
        machine.pull_the_plug()
        return f"{wait / 2:.0f} s after power came, while it boots"
    machine.boot()
    said = f"{trial.went_on()}; {trial.promises.check()}"
    time.sleep(wait)
    machine.pull_the_plug()
    return f"{wait:.0f} s into play; at its start: {said}"


def run_cuts(report: Report, trial: Trial, count: int) -> None:
    """Pull the plug so many times through one match, then play it to its end."""
    machine = trial.machine
    done = [result for result in report.results if result.name.startswith("cut ")]
    if not done:
        machine.fresh()
    for number, wait in list(enumerate(moments(1, count, 4.0, 60.0)))[len(done) :]:

        def one(trial: Trial, number: int = number, wait: float = wait) -> None:
            trial.note(cut(trial, number, wait))

        measure(report, f"cut {number + 1}", trial, one)


def finish(trial: Trial) -> None:
    """After all cuts: it goes on, the journal repeats itself, the disk is whole."""
    trial.machine.boot()
    trial.note(trial.went_on())
    time.sleep(60)
    trial.note(trial.promises.check())
    trial.note("replay: " + trial.must(f"cd /tmp; referee replay {NEWEST} | tail -1", 600))
    trial.note(
        "journal of the system: "
        + trial.run("journalctl --verify 2>&1 | grep -c PASS; journalctl --list-boots --no-pager | wc -l").replace(
            "\n", " of "
        )
    )
    if found := trial.machine.switch_off():
        raise BrokenPromiseError(f"e2fsck: {found}")


def measure(report: Report, name: str, trial: Trial, case: Callable[[Trial], None]) -> bool:
    """Try one case and write down what came of it."""
    trial.notes, began, failure = [], time.monotonic(), ""
    print(f"{time.strftime('%H:%M:%S')} {name}", flush=True)
    try:
        case(trial)
    except (BrokenPromiseError, GuestGoneError) as error:
        failure = str(error)
    except Exception:  # noqa: BLE001 - a fault of the trial's own is a failed case too
        failure = traceback.format_exc()
    if failure:
        print(f"   FAILED: {failure}", flush=True)
        trial.machine.pull_the_plug()
    report.add(Result(name, time.monotonic() - began, tuple(trial.notes), failure))
    return not failure


def run_quick(report: Report, make: Callable[[str], Trial], number: int, only: list[str]) -> None:
    """Try every quick case once, on one machine as long as all goes well."""
    trial = None
    for name, case in QUICK.items():
        full = f"{name}, round {number}"
        if (only and name not in only) or report.knows(full):
            continue
        if trial is None or not trial.machine.running():
            trial = make("quick")
            trial.machine.fresh()
            if not measure(report, f"boot before {full}", trial, Trial.begin):
                return
        measure(report, full, trial, case)
    if trial is not None:
        trial.machine.pull_the_plug()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def main() -> int:
    """Run what is not yet known."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--arch", choices=("amd64", "arm64"), default="amd64")
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--memory", type=int, default=512)
    parser.add_argument("--only", nargs="*", default=[], help=f"of {', '.join(QUICK)}")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--record", type=Path)
    asked = parser.parse_args()
    truth = truth_of(asked.work / "evening")
    report = Report(asked.work / asked.arch, asked.arch, again=asked.again)

    port = free_port()

    def make(name: str) -> Trial:
        machine = Machine(asked.work, asked.arch, name, memory=asked.memory)
        machine.models_port = port
        return Trial(machine, truth)

    report.about(make("quick").machine)
    outside = subprocess.Popen([sys.executable, HERE / "models_outside.py", str(port)])
    trial = make("cuts")
    try:
        for number in range(1, asked.rounds + 1):
            run_quick(report, make, number, asked.only)
        if asked.cuts and not report.knows("after all cuts"):
            run_cuts(report, trial, asked.cuts)
            measure(report, "after all cuts", trial, finish)
    finally:
        outside.terminate()
        trial.machine.pull_the_plug()
    if asked.record:
        asked.record.write_text(report.page(), "utf-8")
    return report.write()


if __name__ == "__main__":
    sys.exit(main())
