import dataclasses

import pytest

from referee.errors import ConfigError
from referee.rules.choices import BlockedScoring, ColourChangeEnds, MirrorOrder, NextStarter
from referee.rules.editions import EDITIONS, rule_set
from referee.rules.house_rules import HOUSE_RULE_SOURCE, HOUSE_RULES, with_house_rules
from referee.rules.tiles import JokerKind

ORIGINAL = rule_set("original")


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("turn_seconds", 120, 120),
        ("turn_seconds", 3600, 3600),
        ("turn_seconds", 0, None),
        ("initial_meld", 0, 0),
        ("initial_meld", 200, 200),
        ("pass_draw", 2, 2),
        ("overrun_draw", 14, 14),
        ("incomplete_draw", 0, 0),
        ("drawn_tile_waits", False, False),
        ("rack_tiles", 20, 20),
        ("rack_tiles", 1, 1),
        ("strict_joker_release", True, True),
        ("fixed_jokers", True, frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR})),
        ("fixed_jokers", False, frozenset()),
        ("joker_may_replace_joker", False, False),
        ("mirror_counts_middle", True, True),
        ("colour_change_ends", "last", ColourChangeEnds.LAST),
        ("mirror_order", "reflected", MirrorOrder.REFLECTED),
        ("ties_draw_again", False, False),
        ("next_starter", "left_of_last_starter", NextStarter.LEFT_OF_LAST_STARTER),
        ("games_per_player", 20, 20),
        ("joker_penalty", 25, 25),
        ("blocked_scoring", "own_rack", BlockedScoring.OWN_RACK),
    ],
)
def test_a_change_is_kept_with_its_source(key: str, value: object, kept: object) -> None:
    changed = with_house_rules(ORIGINAL, {key: value})
    assert getattr(changed, key) == kept
    assert changed.sources[key] == HOUSE_RULE_SOURCE
    assert dataclasses.replace(changed, **{key: getattr(ORIGINAL, key)}, sources=ORIGINAL.sources) == ORIGINAL


@pytest.mark.parametrize(
    ("key", "value", "way_out"),
    [
        ("turn_seconds", -1, "give a whole number from 0 to 3600, 0 for none"),
        ("turn_seconds", 3601, "give a whole number from 0 to 3600, 0 for none"),
        ("initial_meld", 30.0, "give a whole number from 0 to 200"),
        ("initial_meld", True, "give a whole number from 0 to 200"),
        ("initial_meld", "30", "give a whole number from 0 to 200"),
        ("rack_tiles", 0, "give a whole number from 1 to 20"),
        ("strict_joker_release", 1, "give true or false"),
        ("fixed_jokers", "yes", "give true or false"),
        ("next_starter", "left", "give 'highest_tile' or 'left_of_last_starter'"),
        ("blocked_scoring", 1, "give 'difference' or 'own_rack'"),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: object, way_out: str) -> None:
    with pytest.raises(ConfigError) as refused:
        with_house_rules(ORIGINAL, {key: value})
    assert str(refused.value) == f"house rule {key!r} is {value!r}; {way_out}"


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as refused:
        with_house_rules(ORIGINAL, {"turn_second": 5, "initial_meld": -1, "joker_penalty": 10})
    assert str(refused.value) == (
        "house rule 'turn_second' is not known; did you mean 'turn_seconds'?; "
        "house rule 'initial_meld' is -1; give a whole number from 0 to 200"
    )


def test_penalties_for_the_unopened_go_together() -> None:
    with pytest.raises(ConfigError) as refused:
        with_house_rules(ORIGINAL, {"unopened_penalty": 100})
    pair = "house rules 'unopened_penalty' and 'could_open_penalty'"
    assert str(refused.value) == f"{pair} go together; give both, or 0 for both"
    both = with_house_rules(ORIGINAL, {"unopened_penalty": 100, "could_open_penalty": 200})
    assert (both.unopened_penalty, both.could_open_penalty) == (100, 200)
    polish = rule_set("3in1-standard")
    assert with_house_rules(polish, {"could_open_penalty": 150}).could_open_penalty == 150
    neither = with_house_rules(polish, {"unopened_penalty": 0, "could_open_penalty": 0})
    assert (neither.unopened_penalty, neither.could_open_penalty) == (None, None)


def test_long_values_are_shortened() -> None:
    with pytest.raises(ConfigError) as refused:
        with_house_rules(ORIGINAL, {"next_starter": "x" * 10_000, "y" * 10_000: 1})
    assert len(str(refused.value)) < 800


def test_no_change_is_no_change() -> None:
    assert {edition: with_house_rules(rules, {}) for edition, rules in EDITIONS.items()} == EDITIONS


def test_house_rules_are_fields_of_an_edition() -> None:
    assert set(HOUSE_RULES) <= {field.name for field in dataclasses.fields(ORIGINAL)}
