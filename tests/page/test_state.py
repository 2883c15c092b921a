"""The State of every moment of recorded matches: it can always be made, says what was told, and holds nothing odd."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.game.correction_events import TileNamed
from referee.game.events import GameStarted, Judged, RestoreNeeded, TurnStarted
from referee.game.match import step
from referee.game.state import Match
from referee.history.history import History
from referee.page.event_stream import EventStream
from referee.protocol.bridge import Bridge, has_visible_change
from referee.protocol.state import CameraStatus
from referee.rules.verdict import Illegal
from referee.storage.journal import load_journal
from referee.storage.match_step import MatchStep

JOURNALS = sorted((Path(__file__).parents[1] / "matches").glob("*.jsonl"))


class Followed:
    """A journal played into a page without a server."""

    def __init__(self, journal: Path) -> None:
        self.entries = load_journal(journal).entries
        self.bridge = Bridge(Match())
        self.stream = EventStream(self.bridge, self._camera_status, lambda: max(0.0, self.bridge.match.now), History())
        self.match = Match()

    def _camera_status(self) -> CameraStatus:
        observation = self.match.table.shown
        return CameraStatus(
            frame_id=None if observation is None else observation.reading.frame_id,
            size=(2304, 1296),
            seen_at=max(0.0, self.match.now),
        )

    def steps(self) -> Any:
        for entry in self.entries:
            taken = MatchStep.of(self.match, entry.entered)
            self.match = taken.match
            self.stream._history.publish(taken)
            self.bridge.publish(taken)
            self.stream.update()
            yield entry.entered, taken.events, json.loads(self.stream.state())


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)
def test_every_moment_of_a_match_can_be_shown(journal: Path) -> None:
    followed = Followed(journal)
    seen = 0
    for _, told, state in followed.steps():
        json.dumps(state, allow_nan=False)
        match, table = state["match"], state["table"]
        seen += 1
        if match is None:
            continue
        placed = [index for one in table["sets"] for index in one["tiles"]]
        assert len(placed) == len(set(placed))
        assert {index for index, tile in enumerate(table["tiles"]) if tile["tile"] is not None} == set(placed)
        assert all(one["set"] is None or one["set"] < len(table["sets"]) for one in _faults(match))
        for event in told:
            _check(event, state)
    assert seen == len(followed.entries) > 10
    judged = [event for entry in followed.entries for event in entry.events if event["event"] == "judged"]
    turns = {(event["game"], event["turn"]) for event in judged}
    assert {(turn["game"], turn["turn"]) for turn in followed.stream.history.turns()} == turns


def _faults(match: Any) -> list[Any]:
    return [*(match["verdict"] or {"faults": []})["faults"], *(match["now"] or {"faults": []})["faults"]]


def _check(event: Any, state: Any) -> None:
    shown, sets = state["match"], state["table"]["sets"]
    match event:
        case GameStarted(names=names):
            assert [player["name"] for player in shown["players"]] == list(names)
        case TurnStarted(turn=turn, seat=seat):
            assert (shown["turn"], shown["seat"]) == (turn, seat)
        case Judged(verdict=Illegal(), stands=False):
            named = {one["set"] for one in shown["verdict"]["faults"]} - {None}
            low = any(one["fault"] == "initial_meld_too_low" for one in shown["verdict"]["faults"])
            new = {place for place, one in enumerate(sets) if one["new"]}
            assert {place for place, one in enumerate(sets) if one["state"] == "wrong"} == (
                named or (new if low else set())
            )
        case Judged():
            assert shown["verdict"]["judged_at"] == round(event.at, 3)
        case RestoreNeeded():
            assert any(not move["done"] for move in shown["restore"]["moves"])
        case TileNamed(index=index):
            assert state["table"]["tiles"][index]["corrected"] is not None
        case _:
            pass


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)
def test_only_what_changes_something_wakes_the_page(journal: Path) -> None:
    match = Match()
    for entry in load_journal(journal).entries:
        after, told, _ = step(match, entry.entered)
        if told:
            assert has_visible_change(match, after) or after == match
        assert not has_visible_change(after, after)
        match = after
