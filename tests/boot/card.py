"""The card trial: a Debian 13 with cloud-init sets itself up as a referee from a card, stays one, and referees.

    tests/boot/card.py WORK

WORK holds what card.sh made; a case that passed is not tried again. WORK/card/amd64/boot.md is the report.
"""

import argparse
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

from kept import BrokenPromiseError, Truth
from machine import Machine
from report import Report
from trial import HERE, Trial, free_port, measure

SET_UP_SECONDS = 900.0  # the guest's
PIN = "830517"  # as card.sh chooses it
LOG = "/var/log/cloud-init-output.log"
ASK = "python3 /run/ask_page.py"
SETTINGS = r"""[camera]
source = "sim:2"
width = 1024
height = 768
limit_seconds = 10.0
[house_rules]
turn_seconds = 0
"""
EMULATED = """[Service]
WatchdogSec=120
Environment=PYTHONPATH=/opt/trial/outside MODELS=10.0.2.2:{port}
"""


def first_start(trial: Trial) -> None:
    """Package, page and PIN come from the card."""
    trial.machine.fresh()
    trial.machine.boot(presses=0)
    trial.await_true("cloud-init status | grep -qE 'done|error'", SET_UP_SECONDS, "cloud-init ends")
    trial.note(f"cloud-init ended {trial.clock():.0f} s after power came")
    trial.note(trial.must(f"grep '^referee:' {LOG}"))
    trial.must("cloud-init status | grep -q done")
    serves(trial)
    trial.must("! test -e /root/card/pin && test -s /var/lib/referee/pin")


def next_start(trial: Trial) -> None:
    """The machine is switched off and on again: the service runs, and nothing is set up a second time."""
    if trial.machine.running() and (found := trial.machine.switch_off()):
        raise BrokenPromiseError(f"e2fsck: {found}")
    trial.machine.boot(presses=0)
    serves(trial)
    trial.note(f"set up {trial.must(f'grep -c ready {LOG}')} time(s)")


def referees(trial: Trial) -> None:
    """The installed service judges the first turns of a simulated table, and its page tells of them."""
    if not trial.machine.running():
        trial.machine.boot(presses=0)
        serves(trial)
    drop_in = "/run/systemd/system/referee.service.d"
    trial.must(f"mkdir -p {drop_in}")
    put(trial, EMULATED.format(port=trial.machine.models_port), f"> {drop_in}/emulated.conf")
    put(trial, SETTINGS, ">> /etc/referee/referee.toml")
    trial.must("referee config check && systemctl daemon-reload && systemctl restart referee", 300)
    took = trial.await_true(f"{ASK} turns | grep -v '^0 '", 600.0, "a verdict on the page")
    trial.note(f"{trial.must(f'{ASK} turns')} on the page {took:.0f} s after the service was asked to start")


def serves(trial: Trial) -> None:
    """The service runs, and its page answers and knows the organiser by the PIN of the card alone."""
    put(trial, (HERE / "guest/ask_page.py").read_text("utf-8"), "> /run/ask_page.py")
    trial.await_true("systemctl is-active referee", 300.0, "the service runs")
    trial.await_true(f"{ASK} page", 120.0, "the page answers")
    said = trial.must(f"{ASK} log-in 000000; {ASK} log-in {PIN}")
    if said.splitlines() != ["pin", "organiser"]:
        raise BrokenPromiseError(f"a wrong PIN and the PIN were answered: {said}")
    trial.note(f"the page knows the PIN; {trial.must('hostname; timedatectl show --property Timezone --value')}")


def put(trial: Trial, text: str, where: str) -> None:
    """Write a text into the guest."""
    trial.must(f"echo {b64encode(text.encode()).decode()} | base64 -d {where}")


def main() -> int:
    """Try both starts and a match."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("work", type=Path)
    work = parser.parse_args().work / "card"
    machine = Machine(work, "amd64", "card", memory=512)
    machine.models_port = free_port()
    trial, report = Trial(machine, Truth((), "", "")), Report(work / "amd64", "amd64")
    report.about(machine)
    outside = subprocess.Popen([sys.executable, HERE / "models_outside.py", str(machine.models_port)])
    try:
        for name, case in (
            ("first start from a card", first_start),
            ("next start", next_start),
            ("referees", referees),
        ):
            if not (report.knows(name) or measure(report, name, trial, case)):
                break
    finally:
        outside.terminate()
        machine.pull_the_plug()
    return report.write()


if __name__ == "__main__":
    sys.exit(main())
