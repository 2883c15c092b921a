"""Which tile is meant, in words that hold from every seat."""

from collections.abc import Mapping
from typing import Any

import pytest

from referee.game.table.hypotheses import hypotheses
from referee.game.table.tile_position import position_message
from referee.game.texts.messages import words


@pytest.mark.parametrize(
    ("table", "doubts", "index", "said"),
    [
        pytest.param("R10 R11 R12 / K1 K2 K3", {1: "B11"}, 1, "tile 2 of R10 ? R12", id="in a set"),
        pytest.param("R10 R11 R12 / K1 K2 K3", {3: "B1", 5: "B3"}, 5, "tile 3 of ? K2 ?", id="beside another doubt"),
        pytest.param("R10 R11 R12 / K1 K2 K3 / O5", {6: "R5"}, 6, "alone beside K1 K2 K3", id="a loose tile"),
        pytest.param("O5", {0: "R5"}, 0, "alone on the table", id="nothing else there"),
        pytest.param(
            "R10 R11 R12 / K1 K2", {3: "B1", 4: "B2"}, 3, "tile 1 of ? ?, beside R10 R11 R12", id="all of it in doubt"
        ),
        pytest.param("K1 K2", {0: "B1", 1: "B2"}, 1, "tile 2 of ? ?", id="all there is in doubt"),
    ],
)
def test_where_a_tile_lies(read_table: Any, table: str, doubts: Mapping[int, str], index: int, said: str) -> None:
    reading = read_table(table, doubts)
    assert str(position_message(reading, index)) == said
    assert {doubt.index: str(doubt.where) for doubt in hypotheses(reading).doubts}[index] == said


def test_a_doubt_is_asked_about_with_its_place(evening: Any) -> None:
    told = evening.start().play("R10 R11 R12", doubts={2: "B12"})
    assert any(
        "I cannot tell R12 or B12 (tile 3 of R10 R11 ?)." in words(event, ("Ann", "Ben", "Cem")) for event in told
    )
