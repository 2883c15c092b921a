"""Sentences for players, as templates and what fills them, so that a page can say them in another language."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from referee.rules.tiles import Joker, JokerKind, Tile


@dataclass(frozen=True, slots=True)
class Phrase:
    """Part of a sentence without its full stop; catalogues of other languages know it by its English template."""

    template: str
    fillings: tuple[tuple[str, "Filling"], ...] = ()

    def __str__(self) -> str:
        """Say it in English."""
        return self.template.format_map({gap: _shown(filling) for gap, filling in self.fillings})


Filling = int | str | tuple[Tile | Phrase, ...]
"""What fills a gap of a sentence: a number, the name of a colour, tiles, or phrases."""


def phrase(template: str, /, **fillings: Filling) -> Phrase:
    """Return the phrase whose gaps are filled so."""
    return Phrase(template, tuple(fillings.items()))


UNFILLED: Final = ", and {jokers} cannot fill every gap"


def broken(what: str, tile: Tile, number: int, neighbour: int, jokers: tuple[Joker, ...]) -> Phrase:
    """Return the phrase of a gap in a run, with the jokers that do not fill it."""
    if not jokers:
        return phrase(what, tile=(tile,), number=number, neighbour=neighbour)
    return phrase(what + UNFILLED, tile=(tile,), number=number, neighbour=neighbour, jokers=jokers)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some tiles are no set, and the guilty tiles, never none."""

    phrase: Phrase
    guilty: tuple[Tile, ...]

    def __post_init__(self) -> None:
        """Refuse a reason that blames nothing."""
        if not self.guilty:
            raise ValueError("a reason names at least one guilty tile")


def _shown(filling: Filling) -> str:
    return listed(filling) if isinstance(filling, tuple) else str(filling)


def listed(tiles: Sequence[object]) -> str:
    """Return `R3`, `R3 and R4` or `R3, R4 and R5`."""
    words = [str(tile) for tile in tiles]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def counted(count: int, word: str) -> str:
    """Return `1 tile`, `2 tiles`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def of_kind(tiles: Sequence[Tile], kind: JokerKind) -> tuple[Joker, ...]:
    """Return the jokers of one kind."""
    return tuple(tile for tile in tiles if isinstance(tile, Joker) and tile.kind is kind)
