from referee.rules.editions import RuleSet

EDITION = "twist"


def test_box(rules: RuleSet) -> None:
    """twist-lemada-2015, Contents: 104 number tiles, and two of each of the four jokers."""
    assert (rules.tile_count, len(rules.box), set(rules.box.values())) == (112, 56, {2})
