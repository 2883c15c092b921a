"""Players correct by agreement: one proposes, another one agrees from another device, and only then is it judged."""

import json
from typing import Any

import pytest

from referee.game.correction_events import ProposalEnded, ProposalMade, TileNamed
from referee.game.correction_types import RowParted, StatedCorrection, TileIs, TileMissed
from referee.game.event_parts import Reason
from referee.game.events import Judged, TableWatched
from referee.game.inputs import (
    CorrectionProposed,
    Paused,
    PlayerLeft,
    ProposalAnswered,
    Restarted,
    Seat,
    TableCorrected,
    Undone,
)
from referee.game.limits import Limits
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import TableStill
from referee.rules.notation import format_table, parse_tile
from referee.rules.verdict import Illegal, Legal, Undecided
from referee.storage.json_codec import event_to_json, input_from_json, input_to_json

from ..conftest import TABLE, kinds, one  # isort: skip

K3 = parse_tile("K3")
NAMES = ("Ann", "Ben", "Cem")
MISREAD = f"{TABLE} / K1 K2 B3"


def propose(
    evening: Any, said: StatedCorrection | None = None, seat: int = 0, *voice: str, frame_id: str = ""
) -> tuple[Any, ...]:
    evening.now += 0.5
    proposed = CorrectionProposed(
        at=evening.at,
        said=said or TileIs(8, K3),
        seat=Seat(seat),
        voice=voice or (f"phone {seat}",),
        by="players",
        frame_id=frame_id,
    )
    return evening.enter(proposed)


def answer(evening: Any, seat: int | None, *voice: str, agrees: bool = True) -> tuple[Any, ...]:
    evening.now += 0.5
    by, named = ("organiser", None) if seat is None else ("players", Seat(seat))
    marks = voice or (f"phone {seat}",)
    return evening.enter(ProposalAnswered(at=evening.at, agrees=agrees, seat=named, voice=marks, by=by))


@pytest.fixture
def misread(evening: Any) -> Any:
    """Ann has laid K1 K2 K3, the K3 is taken for a B3, and she was sent back for it."""
    evening.opened()
    assert isinstance(one(evening.play(MISREAD), Judged).verdict, Illegal)
    return evening


def test_a_proposal_is_told_and_changes_nothing(misread: Any) -> None:
    before = misread.match
    told = propose(misread)
    made = one(told, ProposalMade)
    assert kinds(told) == ["ProposalMade"]
    assert (made.proposer, made.seconds, made.says.was, made.says.tile) == (0, 30.0, parse_tile("B3"), K3)
    assert words(made, NAMES).strip() == (
        "Ann says: that is K3, not B3. Does another player agree? Answer on the page within 30 s."
    )
    assert (misread.match.dispute.corrections, misread.match.phase) == (before.dispute.corrections, before.phase)
    assert event_to_json(made)["says"]["event"] == "tile_named"


def test_once_another_player_agrees_the_turn_is_judged_again(misread: Any) -> None:
    propose(misread)
    told = answer(misread, 1)
    assert kinds(told) == ["ProposalEnded", "TileNamed", "Judged", "TurnStarted"]
    assert one(told, ProposalEnded).reason is Reason.AGREED
    assert one(told, TileNamed).by == "Ann, Ben"
    assert [words(event, NAMES).strip() for event in told[:2]] == [
        "Ben agrees with Ann.",
        "As Ann and Ben say: that is K3, not B3.",
    ]
    assert isinstance(one(told, Judged).verdict, Legal)
    assert misread.match.seat == 1


@pytest.mark.parametrize(
    "said",
    [
        pytest.param((f"{TABLE} / K1 K2", TileMissed(7, K3)), id="a missed tile"),
        pytest.param((f"{TABLE} / K1 K2 K3 O1 O2 O3", RowParted(8)), id="one row is two"),
    ],
)
def test_whatever_may_be_corrected_may_be_proposed(evening: Any, said: Any) -> None:
    laid, word = said
    evening.opened().play(laid)
    propose(evening, word, 1)
    assert isinstance(one(answer(evening, 0), Judged).verdict, Legal)


@pytest.mark.parametrize(
    "who",
    [
        pytest.param((0, "another phone"), id="the proposer on another phone"),
        pytest.param((1, "phone 0"), id="another name on the proposer's phone"),
        pytest.param((1, "session", "phone 0"), id="another session at the proposer's address"),
        pytest.param((5, "another phone"), id="nobody at the table"),
    ],
)
def test_nobody_agrees_with_themselves(misread: Any, who: Any) -> None:
    propose(misread)
    assert answer(misread, *who) == ()
    assert misread.match.dispute.proposal is not None


def test_one_refusal_is_enough(misread: Any) -> None:
    propose(misread)
    told = answer(misread, 1, agrees=False)
    assert kinds(told) == ["ProposalEnded"]
    assert words(told[0], NAMES).strip() == "Ben does not agree with Ann; nothing is changed."
    assert answer(misread, 1) == ()


def test_the_proposer_may_take_it_back(misread: Any) -> None:
    propose(misread)
    assert words(one(answer(misread, 0, agrees=False), ProposalEnded), NAMES).strip() == "Ann takes it back."


def test_the_organisers_word_is_enough(misread: Any) -> None:
    propose(misread)
    told = answer(misread, None, "phone 0")
    assert isinstance(one(told, Judged).verdict, Legal)
    assert words(told[0], NAMES).strip() == "The organiser agrees with Ann."
    assert one(told, TileNamed).by == "Ann"


def test_the_organiser_corrects_over_a_proposal(misread: Any) -> None:
    propose(misread, TileIs(8, parse_tile("K4")))
    told = misread.enter(TableCorrected(misread.at, TileIs(8, K3), "organiser"))
    assert one(told, ProposalEnded).reason is Reason.CHANGED
    assert isinstance(one(told, Judged).verdict, Legal)
    assert misread.match.dispute.proposal is None


def test_it_ends_by_itself_at_its_time(misread: Any) -> None:
    propose(misread)
    made = misread.now
    misread.wait(29.0)
    assert misread.match.dispute.proposal is not None
    ended = one(misread.wait(5.0), ProposalEnded)
    assert (ended.at, ended.reason) == (made + 30.0, Reason.TIME_OVER)
    assert words(ended, NAMES).strip() == "Nobody has agreed with Ann; nothing is changed."


def test_how_long_that_is_can_be_set(evening: Any) -> None:
    evening.start(limits=Limits(agreement_seconds=8.0)).lay("R10 R11 B12")
    assert one(propose(evening, TileIs(2, parse_tile("R12"))), ProposalMade).seconds == 8.0
    assert "ProposalEnded" in kinds(evening.wait(9.0))


def test_one_matter_at_a_time(misread: Any) -> None:
    propose(misread)
    assert propose(misread, TileIs(0, parse_tile("R9")), 1) == ()


def test_what_would_change_nothing_is_no_proposal(misread: Any) -> None:
    assert propose(misread, TileIs(40, K3)) == ()
    misread.enter(TableCorrected(misread.at, TileIs(8, K3), "organiser"))
    assert propose(misread, TileIs(8, K3), 1) == ()


def test_who_has_left_is_not_asked_and_does_not_ask(evening: Any) -> None:
    evening.start().lay("R10 R11 B12")
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    right = TileIs(2, parse_tile("R12"))
    assert propose(evening, right, 2) == ()
    propose(evening, right, 0)
    assert answer(evening, 2) == ()
    assert one(answer(evening, 1), TableWatched).legal


def test_a_doubt_waits_until_somebody_had_time_to_agree(evening: Any) -> None:
    evening.opened().play(MISREAD, doubts={8: "K3"})
    assert evening.match.phase is Phase.DOUBT
    evening.now += 10.0
    propose(evening, TileIs(8, K3), 1)
    evening.wait(20.0)
    assert evening.match.phase is Phase.DOUBT
    assert isinstance(one(answer(evening, 0), Judged).verdict, Legal)


def test_a_doubt_nobody_settles_ends_with_the_proposal(evening: Any) -> None:
    evening.opened().play(MISREAD, doubts={8: "K3"})
    propose(evening, TileIs(8, K3), 1)
    told = evening.wait(31.0)
    assert kinds(told)[:2] == ["ProposalEnded", "Judged"]
    assert isinstance(one(told, Judged).verdict, Undecided)


def test_what_has_moved_since_is_corrected_no_more(misread: Any) -> None:
    propose(misread)
    misread.lay(f"{TABLE} / K1 K2")
    misread.press()
    told = answer(misread, 1)
    assert one(told, ProposalEnded).reason is Reason.CHANGED
    assert words(told[0], NAMES).strip() == "What Ann proposed is no longer what lies there."
    assert misread.match.dispute.corrections.tiles == ()


def test_hands_elsewhere_on_the_table_do_not_matter(misread: Any) -> None:
    frame_id = misread.match.table.shown.reading.frame_id
    propose(misread, frame_id=frame_id)
    misread.lay(f"{MISREAD} / O1 O2 O3")
    told = answer(misread, 1)
    assert one(told, TableWatched).legal
    assert format_table(one(misread.press(), Judged).table) == f"{TABLE} / K1 K2 K3 / O1 O2 O3"


def test_in_a_break_it_is_answered_and_ends_as_ever(misread: Any) -> None:
    propose(misread)
    misread.enter(Paused(misread.at))
    assert one(misread.wait(31.0), ProposalEnded).reason is Reason.TIME_OVER
    propose(misread)
    assert "TileNamed" in kinds(answer(misread, 1))


def test_an_undo_and_a_restart_leave_no_proposal_of_then(misread: Any) -> None:
    propose(misread)
    misread.enter(Undone(misread.at))
    answer(misread, 1, agrees=False)
    misread.enter(Undone(misread.at, "organiser"))
    assert misread.match.dispute.proposal is None
    propose(misread)
    misread.enter(Restarted(misread.at))
    assert misread.match.dispute.proposal is None


def test_a_winning_turn_may_be_agreed_on(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 3),)).lay("R10 R11 B12")
    assert isinstance(one(evening.press(), Judged).verdict, Illegal)
    propose(evening, TileIs(2, parse_tile("R12")))
    assert kinds(answer(evening, 1))[-1] == "GameWon"


def test_all_of_it_is_written_down_and_repeated(misread: Any, new_evening: Any) -> None:
    propose(misread, TileMissed(0, K3))
    propose(misread, None, 1)
    answer(misread, 0)
    misread.enter(TableStill(misread.at))
    misread.enter(TableCorrected(misread.at, RowParted(1), "organiser"))
    again = new_evening()
    again.second_looks = False
    for entered in misread.inputs:
        again.enter(input_from_json(json.loads(json.dumps(input_to_json(entered)))))
    assert again.match == misread.match
    assert [event_to_json(event) for event in again.told] == [event_to_json(event) for event in misread.told]
