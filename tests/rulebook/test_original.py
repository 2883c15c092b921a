from collections.abc import Callable

from referee.rules.editions import RuleSet

EDITION = "original"

Faults = Callable[..., list[str]]


def test_box(rules: RuleSet) -> None:
    """original-and-xp-2025, Contents: eight series of 1 to 13 and two jokers."""
    assert (rules.tile_count, len(rules.box), set(rules.box.values())) == (106, 53, {2})
    assert rules.players == (2, 4)


def test_a_joker_may_leave_without_its_tile(faults: Faults) -> None:
    """original-and-xp-2025, The Joker: any tiles that keep the set legitimate may free it."""
    assert faults("R3 J R5 / R1 R2", "R1 R2 R3 / R5 K5 B5 / J K9 K10") == []


def test_three_of_a_tile_cannot_be(faults: Faults) -> None:
    assert faults("R3 R4 R5 / R5 B5 K5", "R3 R4 R5 / R5 B5 K5 / R5 O5 B5") == ["impossible_tiles"]
