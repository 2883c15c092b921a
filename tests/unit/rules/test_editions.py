import dataclasses

import pytest

from referee.errors import ConfigError
from referee.rules.editions import EDITIONS, RuleSet, rule_set
from referee.rules.tiles import NUMBER_TILES, Colour, Joker, JokerKind

BOOKLETS = {
    "original": "original-and-xp-2025",
    "xp": "original-and-xp-2025",
    "pressman": "classic-pressman-2015",
    "twist": "twist-lemada-2015",
    "twist-pressman": "twist-pressman-2017",
    "3in1-standard": "three-in-one-polish",
    "3in1-twist": "three-in-one-polish",
    "3in1-expert": "three-in-one-polish",
}


def test_the_eight_editions() -> None:
    assert {edition: rules.booklet for edition, rules in EDITIONS.items()} == BOOKLETS
    assert [rule_set(edition).edition for edition in BOOKLETS] == list(BOOKLETS)


@pytest.mark.parametrize("rules", EDITIONS.values(), ids=EDITIONS.keys())
def test_every_value_has_its_source(rules: RuleSet) -> None:
    known = {field.name for field in dataclasses.fields(rules) if field.default is dataclasses.MISSING} - {"sources"}
    assert set(rules.sources) == known  # the others come from formats and house rules alone
    assert {source.partition(", ")[0] for source in rules.sources.values()} == {rules.booklet}


@pytest.mark.parametrize(
    ("edition", "tiles", "jokers"),
    [
        ("original", 106, "J J"),
        ("xp", 160, "J J J J"),
        ("pressman", 106, "J J"),
        ("twist", 112, "J J JC JC JD JD JM JM"),
        ("twist-pressman", 112, "J J JC JC JD JD JM JM"),
        ("3in1-standard", 106, "J J"),
        ("3in1-twist", 112, "J J JC JC JD JD JM JM"),
        ("3in1-expert", 112, "JB JB JK JK JO JO JR JR"),
    ],
)
def test_boxes(edition: str, tiles: int, jokers: str) -> None:
    rules = rule_set(edition)
    assert rules.tile_count == tiles
    assert (
        " ".join(
            sorted(str(tile) for tile, count in rules.box.items() if isinstance(tile, Joker) for _ in range(count))
        )
        == jokers
    )
    assert {rules.box[tile] for tile in NUMBER_TILES} == {3 if edition == "xp" else 2}


def test_what_sets_the_editions_apart() -> None:
    """rules.md, the tables: which editions have which rule."""

    def having(field: str, value: object) -> set[str]:
        return {edition for edition, rules in EDITIONS.items() if getattr(rules, field) == value}

    polish = {"3in1-standard", "3in1-twist", "3in1-expert"}
    assert having("strict_joker_release", value=True) == {"pressman"}
    assert having("fixed_jokers", frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR})) == {"3in1-twist"}
    assert having("joker_may_replace_joker", value=False) == {"twist", "twist-pressman", "3in1-twist"}
    assert having("mirror_counts_middle", value=True) == {"3in1-twist"}
    assert (
        having("incomplete_draw", 1) == having("unopened_penalty", 100) == having("could_open_penalty", 200) == polish
    )
    assert having("timed_in_friendly_games", value=False) == having("blocked_scoring", "own_rack") == polish
    assert having("joker_penalty", 50) == {"3in1-standard", "3in1-twist"}
    assert having("joker_penalty", 20) == {"3in1-expert"}
    assert having("joker_penalty", 30) == set(EDITIONS) - polish
    assert having("players", (5, 6)) == {"xp"}
    for field, value in (
        ("initial_meld", 30),
        ("turn_seconds", 60),
        ("pass_draw", 1),
        ("overrun_draw", 1),
        ("rack_tiles", 14),
    ):
        assert having(field, value) == set(EDITIONS)


def test_printed_colours() -> None:
    assert rule_set("twist").colour_names[Colour.RED] == "pink"
    assert [rules.colour_names[Colour.ORANGE] for rules in EDITIONS.values()] == ["orange"] * 3 + ["yellow"] * 5


@pytest.mark.parametrize(
    ("edition", "way_out"),
    [
        ("twits", "did you mean 'twist'?"),
        (
            "ORIGINAL",
            "use one of original, xp, pressman, twist, twist-pressman, 3in1-standard, 3in1-twist, 3in1-expert",
        ),
        ("", "use one of original"),
        ("3in1-expret", "did you mean '3in1-expert'?"),
        ("x" * 100_000, "use one of original"),
    ],
)
def test_an_unknown_edition_names_the_nearest(edition: str, way_out: str) -> None:
    with pytest.raises(ConfigError) as refused:
        rule_set(edition)
    assert way_out in str(refused.value)
    assert len(str(refused.value)) < 250


def test_no_more_than_forty_letters_of_an_unknown_edition_are_shown() -> None:
    with pytest.raises(ConfigError) as refused:
        rule_set("x" * 40 + "y")
    assert str(refused.value).startswith(f"edition {'x' * 40!r} is not known")


@pytest.mark.parametrize("rules", EDITIONS.values(), ids=EDITIONS)
def test_black_and_blue_are_called_so_in_every_box(rules: RuleSet) -> None:
    assert (rules.colour_names[Colour.BLACK], rules.colour_names[Colour.BLUE]) == ("black", "blue")
