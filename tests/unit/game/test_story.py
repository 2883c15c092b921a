"""The story of a match: what its turn events say of turns and players, worked out by hand."""

from pathlib import Path
from typing import Any

import pytest

from referee.game.events import TurnEvent
from referee.history.story import Story, ToldPlayer, stories
from referee.storage.journal import history_in
from referee.storage.json_codec import event_from_json

MATCHES = Path(__file__).parents[2] / "matches"


def event(kind: str, at: float, seat: int = 0, turn: int = 1, game: int = 1, **more: Any) -> TurnEvent:
    return event_from_json({"event": kind, "at": at, "seat": seat, "turn": turn, "game": game, **more})


def begins(at: float = 0.0, game: int = 1) -> TurnEvent:
    return event("game_started", at, game=game, names=["Ann", "Ben"], edition="original")


def started(at: float, seat: int, turn: int, *, opened: bool = False) -> TurnEvent:
    return event("turn_started", at, seat, turn, seconds=60.0, opened=opened)


def judged(at: float, seat: int, turn: int, played: str = "", meld: int | None = None, **more: Any) -> TurnEvent:
    fault = {"fault": "not_a_set", "set": 0, "tiles": played.split()[:1] or ["R1"], "message": "no set"}
    faults = [fault] if more.get("verdict") == "illegal" else []
    told = {
        "verdict": "legal",
        "outcome": "played" if played else "no_play",
        "faults": faults,
        "played": played.split(),
    }
    sets = [{"tiles": played.split(), "kind": "run", "worth": meld, "untidy": False}] if played else []
    where = {"before": "", "table": played, "frame_id": f"f{turn}", "stands": True, "late": False, "sets": sets}
    return event("judged", at, seat, turn, **{**told, **where, "meld": meld, **more})


def only(*events: TurnEvent) -> Story:
    (story,) = stories(events)
    return story


def players(story: Story) -> tuple[ToldPlayer, ToldPlayer]:
    ann, ben = story.players
    return ann, ben


def test_time_used_runs_while_the_clock_does() -> None:
    story = only(
        begins(),
        started(0.0, 0, 1),
        event("clock_stopped", 10.0, reason="pause"),
        event("clock_runs", 70.0, seconds_left=50.0),
        judged(75.0, 0, 1),
        started(75.0, 1, 2),
        judged(83.0, 1, 2, stands=False, verdict="illegal"),
        event("clock_runs", 84.0, 1, 2, seconds_left=51.0),
        judged(90.0, 1, 2),
    )
    assert [turn.seconds for turn in story.turns] == [15.0, 14.0]
    assert [player.mean_turn for player in story.players] == [15.0, 14.0]


def test_an_opening_counts_the_players_own_turns() -> None:
    story = only(
        begins(),
        started(0.0, 0, 1),
        judged(5.0, 0, 1),
        started(5.0, 1, 2),
        judged(9.0, 1, 2, "R10 R11 R12", 33),
        started(9.0, 0, 3),
        judged(15.0, 0, 3, "B9 B10 B11 B12", 42),
        started(15.0, 1, 4, opened=True),
        judged(20.0, 1, 4, "K1 K2 K3"),
    )
    ann, ben = players(story)
    assert (ann.openings, ben.openings) == (((1, 2, 42),), ((1, 1, 33),))
    assert ann.longest_run == ("B9", "B10", "B11", "B12")
    assert (ann.tiles, ben.tiles) == (4, 6)


def test_a_turn_that_had_to_be_put_back_is_a_penalty_and_lays_nothing() -> None:
    story = only(
        begins(),
        started(0.0, 0, 1, opened=True),
        event("time_over", 60.0),
        judged(61.0, 0, 1, "R5", stands=False, verdict="illegal", late=True),
        event("restored", 80.0, frame_id="f1"),
        event("drew", 80.0, tiles=3, reason="penalty"),
    )
    (turn,) = story.turns
    assert (turn.seconds, turn.penalty, turn.drew, turn.verdict) == (60.0, True, 3, "illegal")
    assert (story.players[0].tiles, story.players[0].penalties) == (0, 1)


def test_a_turn_taken_back_is_played_once() -> None:
    story = only(
        begins(),
        started(0.0, 0, 1, opened=True),
        judged(8.0, 0, 1),
        event("drew", 8.0, tiles=1, reason="no_play"),
        started(8.0, 1, 2),
        event("turn_taken_back", 10.0, seconds_left=52.0),
        event("draw_taken_back", 10.0, tiles=1),
        judged(14.0, 0, 1, "R1 R2 R3"),
    )
    (turn,) = story.turns
    assert (turn.seconds, turn.played, turn.drew) == (12.0, ("R1", "R2", "R3"), 0)


def test_a_correction_after_play_moved_on_changes_the_turn_and_not_its_time() -> None:
    story = only(
        begins(),
        started(0.0, 0, 1, opened=True),
        judged(8.0, 0, 1, "R1 R2 R4"),
        started(8.0, 1, 2),
        judged(20.0, 0, 1, "R1 R2 R3"),
        judged(30.0, 1, 2),
    )
    assert [(turn.seconds, turn.played) for turn in story.turns] == [(8.0, ("R1", "R2", "R3")), (22.0, ())]


def test_who_won_a_blocked_game_is_who_scored_best() -> None:
    story = only(
        begins(),
        event("game_won", 9.0, 1, reason="blocked"),
        event("game_scored", 9.0, scores={"Ann": 4, "Ben": -4}, totals={"Ann": 4, "Ben": -4}),
        event("match_over", 9.0, ranking=["Ann", "Ben"], ranks={"Ann": 1, "Ben": 2}),
    )
    ann, ben = players(story)
    assert ((ann.games_won, ann.score, ann.place), (ben.games_won, ben.score, ben.place)) == ((1, 4, 1), (0, -4, 2))
    assert story.ended_at == 9.0


def test_a_rematch_is_a_story_of_its_own() -> None:
    first, second = stories([begins(), judged(5.0, 0, 1, "R1 R2 R3"), begins(100.0)])
    assert [(one.number, one.began_at, len(one.turns)) for one in (first, second)] == [(1, 0.0, 1), (2, 100.0, 0)]


@pytest.mark.parametrize("path", sorted(MATCHES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_of_recorded_matches_each_turn_is_told_once_and_lasts_no_longer_than_its_time(path: Path) -> None:
    events = list(history_in(path))
    (story,) = stories(events)
    keys = [(turn.game, turn.turn) for turn in story.turns]
    assert keys == sorted(set(keys))
    assert all(0 <= turn.seconds <= 61 for turn in story.turns)
    assert sum(player.turns for player in story.players) == len(story.turns)
