"""The texts of a turn: its verdict, draws, clock and camera, and how to restore the table."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Final

from referee.game.event_parts import Doubt, Reason
from referee.game.events import (
    CameraMoved,
    ClockStopped,
    DrawTakenBack,
    Drew,
    Judged,
    LookingAgain,
    RestoreNeeded,
    TableConfirmed,
    TableWatched,
    ThreadLost,
    TilesChanged,
    TurnStarted,
    TurnUnseen,
)
from referee.rules.notation import format_table
from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided
from referee.rules.wording import Message, Text, TileRow, Value, any_of, comma_list, say, say_count

Names = Sequence[str]
LEGAL: Final = say("verdict_word.legal", "LEGAL")
ILLEGAL: Final = say("verdict_word.illegal", "ILLEGAL")
UNDECIDED: Final = say("verdict_word.undecided", "UNDECIDED")
TOO_LATE: Final = say("verdict_word.too_late", "TOO LATE")
_MAX_LINE_CHARACTERS: Final = 90  # letters, beyond which a set is looked for in vain


@singledispatch
def text_of(event: object, _names: Names) -> Text:
    """Return an event's text as messages, for any language; each kind of event registers its own."""
    raise TypeError(f"nothing is said of {event!r}")


@text_of.register
def turn_started(event: TurnStarted, names: Names) -> Text:
    """Say whose turn begins, and how long it may last."""
    text: Text = (say("event.turn", "Turn {turn}, {name}", turn=event.turn, name=names[event.seat]),)
    if not event.opened:
        text += (", ", say("event.not_opened", "not opened yet"))
    if event.seconds is not None:
        text += (", ", say("event.seconds", "{seconds} s", seconds=round(event.seconds)))
    text += (".",)
    if event.banks:
        banks = tuple(f"{name} {_minutes(left)}" for name, left in event.banks.items())
        text += (" ", say("event.banks", "Time in the banks: {banks}.", banks=", ".join(banks)))
    return text


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


@text_of.register
def judged(event: Judged, names: Names) -> Text:
    """Say the verdict, why, and how the table lies."""
    verdict, name = event.verdict, names[event.seat]
    match verdict:
        case Legal(outcome=Outcome.NO_PLAY):
            return ("  ", say("event.no_play", "{name} plays nothing.", name=name))
        case Legal():
            return ("  ", _plays(name, verdict.played, LEGAL), *_legal(event, verdict), *_table(event.table))
        case Illegal(violations=violations):
            text: Text = ("  ", _plays(name, verdict.played, ILLEGAL) if verdict.played else _is(name, ILLEGAL), ".")
            for violation in violations:
                text += ("\n    - ", violation.wording)
            return text + _table(event.table)
        case Undecided() if event.stands:
            stands = say("event.stands", "nobody is accused and the table stands")
            return ("  ", _is(name, UNDECIDED), ", ", stands, ". ", _why(event, verdict), *_unless_played(event))
        case Undecided():
            return ("  ", _is(name, UNDECIDED), ". ", _why(event, verdict))
    raise AssertionError(verdict)


def _why(event: Judged, verdict: Undecided) -> Message:
    """Say what is in doubt, or why no tile can be named."""
    tiles = TileRow(tuple(verdict.doubtful_tiles))
    match event.reason:
        case Reason.HANDS:
            return say("event.why_covered", "Something covers a part of the table.")
        case Reason.UNSEEN if tiles.tiles:
            return say("event.why_unseen", "I did not see in which turn {tiles} were laid.", tiles=tiles)
        case Reason.UNSEEN:
            return say("event.why_not_seen", "I had no good look at the table.")
        case Reason.BOX:
            return say("event.why_box", "The box holds fewer of {tiles} than I see.", tiles=tiles)
        case _:
            return asked(event.doubts, verdict)


def _unless_played(event: Judged) -> Text:
    """Tell a player what to do after an undecided turn that may have been one without a play."""
    if event.verdict.outcome is not Outcome.NO_PLAY:
        return ()
    return (" ", say("event.draw_unless_played", "Whoever laid nothing draws one."))


def _plays(name: str, tiles: Sequence[Tile], verdict: Message) -> Message:
    return say(
        "event.plays", "{name} plays {tiles}: {verdict}", name=name, tiles=TileRow(tuple(tiles)), verdict=verdict
    )


def _is(name: str, verdict: Message) -> Message:
    return say("event.is", "{name}: {verdict}", name=name, verdict=verdict)


def _legal(event: Judged, verdict: Legal) -> Text:
    """Say what a legal play brought, and what the jokers in sets that are new stand for."""
    text: Text = ()
    if verdict.meld is not None:
        opening = say_count(
            "event.opening", "{count} point for the opening", "{count} points for the opening", count=verdict.meld
        )
        text += (", ", opening)
    if event.late and not event.stands:
        text += (", ", say("event.but_late", "but {late}", late=TOO_LATE))
    text += (".",)
    for joker in event.jokers:
        if event.table.sets[joker.set_index] not in event.before.sets:
            text += (
                " ",
                say(
                    "event.joker", "{joker} stands for {tiles}.", joker=TileRow((joker.joker,)), tiles=joker.stands_for
                ),
            )
    return text


def _table(table: Table) -> Text:
    """Return the table in one line; where that is long, a line for each set."""
    title = say("event.table", "Table:")
    long = len(format_table(table)) > _MAX_LINE_CHARACTERS
    text: Text = ()
    for tiles in table.sets:
        text += ("\n    " if long else " / " if text else " ", TileRow(tiles))
    return ("\n  ", title, *(text or (" ",)))


def asked(doubts: tuple[Doubt, ...], verdict: Undecided | None = None) -> Message:
    """Ask about what was unclear, so that players can check it."""
    if doubts:
        tiles: list[Value] = [_doubtful(doubt) for doubt in doubts if doubt.may_be]
        if nameless := len(doubts) - len(tiles):
            tiles.append(_face_down(nameless))
        return say("event.asked", "I cannot tell {tiles}.", tiles=comma_list(tiles))
    if verdict is not None and verdict.doubtful_tiles:
        together = TileRow(tuple(verdict.doubtful_tiles))
        return say("event.asked_sets", "I cannot tell how {tiles} belong together.", tiles=together)
    return say("event.asked_rows", "I cannot tell how the rows part.")


def _face_down(count: int) -> Message:
    return say_count(
        "event.face_down",
        "{count} tile that may lie face down",
        "{count} tiles that may lie face down",
        count=count,
    )


def _doubtful(doubt: Doubt) -> Value:
    tiles = any_of(doubt.may_be)
    if doubt.where is None:
        return tiles
    return say("event.doubtful_where", "{tiles} ({where})", tiles=tiles, where=doubt.where)


@text_of.register
def drew(event: Drew, names: Names) -> Text:
    """Say how many tiles a player draws, and why."""
    name, count = names[event.seat], event.tiles
    if not count:
        return ("  ", say("event.draws_none", "There is nothing for {name} to draw.", name=name))
    match event.reason:
        case Reason.PENALTY:
            text = say_count(
                "event.draws_penalty",
                "{name} draws {count} tile as the penalty.",
                "{name} draws {count} tiles as the penalty.",
                count=count,
                name=name,
            )
        case Reason.TIME_OVER:
            text = say_count(
                "event.draws_time_over",
                "{name} draws {count} tile because the time is over.",
                "{name} draws {count} tiles because the time is over.",
                count=count,
                name=name,
            )
        case Reason.PLAYS_ON:
            text = say_count(
                "event.draws_plays_on",
                "{name} draws {count} tile and plays on, if it fits; else press again.",
                "{name} draws {count} tiles and plays on, if it fits; else press again.",
                count=count,
                name=name,
            )
        case _:
            text = say_count(
                "event.draws", "{name} draws {count} tile.", "{name} draws {count} tiles.", count=count, name=name
            )
    return ("  ", text)


@text_of.register
def put_back(event: DrawTakenBack, names: Names) -> Text:
    """Say what a player puts back who takes the end of a turn back."""
    text = say_count(
        "event.puts_back",
        "{name} puts back the tile drawn for it.",
        "{name} puts back the {count} tiles drawn for it.",
        count=event.tiles,
        name=names[event.seat],
    )
    return ("  ", text)


@text_of.register
def looking(event: LookingAgain, names: Names) -> Text:
    """Say why the referee looks, and what players can do for it."""
    match event.reason:
        case Reason.DOUBT:
            return ("  ", say("event.looking", "Looking again; the clock waits. Straighten or part the tiles, please."))
        case Reason.LOOK:
            return ("  ", say("event.no_look", "I have had no good look since the press; it still counts."))
        case Reason.CLEAR:
            clear = say("event.clear", "Clear the table for the next game, please.")
            seen: list[Value] = [_doubtful(doubt) for doubt in event.doubts]
            if not seen:
                return (clear,)
            still = say(
                "event.clear_seen", "I still see {tiles}; if that is no tile, press twice.", tiles=comma_list(seen)
            )
            return (clear, " ", still)
        case _:
            name = names[event.seat]
            return (
                "  ",
                say("event.hands_off", "Hands off the table, please: {name}'s turn is being looked at.", name=name),
            )


@text_of.register
def restore(event: RestoreNeeded, names: Names) -> Text:
    """Say step by step how the table becomes again what it was."""
    todo = event.guide
    text: Text = ("  ", say("event.put_back", "Put the table back as it was, {name}:", name=names[event.seat]))
    if todo.surplus:
        text += ("\n    ", say("event.take_back", "take back to your rack: {tiles}", tiles=TileRow(todo.surplus)))
    if todo.missing:
        text += ("\n    ", say("event.bring_back", "bring back to the table: {tiles}", tiles=TileRow(todo.missing)))
    named = tuple(doubt for doubt in event.doubts if doubt.may_be)
    if nameless := len(event.doubts) - len(named):
        text += ("\n    ", say("event.turn_over", "turn over: {tiles}", tiles=_face_down(nameless)))
    for tiles in todo.rebuild:
        text += ("\n    ", say("event.build_again", "build again: {tiles}", tiles=TileRow(tiles)))
    return (*text, "\n    ", asked(named)) if named else text


@text_of.register
def changed(event: TilesChanged, _names: Names) -> Text:
    """Say what has changed on the table while nobody looked."""
    missing, added = TileRow(event.missing), TileRow(event.added)
    if missing.tiles and added.tiles:
        return (
            say(
                "event.changed",
                "The table has changed meanwhile: missing {missing}, added {added}.",
                missing=missing,
                added=added,
            ),
        )
    if missing.tiles:
        return (say("event.changed_missing", "The table has changed meanwhile: missing {tiles}.", tiles=missing),)
    if added.tiles:
        return (say("event.changed_added", "The table has changed meanwhile: added {tiles}.", tiles=added),)
    return (say("event.changed_sets", "The table has changed meanwhile: the same tiles lie in other sets."),)


@text_of.register
def watched(event: TableWatched, _names: Names) -> Text:
    """Say whether the table could be left as it lies in a turn."""
    if event.legal:
        return ("  (", say("event.could_be_left", "The table could be left like this."), ")")
    violations = () if isinstance(event.verdict, Legal) else event.verdict.violations
    if not violations:
        return ("  (", say("event.not_yet_legal", "Not yet legal."), ")")
    return (
        "  (",
        say("event.not_yet", "The table cannot be left like this yet: {why}", why=violations[0].wording),
        ")",
    )


@text_of.register
def unseen(event: TurnUnseen, names: Names) -> Text:
    """Say that a turn stands though it was not seen."""
    return ("  ", say("event.unseen", "I did not see {name}'s turn by itself; it stands.", name=names[event.seat]))


@text_of.register
def lost(event: ThreadLost, names: Names) -> Text:
    """Say that the referee no longer knows how the game stands, and what people can do."""
    name = names[event.seat]
    return (
        say("event.thread_lost", "I have lost the thread: {count} turns stood without a verdict.", count=event.turns),
        " ",
        say(
            "event.thread_lost_ask",
            "Does the table lie right, and is it {name}'s turn? Then hold the button long, or tap on the page.",
            name=name,
        ),
        *_table(event.table),
    )


@text_of.register
def confirmed(event: TableConfirmed, names: Names) -> Text:
    """Say that the table counts as it lies, and who is to move."""
    name = names[event.seat]
    return (
        say("event.table_confirmed", "The table counts as it lies; {name} is to move.", name=name),
        *_table(event.table),
    )


@text_of.register
def stopped(event: ClockStopped, _names: Names) -> Text:
    """Say why the clock is stopped."""
    match event.reason:
        case Reason.PAUSE:
            return (say("event.stands_break", "The clock is stopped for a break; press to go on."),)
        case Reason.RESTART:
            return (
                say("event.stands_restart", "The clock is stopped: the referee was off and is comparing the table."),
            )
        case _:
            return (say("event.stands_camera", "The clock is stopped: the camera does not answer."),)


@text_of.register
def moved(event: CameraMoved, _names: Names) -> Text:
    """Say what a push of the camera means."""
    if event.registered:
        return (say("event.pushed", "The camera was pushed; I have found the table again, and play goes on."),)
    return (
        say(
            "event.pushed_lost",
            "The camera or the table was pushed, and I have lost the table; calibrate again when there is time.",
        ),
    )


def seconds_left(seconds: float | None) -> Text:
    """Say how long is left; nothing if turns have no limit."""
    return () if seconds is None else (" ", say("event.left", "{seconds} s left.", seconds=round(seconds)))
