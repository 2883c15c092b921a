"""The texts of turn events, for a console, a page or a loudspeaker."""

from referee.game.events import (
    ClockRuns,
    MeldCounted,
    NamesChanged,
    PlayerGone,
    RacksShown,
    Restored,
    SeatsChanged,
    TimeGiven,
    TimeOver,
    TurnEvent,
    TurnTakenBack,
    Warned,
    WrongSeat,
)
from referee.game.texts import correction_messages, game_messages  # noqa: F401 - they register what they say
from referee.game.texts.turn_messages import Names, seconds_left, text_of
from referee.rules.wording import Text, render_text, say, say_count

__all__ = ["text_of", "words"]


def words(event: TurnEvent, names: Names) -> str:
    """Say an event in English, in one or more lines."""
    return render_text(text_of(event, names), str)


@text_of.register
def _taken_back(event: TurnTakenBack, names: Names) -> Text:
    again = say("event.taken_back", "Taken back: {name} goes on.", name=names[event.seat])
    return ("  ", again, *seconds_left(event.seconds_left))


@text_of.register
def _clock_runs(event: ClockRuns, _names: Names) -> Text:
    return ("  ", say("event.runs", "The clock runs."), *seconds_left(event.seconds_left))


@text_of.register
def _time_over(event: TimeOver, names: Names) -> Text:
    return ("  ", say("event.time_over", "Time is over for {name}.", name=names[event.seat]))


@text_of.register
def _wrong_seat(event: WrongSeat, names: Names) -> Text:
    pressed, name = names[event.pressed], names[event.seat]
    return ("  ", say("event.wrong_seat", "{pressed} pressed, but it is {name}'s turn.", pressed=pressed, name=name))


@text_of.register
def _names_changed(event: NamesChanged, _names: Names) -> Text:
    return (say("event.names", "The players are {names}.", names=event.names),)


@text_of.register
def _seats_changed(event: SeatsChanged, names: Names) -> Text:
    return (say("event.seats", "Clockwise now sit {names}.", names=tuple(names[seat] for seat in event.order)),)


@text_of.register
def _meld_counted(event: MeldCounted, _names: Names) -> Text:
    points, needed = event.points, event.needed
    so_far = say("event.meld", "{points} of {needed} points for the opening", points=points, needed=needed)
    enough = say("event.meld_enough", "{points} points for the opening, {needed} needed", points=points, needed=needed)
    return ("  (", so_far if points < needed else enough, ")")


@text_of.register
def _time_given(event: TimeGiven, names: Names) -> Text:
    name, seconds = names[event.seat], round(event.seconds_left)
    return ("  ", say("event.time_given", "The clock is set: {name} has {seconds} s left.", name=name, seconds=seconds))


@text_of.register
def _warned(event: Warned, _names: Names) -> Text:
    seconds = round(event.seconds_left)
    return ("  ", say_count("event.warned", "{count} second left.", "{count} seconds left.", count=seconds))


@text_of.register
def _restored(_event: Restored, _names: Names) -> Text:
    return ("  ", say("event.restored", "The table is as it was before."))


@text_of.register
def _player_gone(event: PlayerGone, names: Names) -> Text:
    return (say("event.leaves", "{name} leaves the match.", name=names[event.left]),)


@text_of.register
def _racks_shown(_event: RacksShown, _names: Names) -> Text:
    return (say("event.racks_known", "All racks are known."),)
