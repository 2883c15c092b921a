"""Sentences for players: messages with an id and values, which catalogues of other languages know by the id."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import Final

from referee.rules.tiles import Joker, JokerKind, Tile


@dataclass(frozen=True, slots=True)
class Row:
    """Tiles that are written as they lie, `R3 R4 R5`, where a list would be `R3, R4 and R5`; None is a doubtful one."""

    tiles: tuple[Tile | None, ...]

    def __str__(self) -> str:
        """Write them in the notation."""
        return " ".join("?" if tile is None else str(tile) for tile in self.tiles)


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or a part of one: its id, its English with gaps in braces, and what fills them.

    `count` among the values chose between the English singular and plural, and chooses so in every language.
    """

    id: str
    english: str
    values: "tuple[tuple[str, Value], ...]" = ()

    def __str__(self) -> str:
        """Say it in English."""
        return self.english.format_map({gap: shown(value) for gap, value in self.values})

    def filled(self, **values: "Value") -> "Message":
        """Return the message with other values in these gaps."""
        return replace(self, values=tuple({**dict(self.values), **values}.items()))


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of a table: the first column stands to the left, numbers to the right."""

    rows: tuple[tuple[str | Message, ...], ...]


Value = int | str | Row | Message | tuple[Tile | Message | str, ...]
"""What fills a gap: a number, a name as it is, tiles, another message, or a list of them."""
Text = tuple[str | Row | Message | Grid, ...]
"""A text of several messages, with the spaces, line breaks and signs between them."""
Say = Callable[[Row | Message], str]


def say(id_: str, english: str, /, **values: Value) -> Message:
    """Return the message; `make texts` takes id and English from this call, so both are written out in it."""
    return Message(id_, english, tuple(values.items()))


def say_count(id_: str, one: str, other: str, /, *, count: int, **values: Value) -> Message:
    """Return the message with a singular and a plural, of which `count` chooses one."""
    return Message(id_, one if count == 1 else other, (("count", count), *values.items()))


def way_out(word: str, known: Iterable[str]) -> Message:
    """Return the way out for an unknown word: the known word spelt most like it, or all known words."""
    names = list(known)
    near = difflib.get_close_matches(word[:40], names, n=1)
    if near:
        return say("way_out.near", "did you mean {near}?", near=repr(near[0]))
    return say("way_out.known", "use one of {known}", known=", ".join(names))


def said_in(text: Text, say_part: Say) -> str:
    """Say a text in the language of `say_part`."""
    return "".join(_part(part, say_part) for part in text)


def _part(part: str | Row | Message | Grid, say_part: Say) -> str:
    match part:
        case str():
            return part
        case Grid():
            return "\n".join(_aligned([[_part(cell, say_part) for cell in row] for row in part.rows]))
        case _:
            return say_part(part)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield f"  {'  '.join((first.ljust(widths[0]), *cells))}"


COLOURS: Final = MappingProxyType(
    {
        "black": say("colour.black", "black"),
        "red": say("colour.red", "red"),
        "blue": say("colour.blue", "blue"),
        "orange": say("colour.orange", "orange"),
        "yellow": say("colour.yellow", "yellow"),
        "pink": say("colour.pink", "pink"),
    }
)
"""The colours that editions print, by their names in `RuleSet.colour_names`."""


def any_of(tiles: Sequence[Tile]) -> Value:
    """Return `R3`, `R3 or R4`, `R3 or R4 or R5` as a value."""
    items: list[Value] = [(tile,) for tile in tiles]
    return reduce(lambda first, last: say("list.or", "{first} or {last}", first=first, last=last), items)


def either(words: Sequence[str]) -> Value:
    """Return `first or last` as a value."""
    items: list[Value] = [*words]
    return reduce(lambda first, last: say("list.or", "{first} or {last}", first=first, last=last), items)


TRUTH: Final = say("value.truth", "true or false")
"""What may be given for yes or no, in a settings file as in JSON."""


def apart_by_commas(items: Sequence["Value"]) -> "Value":
    """Return `R3, R4, R5` as a value."""
    return reduce(lambda first, last: say("list.comma", "{first}, {last}", first=first, last=last), items)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some tiles are no set, and the guilty tiles, never none."""

    said: Message
    guilty: tuple[Tile, ...]

    def __post_init__(self) -> None:
        """Refuse a reason that blames nothing."""
        if not self.guilty:
            raise ValueError("a reason names at least one guilty tile")


def must_follow(tile: Tile, number: int, neighbour: int, jokers: tuple[Joker, ...]) -> Message:
    """Return what breaks a run upwards, with the jokers that do not fill the gap."""
    if not jokers:
        return say(
            "run.must_follow",
            "{tile} breaks the run: {number} would have to follow {neighbour}",
            tile=(tile,),
            number=number,
            neighbour=neighbour,
        )
    return say(
        "run.must_follow_jokers",
        "{tile} breaks the run: {number} would have to follow {neighbour}, and {jokers} cannot fill every gap",
        tile=(tile,),
        number=number,
        neighbour=neighbour,
        jokers=jokers,
    )


def must_precede(tile: Tile, number: int, neighbour: int, jokers: tuple[Joker, ...]) -> Message:
    """Return what breaks a run downwards, with the jokers that do not fill the gap."""
    if not jokers:
        return say(
            "run.must_precede",
            "{tile} breaks the run: {number} would have to come before {neighbour}",
            tile=(tile,),
            number=number,
            neighbour=neighbour,
        )
    return say(
        "run.must_precede_jokers",
        "{tile} breaks the run: {number} would have to come before {neighbour}, and {jokers} cannot fill every gap",
        tile=(tile,),
        number=number,
        neighbour=neighbour,
        jokers=jokers,
    )


def shown(value: Value) -> str:
    """Say a value in English."""
    return listed(value) if isinstance(value, tuple) else str(value)


def listed(items: Sequence[object]) -> str:
    """Return `R3`, `R3 and R4` or `R3, R4 and R5`."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def counted(count: int, word: str) -> str:
    """Return `1 tile`, `2 tiles`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def of_kind(tiles: Sequence[Tile], kind: JokerKind) -> tuple[Joker, ...]:
    """Return the jokers of one kind."""
    return tuple(tile for tile in tiles if isinstance(tile, Joker) and tile.kind is kind)
