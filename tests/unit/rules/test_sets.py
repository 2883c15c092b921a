import pytest

from referee.rules.editions import rule_set
from referee.rules.house_rules import with_house_rules
from referee.rules.notation import parse_tiles
from referee.rules.set_reading import SetReading, StandIn
from referee.rules.sets import is_set, preferred_reading, readings

TWIST, POLISH_TWIST, EXPERT = rule_set("twist"), rule_set("3in1-twist"), rule_set("3in1-expert")


def stood_for(reading: SetReading) -> str:
    """What every tile stands for, such as `R3 R4+R5 KO6`; a tile without a colour shows `-`."""
    return " ".join(
        "+".join(f"{''.join(one.colours) or '-'}{number}" for number in one.numbers) or "0"
        for one in reading.stands_for
    )


@pytest.mark.parametrize(
    ("tiles", "kind", "worth", "untidy", "stands_for"),
    [
        # The examples of the rule that says which reading counts.
        ("J R12 R13", "run", 36, False, "R11 R12 R13"),
        ("R5 R6 J", "run", 18, False, "R5 R6 R7"),
        ("R12 R13 J", "run", 36, True, "R12 R13 R11"),
        ("J J R5", "group", 15, False, "KBO5 KBO5 R5"),
        # Order.
        ("R7 R5 R6", "run", 18, True, "R7 R5 R6"),
        ("R7 R6 R5", "run", 18, False, "R7 R6 R5"),
        ("J R6 R5", "run", 18, False, "R7 R6 R5"),
        ("R6 R5 J", "run", 18, True, "R6 R5 R7"),
        ("R6 J R5", "run", 18, True, "R6 R7 R5"),
        ("J R5 R6", "run", 15, False, "R4 R5 R6"),
        ("J R5 J", "group", 15, False, "KBO5 R5 KBO5"),
        ("R5 J J", "run", 18, False, "R5 R6 R7"),
        ("J J R2", "group", 6, False, "KBO2 KBO2 R2"),
        ("R7 B7 J K7", "group", 28, False, "R7 B7 O7 K7"),
        # Double jokers.
        ("R2 JD R5", "run", 14, False, "R2 R3+R4 R5"),
        ("R3 JD J R7", "run", 25, False, "R3 R4+R5 R6 R7"),
        ("R3 J R7 JD", "run", 25, True, "R3 R6 R7 R4+R5"),
        ("JD R4 R6 J R10 J", "run", 49, True, "R7+R8 R4 R6 R5 R10 R9"),
        ("JD R1 R2", "run", 10, True, "R3+R4 R1 R2"),
        ("R13 R12 JD", "run", 46, False, "R13 R12 R10+R11"),
        ("R7 JD J", "run", 34, False, "R7 R8+R9 R10"),
        ("R13 JD J", "group", 52, False, "R13 KBO13+KBO13 KBO13"),
        ("R4 B4 JD", "group", 16, False, "R4 B4 KO4+KO4"),
        # Colour-change runs.
        ("R3 R4 JC B6", "run", 18, False, "R3 R4 -5 B6"),
        ("B6 JC R4 R3", "run", 18, False, "B6 -5 R4 R3"),
        ("R3 JC JC R6", "run", 18, False, "R3 -4 -5 R6"),
        ("R3 JC J JC R7", "run", 25, False, "R3 -4 KBO5 -6 R7"),
        ("R3 JC J JC B7", "run", 25, False, "R3 -4 KO5 -6 B7"),
        ("J JC R5", "run", 12, False, "KBO3 -4 R5"),
        ("R5 JC J", "run", 18, False, "R5 -6 KBO7"),
        ("JC R3 R4", "run", 9, False, "-2 R3 R4"),
        ("R4 R3 JC", "run", 9, False, "R4 R3 -2"),
        ("JC JC R5", "run", 12, False, "-3 -4 R5"),
        ("JC R3 JC B5 JC", "run", 20, False, "-2 R3 -4 B5 -6"),
        ("JD JC B4 B5", "run", 15, False, "KRO1+KRO2 -3 B4 B5"),
        # Mirror sets.
        ("R3 R4 JM R4 R3", "mirror", 14, False, "R3 R4 0 R4 R3"),
        ("R4 R3 JM R3 R4", "mirror", 14, False, "R4 R3 0 R3 R4"),
        ("R5 JM R5", "mirror", 10, False, "R5 0 R5"),
        ("J JM R5", "mirror", 10, False, "R5 0 R5"),
        ("R5 B5 JM J R5", "mirror", 20, False, "R5 B5 0 B5 R5"),
        ("R5 J JM B5 J", "mirror", 20, False, "R5 B5 0 B5 R5"),
        ("R5 J JM R5 J", "mirror", 20, False, "R5 KBO5 0 R5 KBO5"),
        ("R3 R4 JM JD", "mirror", 14, False, "R3 R4 0 R3+R4"),
        ("R4 J JM J R4", "mirror", 18, False, "R4 R5 0 R5 R4"),
        ("J R4 JM R4 J", "mirror", 18, False, "R5 R4 0 R4 R5"),
        ("J B7 JM B7 J", "mirror", 30, False, "B8 B7 0 B7 B8"),
        ("JD B4 JM B4 JD", "mirror", 30, False, "B5+B6 B4 0 B4 B5+B6"),
        ("JC R5 JM R5 JC", "mirror", 22, False, "-6 R5 0 R5 -6"),
        ("R5 B5 JM R5 B5", "mirror", 20, False, "R5 B5 0 R5 B5"),
        ("R5 JC B7 JM B7 JC R5", "mirror", 36, False, "R5 -6 B7 0 B7 -6 R5"),
        ("R5 JC B7 JM B7 R6 R5", "mirror", 36, False, "R5 -6 B7 0 B7 R6 R5"),
        ("R5 R6 R7 JM R7 JC R5", "mirror", 36, False, "R5 R6 R7 0 R7 -6 R5"),
        ("R3 JC B5 JM J R4 R3", "mirror", 24, False, "R3 -4 B5 0 B5 R4 R3"),
        ("J JC B7 JM B7 J R5", "mirror", 36, False, "R5 -6 B7 0 B7 -6 R5"),
    ],
)
def test_the_reading_that_counts(tiles: str, kind: str, worth: int, untidy: bool, stands_for: str) -> None:  # noqa: FBT001
    reading = preferred_reading(parse_tiles(tiles), TWIST)
    assert reading is not None
    assert (reading.kind, reading.worth, reading.untidy) == (kind, worth, untidy)
    assert stood_for(reading) == stands_for


@pytest.mark.parametrize(
    "tiles",
    [
        "R3 R4",
        "R3 JD",
        "J J J",
        "R12 R13 R1",
        "R5 B5 R5",
        "R5 B5 K5 O5 J",
        "R5 JC B5",
        "JC R1 R2",
        "R12 R13 JC",
        "R3 JC R5",
        "R3 B4 JC",
        "R3 JC B5 K6",
        "R1 JC JD B6",
        "R2 R1 JC",
        "JM R3 R4",
        "R5 JM B5",
        "R5 R5 JM R5 R5",
        "R5 B5 JM R5 K5",
        "R3 JM JM R3",
        "J JM J",
        "JD JM R5",
        "JC JM R5",
        "R12 R13 J JM J R13 R12",
        "J R1 R2 JM R2 R1 J",
        "J R1 R2 JM J R2 R1",
        "R4 R5 JC JM JC B5 R4",
        "JC R6 R5 JM R5 R6 R7 R8",
        "R3 J R5 JM R5 B4 R3",
        "J J JM B5 R4",
    ],
)
def test_these_are_no_sets(tiles: str) -> None:
    assert not is_set(parse_tiles(tiles), TWIST)
    assert readings(parse_tiles(tiles), TWIST) == ()


@pytest.mark.parametrize(
    ("tiles", "worth", "mirror"),
    [
        pytest.param("R3 R4 JM R4 R3", 19, 5, id="the number in the middle"),
        pytest.param("R4 R3 JM R3 R4", 16, 2, id="the number in the middle of a falling one"),
        pytest.param("R12 R13 JM R13 R12", 50, 0, id="no number follows 13"),
        pytest.param("R2 R1 JM R1 R2", 6, 0, id="no number comes before 1"),
        pytest.param("R11 R12 JM R12 R11", 59, 13, id="13 is still a number"),
        pytest.param("R3 R2 JM R2 R3", 11, 1, id="1 is still a number"),
        pytest.param("R5 B5 JM B5 R5", 25, 5, id="the number of a group"),
        pytest.param("R5 JM R5", 15, 5, id="one tile on each side is a group"),
    ],
)
def test_the_mirror_counts_its_middle_in_3in1_twist(tiles: str, worth: int, mirror: int) -> None:
    reading = preferred_reading(parse_tiles(tiles), POLISH_TWIST)
    assert reading is not None
    assert reading.worth == worth
    assert StandIn((mirror,) if mirror else (), ()) in reading.stands_for


STRICT = with_house_rules(TWIST, {"colour_change_ends": "last", "mirror_order": "reflected"})


@pytest.mark.parametrize(
    ("tiles", "worth", "stands_for"),
    [
        ("R3 R4 JC", 12, "R3 R4 -5"),
        ("JC R4 R3", 12, "-5 R4 R3"),
        ("JC R3 R4", None, ""),
        ("R4 R3 JC", None, ""),
        ("JC JC R5", 18, "-7 -6 R5"),
        ("R5 JC B7 JM B7 JC R5", 36, "R5 -6 B7 0 B7 -6 R5"),
        ("JC R5 R6 JM R6 R5 JC", None, ""),
        ("R5 B5 JM B5 R5", 20, "R5 B5 0 B5 R5"),
        ("R5 B5 JM R5 B5", None, ""),
        ("R5 J JM B5 J", 20, "R5 B5 0 B5 R5"),
        ("R5 J JM K5 B5", None, ""),
        ("R5 JD JM K5 J R5", 30, "R5 BOK5+BOK5 0 K5 BO5 R5"),
        ("R5 B5 J JM JD R5", 30, "R5 B5 KO5 0 BKO5+BKO5 R5"),
    ],
)
def test_the_house_rules_of_the_strict_readings(tiles: str, worth: int | None, stands_for: str) -> None:
    reading = preferred_reading(parse_tiles(tiles), STRICT)
    assert (reading and reading.worth) == worth
    assert reading is None or stood_for(reading) == stands_for


def test_all_readings() -> None:
    """J J R5: as a group, and as a run from 3, 4 or 5; the one that counts first."""
    found = readings(parse_tiles("J J R5"), TWIST)
    assert [(reading.kind.value, reading.worth, reading.ascends) for reading in found] == [
        ("group", 15, True),
        ("run", 12, True),
        ("run", 18, False),
        ("run", 15, False),
    ]


@pytest.mark.parametrize(
    ("tiles", "kind", "stands_for"),
    [
        ("B4 JB B6", "run", "B4 B5 B6"),
        ("JB B4 JB", "run", "B3 B4 B5"),
        ("R10 JB JK", "group", "R10 B10 K10"),
    ],
)
def test_coloured_jokers(tiles: str, kind: str, stands_for: str) -> None:
    reading = preferred_reading(parse_tiles(tiles), EXPERT)
    assert reading is not None
    assert (reading.kind, stood_for(reading)) == (kind, stands_for)


def test_all_readings_know_the_edition() -> None:
    assert [reading.worth for reading in readings(parse_tiles("R5 JM R5"), POLISH_TWIST)] == [15]
    assert [reading.worth for reading in readings(parse_tiles("R5 JM R5"), TWIST)] == [10]


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ("R4 J J", {"R4 R5 R6", "R4 R3 R5", "R4 R3 R2", "R4 KBO4 KBO4"}),
        ("J J R4", {"R2 R3 R4", "R3 R5 R4", "R6 R5 R4", "KBO4 KBO4 R4"}),
    ],
)
def test_what_every_reading_stands_for(tiles: str, expected: set[str]) -> None:
    assert {stood_for(reading) for reading in readings(parse_tiles(tiles), TWIST)} == expected


@pytest.mark.parametrize(
    ("tiles", "joker", "colours"),
    [
        pytest.param("R3 JC J JC J", 2, "KBO", id="after red, so not red"),
        pytest.param("R3 JC J JC J", 4, "KRBO", id="red is two colour changes away"),
        pytest.param("J JC J JC R5", 0, "KRBO", id="so it is from the other end"),
        pytest.param("J JC R5 JC B7", 0, "KBO", id="before red, so not red"),
        pytest.param("R3 JC J JC B7", 2, "KO", id="between red and blue, so neither"),
    ],
)
def test_a_joker_between_colour_changes_has_any_colour_but_its_neighbours(tiles: str, joker: int, colours: str) -> None:
    reading = preferred_reading(parse_tiles(tiles), TWIST)
    assert reading is not None
    assert "".join(colour.letter for colour in reading.stands_for[joker].colours) == colours
