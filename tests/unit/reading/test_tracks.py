"""Rows in which nothing moved stay divided as they were; the others are divided by how they lie now."""

from dataclasses import replace

import pytest

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import keep_rows
from referee.rules.notation import parse_tiles

WIDTH, HEIGHT = 30.0, 42.0


def row(text: str, x: float, y: float, gaps: tuple[float, ...] = ()) -> tuple[TileReading, ...]:
    """Tiles from left to right with these gaps between them, in tile widths; 0.02 where none is named."""
    tiles = []
    for place, tile in enumerate(parse_tiles(text)):
        quad = ((x, y), (x + WIDTH, y), (x + WIDTH, y + HEIGHT), (x, y + HEIGHT))
        tiles.append(TileReading(quad=quad, tile=tile, confidence=1.0))
        x += WIDTH * (1.0 + (gaps[place] if place < len(gaps) else 0.02))
    return tuple(tiles)


def read(*rows: tuple[TileReading, ...]) -> TableReading:
    tiles = tuple(tile for one in rows for tile in one)
    return TableReading(frame_id="f", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))


def divided(reading: TableReading) -> list[list[list[str]]]:
    """The ways the tiles may lie in sets, likeliest first."""
    return [
        [[str(reading.tiles[index].tile) for index in tiles] for tiles in layout.sets] for layout in reading.layouts
    ]


LONG = "R3 R4 R5 R6 R7 R8"


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_an_unmoved_row_keeps_its_layouts(shift: float) -> None:
    before = read(row(LONG, 50, 50), row("K1 K2 K3", 50, 150))
    one_set = replace(before, layouts=before.layouts[:1])
    now = read(row(LONG, 50 + WIDTH * shift, 50, (0.02, 0.02, 0.06)), row("K1 K2 K3", 50, 150))
    assert len(now.layouts) == 2
    assert divided(keep_rows(one_set, now)) == divided(one_set)
    assert keep_rows(one_set, now).layouts[0].score == pytest.approx(1.0)


def test_a_tile_slid_by_a_finger_still_lies_in_its_set() -> None:
    before = read(row("R3 R4 R5", 50, 50), row("K1 K2 K3", 50, 150))
    *still, last = row("R3 R4 R5", 50, 50)
    slid = replace(last, quad=tuple((x + 5.0, y + 6.0) for x, y in last.quad))
    now = read((*still, slid), row("K1 K2 K3", 50, 150))
    sure = replace(now, layouts=tuple(replace(one, sets=((0, 1), (3, 4, 5)), loose=(2,)) for one in now.layouts[:1]))
    assert divided(keep_rows(before, sure)) == divided(before)
    beside = replace(last, quad=tuple((x + 10.0, y + 6.0) for x, y in last.quad))
    assert divided(keep_rows(before, replace(sure, tiles=(*still, beside, *now.tiles[3:])))) == divided(sure)


def test_a_row_that_grew_is_read_anew_beside_one_that_did_not() -> None:
    before = read(row("R3 R4 R5 R6 R7", 50, 50), row("K1 K2 K3 K4 K5 K6", 50, 150))
    one_set = replace(before, layouts=before.layouts[:1])
    now = read(row(LONG, 50, 50), row("K1 K2 K3 K4 K5 K6", 50, 150))
    assert len(now.layouts) == 3
    assert sorted(map(sorted, divided(keep_rows(one_set, now)))) == sorted(
        map(
            sorted,
            [
                [LONG.split(), ["K1", "K2", "K3", "K4", "K5", "K6"]],
                [["R3", "R4", "R5"], ["R6", "R7", "R8"], ["K1", "K2", "K3", "K4", "K5", "K6"]],
            ],
        )
    )


def test_a_row_pulled_apart_is_two_sets() -> None:
    before = read(row(LONG, 50, 50))
    now = read(row("R3 R4 R5", 50, 50), row("R6 R7 R8", 50 + 5 * WIDTH, 50))
    assert divided(keep_rows(before, now)) == [[["R3", "R4", "R5"], ["R6", "R7", "R8"]]]


def test_rows_pushed_together_are_read_anew() -> None:
    before = read(row("R3 R4 R5", 50, 50), row("R6 R7 R8", 50 + 5 * WIDTH, 50))
    assert len(keep_rows(before, read(row(LONG, 50, 50))).layouts) == 2


def test_loose_tiles_and_backs_stay_what_they_are() -> None:
    back = replace(row("R1", 400, 400)[0], tile=None)
    before = read((*row(LONG, 50, 50), *row("O9", 300, 300), back))
    now = read((back, *row("O9", 300, 300), *row(LONG, 50, 50)))
    kept = keep_rows(before, now)
    assert [str(kept.tiles[index].tile) for index in kept.layouts[0].loose] == ["O9"]
    assert divided(kept) == divided(before)
    assert [layout.score for layout in kept.layouts] == pytest.approx([layout.score for layout in before.layouts])
