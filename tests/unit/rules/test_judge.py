import pytest

from referee.rules.editions import rule_set
from referee.rules.house_rules import with_house_rules
from referee.rules.judge import judge_turn
from referee.rules.notation import format_tiles, parse_table
from referee.rules.table import Table
from referee.rules.tiles import Colour, Joker, JokerKind, NumberTile
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided, Verdict
from referee.rules.verdict_json import verdict_to_json


def judged(before: str, after: str, edition: str = "original", *, opened: bool = True) -> Verdict:
    return judge_turn(parse_table(before), parse_table(after), opened=opened, rules=rule_set(edition))


def faults(verdict: Verdict) -> list[tuple[str, int | None, str]]:
    return [(found.fault.value, found.set_index, format_tiles(found.tiles)) for found in verdict.violations]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("R3 R4 R5", "R3 R4 R5 R6", [], id="a run is extended"),
        pytest.param("", "R3 R4 R5 / K7 R7 B7", [], id="new sets"),
        pytest.param("", "R5 R3 R4", [], id="an untidy run is a run"),
        pytest.param(
            "R3 R4 R5",
            "R3 R4",
            [("tile_taken", None, "R5"), ("not_a_set", 0, "R4"), ("nothing_played", None, "")],
            id="a tile is taken",
        ),
        pytest.param(
            "R3 R4 R5 / K7 R7 B7",
            "R3 R4 R5",
            [("tile_taken", None, "K7 R7 B7"), ("nothing_played", None, "")],
            id="a set is taken",
        ),
        pytest.param("R3 J R5", "R3 R4 R5", [("tile_taken", None, "J")], id="a freed joker is kept"),
        pytest.param("R3 R4 R5", "R3 R4 R5 / K7", [("loose_tile", 1, "K7")], id="a loose tile"),
        pytest.param(
            "R3 R4 R5", "R3 R4 R5 / K7 / B7", [("loose_tile", 1, "K7"), ("loose_tile", 2, "B7")], id="two loose tiles"
        ),
        pytest.param("R3 R4 R5", "R3 R4 R5 R7", [("not_a_set", 0, "R7")], id="the guilty tile is named"),
        pytest.param(
            "K7 R7 B7 O7 / K8 R8 B8 O8 / K9 R9 B9 O9",
            "K7 R7 B7 / K8 R8 B8 / K9 R9 B9 / O7 O8 O9",
            [("nothing_played", None, "")],
            id="rearranged and nothing added",
        ),
        pytest.param("R5 R5 R6", "R5 R5 R6", [("not_a_set", 0, "R5")], id="a bad set that was there before"),
        pytest.param(
            "R3 R4 R5",
            "R3 R4 R5 / K7 R7 B7 / K7 R7 B7 / K7 R7 B7",
            [("impossible_tiles", None, "K7 R7 B7")],
            id="more of a tile than the box holds",
        ),
        pytest.param(
            "R3 R4 R5", "R3 R4 R5 R6 JD", [("impossible_tiles", None, "JD")], id="a joker the box does not have"
        ),
        pytest.param(
            "R3 R4 R5",
            "R3 R4 / JK",
            [
                ("tile_taken", None, "R5"),
                ("not_a_set", 0, "R4"),
                ("loose_tile", 1, "JK"),
                ("impossible_tiles", None, "JK"),
            ],
            id="every fault beside an impossible tile",
        ),
    ],
)
def test_faults(before: str, after: str, expected: list[tuple[str, int | None, str]]) -> None:
    verdict = judged(before, after)
    assert faults(verdict) == expected
    names = [name for name, _, _ in expected]
    assert type(verdict) is (Undecided if "impossible_tiles" in names else Illegal if names else Legal)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="an empty table"),
        pytest.param("R3 R4 R5 / K7 R7 B7", "K7 R7 B7 / R3 R4 R5", id="sets moved"),
        pytest.param("R3 R4 R5 / K7 R7 B7", "B7 K7 R7 / R5 R4 R3", id="sets turned and straightened"),
        pytest.param("R3 R4 JC B6", "B6 JC R4 R3", id="a colour-change run turned round"),
        pytest.param("R3 R4 JM R4 R3", "R3 R4 JM R4 R3", id="a mirror set"),
        pytest.param("R3 R4 R5 / R3 R4 R5", "R3 R4 R5 / R3 R4 R5", id="two equal sets"),
    ],
)
def test_sets_in_another_place_are_no_play(before: str, after: str) -> None:
    for opened in (True, False):
        verdict = judged(before, after, "twist", opened=opened)
        assert type(verdict) is Legal
        assert (verdict.outcome, verdict.played) == (Outcome.NO_PLAY, ())
        assert verdict.meld == (None if opened else 0)


def test_a_colour_change_run_laid_otherwise_is_another_set() -> None:
    assert faults(judged("R3 R4 JC / K7 R7 B7", "JC R4 R3 / K7 R7 B7", "twist")) == []
    assert [name for name, _, _ in faults(judged("R3 JC B5 JC", "JC R3 JC B5", "twist"))] == ["nothing_played"]


def test_one_of_two_equal_sets_is_extended() -> None:
    verdict = judged("R3 R4 R5 / R3 R4 R5", "R3 R4 R5 / R3 R4 R5 R6", opened=False)
    assert faults(verdict) == [
        ("table_used_before_opening", None, "R3 R4 R5"),
        ("initial_meld_too_low", None, "R6"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "meld", "expected"),
    [
        pytest.param("", "R9 R10 R11", 30, [], id="just enough"),
        pytest.param("", "R8 R9 R10", 27, ["initial_meld_too_low"], id="too low"),
        pytest.param("", "R8 R9 R10 / K1 R1 B1", 30, [], id="of several sets"),
        pytest.param(
            "R10 R11 R12", "R10 R11 R12 / K1 K2 K3", 6, ["initial_meld_too_low"], id="what lay there does not count"
        ),
        pytest.param("", "R9 R10 R11 / K1 K2", 30, ["not_a_set"], id="what is no set does not count"),
        pytest.param("", "K9 K9 K9", 0, ["not_a_set", "initial_meld_too_low", "impossible_tiles"], id="nothing counts"),
        pytest.param(
            "R4 B4 K4 O4",
            "R4 B4 K4 / O4 O5 O6 / R9 R10 R11",
            30,
            ["table_used_before_opening"],
            id="a tile of the table is used",
        ),
        pytest.param(
            "R4 B4 K4 O4 R5",
            "R4 B4 K4 O4 / R5 R6 R7",
            0,
            ["table_used_before_opening", "initial_meld_too_low"],
            id="an odd set is mended",
        ),
        pytest.param(
            "K10 K11 K12",
            "K10 K11 K12 K13 / R1 R2 R3",
            6,
            ["table_used_before_opening", "initial_meld_too_low"],
            id="a set that grew is not made of own tiles",
        ),
        pytest.param(
            "R9 B9 K9 O9",
            "R9 B9 K9 / O9 O10 O11 / O9 O10 O11",
            30,
            ["table_used_before_opening"],
            id="of two alike, one with a tile of the table, one counts",
        ),
        pytest.param(
            "R1 R2 R3 R4 R5 R6",
            "R1 R2 R3 / R4 R5 R6",
            0,
            ["nothing_played", "table_used_before_opening"],
            id="rearranged only",
        ),
    ],
)
def test_opening(before: str, after: str, meld: int, expected: list[str]) -> None:
    verdict = judged(before, after, opened=False)
    assert verdict.meld == meld
    assert [name for name, _, _ in faults(verdict)] == expected
    assert judged(before, after).meld is None


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        pytest.param("R3 J R5 / R4 B4 K4 O4", "R3 J R5 / R4 B4 K4 O4 / K9 K10 K11", None, id="the joker stays"),
        pytest.param("R3 J R5", "J R5 R6 / R3 B3 K3", None, id="it stands for the same tile in another set"),
        pytest.param("R5 R6 J", "R4 R5 R6 / J K9 K10", "R7", id="on its preferred reading it was the 7"),
        pytest.param("R5 R6 J", "R5 R6 R7 / J K9 K10", None, id="and so the 7 frees it"),
        pytest.param("R5 B5 J", "R5 B5 J O5", None, id="in a group of four it may be the colour left"),
        pytest.param("R5 B5 J O5", "R5 B5 O5 / J K9 K10", "K5", id="a group of four has one colour left"),
        pytest.param("R3 J R5", "R3 R5 / J K9 K10", "R4", id="broken sets do not hide it"),
        pytest.param("R3 J R5", "R3 R4 R5", None, id="a joker kept is another fault"),
        pytest.param("R3 R4 R6 J J", "R3 R4 R5 R6 / J J K9", "R7", id="one of two jokers"),
        pytest.param("R3 J", "R3 B3 K3 / J K9 K10", None, id="in no set it stood for nothing"),
        pytest.param("J R3 R4", "R4 R3 J", None, id="a set turned round still stands"),
        pytest.param("J R3 R4", "R3 R4 R5 J", "R2", id="it moved to the other end of a longer run"),
    ],
)
def test_joker_not_replaced(before: str, after: str, fault: str | None) -> None:
    found = [one for one in judged(before, after, "pressman").violations if one.fault == "joker_not_replaced"]
    message = f"the joker stood for {fault}; it may leave only for that tile"
    assert [one.message for one in found] == ([] if fault is None else [message])
    assert "joker_not_replaced" not in [one.fault for one in judged(before, after).violations]


@pytest.mark.parametrize(
    ("before", "after", "swapped"),
    [
        pytest.param("R3 R4 JC", "R3 R4 R5 / K9 K10 JC", "JC R5", id="a number tile for JC"),
        pytest.param("R3 R4 JC", "R5 R3 R4 / K9 K10 JC", "JC R5", id="however the run is laid"),
        pytest.param("JC R4 R3", "R3 R4 R5 / K9 K10 JC", "JC R5", id="or was laid"),
        pytest.param("R3 R4 JC", "R3 R4 R5 R6 / K9 K10 JC", None, id="the set does not stand as before"),
        pytest.param("R3 R4 JC", "R2 R3 R4 / K9 K10 JC", None, id="not in the joker's place"),
        pytest.param("R3 JC B5", "R3 R4 B5 / K9 K10 JC", "JC R4", id="even if it is no set"),
        pytest.param("J JM R5", "J K5 R5 / K9 JM K9", "JM K5", id="a number tile for JM"),
        pytest.param("R3 R4 J", "R3 R4 R5 / K9 K10 J", None, id="regular jokers may be replaced"),
        pytest.param("R3 R4 JC", "R3 R4 JC / R3 R4 R5", None, id="the old set still stands"),
    ],
)
def test_joker_not_replaceable(before: str, after: str, swapped: str | None) -> None:
    expected = [] if swapped is None else [("joker_not_replaceable", 0, swapped)]
    assert [found for found in faults(judged(before, after, "3in1-twist")) if found[0] != "not_a_set"] == expected
    assert [found for found in faults(judged(before, after, "twist")) if found[0] != "not_a_set"] == []


@pytest.mark.parametrize(
    ("before", "after", "swapped"),
    [
        pytest.param("R3 R4 J", "R3 R4 JD / K9 K10 J", "J JD", id="a double for a regular"),
        pytest.param("R3 R4 J", "JD R4 R3 / K9 K10 J", "J JD", id="turned round"),
        pytest.param("R4 J R3", "R3 R4 JD / K9 K10 J", "J JD", id="straightened"),
        pytest.param("J R5 R6", "R5 R6 JD / K9 K10 J", None, id="at the other end"),
        pytest.param("R5 B5 J", "JD B5 R5 / K9 K10 J", "J JD", id="in a group"),
        pytest.param("R3 R4 J", "R3 R4 J / K9 K10 J", None, id="a joker of the same kind"),
        pytest.param("R3 R4 J", "R3 R4 JC / K9 K10 J", "J JC", id="a colour change for a regular"),
        pytest.param("J J R5", "J R5 JC / K9 K10 J", "J JC", id="in a set of one number, in any order"),
        pytest.param("R5 B5 JD", "JC R5 B5 / K9 K10 JD", "JD JC", id="in any order though it is no set then"),
    ],
)
def test_joker_for_joker(before: str, after: str, swapped: str | None) -> None:
    expected = [] if swapped is None else [("joker_for_joker", 0, swapped)]
    for edition in ("twist", "twist-pressman", "3in1-twist"):
        assert [found for found in faults(judged(before, after, edition)) if found[0] != "not_a_set"] == expected
    assert "joker_for_joker" not in {name for name, _, _ in faults(judged(before, after))}


def test_swaps_name_the_set_they_lie_in() -> None:
    found = faults(judged("K7 R7 B7 / R3 R4 JC", "K7 R7 B7 / K9 K10 JC / R3 R4 R5", "3in1-twist"))
    assert found == [("joker_not_replaceable", 2, "JC R5")]


def test_two_swaps_are_two_faults() -> None:
    found = faults(judged("R3 R4 JC / R3 R4 JC", "R3 R4 R5 / R3 R4 R5 / K9 K10 JC / B9 B10 JC", "3in1-twist"))
    assert found == [("joker_not_replaceable", 0, "JC R5"), ("joker_not_replaceable", 1, "JC R5")]


def test_house_rules_change_the_verdict() -> None:
    """The same engine, another value: strict release in another edition, and an opening of 25."""
    rules = with_house_rules(rule_set("original"), {"strict_joker_release": True, "initial_meld": 25})
    release = judge_turn(parse_table("R3 J R5"), parse_table("R5 R6 R7 / R3 J B3"), opened=True, rules=rules)
    assert [name for name, _, _ in faults(release)] == ["joker_not_replaced"]
    opening = judge_turn(parse_table(""), parse_table("R8 R9 R10"), opened=False, rules=rules)
    assert type(opening) is Legal


def test_played_tiles_are_listed_as_they_lie() -> None:
    assert judged("R3 R4 R5", "K7 R7 B7 / R3 R4 R5 R6").played == parse_table("K7 R7 B7 R6").tiles


def test_answer() -> None:
    """The promised keys, for a turn with a fault."""
    assert verdict_to_json(judged("R3 R4 R5", "R3 R4 R5 / R9 R8 R10 / K1", opened=False)) == {
        "verdict": "illegal",
        "outcome": "played",
        "faults": [
            {
                "fault": "loose_tile",
                "set": 2,
                "tiles": ["K1"],
                "message": "K1 lies on its own; every tile must be part of a set",
                "message_id": "set.alone",
                "values": {"tile": ["K1"]},
            },
            {
                "fault": "initial_meld_too_low",
                "set": None,
                "tiles": ["R9", "R8", "R10", "K1"],
                "message": "the sets laid from the rack are worth 27; an opening needs 30",
                "message_id": "opening.too_low",
                "values": {"meld": 27, "needed": 30},
            },
        ],
        "played": ["R9", "R8", "R10", "K1"],
        "meld": 27,
        "sets": [
            {"tiles": ["R3", "R4", "R5"], "kind": "run", "worth": 12, "untidy": False},
            {"tiles": ["R9", "R8", "R10"], "kind": "run", "worth": 27, "untidy": True},
            {"tiles": ["K1"], "kind": None, "worth": None, "untidy": False},
        ],
    }


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("R3 R4 R5", "R3 R4 R6", "R5 was on the table and is no longer there; what is on the table stays on the table"),
        (
            "R3 R4 R5 R6",
            "R3 K1",
            "R4, R5 and R6 were on the table and are no longer there; what is on the table stays on the table",
        ),
        (
            "R3 R4 R5",
            "R5 K1",
            "R3 and R4 were on the table and are no longer there; what is on the table stays on the table",
        ),
        (
            "R3 J R5",
            "R3 R4 R5",
            "the joker was on the table and is no longer there; a freed joker must be laid again in the same turn",
        ),
        (
            "R3 R4 R5 R6 R7 R8",
            "R3 R4 R5 / R6 R7 R8",
            "tiles were rearranged and none was added; a turn must add at least one tile from the rack",
        ),
        ("", "K7 K7 K7", "the table cannot be as it was read: 3 × K7 (the box holds 2); look again"),
    ],
)
def test_messages(before: str, after: str, message: str) -> None:
    assert message in [found.message for found in judged(before, after).violations]


@pytest.mark.parametrize(
    ("edition", "before", "after", "messages"),
    [
        (
            "pressman",
            "R5 B5 J",
            "B5 B6 B7 / R5 R6 J",
            ["the joker stood for K5 or O5; it may leave only for that tile"],
        ),
        (
            "3in1-twist",
            "R3 R4 JC",
            "R3 R4 J / K9 K10 JC",
            [
                (
                    "the joker took the place of the colour-change joker, which no tile may replace;"
                    " only breaking up the set frees it"
                ),
                "the joker took the place of the colour-change joker; no joker may replace another kind of joker",
            ],
        ),
    ],
)
def test_joker_messages(edition: str, before: str, after: str, messages: list[str]) -> None:
    assert [found.message for found in judged(before, after, edition).violations] == messages


def test_opening_message() -> None:
    found = judged("R3 R4 R5", "R3 R4 R5 R6 R7 R8", opened=False).violations
    assert (
        found[0].message
        == "R3, R4 and R5 were on the table and were used; until a player has opened only own tiles may be laid"
    )


def test_an_accusation_has_a_reason() -> None:
    with pytest.raises(ValueError, match="at least one violation"):
        Illegal(outcome=Outcome.PLAYED, played=(), meld=None, sets=(), violations=())


def test_a_tile_the_box_lacks_is_asked_about() -> None:
    verdict = judge_turn(parse_table(""), parse_table("R3 JD R6"), opened=True, rules=rule_set("original"))
    assert isinstance(verdict, Undecided)
    assert format_tiles(verdict.doubtful_tiles) == "JD"
    assert "1 × JD (the box holds 0)" in verdict.violations[-1].message


def test_a_third_of_a_tile_is_counted_against_the_box() -> None:
    table = parse_table("R3 R4 R5 / R3 R4 R5 / R3 B3 K3")
    verdict = judge_turn(parse_table(""), table, opened=True, rules=rule_set("original"))
    assert isinstance(verdict, Undecided)
    assert format_tiles(verdict.doubtful_tiles) == "R3"
    assert "3 × R3 (the box holds 2)" in verdict.violations[-1].message


def test_a_broken_set_carries_its_reason() -> None:
    verdict = judge_turn(parse_table(""), parse_table("R3 R4 R6"), opened=True, rules=rule_set("original"))
    assert isinstance(verdict, Illegal)
    assert verdict.violations[0].message == "R6 breaks the run: 5 would have to follow 4"


@pytest.mark.parametrize(
    ("before", "after", "edition", "blamed"),
    [
        ("O1 O2 JC K4", "R6 O1 O2 JC K4", "twist", "R6"),
        ("B4 B5 B6 JC", "B4 B5 B6 JC K2", "twist", "K2"),
        ("R7 JC B9 B10 B11 B12", "R13 R7 JC B9 B10 B11 B12", "twist", "R13"),
        ("K1 JM K1", "K1 JM O9 K1", "twist", "O9"),
        ("K10 J R10", "K2 K10 J R10", "original", "K2"),
        ("O5 R5 J", "O5 R5 O1", "original", "O1"),
        ("O4 J K4 B4", "O4 J K4 B4 R4", "original", "R4"),
        ("O4 J K4 B4", "R4 O4 J K4 B4", "original", "R4"),
        ("O4 B4 K4 R4", "O4 B4 K4 R4 J", "original", "J"),
        ("", "O4 J K4 B4 R4", "original", "J"),
        ("R5 R6 R7", "R5 R6 B5", "original", "B5"),
        ("R5 B5 K5", "R5 R6 B5", "original", "R6"),
        ("R5 B5 K5 / R6 R7 R8 R9", "R5 B5 R6 / R7 R8 R9 K5", "original", "R6"),
        ("R5 JM R5", "R5 JM B5", "twist", "B5"),
        ("R5 JM R5", "B5 JM R5", "twist", "B5"),
        ("R12 R11 JC", "R12 JC B1", "twist", "B1"),
        ("B1 JC O3", "R12 JC B1", "twist", "R12"),
    ],
)
def test_the_tile_that_is_alone_to_blame_is_named(before: str, after: str, edition: str, blamed: str) -> None:
    """Of several tiles without which there would be a set, one that was played, then one that came from elsewhere."""
    found = [
        tiles for name, place, tiles in faults(judged(before, after, edition)) if (name, place) == ("not_a_set", 0)
    ]
    assert found == [blamed]


def test_tiles_that_lay_together_before_are_blamed_alike() -> None:
    """The wrong set lay there before, and R5 was played elsewhere."""
    verdict = judged("R5 JM B6 / R5 R6 R7", "R5 JM B6 / R5 R6 R7 / K1 K2 K3", "twist")
    assert faults(verdict) == [("not_a_set", 0, "R5 B6")]


def test_tiles_only_taken_were_not_rearranged() -> None:
    found = judged("R3 R4 R5 / K7 R7 B7", "R3 R4 R5").violations
    assert [one.message for one in found] == [
        "K7, R7 and B7 were on the table and are no longer there; what is on the table stays on the table",
        "tiles were taken and none was added; a turn must add at least one tile from the rack",
    ]


def test_tiles_are_the_same_whoever_made_them() -> None:
    before = parse_table("R5 B5 J")
    anew = (NumberTile(Colour.RED, 5), NumberTile(Colour.BLUE, 5), Joker(JokerKind.DOUBLE))
    verdict = judge_turn(before, Table((anew, *parse_table("J K1 K2").sets)), opened=True, rules=rule_set("twist"))
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == [Fault.JOKER_FOR_JOKER]
