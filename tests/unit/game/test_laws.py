"""Laws of a match, whatever the players do and in whatever order it reaches the referee."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game.cues import CUES, cue_name
from referee.game.event_parts import Reason
from referee.game.events import Drew, GameWon, Judged, MatchOver, PlayerGone, TurnStarted
from referee.game.inputs import (
    CameraBack,
    CameraLost,
    LetStand,
    NextGame,
    Paused,
    Restarted,
    Resumed,
    RummikubCalled,
    Ticked,
    TurnEnded,
    Undone,
)
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.game.table.hypotheses import hypotheses
from referee.game.texts.messages import words
from referee.reading.inputs import TableMoving, TableSettled, TableStill
from referee.reading.observation import Layout
from referee.rules.judge import judge_turn
from referee.rules.sets import is_set
from referee.rules.verdict import Illegal, Legal, Undecided
from referee.storage.json_codec import event_to_json, input_from_json, input_to_json

from .conftest import TABLES  # isort: skip
from tests.conftest import examples

DOUBTS = ({}, {}, {}, {2: "B12"}, {2: ""}, {0: "R1", 1: "R7"})
WORDLESS = (TurnEnded, RummikubCalled, Paused, Resumed, Restarted, Undone, LetStand, CameraLost, CameraBack, NextGame)

acts = st.one_of(
    st.tuples(st.just("lay"), st.sampled_from(TABLES), st.sampled_from(DOUBTS)),
    st.tuples(st.just("press"), st.booleans(), st.just(None)),
    st.tuples(st.just("wait"), st.sampled_from((0.3, 2.0, 14.0, 61.0)), st.just(None)),
    st.tuples(st.just("say"), st.sampled_from(WORDLESS), st.just(None)),
    st.tuples(st.sampled_from(("moving", "still")), st.just(None), st.just(None)),
)
evenings = st.lists(st.tuples(st.sampled_from((0.0, 0.1, 0.7, 3.0)), acts), max_size=40)


def perform(evening: Any, script: Any) -> Any:
    """Play a script; yields the match before and after each input, and what it told."""
    evening.start(games=3)
    for pause, (act, what, more) in script:
        evening.now += pause
        if act == "lay":
            doubts = {number: tile for number, tile in more.items() if number < len(what.split())}
            evening.lay(what, after=1.0, doubts=doubts)
        elif act == "press":
            evening.press(call=what, after=0.5)
        elif act == "wait":
            evening.wait(what)
        elif act == "say":
            evening.enter(what(evening.at))
        else:
            still = TableStill(evening.at, f"frame at {evening.now:g}")
            evening.enter(TableMoving(evening.at) if act == "moving" else still)
    return evening.inputs


def steps(inputs: Any) -> Any:
    match = Match()
    for entered in inputs:
        after, told, _ = step(match, entered)
        yield match, entered, after, told
        match = after


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings)
def test_a_match_is_always_in_order(new_evening: Any, script: Any) -> None:
    for before, _, after, told in steps(perform(new_evening(), script)):
        left = after.play.clock.left_at(after.now)
        assert left is None or 0.0 <= left <= 60.0
        assert after.seat in after.present
        assert min(after.racks) >= 0
        assert after.now >= before.now
        assert after.turn_start.tables
        assert [event.at for event in told] == sorted(event.at for event in told)
        assert after.phase is not Phase.TURN or after.play.wait_until is None
        for event in told:
            assert words(event, after.setup.names)
            assert cue_name(event) in CUES


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings)
def test_nobody_is_accused_unless_every_table_that_may_lie_there_is_illegal(new_evening: Any, script: Any) -> None:
    for before, entered, _, told in steps(perform(new_evening(), script)):
        for event in told:
            if not isinstance(event, Judged) or isinstance(entered, LetStand) or isinstance(event.verdict, Undecided):
                continue
            observation = before.table.current if not isinstance(entered, TableSettled) else None
            seen = hypotheses(entered.reading) if observation is None else observation.hypotheses
            verdicts = (
                {
                    type(judge_turn(start, table, opened=before.players[event.seat].opened, rules=before.rules))
                    for start in before.turn_start.tables[:1]
                    for table in seen.tables
                    if all(is_set(tiles, before.rules) for tiles in start.sets)  # what was let stand stands
                }
                - {Undecided}
                if len(before.turn_start.tables) == 1
                else set()
            )
            if isinstance(event.verdict, Illegal):
                assert verdicts <= {Illegal}
            elif isinstance(event.verdict, Legal):
                assert verdicts <= {Legal}
                began = before.turn_start.observation
                assert seen.complete or (began and began.hypotheses.certain.unread_as(seen.certain))


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings)
def test_a_verdict_rests_on_a_frame_taken_after_the_press_or_after_the_time(new_evening: Any, script: Any) -> None:
    for before, entered, _, told in steps(perform(new_evening(), script)):
        for event in told:
            if isinstance(event, Judged) and isinstance(entered, TableSettled | TableStill):
                assert event.frame_at >= before.judged_from
                assert event.frame_id == (
                    entered.frame_id if isinstance(entered, TableStill) else entered.reading.frame_id
                )


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings)
def test_a_turn_that_stands_gives_the_next_one_or_ends_the_game(new_evening: Any, script: Any) -> None:
    for *_, told in steps(perform(new_evening(), script)):
        kinds = [type(event) for event in told]
        ends = sum(isinstance(event, Judged) and event.stands for event in told)
        assert ends <= kinds.count(TurnStarted) + kinds.count(GameWon)
        if Drew in kinds:
            assert {TurnStarted, GameWon} & set(kinds[kinds.index(Drew) :])
        if MatchOver in kinds:
            assert kinds[-1] in (MatchOver, PlayerGone)


def dealt(entered: Any, chance: Any) -> Any:
    """The same look with its tiles in another order, so that other tracks are dealt to them."""
    if not isinstance(entered, TableSettled):
        return entered
    old = list(range(len(entered.reading.tiles)))
    chance.shuffle(old)
    place = {index: new for new, index in enumerate(old)}
    layouts = tuple(
        Layout.of([tuple(place[index] for index in row) for row in layout.rows], layout.score)
        for layout in entered.reading.layouts
    )
    tiles = tuple(entered.reading.tiles[index] for index in old)
    return replace(entered, reading=replace(entered.reading, tiles=tiles, layouts=layouts))


@settings(max_examples=examples(30), deadline=None)
@given(script=evenings, chance=st.randoms())
def test_no_verdict_depends_on_the_track_that_a_tile_has(new_evening: Any, script: Any, chance: Any) -> None:
    """So two equal tiles may change places, and their tracks with them or not."""
    inputs = perform(new_evening(), script)
    ways = (inputs, [dealt(entered, chance) for entered in inputs])
    plain, other = (
        [
            (event.at, type(event.verdict), event.stands, event.late, Counter(event.verdict.played))
            for *_, told in steps(way)
            for event in told
            if isinstance(event, Judged)
        ]
        for way in ways
    )
    assert other == plain


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings, chance=st.randoms())
def test_ticks_change_nothing_but_when_things_are_told(new_evening: Any, script: Any, chance: Any) -> None:
    inputs = perform(new_evening(), script)
    ticked = []
    for earlier, later in zip(inputs, [*inputs[1:], inputs[-1]], strict=True):
        ticked.append(earlier)
        if chance.random() < 0.5 and later.at > earlier.at:
            ticked.append(Ticked(earlier.at + (later.at - earlier.at) * chance.random()))
    plain = [event for *_, told in steps(inputs) for event in told]
    assert [event for *_, told in steps(ticked) for event in told] == plain


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings)
def test_a_match_written_down_and_read_again_tells_the_same(new_evening: Any, script: Any) -> None:
    inputs = perform(new_evening(), script)
    again = [input_from_json(json.loads(json.dumps(input_to_json(entered)))) for entered in inputs]
    assert again == inputs
    first = [json.loads(json.dumps(event_to_json(event))) for *_, told in steps(inputs) for event in told]
    assert [event_to_json(event) for *_, told in steps(again) for event in told] == first


@settings(max_examples=examples(60), deadline=None)
@given(script=evenings)
def test_an_undecided_verdict_names_a_doubt_or_the_reason_why_it_cannot(new_evening: Any, script: Any) -> None:
    for *_, told in steps(perform(new_evening(), script)):
        for event in told:
            if isinstance(event, Judged) and isinstance(event.verdict, Undecided):
                assert event.doubts or event.reason not in {None, Reason.DOUBT}
            elif isinstance(event, Judged):
                assert event.reason is None
