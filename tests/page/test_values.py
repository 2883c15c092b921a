"""The page's pure parts: the guide, scores, settings, addresses, hosts and PINs."""

import argparse
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from referee.game.corrections.corrections import Correction, Corrections
from referee.game.inputs import MatchStarted, Seat
from referee.game.match import step
from referee.game.setup import Result
from referee.game.state import Match
from referee.language.catalogue import languages
from referee.protocol.restore_guide import MoveKind, mark_done, restore_moves
from referee.protocol.schema import CorrectedTile
from referee.protocol.score import score_csv, score_table
from referee.protocol.table_state import TableView, tile_states
from referee.reading.inputs import Seconds
from referee.reading.observation import TableReading, TileReading, TrackId
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import NO_TRACKS, update_tracks
from referee.rules.notation import parse_table, parse_tile
from referee.server.connection_limits import TokenBucket
from referee.server.page_texts import page_text
from referee.server.pin import check_pin, hash_pin, is_correct_pin, load_pin, make_pin, save_pin
from referee.server.request_checks import is_known_host
from referee.server.sessions import MAX_ORGANISERS, Sessions
from referee.settings.config import PAGE_FILE, check_config, load_config, settings_in_force
from referee.settings.page import with_address
from referee.settings.page_settings import PageSettings, format_toml

# The guide ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        pytest.param("R1 R2 R3", "R1 R2 R3", [], id="nothing to do"),
        pytest.param("R1 R2 R3", "R3 R2 R1", [], id="the other way round is as it was"),
        pytest.param("R1 R2 R3 / K1 K2 K3", "K1 K2 K3 / R1 R2 R3", [], id="another place is as it was"),
        pytest.param("R1 R2 R3", "R1 R2", ["bring R3 to 0"], id="a tile was taken"),
        pytest.param("R1 R2 R3", "R1 R2 R3 R4", ["take_back R4 to None"], id="a tile was added"),
        pytest.param("R1 R2 R3 R4", "R1 R2 / R3 R4", ["move R3 to 0", "move R4 to 0"], id="a set was cut in two"),
        pytest.param(
            "R1 R2 R3 / R4 R5 R6", "R1 R2 R3 R4 R5 R6", ["move R4 to 1", "move R5 to 1", "move R6 to 1"], id="joined"
        ),
        pytest.param("R1 R2 R3", "R1 R2 R2", ["bring R3 to 0", "take_back R2 to None"], id="one tile for another"),
        pytest.param("", "K5", ["take_back K5 to None"], id="the table was empty"),
        pytest.param("R1 R2 R3", "", ["bring R1 to 0", "bring R2 to 0", "bring R3 to 0"], id="all is gone"),
    ],
)
def test_the_guide_lists_what_is_to_be_done(before: str, now: str, expected: list[str], read: Any) -> None:
    listed = restore_moves(parse_table(before).sets, read(now, "now", 1.0), None)
    assert [f"{move.kind} {move.tile} to {move.to_set}" for move in listed] == expected


def test_of_two_alike_the_one_goes_back_that_lay_there(read: Any) -> None:
    tracks, before = update_tracks(NO_TRACKS, read("R1 R2 R3 / K1 K2 K3", "a", 1.0))
    tracks, _ = update_tracks(tracks, read("R1 R2 / K1 K2 K3 / K9 / R3", "b", 2.0))
    _, now = update_tracks(tracks, read("R1 R2 / K1 K2 K3 / R3 / R3", "c", 3.0))
    move, back = restore_moves(parse_table("R1 R2 R3 / K1 K2 K3").sets, now, before)
    assert (move.kind, now.tiles[move.index or 0].track) == (MoveKind.MOVE, before.tiles[2].track)
    assert (back.kind, now.tiles[back.index or 0].track) == (MoveKind.TAKE_BACK, max(tile.track for tile in now.tiles))


def test_what_is_done_is_ticked_off_and_undone_again(read: Any) -> None:
    target = parse_table("R1 R2 R3 / K1 K2 K3").sets
    first = restore_moves(target, read("R1 R2 / R3 K1 / K2 K3", "a", 1.0), None)
    assert [(str(move.tile), move.done) for move in mark_done((), first)] == [("R3", False), ("K1", False)]
    later = restore_moves(target, read("R1 R2 R3 / K1 / K2 K3", "b", 2.0), None)
    assert [(str(move.tile), move.done) for move in mark_done(first, later)] == [("R3", True), ("K1", False)]
    again = restore_moves(target, read("R1 R2 / R3 / K1 K2 K3", "c", 3.0), None)
    assert [(str(move.tile), move.done) for move in mark_done(first, again)] == [("R3", False), ("K1", True)]
    worse = restore_moves(target, read("R1 / R2 / R3 / K1 K2 K3", "d", 4.0), None)
    assert [str(move.tile) for move in mark_done(first, worse) if not move.done] == ["R3", "R2"]


# Scores ---------------------------------------------------------------------------------------------------------------


def test_a_name_is_no_formula_in_a_spreadsheet() -> None:
    match, _, _ = step(Match(), MatchStarted(at=Seconds(0.0), names=("=1+1", "Ben, B."), edition="original"))
    assert score_csv(match).splitlines()[0] == 'game,\'=1+1,"Ben, B.",sum'


@pytest.mark.parametrize(
    ("edition", "blocked", "scores", "adds_up"),
    [
        pytest.param("original", False, (24, -5, -16, -3), True, id="what the others lose"),
        pytest.param("original", False, (24, -5, -16, -2), False, id="a point too many"),
        pytest.param("3in1-standard", True, (29, -5, -10, -15), True, id="the booklet's row: the lowest rack is 1"),
        pytest.param("3in1-standard", True, (31, -5, -10, -15), False, id="more than the others lost"),
        pytest.param("3in1-standard", True, (20, -5, -10, -15), False, id="a lowest rack higher than another"),
        pytest.param("original", True, (29, -5, -10, -15), False, id="nobody pays the lowest rack here"),
    ],
)
def test_a_row_adds_up_as_its_edition_says(
    edition: str, scores: tuple[int, ...], *, blocked: bool, adds_up: bool
) -> None:
    seats = tuple(Seat(seat) for seat in range(4))
    result = Result(
        blocked=blocked, winners=(seats[0],), unopened=(), scores=tuple(zip(seats, scores, strict=True)), present=seats
    )
    begun = MatchStarted(at=Seconds(0.0), names=("A", "B", "C", "D"), edition=edition)
    match = replace(step(Match(), begun)[0], results=(result,))
    shown = score_table(match)
    assert (shown.games[0].check, shown.totals_check) == (adds_up, adds_up)


# Settings -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def page_settings(tmp_path: Path) -> PageSettings:
    return PageSettings(load_config(), None, tmp_path)


def test_settings_made_on_the_page_are_in_force_from_the_next_start(
    page_settings: PageSettings, tmp_path: Path
) -> None:
    names = ["Zoë", 'A "B"\\', "O’Neill"]
    assert page_settings.change({"match.players": names, "signals.volume": 0.25, "house_rules.pass_draw": 2}) == {}
    config, mistakes = check_config(None, tmp_path / PAGE_FILE)
    assert (mistakes, config and config.match.players) == ((), tuple(names))
    assert config is not None
    assert (config.signals.volume, config.house_rules) == (0.25, (("pass_draw", 2),))
    shown = {f"{one['section']}.{one['key']}": one for one in page_settings.show()["settings"]}
    assert (shown["signals.volume"]["value"], shown["signals.volume"]["origin"]) == (0.25, "page")
    assert (shown["house_rules.pass_draw"]["value"], page_settings.show()["restart_needed"]) == (2, True)
    assert page_settings.change({"signals.volume": None}) == {}
    again = load_config(None, tmp_path / PAGE_FILE)
    assert (again.signals.volume, again.match.players) == (0.6, tuple(names))


def test_a_setting_put_back_shows_at_once_what_it_will_be(page_settings: PageSettings, tmp_path: Path) -> None:
    page_settings.change({"signals.volume": 0.25, "house_rules.pass_draw": 2})
    user = tmp_path / "referee.toml"
    user.write_text("[signals]\nvolume = 0.5\n")
    after_a_start = PageSettings(settings_in_force(user, tmp_path), user, tmp_path)

    def shown(place: str) -> tuple[Any, str]:
        one = next(one for one in after_a_start.show()["settings"] if f"{one['section']}.{one['key']}" == place)
        return one["value"], one["origin"]

    assert (shown("signals.volume"), shown("house_rules.pass_draw")) == ((0.25, "page"), (2, "page"))
    assert after_a_start.change({"signals.volume": None, "house_rules.pass_draw": None}) == {}
    assert shown("signals.volume") == (0.5, f"{user}:2")
    assert shown("house_rules.pass_draw") == (None, "default")


def test_every_mistake_is_named_at_once_and_nothing_is_kept(page_settings: PageSettings, tmp_path: Path) -> None:
    wrong = page_settings.change({"signals.volume": 2, "match.edition": "orginal", "button.pin": True})
    assert {place: one["message"] for place, one in wrong.items()} == {
        "signals.volume": "signals.volume = 2 is out of range; use 0 to 1",
        "match.edition": "match.edition = 'orginal' is not known; did you mean 'original'?",
        "button.pin": "button.pin = true must be a whole number",
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "answered"),
    [
        ({"signals.volume": 2}, ["setting.range"]),
        ({"signals.volume": "loud"}, ["setting.must_be"]),
        ({"signals.seat_pins": "x"}, ["setting.must_be_list"]),
        ({"match.edition": "orginal"}, ["setting.unknown"]),
        ({"match.edition": "chess"}, ["setting.unknown"]),
        ({"match.edtion": "original"}, ["setting.unknown_key"]),
        ({"match.zzz": 1}, ["setting.unknown_key"]),
        ({"match.pass_draw": 1}, ["setting.elsewhere"]),
        ({"matsh.games": 1}, ["section.unknown"]),
        ({"zzz.games": 1}, ["section.unknown"]),
        ({"signals.quiet_from": "25:00"}, ["setting.no_time"]),
        ({"signals.quiet_from": "22:00"}, ["setting.quiet"]),
        ({"signals.rgb_pins": [22]}, ["setting.rgb_pins"]),
        ({"signals.green_pin": 18}, ["setting.pin_taken"]),
        ({"camera.mains_hertz": 40}, ["setting.no_mains"]),
        ({"button.hold_seconds": 9}, ["setting.holds"]),
        ({"match.first": 5}, ["setting.first"]),
        ({"match.players": ["Ann", "Ann"]}, ["names.different"]),
        ({"match.players": ["Ann", "A" * 41]}, ["names.wrong"]),
        ({"match.edition": "xp", "match.format": "club", "match.players": [*"ABCDEF"]}, []),
        ({"match.format": "two-player"}, ["format.players"]),
        ({"house_rules.turn_second": 3}, ["rule.unknown"]),
        ({"house_rules.zzz": 3}, ["rule.unknown"]),
        ({"house_rules.pass_draw": 99}, ["rule.wrong"]),
        ({"house_rules.clock": "sand"}, ["rule.wrong"]),
        ({"house_rules.drawn_tile_waits": 1}, ["rule.wrong"]),
        ({"house_rules.unopened_penalty": 10}, ["rule.pair"]),
        ({"house_rules.dealt_jokers": 8}, ["format.jokers"]),
        ({"web.port": 1}, ["settings.users"]),
        ({"x": 1}, ["settings.no_key"]),
    ],
)
def test_what_is_wrong_with_a_setting_is_said_in_every_language_of_the_page(
    changes: dict[str, Any], answered: list[str], page_settings: PageSettings
) -> None:
    wrong = page_settings.change(changes)
    assert [one["message_id"] for one in wrong.values()] == answered
    for code in languages():
        asset = page_text(f"text/{code}.json")
        assert asset is not None
        assert set(ids(list(wrong.values()))) <= json.loads(asset.content)["texts"].keys()


def ids(said: Any) -> Iterator[str]:
    """Every message that is said, and those within it."""
    if isinstance(said, list):
        for one in said:
            yield from ids(one)
    elif isinstance(said, dict):
        yield said["message_id"]
        yield from ids(list(said["values"].values()))


@pytest.mark.parametrize("place", ["storage.folder", "vision.profile", "camera.source", "web.port", "web.corrections"])
def test_no_path_and_no_lock_of_the_page_is_set_on_the_page(place: str, page_settings: PageSettings) -> None:
    assert "cannot be set on the page" in page_settings.change({place: "x"})[place]["message"]


@pytest.mark.parametrize("place", ["", "x", "a.b.c", "match]\n[web.port", "match.players\nx", "Ä.b", "signals.volum"])
def test_a_key_that_is_none_is_refused(place: str, page_settings: PageSettings) -> None:
    assert page_settings.change({place: 1})


def test_a_damaged_file_is_as_none(page_settings: PageSettings, tmp_path: Path) -> None:
    (tmp_path / PAGE_FILE).write_text("[match")
    assert page_settings.change({"signals.volume": 0.5}) == {}
    assert (tmp_path / PAGE_FILE).read_text().splitlines()[1:] == ["", "[signals]", "volume = 0.5"]


def test_the_command_line_lies_over_the_page_and_the_page_over_the_file(
    page_settings: PageSettings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from referee.cli.run import _settings, configure  # noqa: PLC0415

    parser = argparse.ArgumentParser()
    configure(parser)
    words = parser.parse_args(["--state", str(tmp_path), "--web", "0.0.0.0:81"])
    page_settings.change({"signals.volume": 0.25})
    config = _settings(words)
    assert (config.signals.volume, config.web.enabled, config.web.port) == (0.25, True, 81)
    (tmp_path / PAGE_FILE).write_text("[signals]\nvolume = 7\n")
    config = _settings(words)
    assert (config.signals.volume, config.web.port) == (0.6, 81)
    assert "settings made on the page are left out" in caplog.text


def test_texts_are_written_so_that_they_stay_texts() -> None:
    text = format_toml({"a.b": 'x"\n[web]\nenabled = true\x7f\\'})
    assert text.splitlines()[-1] == r'b = "x\"\U0000000A[web]\U0000000Aenabled = true\U0000007F\\"'


# Addresses and names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "host", "port"),
    [
        ("", "127.0.0.1", 8080),
        ("81", "127.0.0.1", 81),
        (":81", "127.0.0.1", 81),
        ("0.0.0.0", "0.0.0.0", 8080),  # noqa: S104 - every phone in the network
        ("192.168.1.7:81", "192.168.1.7", 81),
        ("[::]:81", "::", 81),
        ("referee.local", "referee.local", 8080),
    ],
)
def test_where_the_page_is_asked_to_listen(asked: str, host: str, port: int) -> None:
    found = with_address(replace(load_config().web, host="127.0.0.1"), asked)
    assert (found.enabled, found.host, found.port) == (True, host, port)


@pytest.mark.parametrize("asked", ["x:y", "99999", "99999999", "0", "a:b:c", "http://x", "[::"])
def test_an_address_that_is_none_gets_a_line(asked: str) -> None:
    with pytest.raises(ConfigError, match="is not an address; write 0"):
        with_address(load_config().web, asked)


def test_a_page_without_its_port_says_so() -> None:
    import socket  # noqa: PLC0415

    from referee.server.serving import listen  # noqa: PLC0415

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"the page cannot listen on 127.0.0.1:{port}: Address already in use"):
            listen("127.0.0.1", port)


def test_only_addresses_and_our_own_names_are_hosts() -> None:
    names = frozenset({"localhost", "referee.local"})
    for host in ("127.0.0.1", "10.0.0.1:8080", "[::1]", "[fe80::1]:8080", "LOCALHOST:1", "referee.local."):
        assert is_known_host(host, names), host
    for host in ("", "a", "referee.local.evil", "127.0.0.1:99999x", "127.1:80:90", "1.2.3.4.5", "[::1", "::1]:x"):
        assert not is_known_host(host, names), host


# PINs -----------------------------------------------------------------------------------------------------------------


def test_a_pin_is_kept_only_as_its_hash(tmp_path: Path) -> None:
    assert load_pin(tmp_path) is None
    save_pin(tmp_path, "271828")
    kept = load_pin(tmp_path)
    assert kept is not None
    assert "271828" not in kept
    assert (is_correct_pin("271828", kept), is_correct_pin("271829", kept), is_correct_pin("", kept)) == (
        True,
        False,
        False,
    )
    assert stat.S_IMODE((tmp_path / "pin").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["pin"]
    assert hash_pin("271828") != kept


@pytest.mark.parametrize("kept", ["", "x", "scrypt$1$1$a$b", "scrypt$99999999$8$AAAA$AAAA", "scrypt$16384$8$ä$AAAA"])
def test_a_damaged_hash_lets_nobody_in(kept: str) -> None:
    assert not is_correct_pin("271828", kept)


@pytest.mark.parametrize("pin", ["12345", "1" * 13, "abcdef", "27182８", "123456", "987654", "111111", ""])
def test_a_pin_that_is_easily_guessed_is_refused(pin: str) -> None:
    with pytest.raises(ConfigError, match="choose another"):
        check_pin(pin)


def test_a_made_pin_is_a_good_one() -> None:
    for _ in range(20):
        check_pin(make_pin())


def test_config_pin_keeps_what_standard_input_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.cli.main import main  # noqa: PLC0415

    read_end, write_end = os.pipe()
    os.write(write_end, b"271828\n")
    os.close(write_end)
    with os.fdopen(read_end) as said:
        monkeypatch.setattr("sys.stdin", said)
        assert main(["config", "pin", "--state", str(tmp_path)]) == 0
    kept = load_pin(tmp_path)
    assert kept is not None
    assert is_correct_pin("271828", kept)


# Rates ----------------------------------------------------------------------------------------------------------------


def test_a_bucket_lets_a_burst_through_and_then_a_steady_stream() -> None:
    bucket = TokenBucket(capacity=10, per_second=2)
    assert [bucket.spend(100.0) for _ in range(10)] == [0.0] * 10
    assert [bucket.spend(100.0) for _ in range(3)] == [0.5, 1.0, 1.5]
    assert bucket.spend(102.0) == 0.0  # two seconds filled in four, one is spent now
    assert [bucket.spend(1000.0) for _ in range(10)] == [0.0] * 10


# Sessions ----------------------------------------------------------------------------------------------------------


def test_an_organiser_is_one_for_twelve_hours() -> None:
    sessions = Sessions()
    cookie = sessions.promote(now=100.0)[0].cookie
    for now, organiser in ((100.0, True), (100.0 + 12 * 3600 - 1, True), (100.0 + 12 * 3600, False)):
        session = sessions.find(cookie, now)
        assert session is not None
        assert session.organiser is organiser, now


def test_of_too_many_organisers_the_one_who_came_first_is_none_any_more() -> None:
    sessions = Sessions()
    promoted = [sessions.promote(float(number)) for number in range(MAX_ORGANISERS + 1)]
    assert [ended for _, ended in promoted] == [*[0] * MAX_ORGANISERS, 1]
    found = [sessions.find(session.cookie, 100.0) for session, _ in promoted]
    assert [session is not None and session.organiser for session in found] == [False, *[True] * MAX_ORGANISERS]


# What was said of tiles -----------------------------------------------------------------------------------------------


def test_a_tile_that_took_another_ones_place_is_shown_as_it_was_said_to_be() -> None:
    quad = ((0.0, 0.0), (28.0, 0.0), (28.0, 38.0), (0.0, 38.0))
    first, second = parse_tile("O3"), parse_tile("O8")
    place = TrackId(0)
    tile = TileReading(quad=quad, tile=second, confidence=1.0, place=place)
    said = (Correction(place, quad, first, (first,), first), Correction(place, quad, second, (first,), first))
    reading = TableReading(frame_id="look", at=1.0, tiles=(tile,), layouts=lay_out_tiles((tile,)))
    (shown,) = tile_states(TableView(reading=reading, rows=(), corrections=Corrections(tiles=said)))
    assert shown.corrected == CorrectedTile(was="O3", by="")
