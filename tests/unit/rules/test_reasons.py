import pytest

from referee.rules.editions import rule_set
from referee.rules.house_rules import with_house_rules
from referee.rules.notation import format_tiles, parse_tiles
from referee.rules.reasons import why_no_set
from referee.rules.wording import Reason, count_text, say

AS_LAID = "a set with a colour-change or mirror joker is read in the order laid"


@pytest.mark.parametrize(
    ("tiles", "sentence", "guilty"),
    [
        ("R3", "R3 is only one tile; a set has at least three", "R3"),
        ("R3 R4", "R3 and R4 are only two tiles; a set has at least three", "R3 R4"),
        (
            "R3 JD",
            "R3 and the double joker are only two tiles; a set has at least three, and a double joker is one tile",
            "R3 JD",
        ),
        ("J J JD", "these tiles are all jokers; a set has at least one number tile", "J J JD"),
        # sets without a gap between them
        ("R3 R4 R5 K7 R7 B7", "leave a gap between R5 and K7", "R5 K7"),
        ("R3 R4 R5 R5 R6 R7", "leave a gap between R5 and R5", "R5"),
        ("R3 R4 R5 K7 R7 B7 O1 O2 O3", "leave gaps between R5 and K7, B7 and O1", "R5 K7 B7 O1"),
        ("R1 R2 R3 R4 R4 R5 R6", "leave a gap between R4 and R4", "R4"),
        # runs
        ("R1 R2 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13", "R2 breaks the run: 3 would have to come before 4", "R1 R2"),
        (
            "R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1 R2",
            "R1 does not follow R13: 1 is only ever the lowest number",
            "R1 R2",
        ),
        ("R1 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13", "R1 breaks the run: 2 would have to come before 3", "R1"),
        ("R12 JC R13", "there is no room for R13: nothing follows 13", "R13"),
        ("R11 JC R13 B12", "there is no room for B12: nothing follows 13", "B12"),
        ("R12 R13 JC JC", f"R13 does not fit between the colour-change joker and R12; {AS_LAID}", "R13"),
        ("R4 R5 R7", "R7 breaks the run: 6 would have to follow 5", "R7"),
        ("R7 R4 R5", "R7 breaks the run: 6 would have to follow 5", "R7"),
        ("R1 R5 R6 R7", "R1 breaks the run: 4 would have to come before 5", "R1"),
        ("R4 R5 R7 R8", "R7 breaks the run: 6 would have to follow 5", "R7 R8"),
        ("R12 R13 R1", "R1 does not follow R13: 1 is only ever the lowest number", "R1"),
        ("R13 R1 R2", "R1 does not follow R13: 1 is only ever the lowest number", "R13"),
        ("R1 R2 R3 R13", "R1 does not follow R13: 1 is only ever the lowest number", "R13"),
        ("R4 R5 B6", "B6 does not fit: a run has one colour, here red", "B6"),
        ("B4 R5 R6 K7", "B4 and K7 do not fit: a run has one colour, here red", "B4 K7"),
        ("R4 R5 R5", "R5 is there twice; a run has each number only once", "R5"),
        ("R3 J R6 R7", "R3 breaks the run: 5 would have to come before 6, and the joker cannot fill every gap", "R3"),
        ("R3 R4 J J R9", "R9 breaks the run: 5 would have to follow 4, and 2 jokers cannot fill every gap", "R9"),
        (
            "R3 JD R5",
            "the double joker stands for two numbers in a row, and there is no room for them: only 4 is missing",
            "JD",
        ),
        (
            "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 J",
            "the run would have too many numbers; there are only 1 to 13",
            "J",
        ),
        ("R1 R2 R6 R7 R9 R10", "R2 breaks the run: 5 would have to come before 6", "R1 R2"),
        ("R1 R2 R5 R6 R10 R11 R12", "R10 breaks the run: 7 would have to follow 6", "R10 R11 R12"),
        ("R1 R5 R6 R8 R9", "R1 breaks the run: 4 would have to come before 5", "R1"),
        ("R5 B6 J", "B6 does not fit: a run has one colour, here red", "B6"),
        ("R5" + 13 * " J", "the run would have too many numbers; there are only 1 to 13", "J"),
        (
            "R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 JD",
            "the double joker stands for two numbers in a row, and there is no room for them",
            "JD",
        ),
        ("R3 JD R5 R6 JD", "R5 takes the room of 2 double jokers", "R5"),
        (
            "R5 R6 R7 JD R12",
            "R12 breaks the run: 8 would have to follow 7, and the double joker cannot fill every gap",
            "R12",
        ),
        # groups
        ("R4 R5 R6 R4 R5", "R4 is there twice; a run has each number only once", "R4 R5"),
        ("R5 B5 R5 B5", "R5 is there twice; a group has each colour only once", "R5 B5"),
        ("R5 R5 J", "R5 is there twice; a group has each colour only once", "R5"),
        ("R5 B5 R5", "R5 is there twice; a group has each colour only once", "R5"),
        (
            "R13 JD R11 R12 R10 R9 R8 R7 R6 R5 R4 R3 J",
            "the run would have too many numbers; there are only 1 to 13",
            "J",
        ),
        (
            "R1 R3 J JD R13 R12 R11 R10 R9 R8 R7 R5",
            "the double joker stands for two numbers in a row, and there is no room for them: only 2 is missing",
            "JD",
        ),
        ("R5 B5 O6", "O6 does not belong in a group of 5s", "O6"),
        ("R5 B5 O6 K7", "O6 and K7 do not belong in a group of 5s", "O6 K7"),
        ("R5 B5 K5 O5 J", "the group of 5s would have 5 tiles; it can have 4", "J"),
        ("R5 B5 J JD", "the group of 5s would have 5 tiles; it can have 4", "JD"),
        # colour-change runs
        ("R12 JC B1", "B1 does not follow 13: 1 is only ever the lowest number", "B1"),
        ("O1 O2 JC K4 R6", f"R6 breaks the run: 5 would have to follow 4; {AS_LAID}", "R6"),
        ("R6 O1 O2 JC K4", "there is no room for R6: nothing comes before 1", "R6"),
        (
            "B4 B5 B6 JC K2",
            "K2 breaks the run: the colour-change joker stands for 7 here, and 8 would have to follow it",
            "K2",
        ),
        (
            "R3 JC B5 B6 R7",
            "R7 is red, and B6 before it is not; only at a colour-change joker may the colour change",
            "R7",
        ),
        (
            "K3 R4 R5 JC",
            "K3 is black, and R4 after it is not; only at a colour-change joker may the colour change",
            "K3",
        ),
        (
            "B3 JC B5 JC R7",
            "B3 is blue, the colour after the colour-change joker; before it the colour must be another",
            "B3",
        ),
        ("JC R5 R6 R7 R9 R8", f"R9 breaks the run: 8 would have to follow 7; {AS_LAID}", "R9"),
        ("O3 JC O4 O2", f"the colour-change joker has no place in this order; {AS_LAID}", "JC"),
        (
            "R11 J JC J B12 B13",
            "R11 breaks the run: the joker stands for 9 here, and 8 would have to come before it",
            "R11",
        ),
        ("R12 JC R12", "there is no room for R12: nothing follows 13", "R12"),
        ("R12 JD K10 JC JM R12", f"the mirror joker lies in the wrong place; {AS_LAID}", "JM"),
        ("R5 R6 JC R7 R8 R9", "leave a gap between the colour-change joker and R7", "JC"),
        ("R5 R7 R6 JC B9 B10", f"R7 breaks the run: 6 would have to follow 5; {AS_LAID}", "R7"),
        ("R4 R4 R5 JC", f"R4 breaks the run: 5 would have to follow 4; {AS_LAID}", "R4"),
        ("R3 JC R5", "R5 is red, the colour before the colour-change joker; after it the colour must be another", "R5"),
        ("R3 B4 JC", "B4 is blue, and R3 before it is not; only at a colour-change joker may the colour change", "B4"),
        ("R5 JC B5", "a colour-change joker only belongs in a run, never in a group", "JC"),
        (
            "R3 R4 JC B7",
            "B7 breaks the run: the colour-change joker stands for 5 here, and 6 would have to follow it",
            "B7",
        ),
        ("R3 R5 JC", f"R5 breaks the run: 4 would have to follow 3; {AS_LAID}", "R5"),
        ("R3 R3 R4 JC", f"R3 breaks the run: 4 would have to follow 3; {AS_LAID}", "R3"),
        (
            "B9 JC R6 R5",
            "B9 breaks the run: the colour-change joker stands for 7 here, and 8 would have to follow it",
            "B9",
        ),
        ("R3 R9 R5 JC", f"R9 breaks the run: 4 would have to follow 3; {AS_LAID}", "R9"),
        ("R6 R9 R3 JC", f"R9 breaks the run: 4 would have to follow 3; {AS_LAID}", "R9"),
        ("J J R2 R3 JC", "there is no room for the joker: nothing comes before 1", "J"),
        (
            "R3 JC J R6 B7",
            "R6 is red, the colour before the colour-change joker; after it the colour must be another",
            "R6",
        ),
        (
            "R3 J B5 JC",
            "B5 is blue, and R3 before it is not; only at a colour-change joker may the colour change",
            "B5",
        ),
        (
            "B6 R5 JC R3",
            "R5 is red, the colour before the colour-change joker; after it the colour must be another",
            "R5",
        ),
        ("R12 R13 JC", "there is no room for the colour-change joker: nothing follows 13", "JC"),
        ("JC R13 J", "there is no room for the joker: nothing follows 13", "J"),
        (
            "J R1 JC B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13",
            "there is no room for the joker: nothing comes before 1",
            "J",
        ),
        # mirror sets
        ("JM R3 R4", "the mirror joker has nothing on its left to mirror", "JM"),
        ("R3 R4 JM", "the mirror joker has nothing on its right to mirror", "JM"),
        ("R3 JM R3 JM R3", "there are 2 mirror jokers; a mirror set has exactly one", "JM"),
        ("R3 R4 JM R4", "the sides of the mirror joker differ: 2 numbers on its left and 1 on its right", "R3"),
        ("R4 JM R4 R3", "the sides of the mirror joker differ: 1 number on its left and 2 on its right", "R3"),
        ("R3 R4 JM R4 J R2", "the sides of the mirror joker differ: 2 numbers on its left and 3 on its right", "R2"),
        (
            "R3 JD R6 JM R6 R3",
            "the sides of the mirror joker differ: 4 numbers on its left and 2 on its right",
            "R3 JD",
        ),
        ("JD R2 R3 JM R3 R2 JD", "there is no room for the double joker: nothing comes before 1", "JD"),
        ("R5 JM B5", "B5 has no match across the mirror joker", "B5"),
        ("R5 B5 JM K5 O5", "the two sides of the mirror joker do not show the same tiles", "JM"),
        (
            "R5 B5 JM K5 O5 R5 B5",
            "the sides of the mirror joker differ: 2 numbers on its left and 4 on its right",
            "B5 R5",
        ),
        ("K1 JM O9 K1", "O9 has no match across the mirror joker", "O9"),
        ("R3 R4 R5 JM", "the mirror joker has nothing on its right to mirror", "JM"),
        (
            "R5 B5 K5 JM J J R5 B5",
            "the sides of the mirror joker differ: 3 numbers on its left and 4 on its right",
            "B5",
        ),
        ("R5 JM B6", "B6 faces R5 across the mirror joker; the two must be the same", "R5 B6"),
        ("R3 R4 B5 JM R5 R4 R3", "R5 faces B5 across the mirror joker; the two must be the same", "B5 R5"),
        ("R3 K4 R5 JM R5 R4 K3", "R4 faces K4 across the mirror joker; the two must be the same", "K4 R4"),
        ("JC R4 JM R4 R3 R2", "the sides of the mirror joker differ: 2 numbers on its left and 3 on its right", "R2"),
        ("R3 JC B5 JM B5 R9 R3", f"R9 breaks the run: 4 would have to follow 3; {AS_LAID}", "R9"),
        ("R5 JC JM R5 JC", "the two sides of the mirror joker do not show the same tiles", "R5 JC JC R5"),
        ("R12 R13 J JM J R13 R12", "there is no room for the joker: nothing follows 13", "J"),
        ("JC JC J JM J K13 J", "there is no room for the joker: nothing follows 13", "J"),
        ("R3 K5 JM R5 R3", "R5 faces K5 across the mirror joker; the two must be the same", "K5 R5"),
        ("R3 R5 JM R5 R3", f"R5 breaks the run: 4 would have to follow 3; {AS_LAID}", "R5"),
        (
            "R5 R5 JM R5 R5",
            "R5 is there twice on one side of the mirror joker; a group has each colour only once",
            "R5",
        ),
        (
            "R5 B5 R5 B5 JM J J J J",
            "R5 is there twice on one side of the mirror joker; a group has each colour only once",
            "R5 B5",
        ),
        ("R5 R5 JM B5 J", "R5 is there twice on one side of the mirror joker; a group has each colour only once", "R5"),
        ("R5 B5 JM K5 R5", "K5 has no match across the mirror joker", "K5"),
        ("R5 JD JM R9 R6 R5", f"R9 breaks the run: 7 would have to follow 6; {AS_LAID}", "R9"),
        ("R5 J JM R9 R5", f"R9 breaks the run: 6 would have to follow 5; {AS_LAID}", "R9"),
        (
            "R3 J JC JM R6 B4 R3",
            "B4 is blue, and R3 before it is not; only at a colour-change joker may the colour change",
            "B4",
        ),
        ("JC JM R5", "a colour-change joker only belongs in a run, never in a group", "JC"),
        ("R5 B5 JD JD JM R5 B5 JD JD", "each side of the mirror joker would have 6 tiles; a group has 4 at most", "R5"),
        (
            "R3 J R5 JM R5 B4 R3",
            "B4 is blue, and R3 before it is not; only at a colour-change joker may the colour change",
            "B4",
        ),
    ],
)
def test_a_reason_names_the_guilty(tiles: str, sentence: str, guilty: str) -> None:
    reason = why_no_set(parse_tiles(tiles), rule_set("twist-pressman"))
    assert reason is not None
    assert (str(reason.wording), format_tiles(reason.guilty)) == (sentence, guilty)


@pytest.mark.parametrize(
    ("tiles", "sentence", "guilty"),
    [
        ("R5 B5 K5 JC", "a colour-change joker only belongs in a run, never in a group", "JC"),
        ("R5 B5 R6 K5", "R6 does not belong in a group of 5s", "R6"),
        ("R5 B5 K5 JD", "the group of 5s would have 5 tiles; it can have 4", "JD"),
        ("R5 R6 R7 B5", "B5 does not fit: a run has one colour, here red", "B5"),
        ("R5 R6 R7 R2", "R2 breaks the run: 4 would have to come before 5", "R2"),
        ("R5 R6 R7 R10", "R10 breaks the run: 8 would have to follow 7", "R10"),
        ("R5 R6 J R8 R10", "R10 breaks the run: 9 would have to follow 8, and the joker cannot fill every gap", "R10"),
        (
            "R4 R5 JC R6",
            "R6 breaks the run: the colour-change joker stands for 6 here, and 7 would have to follow it",
            "R6",
        ),
        (
            "R6 JC R5 R4",
            "R6 breaks the run: the colour-change joker stands for 6 here, and 7 would have to follow it",
            "R6",
        ),
        ("R4 R5 JC B7 B9", f"B9 breaks the run: 8 would have to follow 7; {AS_LAID}", "B9"),
        ("R2 R4 JC B6 B7", "R2 breaks the run: 3 would have to come before 4", "R2"),
        (
            "B2 JC R5 R6",
            "B2 breaks the run: the colour-change joker stands for 4 here, and 3 would have to come before it",
            "B2",
        ),
        (
            "JD R7 R6 JC JD R2",
            "R2 is red, the colour after the colour-change joker; before it the colour must be another",
            "R2",
        ),
        (
            "K3 R4 R5 JC B7",
            "K3 is black, and R4 after it is not; only at a colour-change joker may the colour change",
            "K3",
        ),
        (
            "R2 R3 JC B5 K6",
            "K6 is black, and B5 before it is not; only at a colour-change joker may the colour change",
            "K6",
        ),
        ("R3 JC R4 R5", f"the colour-change joker does not fit between R3 and R4; {AS_LAID}", "JC"),
        ("J R3 R4 JC R6 R7", "leave a gap between R4 and the colour-change joker", "JC"),
        ("R11 R12 R13 JC", "there is no room for the colour-change joker: nothing follows 13", "JC"),
        ("JC R1 R2 R3", "there is no room for the colour-change joker: nothing comes before 1", "JC"),
        ("R12 JC B1", "B1 does not follow 13: 1 is only ever the lowest number", "B1"),
        ("JM R5 R6 R7", "the mirror joker has nothing on its left to mirror", "JM"),
        ("R5 R6 R7 JM", "the mirror joker has nothing on its right to mirror", "JM"),
    ],
)
def test_a_tile_that_alone_does_not_fit(tiles: str, sentence: str, guilty: str) -> None:
    """Without it the others are a set."""
    reason = why_no_set(parse_tiles(tiles), rule_set("twist-pressman"))
    assert reason is not None
    assert (str(reason.wording), format_tiles(reason.guilty)) == (sentence, guilty)


@pytest.mark.parametrize(
    ("tiles", "sentence", "guilty"),
    [
        ("R4 R5 JB", "the blue joker does not fit: a run has one colour, here red", "JB"),
        ("R5 B5 JO O5", "the yellow joker stands for a colour that the group of 5s already has", "JO"),
        ("R5 B5 K5 JR", "the red joker stands for a colour that the group of 5s already has", "JR"),
        ("R5 JR B5 K5 R5", "R5 is there twice; a group has each colour only once", "R5"),
        ("R10 B10 JB", "the blue joker stands for a colour that the group of 10s already has", "JB"),
        ("R10 JB JB K10", "the blue joker stands for a colour that the group of 10s already has", "JB"),
    ],
)
def test_coloured_jokers(tiles: str, sentence: str, guilty: str) -> None:
    reason = why_no_set(parse_tiles(tiles), rule_set("3in1-expert"))
    assert reason is not None
    assert (str(reason.wording), reason.guilty) == (sentence, parse_tiles(guilty))


REFLECTED = with_house_rules(rule_set("twist"), {"mirror_order": "reflected"})


@pytest.mark.parametrize(
    ("tiles", "sentence", "guilty"),
    [
        ("O4 K4 B4 JM O4 K4 B4", "O4 faces B4 across the mirror joker; the two must be the same", "B4 O4"),
        ("O4 K4 J JM O4 K4 J", "the two sides of the mirror joker do not show the same tiles", "O4 K4 J J K4 O4"),
        ("O4 K4 B4 JM B4 K4 R4", "R4 has no match across the mirror joker", "R4"),
    ],
)
def test_the_sides_of_a_mirror_group_lie_in_reflected_order(tiles: str, sentence: str, guilty: str) -> None:
    reason = why_no_set(parse_tiles(tiles), REFLECTED)
    assert reason is not None
    assert (str(reason.wording), format_tiles(reason.guilty)) == (sentence, guilty)


def test_colours_have_the_names_the_edition_prints() -> None:
    reason = why_no_set(parse_tiles("R4 R5 O6"), rule_set("twist"))
    assert reason is not None
    assert str(reason.wording) == "O6 does not fit: a run has one colour, here pink"


def test_a_set_has_no_reason() -> None:
    assert why_no_set(parse_tiles("R4 R5 R6"), rule_set("original")) is None


def test_a_reason_blames_something() -> None:
    with pytest.raises(ValueError, match="guilty"):
        Reason(say("nothing", "nothing"), ())


def test_one_is_one_and_more_are_many() -> None:
    assert [count_text(count, "tile") for count in (0, 1, 2)] == ["0 tiles", "1 tile", "2 tiles"]
