"""The card trial: a Debian 13 with cloud-init sets itself up as a referee from a card, and stays one.

    tests/boot/card.py WORK

WORK holds what card.sh made. WORK/card/amd64/boot.md is the report.
"""

import sys
from pathlib import Path

from kept import BrokenPromiseError, Truth
from machine import Machine
from report import Report
from trial import Trial, measure

SET_UP_SECONDS = 900.0  # the guest's
LOG = "/var/log/cloud-init-output.log"
ANSWERS = "python3 -c \"import urllib.request as web; print(web.urlopen('http://127.0.0.1:8080{}').status)\""


def first_start(trial: Trial) -> None:
    """Package, page and PIN come from the card."""
    trial.machine.boot(presses=0)
    trial.await_true("cloud-init status | grep -qE 'done|error'", SET_UP_SECONDS, "cloud-init ends")
    trial.note(f"cloud-init ended {trial.clock():.0f} s after power came")
    trial.note(trial.must(f"grep '^referee:' {LOG}"))
    trial.must("cloud-init status | grep -q done")
    serves(trial)
    trial.must("! test -e /root/card/pin && test -s /var/lib/referee/pin")


def next_start(trial: Trial) -> None:
    """The machine is switched off and on again: the service runs, and nothing is set up a second time."""
    if found := trial.machine.switch_off():
        raise BrokenPromiseError(f"e2fsck: {found}")
    trial.machine.boot(presses=0)
    serves(trial)
    trial.note(f"{trial.must(f'grep -c ready {LOG}')} time set up")


def serves(trial: Trial) -> None:
    """The service runs and its page answers."""
    trial.await_true("systemctl is-active referee", 300.0, "the service runs")
    trial.await_true(ANSWERS.format("/"), 120.0, "the page answers")
    trial.note(trial.must("referee status --json | head -c 300"))
    trial.note(trial.must("hostname; timedatectl show --property Timezone --value; hostname -I"))


def main() -> int:
    """Try both starts."""
    work = Path(sys.argv[1]) / "card"
    machine = Machine(work, "amd64", "card", memory=512)
    trial, report = Trial(machine, Truth((), "", "")), Report(work / "amd64", "amd64", again=True)
    report.about(machine)
    machine.fresh()
    try:
        if measure(report, "first start from a card", trial, first_start):
            measure(report, "next start", trial, next_start)
    finally:
        machine.pull_the_plug()
    return report.write()


if __name__ == "__main__":
    sys.exit(main())
