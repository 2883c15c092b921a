"""The parts that sentences for players are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.tiles import Joker, JokerKind, Tile


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some tiles are no set: part of a sentence without its full stop, and the guilty tiles, never none."""

    sentence: str
    guilty: tuple[Tile, ...]

    def __post_init__(self) -> None:
        """Refuse a reason that blames nothing."""
        if not self.guilty:
            raise ValueError("a reason names at least one guilty tile")


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
