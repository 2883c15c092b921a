"""What a turn event says in words, for a console, a page or a loudspeaker."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from referee.game.correction_events import ProposalEnded, ProposalMade, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.event_parts import Doubt, Reason
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
from referee.game.texts.correction_messages import added, named, proposal_ended, proposed, rows_named, set_added
from referee.rules.formats import BOOKLET
from referee.rules.notation import format_table, format_tiles
from referee.rules.tiles import Tile
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided
from referee.rules.wording import counted, listed

Names = Sequence[str]
_RACKS: Final = (
    "Now the racks: lay one face up beside the sets, press, and so on with the next; or tell them on the page."
)
_LONG_TABLE: Final = 90  # letters, beyond which a set is looked for in vain


def words(event: TurnEvent, names: Names) -> str:
    """Say an event in one or more lines."""
    return _SAYINGS[type(event)](event, names)


def _tiles(tiles: Iterable[Tile]) -> str:
    return format_tiles(tuple(tiles))


def _game_started(event: GameStarted, names: Names) -> str:
    played = event.edition if event.format == BOOKLET else f"{event.edition}, {event.format}"
    joker = f" Each player takes {counted(event.dealt_jokers, 'joker')} first." if event.dealt_jokers else ""
    return f"Game {event.game} ({played}): {', '.join(event.names)}.{joker} {names[event.seat]} begins."


def _starter_assumed(event: StarterAssumed, names: Names) -> str:
    ties = (
        "those who tie draw again"
        if event.ties_draw_again
        else f"of those who tie the first from {names[event.seat]} on"
    )
    return (
        f"Nobody has said who drew the highest tile ({ties}): {names[event.seat]} begins until it is said on the page."
    )


def _start_tied(event: StartTied, names: Names) -> str:
    return f"{_listed([names[seat] for seat in event.seats])} each drew {event.number}: they draw again."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _turn_started(event: TurnStarted, names: Names) -> str:
    time = "" if event.seconds is None else f", {event.seconds:.0f} s"
    opened = "" if event.opened else ", not opened yet"
    banks = ", ".join(f"{name} {_minutes(left)}" for name, left in event.banks.items())
    return f"Turn {event.turn}, {names[event.seat]}{opened}{time}.{banks and f' Time in the banks: {banks}.'}"


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _judged(event: Judged, names: Names) -> str:
    verdict, name = event.verdict, names[event.seat]
    match verdict:
        case Legal(outcome=Outcome.NO_PLAY):
            return f"  {name} plays nothing."
        case Legal():
            opening = "" if verdict.meld is None else f", {verdict.meld} points for the opening"
            late = ", but TOO LATE" if event.late and not event.stands else ""
            return f"  {name} plays {_tiles(verdict.played)}: LEGAL{opening}{late}.{_jokers(event)}{_table(event)}"
        case Illegal(violations=violations):
            played = f" plays {_tiles(verdict.played)}" if verdict.played else ""
            faults = "".join(f"\n    - {violation.message}" for violation in violations)
            return f"  {name}{played}: ILLEGAL.{faults}{_table(event)}"
        case Undecided() if event.stands:
            return f"  {name}: UNDECIDED, nobody is accused and the table stands. {_asked(event.doubts, verdict)}"
        case Undecided():
            return f"  {name}: UNDECIDED. {_asked(event.doubts, verdict)}"
    raise AssertionError(verdict)


def _table(event: Judged) -> str:
    """The table in one line; where that is long, a line for each set."""
    table = format_table(event.table)
    if len(table) <= _LONG_TABLE:
        return f"\n  Table: {table}"
    return "".join(("\n  Table:", *(f"\n    {one}" for one in table.split(" / "))))


def _jokers(event: Judged) -> str:
    """What the jokers in sets that are new stand for; the others were told when they were laid."""
    new = [joker for joker in event.jokers if event.table.sets[joker.set_index] not in event.before.sets]
    return "".join(f" {joker.joker} stands for {joker}." for joker in new)


def _asked(doubts: tuple[Doubt, ...], verdict: Undecided | None = None) -> str:
    if doubts:
        nameless = sum(not doubt.may_be for doubt in doubts)
        asked = [" or ".join(map(str, doubt.may_be)) + _where(doubt) for doubt in doubts if doubt.may_be]
        asked += [f"{counted(nameless, 'tile')} that may lie face down"] if nameless else []
        return f"I cannot tell {', '.join(asked)}."
    if verdict is not None and verdict.unsure_of:
        return f"I cannot tell how {_tiles(verdict.unsure_of)} belong together."
    return "I cannot tell how the rows part."


def _where(doubt: Doubt) -> str:
    return f" ({doubt.where})" if doubt.where else ""


def _drew(event: Drew, names: Names) -> str:
    if not event.tiles:
        return f"  There is nothing for {names[event.seat]} to draw."
    why = {
        Reason.PENALTY: " as the penalty",
        Reason.TIME_OVER: " because the time is over",
        Reason.PLAYS_ON: " and plays on, if it fits; else press again",
    }.get(event.reason, "")
    return f"  {names[event.seat]} draws {counted(event.tiles, 'tile')}{why}."


def _put_back(event: DrawTakenBack, names: Names) -> str:
    drawn = "the tile" if event.tiles == 1 else f"the {event.tiles} tiles"
    return f"  {names[event.seat]} puts back {drawn} drawn for it."


def _looking(event: LookingAgain, names: Names) -> str:
    match event.reason:
        case Reason.DOUBT:
            return "  Looking again; the clock waits. Straighten or part the tiles, please."
        case Reason.CLEAR:
            return "Clear the table for the next game, please."
        case _:
            return f"  Hands off the table, please: {names[event.seat]}'s turn is being looked at."


def _restore(event: RestoreNeeded, names: Names) -> str:
    todo = event.guide
    lines = [f"  Put the table back as it was, {names[event.seat]}:"]
    if todo.surplus:
        lines.append(f"    take back to your rack: {_tiles(todo.surplus)}")
    if todo.missing:
        lines.append(f"    bring back to the table: {_tiles(todo.missing)}")
    lines += [f"    build again: {_tiles(tiles)}" for tiles in todo.rebuild]
    return "\n".join(lines)


def _changed(event: TilesChanged, _names: Names) -> str:
    parts = [f"missing {_tiles(event.missing)}"] if event.missing else []
    parts += [f"added {_tiles(event.added)}"] if event.added else []
    return f"The table has changed meanwhile: {', '.join(parts) or 'the same tiles lie in other sets'}."


def _watched(event: TableWatched, _names: Names) -> str:
    if event.legal:
        return "  (The table could be left like this.)"
    violations = () if isinstance(event.verdict, Legal) else event.verdict.violations
    return f"  (Not yet to be left like this: {violations[0].message})" if violations else "  (Not yet legal.)"


def _won(event: GameWon, names: Names) -> str:
    if event.reason is Reason.BLOCKED:
        return f"Nobody can go on: game {event.game} is over. {_RACKS}"
    if event.reason is Reason.TIME_OVER:
        return f"{names[event.seat]} wins game {event.game} on time. {_RACKS}"
    count = "By my count the rack is empty: " if event.reason is Reason.EMPTY_RACK else ""
    return f"{count}Rummikub! {names[event.seat]} wins game {event.game}. {_RACKS}"


def _count_differs(event: CountDiffers, names: Names) -> str:
    left = counted(event.left, "tile")
    return f"By my count {names[event.seat]} has {left} left. If that is so, take the win back."


def _stopped(event: ClockStopped, _names: Names) -> str:
    why = {
        Reason.PAUSE: "a break; press to go on",
        Reason.CAMERA: "the camera does not answer",
        Reason.RESTART: "the referee was off and compares the table",
    }[event.reason]
    return f"The clock stands: {why}."


def _moved(event: CameraMoved, _names: Names) -> str:
    if event.registered:
        return "The camera was pushed; the markers say how, and play goes on."
    return "The camera or the table was pushed and is not known any more; calibrate it again when there is time."


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f" {seconds:.0f} s left."


def _rack_asked(event: RackAsked, names: Names) -> str:
    name, seen = names[event.owner], _tiles(event.tiles)
    match event.reason:
        case Reason.NOTHING:
            tiles = counted(event.expected, "tile")
            return f"Lay {name}'s rack face up on the table, beside the sets, and press: {tiles}."
        case Reason.TABLE:
            return f"{name}'s rack cannot be told from the table: leave all of it as it lay, or take all of it away."
        case Reason.BOX:
            return f"{name}'s rack cannot be {seen}: the box holds fewer of them. Part the tiles, please."
        case Reason.COUNT:
            count = f"{len(event.tiles)}, not {event.expected}"
            return f"{name}'s rack is read as {seen}: {count}. Press again if it is right."
        case _:
            return f"{name}'s rack is not sure. {_asked(event.doubts) if event.doubts else 'Part the tiles and press.'}"


def _rack_read(event: RackRead, names: Names) -> str:
    return f"{names[event.owner]}'s rack: {_tiles(event.tiles)}, {event.value} points."


def _scored(event: GameScored, _names: Names) -> str:
    rows = [(name, _signed(event.scores.get(name)), _signed(total)) for name, total in event.totals.items()]
    return "\n".join((f"Scores of game {event.game}:", *_aligned([("", "game", "total"), *rows])))


def _signed(points: int | None) -> str:
    return "" if points is None else f"{points:+d}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Give the rows of a table: the first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield f"  {'  '.join((first.ljust(widths[0]), *cells))}"


def _match_over(event: MatchOver, _names: Names) -> str:
    if not event.ranking:
        return "The recording is over, game unfinished: nobody is ranked."
    if not event.ranks:
        return "The match is over. Nobody has won a game."
    first = [name for name, rank in event.ranks.items() if rank == 1]
    won = f"The match is over: {listed(first)} {'share the win' if first[1:] else 'wins'}."
    if not event.totals:
        places = ", ".join(f"{rank}. {name}" for name, rank in event.ranks.items())
        return f"{won} {places}."
    rows = [(f"{rank}. {name}", _signed(event.totals[name])) for name, rank in event.ranks.items()]
    return "\n".join((won, *_aligned([("", "total"), *rows])))


_SAYINGS: Final[Mapping[type, Callable[[Any, Names], str]]] = MappingProxyType(
    {
        GameStarted: _game_started,
        StarterAssumed: _starter_assumed,
        StartTied: _start_tied,
        TurnStarted: _turn_started,
        Judged: _judged,
        TileNamed: named,
        TileAdded: added,
        SetAdded: set_added,
        RowsNamed: rows_named,
        ProposalMade: proposed,
        ProposalEnded: proposal_ended,
        Drew: _drew,
        DrawTakenBack: _put_back,
        LookingAgain: _looking,
        Warned: lambda event, _: f"  {event.seconds_left:.0f} seconds left.",
        TimeOver: lambda event, names: f"  Time is over for {names[event.seat]}.",
        RestoreNeeded: _restore,
        Restored: lambda *_: "  The table is as it was before.",
        TableWatched: _watched,
        MeldCounted: lambda event, _: f"  ({event.points} of {event.needed} points for the opening)",
        TilesChanged: _changed,
        WrongSeat: lambda event, names: f"  {names[event.pressed]} pressed, but it is {names[event.seat]}'s turn.",
        TurnTakenBack: lambda event, n: f"  Taken back: {n[event.seat]} goes on.{_left(event.seconds_left)}",
        ClockStopped: _stopped,
        ClockRuns: lambda event, _: f"  The clock runs.{_left(event.seconds_left)}",
        CameraMoved: _moved,
        TimeGiven: lambda event, names: f"  The clock is set: {names[event.seat]} has {event.seconds_left:.0f} s left.",
        PlayerGone: lambda event, names: f"{names[event.left]} leaves the match.",
        GameWon: _won,
        CountDiffers: _count_differs,
        RackAsked: _rack_asked,
        RackRead: _rack_read,
        RacksShown: lambda *_: "All racks are known.",
        GameScored: _scored,
        MatchOver: _match_over,
    }
)
