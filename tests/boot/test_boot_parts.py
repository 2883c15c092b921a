"""The parts of the boot trial that need no virtual machine."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

sys.path.append(str(Path(__file__).parent))

from kept import BrokenPromiseError, Promises, Truth, moments, truth_of
from machine import Machine, World
from report import Report, Result
from trial import RESTARTS, STARTED, Trial

TRUTH = Truth(("legal", "illegal", "legal"), "", "")


class SaidGuest:
    """Gives the verdicts that a journal would hold."""

    def __init__(self) -> None:
        self.verdicts = ""

    def run(self, _: str) -> str:
        return self.verdicts


class SaidMachine:
    """A machine in which so many turns were pressed and heard."""

    def __init__(self) -> None:
        self.guest, self.pressed, self.heard = SaidGuest(), 0, 0

    def world(self) -> World:
        told = tuple({"event": number, "what": "press"} for number in range(self.pressed))
        return World(self.pressed, self.heard, told)


def promises(pressed: int, heard: int, kept: str) -> tuple[Promises, SaidMachine]:
    machine = SaidMachine()
    machine.pressed, machine.heard, machine.guest.verdicts = pressed, heard, kept
    return Promises(machine, TRUTH), machine  # type: ignore[arg-type]


def test_what_is_kept_is_held_against_the_truth() -> None:
    kept, _ = promises(3, 2, "legal\nlegal")
    assert kept.check() == "3 pressed, 2 heard, 2 kept, 1 other than true: press 2 legal, not illegal"


@pytest.mark.parametrize(
    ("pressed", "heard", "now", "said"),
    [(3, 3, "legal illegal", "1 lost"), (2, 2, "legal illegal legal", "1 twice"), (2, 2, "legal legal", "changed")],
)
def test_a_broken_promise_is_told(pressed: int, heard: int, now: str, said: str) -> None:
    kept, machine = promises(2, 2, "legal illegal")
    kept.check()
    machine.pressed, machine.heard, machine.guest.verdicts = pressed, heard, now
    with pytest.raises(BrokenPromiseError, match=said):
        kept.check()


def test_a_verdict_that_nobody_heard_may_go_with_the_power() -> None:
    kept, machine = promises(2, 1, "legal illegal")
    kept.check()
    machine.guest.verdicts = "legal"
    assert "1 kept" in kept.check()


class BootedGuest:
    """A guest whose service started 20 s after power came, or was started again so many times until then."""

    def __init__(self, restarts: int) -> None:
        self.restarts = restarts

    def ask(self, command: str, _: float) -> tuple[int, str]:
        return 0, {STARTED: "20000000", RESTARTS: str(self.restarts)}.get(command, "40.0")

    def run(self, command: str, seconds: float) -> str:
        return self.ask(command, seconds)[1]


@pytest.mark.parametrize("restarts", [0, 7])
def test_a_service_that_was_started_again_did_not_go_on(restarts: int) -> None:
    told = ({"event": 1, "guest": 38.5, "heard": 0, "what": "plays"},)
    machine = SimpleNamespace(guest=BootedGuest(restarts), world=lambda: World(1, 0, told), told_before=0)
    trial = Trial(machine, TRUTH)  # type: ignore[arg-type]
    if restarts:
        with pytest.raises(BrokenPromiseError, match="started again 7 times after a boot"):
            trial.went_on()
    else:
        assert trial.went_on() == "goes on 18 s after the service started"


def test_the_moments_of_a_trial_are_the_same_each_time() -> None:
    first = moments(1, 30, 4.0, 60.0)
    assert first == moments(1, 30, 4.0, 60.0)
    assert len(set(first)) == 30
    assert all(4.0 <= moment <= 60.0 for moment in first)


def test_a_trial_broken_off_goes_on(tmp_path: Path) -> None:
    report = Report(tmp_path, "amd64")
    report.add(Result("killed", 2.0, ("20 kills",)))
    report.add(Result("cut 1", 3.0, (), "1 | lost"))
    again = Report(tmp_path, "amd64")
    assert again.results == report.results
    assert again.knows("killed")
    assert not again.knows("cut 1")
    again.add(Result("cut 1", 4.0, ("goes on",)))
    assert [each.failure for each in again.results] == ["", ""]
    assert Report(tmp_path, "amd64", again=True).results == []


def test_the_report_counts_what_failed(tmp_path: Path) -> None:
    report = Report(tmp_path, "amd64")
    report.add(Result("killed", 2.0, ("20 kills",)))
    report.add(Result("cut 1", 3.0, (), "1 | lost"))
    assert report.write() == 1
    suite = ET.parse(tmp_path / "boot.xml").getroot()  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite[1].find("failure") is not None
    assert "**1 of 2 cases passed; 1 power cut tried, 0 passed.**" in report.page()
    assert "| cut 1 | 3 | **1 / lost** |" in report.page()


def test_the_truth_of_an_evening_is_its_presses(tmp_path: Path) -> None:
    area = [[100.0, 100.0], [900.0, 100.0], [900.0, 700.0], [100.0, 700.0]]
    places = [(0, 0), (400, 0), (400, 300), (0, 300)]  # half a millimetre a pixel
    tiles = [
        {"quad": [[100 + 2 * x - 4, 100 + 2 * y - 4], [100 + 2 * x + 4, 100 + 2 * y + 4]], "mm": [x, y, 0]}
        for x, y in places
    ]
    judged = [{"cause": cause, "verdict": "legal", "tiles": tiles} for cause in ("press", "time")]
    (tmp_path / "truth.jsonl").write_text(json.dumps({"judgements": judged}) + "\n")
    (tmp_path / "timeline.jsonl").write_text(json.dumps({"area": area}) + "\n")
    assert truth_of(tmp_path) == Truth(("legal",), "100,100 900,100 900,700 100,700", "400x300")


def test_a_line_cut_short_by_the_power_is_not_read(tmp_path: Path) -> None:
    machine = object.__new__(Machine)
    machine._world = tmp_path / "world"
    assert machine.world() == World()
    lines = [
        '{"event": 1, "heard": 0, "what": "press"}',
        '{"event": 2, "heard": 1, "what": "judged"}',
        '{"event": 3, "h',
    ]
    machine._world.write_text("\n".join(lines))
    assert (machine.world().event, machine.world().heard, len(machine.world().whats)) == (2, 1, 2)
