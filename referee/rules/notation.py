"""The notation: tiles, sets and tables as text (`R3 J R5 / K7 R7 B7`), parsed strictly, formatted canonically.

Input is parsed in one pass and refused beyond the limits below, so that hostile text is cheap to refuse.
"""

from collections.abc import Iterable
from typing import Final

from referee.errors import NotationError
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, Tile
from referee.rules.wording import say

MAX_CHARACTERS: Final = 20_000  # a table of all 160 tiles needs fewer than 700
MAX_TILES: Final = 500
_SHOWN_CHARACTERS: Final = 16

_TILES_BY_TEXT: Final = {str(tile): tile for tile in ALL_TILES}
_BLANKS: Final = " \t"
_LINE_TO_SPACE: Final = str.maketrans("\t\n\r", "   ")
_WAY_OUT: Final = say(
    "notation.way_out",
    "write K, R, B or O and 1 to 13, or a joker: J, JD, JC, JM, JK, JR, JB, JO, with blanks between tiles",
)


def parse_tile(text: str) -> Tile:
    """Parse one tile, such as `R7` or `jd`; NotationError for anything else."""
    _check_length(text)
    return _parse_tile_word(text.strip(_BLANKS))


def format_tile(tile: Tile) -> str:
    """Format one tile, such as `R7` or `JD`."""
    return str(tile)


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """Parse tiles separated by blanks, such as a set or a rack; an empty text gives no tiles."""
    _check_length(text)
    return _parse_tile_words(text)


def format_tiles(tiles: Iterable[Tile]) -> str:
    """Format tiles, separated by spaces."""
    return " ".join(map(str, tiles))


def parse_table(text: str) -> Table:
    """Parse a table, its sets separated by `/` or line ends; an empty text gives the empty table.

    Blank lines are skipped; a `/` without tiles on both sides is refused, for a set may be missing.
    """
    _check_length(text)
    lines = text.replace("\r\n", "\n").split("\n")
    sets = tuple(_parse_set(part, line) for line in lines if line.strip(_BLANKS) for part in line.split("/"))
    if sum(map(len, sets)) > MAX_TILES:
        raise NotationError(
            say("notation.table", "the table has more than {most} tiles; the largest box holds 160", most=MAX_TILES)
        )
    return Table(sets)


def format_table(table: Table) -> str:
    """Format a table on one line, its sets separated by ` / `."""
    return str(table)


def _parse_set(text: str, line: str) -> TileSet:
    tiles = _parse_tile_words(text)
    if not tiles:
        wrong = say(
            "notation.slash",
            "{text} has a '/' with no tiles beside it; write sets as 'R3 R4 R5 / K7 R7 B7'",
            text=_excerpt(line),
        )
        raise NotationError(wrong)
    return tiles


def _parse_tile_words(text: str) -> tuple[Tile, ...]:
    words = [word for word in text.translate(_LINE_TO_SPACE).split(" ") if word]
    if len(words) > MAX_TILES:
        many = say(
            "notation.many",
            "there are {tiles} tiles, and {most} are the most; the largest box holds 160",
            tiles=len(words),
            most=MAX_TILES,
        )
        raise NotationError(many)
    return tuple(map(_parse_tile_word, words))


def _parse_tile_word(word: str) -> Tile:
    tile = _TILES_BY_TEXT.get(word) or _TILES_BY_TEXT.get(word.upper())
    if tile is None:
        raise NotationError(
            say("notation.no_tile", "{text} is no tile; {way_out}", text=_excerpt(word), way_out=_WAY_OUT)
        )
    return tile


def _check_length(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        long = say(
            "notation.long",
            "the text has {characters} characters, and {most} are the most; give one table",
            characters=len(text),
            most=MAX_CHARACTERS,
        )
        raise NotationError(long)


def _excerpt(text: str) -> str:
    """Return a short excerpt on one line, with unprintable characters escaped."""
    short = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return f"'{short.encode('unicode_escape').decode() if not short.isprintable() else short}'"
