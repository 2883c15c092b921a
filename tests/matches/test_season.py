"""A small part of `make season`: turns with faults through rendered frames and the real models, each as was true."""

import importlib
import json
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from referee.errors import CalibrationError
from referee.game.event_parts import Doubt, Guide
from referee.game.events import RestoreNeeded
from referee.game.inputs import Restarted, TurnEnded
from referee.game.state import Match, TurnStart
from referee.reading.inputs import Seconds
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table, parse_tile
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided, Violation
from referee.rules.wording import say
from referee.sim.scenarios import random_setting
from referee.storage.journal import load_journal
from referee.storage.match_step import MatchStep

ROOT = Path(__file__).parents[2]
PHOTOS = ROOT.parent / "shared" / "photos"
WITH_MODELS = pytest.mark.skipif(not (ROOT / "models/tiles-read.onnx").exists(), reason="the models are not here")
GAMES, TURNS = 2, 5


@pytest.fixture
def refereed(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.refereed")


ALIKE = SimpleNamespace(alike=[(parse_tile("J"), parse_tile("JM"), 0.09)], enrolment="alike")
APART = SimpleNamespace(alike=[], enrolment="apart")


@pytest.mark.parametrize(
    ("pictures", "enrolment", "refused"),
    [
        ([APART], "apart", 0),
        ([ALIKE, CalibrationError("tiles seen: 9"), APART], "apart", 2),
        ([ALIKE] * 4, None, 4),
    ],
)
def test_jokers_are_learnt_only_from_a_picture_that_the_step_does_not_refuse(
    refereed: Any, monkeypatch: pytest.MonkeyPatch, pictures: list[Any], enrolment: str | None, refused: int
) -> None:
    left = iter(pictures)

    def learnt_at(*_: Any) -> Any:
        if isinstance(found := next(left), CalibrationError):
            raise found
        return found

    monkeypatch.setattr(refereed, "_learnt_at", learnt_at)
    setting = SimpleNamespace(view=SimpleNamespace(size=(1280, 960)))
    profile, said = refereed.enrolled_profile(None, rule_set("twist"), setting)
    assert (profile and profile.enrolment) == enrolment
    assert len(said) == refused
    assert ALIKE not in pictures or said[0] == "J and JM cannot be told apart"


@pytest.mark.slow
@WITH_MODELS
def test_the_first_turns_of_two_games_are_judged_as_they_were(tmp_path: Path) -> None:
    report = tmp_path / "season.md"
    words = ["--kind", "--games", str(GAMES), "--turns", str(TURNS), "--first", "2100"]
    words += ["--out", str(tmp_path / "games")]
    command = [sys.executable, "-m", "benchmarks.season", *words, "--report", str(report)]
    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    games = [json.loads(file.read_text()) for file in sorted((tmp_path / "games").glob("*.json"))]
    assert [game["turns"] for game in games] == [TURNS] * GAMES
    assert sum(game["faulty"] for game in games) >= GAMES * TURNS / 3
    assert [one for game in games for one in game["amiss"]] == []
    assert f"| **all** | {GAMES} | {GAMES * TURNS} |" in report.read_text()
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (again.returncode, again.stderr) == (0, "")  # what is finished is not played again


@pytest.mark.slow
@WITH_MODELS
@pytest.mark.skipif(not PHOTOS.is_dir(), reason="the photographs are not here")
def test_the_first_turns_of_a_game_with_a_photographed_box_are_judged_as_they_were(tmp_path: Path) -> None:
    words = ["--kind", "--games", "1", "--turns", "3", "--faces", str(PHOTOS), "--report", str(tmp_path / "season.md")]
    command = [sys.executable, "-m", "benchmarks.season", *words, "--out", str(tmp_path / "games")]
    played = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert played.returncode == 0, played.stderr
    (game,) = [json.loads(file.read_text()) for file in (tmp_path / "games").glob("*.json")]
    assert (game["photographed"], game["turns"], game["amiss"]) == (True, 3, [])


@pytest.fixture
def hardships(refereed: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    assert refereed
    module = importlib.import_module("benchmarks.hardships")
    for name, turns in (("CUT_EVERY", 2), ("PUSH_EVERY", 3), ("LAMP_EVERY", 3)):
        monkeypatch.setattr(module, name, turns)
    return module


@pytest.mark.slow
@WITH_MODELS
def test_a_match_goes_on_under_another_lamp_with_a_pushed_camera_and_a_pulled_plug(
    hardships: Any, tmp_path: Path
) -> None:
    sums = hardships.play("original", 5000, tmp_path / "game", 3)
    assert sums == {"matches": 1, "turns": 3, "judgements": sums["judgements"]}, "nothing went amiss"
    entered = [type(entry.entered) for entry in load_journal(tmp_path / "game" / "original-5000.jsonl").entries]
    assert entered.count(Restarted) == 1


@pytest.mark.slow
def test_a_set_laid_far_aslant_and_far_off_is_neither_overlooked_nor_taken_for_one_tile(
    hardships: Any, tmp_path: Path
) -> None:
    """The camera leans by 47 degrees, nothing else lies on the table, and the pool shows no face."""
    sums = hardships.play("twist", 5003, tmp_path / "game", 1, (45.0, 50.0))
    assert sums == {"matches": 1, "turns": 1, "judgements": 2}, "nothing went amiss"


def test_each_hardship_befalls_once_in_its_turns_of_each_game(hardships: Any) -> None:
    seen: list[Any] = []
    setting = random_setting(rule_set("original"), 1, (1600, 1200), (0, 1))
    table = SimpleNamespace(setting=setting, change_setting=seen.append, cut_power=lambda: seen.append(None))
    lamp, push, cut = hardships.LampChange(Random(1)), hardships.CameraPush(Random(1)), hardships.PowerCut()
    for game, number in product((1, 2), (1, 2, 3)):
        for incident, seconds in (
            (lamp, 0.5),
            (lamp, 3.0),
            (lamp, 4.0),
            (push, 2.0),
            (push, 3.0),
            (cut, 1.0),
            (cut, 2.0),
        ):
            incident.happen(table, SimpleNamespace(game=game, number=number), seconds)
    off, lit, pushed, off_again, lit_again, pushed_again = seen
    assert lit.view == setting.view
    assert lit.light != setting.light
    assert pushed.view != setting.view
    assert (off, off_again) == (None, None)
    assert lit_again.light != lit.light
    assert pushed_again.view != pushed.view


LEGAL = {"outcome": Outcome.PLAYED, "played": (), "meld": None, "sets": ()}


def told(verdict: Any) -> Any:
    return SimpleNamespace(verdict=verdict)


def true(*faults: Fault, outcome: Outcome = Outcome.PLAYED) -> Any:
    return SimpleNamespace(faults=frozenset(faults), is_legal=not faults, outcome=outcome)


def illegal(*faults: Fault) -> Any:
    violations = tuple(
        Violation(fault=fault, set_index=None, tiles=(), wording=say(fault.value, fault.value)) for fault in faults
    )
    return told(Illegal(**LEGAL, violations=violations))


def test_a_season_sees_every_kind_of_wrong_answer(refereed: Any) -> None:
    taken, loose = Fault.TILE_TAKEN, Fault.LOOSE_TILE
    legal = told(Legal(**LEGAL))
    assert refereed.failure_kind(legal, true()) is None
    assert refereed.failure_kind(illegal(taken), true(taken)) is None
    assert refereed.failure_kind(illegal(taken), true()) == refereed.ACCUSED
    assert refereed.failure_kind(legal, true(taken)) == refereed.PASSED
    assert refereed.failure_kind(illegal(taken), true(loose)) == refereed.OTHERWISE
    assert refereed.failure_kind(illegal(taken, loose), true(loose)) == refereed.OTHERWISE
    assert refereed.failure_kind(legal, true(outcome=Outcome.NO_PLAY)) == refereed.OTHERWISE
    assert (
        refereed.failure_kind(told(Undecided(**LEGAL, doubtful_tiles=(), violations=())), true()) == refereed.UNDECIDED
    )


@pytest.mark.parametrize(("doubts", "counted"), [((Doubt(0, ()),), ["undecided"]), ((), [])])
def test_a_press_while_the_table_is_put_back_is_answered_by_what_is_asked(
    refereed: Any, doubts: tuple[Doubt, ...], counted: list[str]
) -> None:
    kinds: list[str] = []
    table = SimpleNamespace(
        _current=(None, true()),
        _answers=[],
        _record_failure=lambda kind, *_: kinds.append(kind),
        log=refereed.EveningLog(),
        _true_index=lambda _: None,
    )
    head = Match().event_header
    needed = RestoreNeeded(**head, table=EMPTY_TABLE, guide=Guide((), (), ()), frame_id="f", doubts=doubts)
    refereed.RefereedTable.publish(table, MatchStep(Match(), TurnEnded(Seconds(1.0)), (needed,), Match()))
    assert (kinds, len(table._answers)) == (counted, len(counted))


def test_a_match_that_is_set_right_is_as_sure_of_its_beginning_as_of_the_table_it_is_given(refereed: Any) -> None:
    def seen(table: str) -> Any:
        hypotheses = SimpleNamespace(tables=(parse_table(table), parse_table("K1 K2 K3")))
        return SimpleNamespace(hypotheses=hypotheses)

    old, now = seen("R4 R5"), seen("R3 R4 R5")
    tables = old.hypotheses.tables
    match = replace(Match(), turn_start=TurnStart(tables=tables, observation=old))
    match = replace(match, table=replace(match.table, current=now))
    assert refereed.match_beginning_with(match, parse_table("R4 R5")) is match, "what it believes may be true"
    as_seen = refereed.match_beginning_with(match, parse_table("R3 R4 R5"))
    assert as_seen.turn_start == TurnStart(tables=now.hypotheses.tables, observation=now)
    told = refereed.match_beginning_with(match, parse_table("B7 B8 B9"))
    assert told.turn_start == TurnStart(tables=(parse_table("B7 B8 B9"),))
    undone = replace(match, turn_start=replace(match.turn_start, disputed=frozenset(tables[:1])))
    told = refereed.match_beginning_with(undone, parse_table("R4 R5"))
    assert told.turn_start == TurnStart(tables=tables[:1]), "hardships, twist 5003, turn 10: it would count as a play"


def test_a_season_says_what_was_misread(refereed: Any) -> None:
    def quad(x: float) -> Any:
        return ((x, 0.0), (x + 30, 0.0), (x + 30, 42.0), (x, 42.0))

    truth = [{"tile": name, "quad": quad(100.0 * place)} for place, name in enumerate(("R6", "K8", "O1"))]
    tiles = (
        TileReading(quad=quad(0), tile=parse_tile("R8"), confidence=0.9),
        TileReading(quad=quad(102), tile=parse_tile("K8"), confidence=1.0),
        TileReading(quad=quad(500), tile=parse_tile("B1"), confidence=0.4, unsure=True),
    )
    reading = TableReading(frame_id="f", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))
    said = refereed.misread(reading, truth)
    assert [line.split(",")[0] for line in said] == [
        "R6 as R8 0.900 sure",
        "None as B1 0.400 unsure",
        "O1 missed at [215.  21.]",
    ]
