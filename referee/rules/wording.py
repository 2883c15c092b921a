"""Messages for players: English text with an id and values; catalogues translate them by id."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import Final, assert_never

from referee.rules.tiles import HIGHEST, LOWEST, Colour, Joker, JokerKind, Tile


@dataclass(frozen=True, slots=True)
class TileRow:
    """Tiles written as a row, `R3 R4 R5`, rather than a list, `R3, R4 and R5`; None is a doubtful tile."""

    tiles: tuple[Tile | None, ...]

    def __str__(self) -> str:
        """Return the tiles in notation."""
        return " ".join("?" if tile is None else str(tile) for tile in self.tiles)


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or part of one: id, English text with placeholders in braces, and their values.

    A value `count` selects singular or plural, in every language.
    """

    id: str
    english: str
    values: "tuple[tuple[str, Value], ...]" = ()

    def __str__(self) -> str:
        """Return the English text."""
        return self.english.format_map({gap: in_english(value) for gap, value in self.values})

    def filled(self, **values: "Value") -> "Message":
        """Return the message with these values replaced."""
        return replace(self, values=tuple({**dict(self.values), **values}.items()))


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of a text table: the first column is left-aligned, numbers are right-aligned."""

    rows: tuple[tuple[str | Message, ...], ...]


Value = int | str | TileRow | Message | tuple[Tile | Message | str, ...]
"""What fills a gap: a number, a name as it is, tiles, another message, or a list of them."""
Text = tuple[str | TileRow | Message | Grid, ...]
"""A text of several messages, with the spaces, line breaks and signs between them."""
FormatPart = Callable[[TileRow | Message], str]


def say(id_: str, english: str, /, **values: Value) -> Message:
    """Return the message; `make texts` extracts id and English from the call, so both must be literals."""
    return Message(id_, english, tuple(values.items()))


def say_count(id_: str, one: str, other: str, /, *, count: int, **values: Value) -> Message:
    """Return a message with singular and plural; `count` selects one."""
    return Message(id_, one if count == 1 else other, (("count", count), *values.items()))


def only_english(text: str) -> Message:
    """Return a message for programmers, such as that JSON is wrong: in every language it is told in English."""
    return say("refused.in_english", "{text}", text=text)


def message_of(error: Exception) -> Message:
    """Return what an error says; plain text is told in English."""
    message = error.args[0] if error.args else ""
    return message if isinstance(message, Message) else only_english(str(error))


def way_out(word: str, known: Iterable[str]) -> Message:
    """Return the suggestion for an unknown word: the most similar known word, or all known words."""
    names = list(known)
    near = difflib.get_close_matches(word[:40], names, n=1)
    if near:
        return say("way_out.near", "did you mean {near}?", near=repr(near[0]))
    return say("way_out.known", "use one of {known}", known=", ".join(names))


def render_text(text: Text, say_part: FormatPart) -> str:
    """Return a text in the language of `say_part`."""
    return "".join(_render_part(part, say_part) for part in text)


def _render_part(part: str | TileRow | Message | Grid, say_part: FormatPart) -> str:
    match part:
        case str():
            return part
        case Grid():
            return "\n".join(_aligned([[_render_part(cell, say_part) for cell in row] for row in part.rows]))
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


def either_of(words: Sequence[str]) -> Value:
    """Return words joined as `first or last`, as a value."""
    items: list[Value] = [*words]
    return reduce(lambda first, last: say("list.or", "{first} or {last}", first=first, last=last), items)


TRUE_OR_FALSE: Final = say("value.truth", "true or false")
"""What may be given for yes or no, in a settings file as in JSON."""


def comma_list(items: Sequence["Value"]) -> "Value":
    """Return `R3, R4, R5` as a value."""
    return reduce(lambda first, last: say("list.comma", "{first}, {last}", first=first, last=last), items)


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why tiles are no set, and the guilty tiles, at least one."""

    wording: Message
    guilty: tuple[Tile, ...]

    def __post_init__(self) -> None:
        """Raise ValueError without a guilty tile."""
        if not self.guilty:
            raise ValueError("a reason names at least one guilty tile")


def nothing_follows(tile: Tile) -> Message:
    """Return the message about a tile above the highest number."""
    return say(
        "run.nothing_follows",
        "there is no room for {tile}: nothing follows {highest}",
        tile=(tile,),
        highest=HIGHEST,
    )


def nothing_precedes(tile: Tile) -> Message:
    """Return the message about a tile below the lowest number."""
    return say(
        "run.nothing_before",
        "there is no room for {tile}: nothing comes before {lowest}",
        tile=(tile,),
        lowest=LOWEST,
    )


def must_follow(tile: Tile, number: int, neighbour: int, jokers: tuple[Joker, ...]) -> Message:
    """Return the message about a gap after a tile of a run, with the jokers that do not fill it."""
    if number > HIGHEST:
        return nothing_follows(tile)
    if not jokers:
        return say(
            "run.must_follow",
            "{tile} breaks the run: {number} would have to follow {neighbour}",
            tile=(tile,),
            number=number,
            neighbour=neighbour,
        )
    return say_count(
        "run.must_follow_jokers",
        "{tile} breaks the run: {number} would have to follow {neighbour}, and {jokers} cannot fill every gap",
        "{tile} breaks the run: {number} would have to follow {neighbour}, and {jokers} cannot fill every gap",
        count=len(jokers),
        tile=(tile,),
        number=number,
        neighbour=neighbour,
        jokers=named(jokers),
    )


def must_precede(tile: Tile, number: int, neighbour: int, jokers: tuple[Joker, ...]) -> Message:
    """Return the message about a gap before a tile of a run, with the jokers that do not fill it."""
    if number < LOWEST:
        return nothing_precedes(tile)
    if not jokers:
        return say(
            "run.must_precede",
            "{tile} breaks the run: {number} would have to come before {neighbour}",
            tile=(tile,),
            number=number,
            neighbour=neighbour,
        )
    return say_count(
        "run.must_precede_jokers",
        "{tile} breaks the run: {number} would have to come before {neighbour}, and {jokers} cannot fill every gap",
        "{tile} breaks the run: {number} would have to come before {neighbour}, and {jokers} cannot fill every gap",
        count=len(jokers),
        tile=(tile,),
        number=number,
        neighbour=neighbour,
        jokers=named(jokers),
    )


def in_english(value: Value) -> str:
    """Return a value in English, jokers by their names."""
    if not isinstance(value, tuple):
        return str(value)
    return listed([joker_name(item) if isinstance(item, Joker) else item for item in value])


def listed(items: Sequence[object]) -> str:
    """Return `R3`, `R3 and R4` or `R3, R4 and R5`."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def joker_name(joker: Joker) -> Message:
    """Return a joker's name in a sentence; only in notation it is letters."""
    if joker.colour is not None:
        return say("joker.the_coloured", "the {colour} joker", colour=_JOKER_COLOURS[joker.colour])
    return _JOKER_NAMES[joker.kind]


_JOKER_NAMES: Final = MappingProxyType(
    {
        JokerKind.REGULAR: say("joker.the_regular", "the joker"),
        JokerKind.DOUBLE: say("joker.the_double", "the double joker"),
        JokerKind.COLOUR_CHANGE: say("joker.the_change", "the colour-change joker"),
        JokerKind.MIRROR: say("joker.the_mirror", "the mirror joker"),
    }
)
# The one box with coloured jokers prints its fourth colour yellow.
_JOKER_COLOURS: Final = MappingProxyType(
    {
        Colour.BLACK: COLOURS["black"],
        Colour.RED: COLOURS["red"],
        Colour.BLUE: COLOURS["blue"],
        Colour.ORANGE: COLOURS["yellow"],
    }
)


def named(tiles: Sequence[Tile]) -> Value:
    """Return tiles as a value in which several jokers of a kind are counted: `R5, R6 and 2 jokers`."""
    counts = Counter(tiles)
    parts: list[Tile | Message] = []
    for tile in tiles:
        if isinstance(tile, Joker) and counts[tile] > 1:
            several = _several(tile, counts[tile])
            parts += [several] if several not in parts else []
        else:
            parts.append(tile)
    return tuple(parts)


def _several(joker: Joker, count: int) -> Message:
    match joker.kind:
        case JokerKind.REGULAR:
            return say_count("jokers.regular", "{count} joker", "{count} jokers", count=count)
        case JokerKind.DOUBLE:
            return say_count("jokers.double", "{count} double joker", "{count} double jokers", count=count)
        case JokerKind.COLOUR_CHANGE:
            return say_count(
                "jokers.change", "{count} colour-change joker", "{count} colour-change jokers", count=count
            )
        case JokerKind.MIRROR:
            return say_count("jokers.mirror", "{count} mirror joker", "{count} mirror jokers", count=count)
        case JokerKind.COLOURED:
            name = _JOKER_COLOURS[joker.colour or Colour.BLACK]
            return say_count(
                "jokers.coloured", "{count} {colour} joker", "{count} {colour} jokers", count=count, colour=name
            )
        case _:
            assert_never(joker.kind)


def count_text(count: int, word: str) -> str:
    """Return `1 tile`, `2 tiles`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def of_kind(tiles: Sequence[Tile], kind: JokerKind) -> tuple[Joker, ...]:
    """Return the jokers of one kind."""
    return tuple(tile for tile in tiles if isinstance(tile, Joker) and tile.kind is kind)
