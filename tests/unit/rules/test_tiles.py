import pytest

from referee.rules.tiles import ALL_TILES, Colour, Joker, JokerKind, NumberTile


def test_every_tile_has_its_own_code() -> None:
    assert [tile.code for tile in ALL_TILES] == list(range(52 + 4 + 4))


def test_equal_tiles_are_one_key() -> None:
    assert {NumberTile(Colour.RED, 7), NumberTile(Colour.RED, 7)} == {NumberTile(Colour.RED, 7)}
    assert len({Joker(JokerKind.REGULAR), Joker(JokerKind.DOUBLE), Joker(JokerKind.COLOURED, Colour.RED)}) == 3


@pytest.mark.parametrize("number", [0, 14, -1])
def test_a_number_no_tile_carries_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 13, not {number}"):
        NumberTile(Colour.RED, number)


def test_only_a_coloured_joker_has_a_colour() -> None:
    with pytest.raises(ValueError, match="only a coloured joker"):
        Joker(JokerKind.REGULAR, Colour.RED)
    with pytest.raises(ValueError, match="only a coloured joker"):
        Joker(JokerKind.COLOURED)


def test_letters() -> None:
    assert [colour.letter for colour in Colour] == ["K", "R", "B", "O"]
