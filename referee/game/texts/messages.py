"""What a turn event says in words, for a console, a page or a loudspeaker."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from referee.game.correction_events import ProposalEnded, ProposalMade, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.events import (
    CameraMoved,
    ClockRuns,
    ClockStopped,
    CountDiffers,
    DrawTakenBack,
    Drew,
    GameScored,
    GameStarted,
    GameWon,
    Judged,
    LookingAgain,
    MatchOver,
    MeldCounted,
    PlayerGone,
    RackAsked,
    RackRead,
    RacksShown,
    Restored,
    RestoreNeeded,
    StarterAssumed,
    StartTied,
    TableWatched,
    TilesChanged,
    TimeGiven,
    TimeOver,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
    Warned,
    WrongSeat,
)
from referee.game.texts.correction_messages import claimed, proposal_ended, proposed
from referee.game.texts.game_messages import (
    count_differs,
    game_started,
    match_over,
    rack_asked,
    rack_read,
    scored,
    start_tied,
    starter_assumed,
    won,
)
from referee.game.texts.turn_messages import (
    changed,
    drew,
    judged,
    looking,
    moved,
    put_back,
    restore,
    seconds_left,
    stopped,
    turn_started,
    watched,
)
from referee.rules.wording import Text, said_in, say, say_count

Names = Sequence[str]


def text_of(event: TurnEvent, names: Names) -> Text:
    """Give what an event says, to be said in any language."""
    return _TEXTS[type(event)](event, names)


def words(event: TurnEvent, names: Names) -> str:
    """Say an event in English, in one or more lines."""
    return said_in(text_of(event, names), str)


def _left_in_turn(event: Any, names: Names) -> Text:
    again = say("event.taken_back", "Taken back: {name} goes on.", name=names[event.seat])
    return ("  ", again, *seconds_left(event.seconds_left))


def _wrong_seat(event: WrongSeat, names: Names) -> Text:
    pressed, name = names[event.pressed], names[event.seat]
    return ("  ", say("event.wrong_seat", "{pressed} pressed, but it is {name}'s turn.", pressed=pressed, name=name))


def _meld_counted(event: MeldCounted, _names: Names) -> Text:
    meld = say("event.meld", "{points} of {needed} points for the opening", points=event.points, needed=event.needed)
    return ("  (", meld, ")")


def _time_given(event: TimeGiven, names: Names) -> Text:
    name, seconds = names[event.seat], round(event.seconds_left)
    return ("  ", say("event.time_given", "The clock is set: {name} has {seconds} s left.", name=name, seconds=seconds))


def _warned(event: Warned, _names: Names) -> Text:
    seconds = round(event.seconds_left)
    return ("  ", say_count("event.warned", "{count} second left.", "{count} seconds left.", count=seconds))


_TEXTS: Final[Mapping[type, Callable[[Any, Names], Text]]] = MappingProxyType(
    {
        GameStarted: game_started,
        StarterAssumed: starter_assumed,
        StartTied: start_tied,
        TurnStarted: turn_started,
        Judged: judged,
        TileNamed: claimed,
        TileAdded: claimed,
        SetAdded: claimed,
        RowsNamed: claimed,
        ProposalMade: proposed,
        ProposalEnded: proposal_ended,
        Drew: drew,
        DrawTakenBack: put_back,
        LookingAgain: looking,
        Warned: _warned,
        TimeOver: lambda event, n: ("  ", say("event.time_over", "Time is over for {name}.", name=n[event.seat])),
        RestoreNeeded: restore,
        Restored: lambda *_: ("  ", say("event.restored", "The table is as it was before.")),
        TableWatched: watched,
        MeldCounted: _meld_counted,
        TilesChanged: changed,
        WrongSeat: _wrong_seat,
        TurnTakenBack: _left_in_turn,
        ClockStopped: stopped,
        ClockRuns: lambda event, _: ("  ", say("event.runs", "The clock runs."), *seconds_left(event.seconds_left)),
        CameraMoved: moved,
        TimeGiven: _time_given,
        PlayerGone: lambda event, n: (say("event.leaves", "{name} leaves the match.", name=n[event.left]),),
        GameWon: won,
        CountDiffers: count_differs,
        RackAsked: rack_asked,
        RackRead: rack_read,
        RacksShown: lambda *_: (say("event.racks_known", "All racks are known."),),
        GameScored: scored,
        MatchOver: match_over,
    }
)
