"""Sentences for players: messages with an id and values, which catalogues of other languages know by the id."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import Final

from referee.rules.tiles import Joker, JokerKind, Tile


@dataclass(frozen=True, slots=True)
class Row:
    """Tiles that are written as they lie, `R3 R4 R5`, where a list of them would be `R3, R4 and R5`."""

    tiles: tuple[Tile, ...]

    def __str__(self) -> str:
        """Write them in the notation."""
        return " ".join(map(str, self.tiles))


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
        return self.english.format_map({gap: _shown(value) for gap, value in self.values})

    def filled(self, **values: "Value") -> "Message":
        """Return the message with other values in these gaps."""
        return replace(self, values=tuple({**dict(self.values), **values}.items()))


Value = int | str | Row | Message | tuple[Tile | Message | str, ...]
"""What fills a gap: a number, a name as it is, tiles, another message, or a list of them."""
Text = tuple[str | Row | Message, ...]
"""A text of several messages, with the spaces, line breaks and signs between them."""


def say(id_: str, english: str, /, **values: Value) -> Message:
    """Return the message; `make texts` takes id and English from this call, so both are written out in it."""
    return Message(id_, english, tuple(values.items()))


def say_count(id_: str, one: str, other: str, /, *, count: int, **values: Value) -> Message:
    """Return the message with a singular and a plural, of which `count` chooses one."""
    return Message(id_, one if count == 1 else other, (("count", count), *values.items()))


def in_english(text: Text) -> str:
    """Say a text in English."""
    return "".join(map(str, text))


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


def any_of(tiles: Sequence[Tile]) -> Message | tuple[Tile, ...]:
    """Return `R3`, `R3 or R4`, `R3 or R4 or R5` as a value."""
    first: Message | tuple[Tile, ...] = (tiles[0],)
    return reduce(lambda left, tile: say("list.or", "{first} or {last}", first=left, last=(tile,)), tiles[1:], first)


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


def _shown(value: Value) -> str:
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
