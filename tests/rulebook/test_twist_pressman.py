from referee.rules.editions import RuleSet

EDITION = "twist-pressman"


def test_box(rules: RuleSet) -> None:
    """twist-pressman-2017, Contents: 104 number tiles, and two of each of the four jokers."""
    assert (rules.tile_count, len(rules.box), set(rules.box.values())) == (112, 56, {2})
