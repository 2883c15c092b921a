"""The texts of games and of the match: who begins, who wins, the racks and the scores."""

from typing import Final

from referee.game.event_parts import Reason
from referee.game.events import (
    CountDiffers,
    EmptyRackAsked,
    GameScored,
    GameStarted,
    GameWon,
    MatchOver,
    RackAsked,
    RackRead,
    RacksMissing,
    StarterAssumed,
    StartTied,
)
from referee.game.texts.turn_messages import Names, asked, text_of
from referee.rules.formats import BOOKLET
from referee.rules.wording import Grid, Message, Text, TileRow, say, say_count

_RACKS: Final = say(
    "event.now_racks",
    "Now the racks: lay one face up beside the sets and press, then the next; or enter them on the page.",
)


@text_of.register
def game_started(event: GameStarted, names: Names) -> Text:
    """Say what is played by whom, and who begins."""
    played = event.edition if event.format == BOOKLET else f"{event.edition}, {event.format}"
    text: Text = (
        say(
            "event.game",
            "Game {game} ({played}): {names}.",
            game=event.game,
            played=played,
            names=", ".join(event.names),
        ),
    )
    if event.dealt_jokers:
        jokers = say_count(
            "event.take_jokers",
            "Each player takes {count} joker first.",
            "Each player takes {count} jokers first.",
            count=event.dealt_jokers,
        )
        text += (" ", jokers)
    return (*text, " ", say("event.begins", "{name} begins.", name=names[event.seat]))


@text_of.register
def starter_assumed(event: StarterAssumed, names: Names) -> Text:
    """Say who begins until somebody says otherwise."""
    name = names[event.seat]
    if event.ties_draw_again:
        return (
            say(
                "event.starter_ties_draw",
                "Nobody has said who drew the highest tile (those who tie draw again):"
                " {name} begins until it is said on the page.",
                name=name,
            ),
        )
    return (
        say(
            "event.starter_first",
            "Nobody has said who drew the highest tile (of those who tie the first from {name} on):"
            " {name} begins until it is said on the page.",
            name=name,
        ),
    )


@text_of.register
def start_tied(event: StartTied, names: Names) -> Text:
    """Say who draws again for the start."""
    tied = tuple(names[seat] for seat in event.seats)
    return (say("event.tied", "{names} each drew {number}: they draw again.", names=tied, number=event.number),)


@text_of.register
def won(event: GameWon, names: Names) -> Text:
    """Say how a game ended, and that the racks are due."""
    game, name = event.game, names[event.seat]
    match event.reason:
        case Reason.BLOCKED:
            over = say("event.blocked", "Nobody can go on: game {game} is over.", game=game)
        case Reason.TIME_OVER:
            over = say("event.wins_on_time", "{name} wins game {game} on time.", name=name, game=game)
        case Reason.EMPTY_RACK:
            over = say(
                "event.wins_by_count",
                "By my count the rack is empty: Rummikub! {name} wins game {game}.",
                name=name,
                game=game,
            )
        case _:
            over = say("event.wins", "Rummikub! {name} wins game {game}.", name=name, game=game)
    return (over, " ", _RACKS)


@text_of.register
def empty_rack_asked(event: EmptyRackAsked, names: Names) -> Text:
    """Ask whether a rack is empty, where the count cannot tell."""
    name = names[event.owner]
    return (say("event.empty_rack", "Is {name}'s rack empty? Then hold the button; otherwise play on.", name=name),)


@text_of.register
def count_differs(event: CountDiffers, names: Names) -> Text:
    """Say that a rack that is said to be empty should not be."""
    return (
        say_count(
            "event.count_differs",
            "By my count {name} has {count} tile left. If that is so, take the win back.",
            "By my count {name} has {count} tiles left. If that is so, take the win back.",
            count=event.left,
            name=names[event.seat],
        ),
    )


@text_of.register
def rack_asked(event: RackAsked, names: Names) -> Text:
    """Ask for a rack, or say why the one shown is not accepted."""
    name, seen = names[event.owner], TileRow(event.tiles)
    match event.reason:
        case Reason.NOTHING:
            return (
                say_count(
                    "event.rack_nothing",
                    "Lay {name}'s rack face up on the table, beside the sets, and press: {count} tile.",
                    "Lay {name}'s rack face up on the table, beside the sets, and press: {count} tiles.",
                    count=event.expected,
                    name=name,
                ),
            )
        case Reason.TABLE:
            return (
                say(
                    "event.rack_table",
                    "I cannot tell {name}'s rack from the table: leave the whole table as it lay, or clear it.",
                    name=name,
                ),
            )
        case Reason.BOX:
            return (
                say(
                    "event.rack_box",
                    "{name}'s rack cannot be {tiles}: the box holds fewer of them. Part the tiles, please.",
                    name=name,
                    tiles=seen,
                ),
            )
        case Reason.COUNT:
            return (
                say(
                    "event.rack_count",
                    "{name}'s rack is read as {tiles}: {seen}, not {expected}. Press again if it is right.",
                    name=name,
                    tiles=seen,
                    seen=len(event.tiles),
                    expected=event.expected,
                ),
            )
        case _:
            return (say("event.rack_unsure", "{name}'s rack is not sure.", name=name), " ", _mend(event))


def _mend(event: RackAsked) -> Message:
    return asked(event.doubts) if event.doubts else say("event.part_and_press", "Part the tiles and press.")


@text_of.register
def rack_read(event: RackRead, names: Names) -> Text:
    """Say what a rack holds, and what it counts."""
    name, tiles = names[event.owner], TileRow(event.tiles)
    return (
        say_count(
            "event.rack",
            "{name}'s rack: {tiles}, {count} point.",
            "{name}'s rack: {tiles}, {count} points.",
            count=event.value,
            name=name,
            tiles=tiles,
        ),
    )


@text_of.register
def racks_missing(event: RacksMissing, names: Names) -> Text:
    """Say whose racks of an earlier game are open, or lost."""
    who, game = tuple(names[seat] for seat in event.owners), event.of_game
    if event.lost:
        return (say("event.racks_lost", "Game {game} stays without scores: the racks are lost.", game=game),)
    return (
        say(
            "event.racks_missing",
            "Game {game} still waits for the racks of {names}; enter them later.",
            game=game,
            names=who,
        ),
    )


@text_of.register
def scored(event: GameScored, _names: Names) -> Text:
    """Write the scores of a game and the totals as a table."""
    title = say("event.scores", "Scores of game {game}:", game=event.game)
    rows = [(name, _signed(event.scores.get(name)), _signed(total)) for name, total in event.totals.items()]
    return (title, "\n", Grid((("", _GAME, _TOTAL), *rows)))


@text_of.register
def match_over(event: MatchOver, _names: Names) -> Text:
    """Say who won the match, and the ranks of all."""
    if not event.ranking:
        return (say("event.cut", "The recording is over, game unfinished: nobody is ranked."),)
    if not event.ranks:
        return (say("event.nobody_won", "The match is over. Nobody has won a game."),)
    first = tuple(name for name, rank in event.ranks.items() if rank == 1)
    if first[1:]:
        over = say("event.match_shared", "The match is over: {names} share the win.", names=first)
    else:
        over = say("event.match_won", "The match is over: {name} wins.", name=first[0])
    if not event.totals:
        places = ", ".join(f"{rank}. {name}" for name, rank in event.ranks.items())
        return (over, " ", places, ".")
    rows = [(f"{rank}. {name}", _signed(event.totals[name])) for name, rank in event.ranks.items()]
    return (over, "\n", Grid((("", _TOTAL), *rows)))


_GAME: Final = say("event.column_game", "game")
_TOTAL: Final = say("event.column_total", "total")


def _signed(points: int | None) -> str:
    return "" if points is None else f"{points:+d}"
