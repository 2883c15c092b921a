from collections import Counter
from collections.abc import Callable

from referee.rules.editions import RuleSet

EDITION = "xp"

Faults = Callable[..., list[str]]


def test_box(rules: RuleSet) -> None:
    """original-and-xp-2025, Contents for Rummikub XP: 160 tiles, three of each number tile and four jokers."""
    assert rules.tile_count == 160
    assert Counter(rules.box.values()) == {3: 52, 4: 1}
    assert rules.players == (5, 6)
    assert [rules.games_per_round(players) for players in (5, 6)] == [5, 6]


def test_three_of_a_tile_can_be(faults: Faults) -> None:
    """original-and-xp-2025, Contents for Rummikub XP: twelve series."""
    table = "R3 R4 R5 / R5 B5 K5 / R5 O5 B5"
    assert faults("R3 R4 R5", table) == []
    assert faults("R3 R4 R5", f"{table} / R5 R6 R7") == ["impossible_tiles"]


def test_four_jokers_can_be(faults: Faults) -> None:
    """original-and-xp-2025, Contents for Rummikub XP: four jokers."""
    assert faults("", "R3 J J / B3 J J") == []
    assert faults("", "R3 J J / B3 J J / K3 J O3") == ["impossible_tiles"]
