"""Settings: the defaults are whole, the user's file goes over them, and every mistake is named at once."""

import errno
import importlib
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.declared import Declared
from referee.errors import ConfigError
from referee.rules.editions import rule_set
from referee.rules.house_rules import HOUSE_RULES, with_house_rules
from referee.settings.config import PAGE_FILE, check_config, find_lines, load_config, settings_in_force
from referee.settings.sections import SETTINGS, wrong_value

ROOT = Path(__file__).parents[2]
DEFAULTS = files("referee").joinpath("defaults.toml").read_text(encoding="utf-8")


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: str) -> Path:
        path = tmp_path / "referee.toml"
        path.write_text(text)
        return path

    return written


def test_every_setting_has_a_default_and_every_default_is_a_setting() -> None:
    said = tomllib.loads(DEFAULTS)
    assert {section: set(keys) for section, keys in said.items() if section != "house_rules"} == {
        section: set(part) for section, part in SETTINGS.items()
    }


@pytest.mark.parametrize(
    "declared", [one for part in (*SETTINGS.values(), HOUSE_RULES) for one in part.values()], ids=lambda one: one.kind
)
def test_every_setting_has_a_sentence_and_every_number_its_range(declared: Declared) -> None:
    assert declared.description
    if declared.type in {int, float}:
        assert declared.least is not None or "check" in declared.extra
    if declared.default is not None:
        assert wrong_value(declared, list(declared.default) if declared.is_list else declared.default) is None


def test_every_setting_is_called_by_a_title_of_its_section_alone() -> None:
    for section, part in SETTINGS.items():
        titles = [one.title for one in part.values()]
        assert all(titles), section
        assert len({*titles}) == len(titles), section


def test_the_file_made_of_the_declared_settings_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    pages = importlib.import_module("settings_pages")
    assert pages.defaults_toml() == DEFAULTS, "run `make settings`"


def test_every_house_rule_is_shown_with_the_value_of_the_original() -> None:
    section = DEFAULTS[DEFAULTS.index("[house_rules]") : DEFAULTS.index("[limits]")]
    shown = tomllib.loads(section.replace("\n# ", "\n"))["house_rules"]
    assert list(shown) == list(HOUSE_RULES)
    original = rule_set("original")
    assert replace(with_house_rules(original, shown), sources=original.sources) == original


def test_the_defaults_pass_their_own_checks(write: Any) -> None:
    config, mistakes = check_config(write(DEFAULTS))
    assert mistakes == ()
    assert config is not None
    assert replace(config, origin={}) == replace(load_config(), origin={})


def test_the_users_file_goes_over_the_defaults(write: Any) -> None:
    path = write('[match]\nplayers = ["Zoe", "Yan"]\n\n[house_rules]\nturn_seconds = 90\n[limits]\nundo_seconds = 3\n')
    config = load_config(path)
    assert config.match.players == ("Zoe", "Yan")
    assert config.house_rules == (("turn_seconds", 90),)
    assert config.limits.undo_seconds == 3.0
    assert config.limits.doubt_seconds == 15.0
    assert config.origin["match.players"] == f"{path}:2"
    assert config.origin["limits.doubt_seconds"] == "default"


TEN = """[match]
edtion = "twist"
players = ["Ann", "Ann"]
first = 0
[limts]
warn_seconds = [15.0]
[signals]
green_pin = 99
buzzer = "activ"
quiet_from = "25:00"
[house_rules]
turn_second = 3
initial_meld = 1000
next_starter = "left"
drawn_tile_waits = 1
[camera]
width = "wide"
source = "webcam"
[button]
pin = 18
"""
FOUND = (
    (2, "match.edtion is not a setting; did you mean 'edition'?"),
    (3, "match.players = ['Ann', 'Ann'] must be two to six different names"),
    (4, "match.first = 0 is out of range; use 1 to 6"),
    (5, "section [limts] is not known; did you mean 'limits'?"),
    (8, "signals.green_pin = 99 is out of range; use -1 to 27"),
    (9, "signals.buzzer = 'activ' is not known; did you mean 'active'?"),
    (10, "signals.quiet_from = '25:00' is no time of day; use \"22:00\""),
    (12, "house rule 'turn_second' is not known; did you mean 'turn_seconds'?"),
    (13, "house rule 'initial_meld' is 1000; give a whole number from 0 to 200"),
    (14, "house rule 'next_starter' is 'left'; give 'highest_tile' or 'left_of_last_starter'"),
    (15, "house rule 'drawn_tile_waits' is 1; give true or false"),
    (17, "camera.width = 'wide' must be a whole number"),
    (
        18,
        (
            "camera.source = 'webcam' is no camera; use auto, sim, usb:0, /dev/v4l/by-id/…, picamera, "
            "url:http://…, rtsp://… or replay:DIR"
        ),
    ),
    (20, "button.pin: pin 18 is already that of signals.buzzer_pin; wire and name another"),
)


def test_all_mistakes_are_named_at_once_with_their_lines(write: Any) -> None:
    config, mistakes = check_config(write(TEN))
    assert config is None
    assert tuple((mistake.line, mistake.message) for mistake in mistakes) == FOUND


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        pytest.param("[match\n", 1, "is not TOML", id="no TOML"),
        pytest.param("[match]\nedition = twist\n", 2, "is not TOML", id="unquoted"),
        pytest.param("match = 3\n", 1, "match stands outside a section; write [match]", id="no section"),
        pytest.param(
            'edition = "xp"\n', 1, "edition stands outside a section; write it under [match]", id="before any section"
        ),
        pytest.param(
            "[match]\nturn_seconds = 90\n",
            2,
            "match.turn_seconds is not a setting; it belongs under [house_rules]",
            id="in another section",
        ),
        pytest.param(
            "[match]\nseat_pins = [5]\n",
            2,
            "match.seat_pins is not a setting; it belongs under [signals] or [button]",
            id="in either of two other sections",
        ),
        pytest.param(
            "[storage]\nevidence_megabytes = -1\n", 2, "is out of range; use 0 to 1000000", id="a limit in full digits"
        ),
        pytest.param(
            '[match]\nplayers = ["A", "B", "C", "D", "E"]\n',
            2,
            "original is for 2 to 4 players, not 5",
            id="too many players",
        ),
        pytest.param(
            '[match]\nformat = "two-player"\nplayers = ["A", "B", "C"]\n',
            3,
            "format two-player with original is for 2 players, not 3",
            id="a format of fewer players",
        ),
        pytest.param(
            '[match]\nedition = "xp"\nformat = "two-player"\nplayers = ["A", "B"]\n',
            3,
            "format two-player is for 2 players, and edition xp for 5 to 6 players; change one of them",
            id="a format the edition has no players for",
        ),
        pytest.param('[match]\nformat = "leage"\n', 2, "did you mean 'league'?", id="no format"),
        pytest.param(
            "[house_rules]\ndealt_jokers = 1\n",
            0,
            "dealt_jokers = 1 takes 3 jokers for 3 players, and the box of original has 2; deal fewer",
            id="more jokers dealt than there are",
        ),
        pytest.param(
            '[match]\nplayers = ["A", "B"]\nfirst = 3\n',
            3,
            "match.first = 3: there are only 2 players",
            id="nobody there",
        ),
        pytest.param(
            "[button]\nhold_seconds = 5.0\n",
            0,
            "button.long_hold_seconds must be more than button.hold_seconds",
            id="holds",
        ),
        pytest.param(
            '[signals]\nquiet_from = "22:00"\n',
            2,
            "signals.quiet_from and signals.quiet_until go together",
            id="half of the night",
        ),
        pytest.param("[signals]\nrgb_pins = [22]\n", 2, "must be two pins from 0 to 27", id="half of an RGB LED"),
        pytest.param(
            "[signals]\nrgb_pins = [22, 18]\n",
            2,
            "signals.rgb_pins: pin 18 is already that of signals.buzzer_pin",
            id="a leg on the buzzer",
        ),
        pytest.param("[camera]\nmains_hertz = 55\n", 2, "camera.mains_hertz = 55 is no mains; use 50, 60", id="mains"),
        pytest.param(
            "[house_rules]\nturn_seconds = true\n",
            2,
            "house rule 'turn_seconds' is True; give a whole number",
            id="truth",
        ),
        pytest.param(
            "[house_rules]\npass_draw = 2\ncould_open_penalty = 200\n",
            3,
            "house rules 'unopened_penalty' and 'could_open_penalty' go together",
            id="half of the penalties",
        ),
        pytest.param(
            "[limits]\nwarn_seconds = 15\n",
            2,
            "limits.warn_seconds = 15 must be a list, each item a number",
            id="no list",
        ),
    ],
)
def test_a_mistake_and_its_line(write: Any, text: Any, line: Any, said: Any) -> None:
    _, mistakes = check_config(write(text))
    assert [mistake.line for mistake in mistakes] == [line]
    assert said in mistakes[0].message


def test_an_rgb_led_may_have_the_pins_of_the_lamps_it_replaces(write: Any) -> None:
    config, mistakes = check_config(write("[signals]\nrgb_pins = [22, 17]\n"))
    assert mistakes == ()
    assert config is not None
    assert config.signals.rgb_pins == (22, 17)


def test_a_file_written_on_windows_is_read_with_its_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "referee.toml"
    path.write_bytes(b'\xef\xbb\xbf[match]\r\nedition = "twist"\r\n')
    assert load_config(path).match.edition == "twist"


def test_settings_of_a_page_that_nobody_else_may_read_are_left_out(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    warned: list[str] = []
    path = write("[signals]\nvolume = 0.5\n")
    monkeypatch.setattr(Path, "exists", refuse)
    config = settings_in_force(path, tmp_path / "state", warned.append)
    made = tmp_path / "state" / PAGE_FILE
    assert config.signals.volume == 0.5
    assert warned == [f"settings made on the page are left out: {made} cannot be read: Permission denied"]


def test_brackets_without_end_are_a_mistake_and_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "referee.toml"
    path.write_text("x = " + 3000 * "[")
    config, mistakes = check_config(path)
    assert config is None
    assert [str(mistake) for mistake in mistakes] == [
        f"{path}: is not TOML: brackets stand within brackets; quote texts, one key a line"
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file or directory; check the path"):
        load_config(tmp_path / "none.toml")


def test_lines_are_found_in_any_spelling() -> None:
    lines = find_lines('a = 1\n[ match ]\n  "edition" = "x"\nfirst=2\n[[x]]\n')
    assert (lines["a"], lines["match"], lines["match.edition"], lines["match.first"]) == (1, 2, 3, 4)


def test_config_check_prints_every_mistake(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(TEN)
    assert main(["config", "check", str(path)]) == 2
    assert capsys.readouterr().err.splitlines() == [f"{path}:{line}: {message}" for line, message in FOUND]
    assert main(["config", "check", str(write(""))]) == 0
    assert "No mistakes." in capsys.readouterr().out


def test_config_show_prints_what_is_in_force(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = write('[match]\nplayers = ["Zoe", "Yan"]\n')
    assert main(["config", "show", str(path)]) == 0
    out = capsys.readouterr().out
    assert tomllib.loads(out)["match"]["players"] == ["Zoe", "Yan"]
    assert set(tomllib.loads(out)) == set(tomllib.loads(DEFAULTS))
    assert f'players = ["Zoe", "Yan"]                  # {path}:2' in out


def test_config_show_tells_what_was_set_on_the_page_too(
    write: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = write(f'[storage]\nfolder = "{tmp_path}"\n[signals]\nvolume = 0.5\n'), tmp_path / PAGE_FILE
    page.write_text("[signals]\nbrightness = 0.1\n")
    assert main(["config", "show", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"{'brightness = 0.1':<40}  # {page}:2" in out
    assert tomllib.loads(out)["signals"]["volume"] == 0.5
    page.write_text("[signals]\nbrightness = 7\n")
    assert main(["config", "show", str(path)]) == 0
    out, err = capsys.readouterr()
    assert tomllib.loads(out)["signals"]["brightness"] == tomllib.loads(DEFAULTS)["signals"]["brightness"]
    assert err.startswith(f"settings made on the page are left out: {page}:2: signals.brightness = 7 is out of range")
