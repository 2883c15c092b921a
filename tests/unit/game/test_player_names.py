"""What may be a player's name, on the page as in the settings."""

import pytest

from referee.game.player_names import tidy_name, wrong_with_name, wrong_with_names
from referee.settings.sections import wrong_with

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
YOUNG = "\U0001fae8"  # of Unicode 15, which Python 3.11 does not know
PERSIAN = "علی\u200cرضا"


@pytest.mark.parametrize(
    "name", ["Ann", "Żaneta", "O’Neill", "张伟", "7", "🙂", FAMILY, ENGLAND, YOUNG, PERSIAN, "☃\ufe0f"]
)
def test_names_of_any_script_and_joined_emoji_are_names(name: str) -> None:
    assert wrong_with_name(tidy_name(name)) is None


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("A\x1bB", id="escape"),
        pytest.param("A\nB", id="new line"),
        pytest.param("A\tB", id="tab"),
        pytest.param("A\x1cB", id="file separator"),
        pytest.param("A\x85B", id="C1"),
        pytest.param("A\u202eB", id="runs backwards"),
        pytest.param("A\u2028B", id="line separator"),
        pytest.param("A\ud800", id="half a character"),
        pytest.param("A\ue000", id="private use"),
    ],
)
def test_characters_that_steer_or_hide_are_refused(name: str) -> None:
    assert str(wrong_with_name(tidy_name(name))) == "has a character that cannot be shown; leave it out"
    line = wrong_with("match", "players", [name, "Ben"])
    assert line is not None
    assert str(line).isprintable()


@pytest.mark.parametrize("name", ["", "   ", "\u200d", "\u0301", "A\u200d", "A" * 41])
def test_a_name_can_be_seen_and_is_not_endless(name: str) -> None:
    assert wrong_with_name(tidy_name(name)) is not None


def test_names_are_kept_composed_and_without_spare_spaces() -> None:
    assert tidy_name("  Ann   Lee ") == "Ann Lee"
    assert tidy_name("Zoe\u0308") == "Zoë"


@pytest.mark.parametrize("names", [("Ann",), ("Ann", "ann"), ("A", "B", "C", "D", "E", "F", "G"), ()])
def test_two_to_six_people_play_under_names_that_differ(names: tuple[str, ...]) -> None:
    wrong = wrong_with_names(names)
    assert wrong is not None
    assert str(wrong.filled(value="these")) == "these must be two to six different names"
