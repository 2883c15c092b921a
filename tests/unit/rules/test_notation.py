import time

import pytest

from referee.errors import NotationError
from referee.rules.notation import (
    MAX_CHARACTERS,
    MAX_TILES,
    format_table,
    format_tile,
    format_tiles,
    parse_table,
    parse_tile,
    parse_tiles,
)
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.tiles import ALL_TILES, Colour, NumberTile


@pytest.mark.parametrize("tile", ALL_TILES, ids=str)
def test_every_tile_is_read_as_it_is_written(tile: object) -> None:
    assert parse_tile(str(tile)) == tile
    assert parse_tile(f" {str(tile).lower()}\t") == tile


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        (" \n\t\n", ""),
        ("r3 j R5", "R3 J R5"),
        ("R3  R4\tR5", "R3 R4 R5"),
        ("R3 R4 R5/K7 R7 B7", "R3 R4 R5 / K7 R7 B7"),
        ("R3 R4 R5\nK7 R7 B7\r\n\nJD", "R3 R4 R5 / K7 R7 B7 / JD"),
        ("R3 R4 R5\r\n\r\nK7 R7 B7", "R3 R4 R5 / K7 R7 B7"),
    ],
)
def test_tables(text: str, written: str) -> None:
    assert format_table(parse_table(text)) == written


def test_the_empty_text_is_the_empty_table() -> None:
    assert parse_table("") == EMPTY_TABLE
    assert parse_tiles("") == ()


def test_racks_may_be_written_on_several_lines() -> None:
    assert format_tiles(parse_tiles("R3\nJ\r\n O13")) == "R3 J O13"
    assert format_tile(parse_tile("o13")) == "O13"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("R14", "'R14' is no tile; write K, R, B or O and 1 to 13", id="beyond 13"),
        pytest.param("R0", "'R0' is no tile", id="below 1"),
        pytest.param("R03", "'R03' is no tile", id="a leading zero"),
        pytest.param("X3", "'X3' is no tile", id="no such colour"),
        pytest.param("R3J", "'R3J' is no tile", id="two tiles without a blank"),
        pytest.param("JX", "'JX' is no tile", id="no such joker"),
        pytest.param("R³", "'R³' is no tile", id="a digit that is none"),
        pytest.param("R3 \x00 R4", r"'\\x00' is no tile", id="a control character"),
        pytest.param("R3\x0cR4", r"'R3\\x0cR4' is no tile", id="a form feed ends no line"),
        pytest.param("R3 R4 R5\n\x0c\nR3", r"'\\x0c' is no tile", id="a form feed is no blank line"),
        pytest.param("\x1b[2J", r"'\\x1b\[2J' is no tile", id="an escape sequence"),
        pytest.param("X" * 16, "'XXXXXXXXXXXXXXXX' is no tile", id="a word of 16 is shown whole"),
        pytest.param("R" * 500, "'RRRRRRRRRRRRRRRR…' is no tile", id="a long word is shortened"),
        pytest.param("R3 R4 R5 /", "has a '/' with no tiles beside it", id="a separator at the end"),
        pytest.param("/ R3", "has a '/' with no tiles beside it", id="a separator at the beginning"),
        pytest.param("R3 / / R4", "has a '/' with no tiles beside it", id="two separators"),
        pytest.param("/" * MAX_CHARACTERS, "has a '/' with no tiles beside it", id="nothing but separators"),
        pytest.param("R3 " * (MAX_TILES + 1), f"there are {MAX_TILES + 1} tiles", id="too many tiles in a set"),
        pytest.param("R3/" * MAX_TILES + "R3", f"more than {MAX_TILES} tiles", id="too many tiles in all"),
        pytest.param("R" * (MAX_CHARACTERS + 1), f"has {MAX_CHARACTERS + 1} characters", id="too long a text"),
    ],
)
def test_hostile_text_is_refused_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(NotationError, match=complaint) as refused:
        parse_table(text)
    message = str(refused.value)
    assert message.isprintable()
    assert len(message) < 200


@pytest.mark.parametrize("text", ["R3 " * 10_000, "/" * 10_000_000, "R3 / " * 2_000_000, "\x00" * 10_000_000])
def test_hostile_text_costs_little(text: str) -> None:
    start = time.process_time()
    with pytest.raises(NotationError):
        parse_table(text)
    with pytest.raises(NotationError):
        parse_tiles(text)
    with pytest.raises(NotationError):
        parse_tile(text)
    assert time.process_time() - start < 5  # read to the end they would take minutes


def test_as_many_tiles_as_allowed_are_read() -> None:
    assert len(parse_table("R3 " * MAX_TILES).tiles) == MAX_TILES


@pytest.mark.parametrize("text", ["\nR3", "R3\x0b", "R3 R4"])
def test_a_single_tile_is_one_word(text: str) -> None:
    with pytest.raises(NotationError):
        parse_tile(text)


def test_a_table_has_no_empty_set() -> None:
    with pytest.raises(ValueError, match="at least one tile"):
        Table(((),))


def test_counts() -> None:
    table = parse_table("R3 R4 / R3")
    assert dict(table.counts()) == {NumberTile(Colour.RED, 3): 2, NumberTile(Colour.RED, 4): 1}
