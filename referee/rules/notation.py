"""The notation: tiles, sets and tables as text (`R3 J R5 / K7 R7 B7`), read strictly and written in one way.

Input is read in one pass and refused beyond the limits below, so that hostile text costs no more than honest text.
"""

from collections.abc import Iterable
from typing import Final

from referee.errors import NotationError
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, Tile

MAX_CHARACTERS: Final = 20_000  # a table of all 160 tiles takes under 700
MAX_TILES: Final = 500
_SHOWN_CHARACTERS: Final = 16

_TILE_OF: Final = {str(tile): tile for tile in ALL_TILES}
_BLANKS: Final = " \t"
_SPACED: Final = str.maketrans("\t\n\r", "   ")
_WAY_OUT: Final = "write K, R, B or O and 1 to 13, or a joker: J, JD, JC, JM, JK, JR, JB, JO, with blanks between tiles"


def parse_tile(text: str) -> Tile:
    """Read one tile: `R7`, `jd`; raise NotationError for anything else."""
    _check_length(text)
    return _tile(text.strip(_BLANKS))


def format_tile(tile: Tile) -> str:
    """Write one tile: `R7`, `JD`."""
    return str(tile)


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """Read tiles separated by blanks, such as a set or a rack; the empty text is no tiles."""
    _check_length(text)
    return _tiles(text)


def format_tiles(tiles: Iterable[Tile]) -> str:
    """Write tiles separated by spaces."""
    return " ".join(map(str, tiles))


def parse_table(text: str) -> Table:
    """Read a table, its sets separated by `/` or line ends; the empty text is the empty table.

    Blank lines are passed over; a `/` with no tile on one of its sides is refused, for a set may have been lost there.
    """
    _check_length(text)
    lines = text.replace("\r\n", "\n").split("\n")
    sets = tuple(_set(part, line) for line in lines if line.strip(_BLANKS) for part in line.split("/"))
    if sum(map(len, sets)) > MAX_TILES:
        raise NotationError(f"the table has more than {MAX_TILES} tiles; the largest box holds 160")
    return Table(sets)


def format_table(table: Table) -> str:
    """Write a table on one line, its sets separated by ` / `."""
    return " / ".join(map(format_tiles, table.sets))


def _set(text: str, line: str) -> TileSet:
    tiles = _tiles(text)
    if not tiles:
        raise NotationError(f"{_shown(line)} has a '/' with no tiles beside it; write sets as 'R3 R4 R5 / K7 R7 B7'")
    return tiles


def _tiles(text: str) -> tuple[Tile, ...]:
    words = [word for word in text.translate(_SPACED).split(" ") if word]
    if len(words) > MAX_TILES:
        raise NotationError(f"there are {len(words)} tiles, and {MAX_TILES} are the most; the largest box holds 160")
    return tuple(map(_tile, words))


def _tile(word: str) -> Tile:
    tile = _TILE_OF.get(word) or _TILE_OF.get(word.upper())
    if tile is None:
        raise NotationError(f"{_shown(word)} is no tile; {_WAY_OUT}")
    return tile


def _check_length(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise NotationError(f"the text has {len(text)} characters, and {MAX_CHARACTERS} are the most; give one table")


def _shown(text: str) -> str:
    """Show some text on one line, shortened, with control and odd characters escaped."""
    short = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return f"'{short.encode('unicode_escape').decode() if not short.isprintable() else short}'"
