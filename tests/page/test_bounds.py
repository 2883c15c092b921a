"""What strangers, sleepers and hammerers do to the page, and that the match does not notice."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import accumulate, count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.game.limits import Limits
from referee.page.pictures import MAX_CACHE_BYTES
from referee.protocol.command import InvalidCommandError, Sender
from referee.protocol.commands import parse_command
from referee.server.connection_limits import ConnectionLimits, Traffic, network_prefix
from referee.server.executors import MAX_QUEUED_TASKS
from referee.server.pin import PinRateLimiter
from referee.server.request_checks import PHOTO_PATH
from referee.server.sessions import SESSION_SECONDS, Sessions
from tests.conftest import PATIENCE_SECONDS, comes_true, examples

from .conftest import open_page
from .drawn import VALUES, bodies, damaged


def raw(page: Any, request: bytes, seconds: float = 5.0) -> bytes:
    """Send bytes and give what comes until the server closes or falls silent."""
    with socket.create_connection(("127.0.0.1", page.server.port), timeout=seconds) as connection:
        connection.sendall(request)
        received = b""
        try:
            while chunk := connection.recv(65536):
                received += chunk
        except TimeoutError:
            pass
        return received


# Other sites ----------------------------------------------------------------------------------------------------------


def test_a_name_that_is_not_ours_is_not_answered(page: Any) -> None:
    browser, port = page.browser(), page.server.port
    for host in (f"127.0.0.1:{port}", "localhost", f"[::1]:{port}", "table.example:8080", "192.168.1.7"):
        assert browser.get("/api/state", Host=host).status == 200, host
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost:x", "", "[::1", "a:b:c"):
        assert browser.get("/api/state", Host=host).json["error_id"] == "host", host


def test_another_site_changes_nothing_even_with_the_cookie(page: Any) -> None:
    page.start()
    organiser = page.organiser()
    for origin in ("http://evil.example", "null", "", f"https://127.0.0.1:{page.server.port}", "http://127.0.0.1:1"):
        assert organiser.post("/api/say", {"say": "pause"}, Origin=origin).json["error_id"] == "origin", origin
    for token in ("", "0" * 64, "ü"):
        answer = organiser.post("/api/say", {"say": "pause"}, **{"X-CSRF-Token": token})
        assert answer.json["error_id"] == "session", token
    form = organiser.post("/api/say", {"say": "pause"}, **{"Content-Type": "application/x-www-form-urlencoded"})
    assert form.status == 415
    assert not page.match.pauses.halted


def test_a_cookie_cannot_be_made_up_or_promoted(page: Any) -> None:
    viewer, organiser = page.browser(), page.organiser()
    viewer.get("/api/session")
    name, _, signature = organiser.cookie.partition(".")
    for cookie in (f"{name}.{'0' * 64}", f"{name}x.{signature}", f"{viewer.cookie.partition('.')[0]}.{signature}", "a"):
        forged = page.browser()
        forged.cookie = cookie
        assert forged.get("/api/session").json["organiser"] is False, cookie
    before = organiser.cookie
    organiser.post("/api/logout", {})
    organiser.cookie = before  # a copy of the old cookie is worth nothing after logging out
    assert organiser.get("/api/session").json["organiser"] is False


def test_the_cookie_is_kept_from_scripts_and_other_sites(page: Any) -> None:
    given_cookie = page.browser().get("/api/session").headers["set-cookie"]
    assert "HttpOnly" in given_cookie
    assert "samesite=strict" in given_cookie.lower()


# The PIN --------------------------------------------------------------------------------------------------------------


def test_wrong_pins_come_ever_more_slowly(page: Any) -> None:
    browser = page.browser()
    assert [browser.login(f"00000{number}").status for number in range(3)] == [403, 403, 403]
    refused = browser.login(page.pin)  # the right one, too: else a refusal would tell which it is
    assert (refused.status, refused.json["error_id"]) == (429, "tries")
    assert 0 < refused.json["seconds"] <= 2
    assert int(refused.headers["retry-after"]) >= 1
    time.sleep(refused.json["seconds"])
    assert browser.login(page.pin).json["organiser"] is True


def test_the_wait_doubles_and_ends_at_a_quarter_of_an_hour() -> None:
    limiter, now, waits = PinRateLimiter(), 0.0, []
    for _ in range(20):
        now += limiter.seconds_to_wait("here", now)
        limiter.record_failure("here", now)
        waits.append(limiter.seconds_to_wait("here", now))
        now += 1000
    assert waits[:8] == [0.0, 0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    assert max(waits) == 900.0


def test_many_addresses_together_get_few_tries() -> None:
    limiter, now = PinRateLimiter(), 0.0
    tried = 0
    for number in range(3600):  # one an hour's second, each from an address of its own
        now += 1.0
        if limiter.seconds_to_wait(f"10.0.{number // 256}.{number % 256}", now) == 0:
            limiter.record_failure(f"10.0.{number // 256}.{number % 256}", now)
            tried += 1
    assert tried <= 20 + 3600 / 10 + 1
    assert len(limiter._strangers) <= 256


def login_from(browser: Any, address: str, pin: str) -> Any:
    return browser.post("/api/login", {"pin": pin}, **{"X-Forwarded-For": address})


def test_strangers_wrong_pins_never_lock_out_a_device_that_knew_the_pin(proxied_page: Any) -> None:
    page, organiser, stranger = proxied_page, proxied_page.browser(), proxied_page.browser()
    assert login_from(organiser, "192.168.1.7", page.pin).status == 200
    organiser.post("/api/logout", {})
    tried = [login_from(stranger, f"10.0.0.{number}", "000001").status for number in range(30)]
    assert tried[-1] == 429, "strangers together get few tries"
    assert login_from(page.browser(), "192.168.1.8", page.pin).status == 429
    assert login_from(organiser, "192.168.1.9", page.pin).status == 200
    wrong = [login_from(organiser, "192.168.1.9", "000001").status for _ in range(4)]
    assert wrong == [403, 403, 403, 429], "nor may that device guess without end"


def test_a_new_phone_gets_in_while_strangers_guess_from_ever_new_addresses(proxied_page: Any) -> None:
    page, over, told_strangers = proxied_page, threading.Event(), set[int]()

    def guess() -> None:
        for number in count():
            if over.is_set():
                return
            address = f"10.{number // 65536}.{number // 256 % 256}.{number % 256}"
            told_strangers.add(login_from(stranger, address, "000001").status)

    stranger = page.browser()
    login_from(stranger, "10.9.9.9", "000001")
    with ThreadPoolExecutor(1) as strangers:
        guessing = strangers.submit(guess)
        try:
            assert comes_true(lambda: 429 in told_strangers)
            phone = page.browser()
            told = login_from(phone, "192.168.1.8", page.pin)
            assert (told.status, told.json["seconds"]) == (429, 5.0)
            time.sleep(told.json["seconds"])
            assert login_from(phone, "192.168.1.8", page.pin).status == 200
        finally:
            over.set()
    guessing.result()


def test_a_network_of_ipv6_is_one_place() -> None:
    assert (
        network_prefix("2001:db8:1:2:3::4")
        == network_prefix("2001:db8:1:2:ffff::1")
        != network_prefix("2001:db8:1:3::1")
    )
    assert network_prefix("fe80::1%eth0") == network_prefix("fe80::2")
    assert len({network_prefix(one) for one in ("192.168.1.7", "192.168.1.8", "::1", "")}) == 4


def test_who_says_for_whom_it_asks_is_believed_only_where_that_was_set(page: Any) -> None:
    statuses = [login_from(page.browser(), f"10.0.0.{number}", "000001").status for number in range(4)]
    assert statuses == [403, 403, 403, 429]  # one place, whatever it says


def test_over_https_a_proxy_is_our_own_origin(proxied_page: Any) -> None:
    browser = proxied_page.browser()
    names = {"Host": "localhost", "Origin": "https://localhost", "X-Forwarded-For": "192.168.1.7"}
    pin = {"pin": proxied_page.pin}
    assert browser.post("/api/login", pin, **names).status == 403
    assert browser.post("/api/login", pin, **names, **{"X-Forwarded-Proto": "https"}).status == 200


# The sessions ---------------------------------------------------------------------------------------------------------


def test_a_restart_in_the_middle_of_a_match_logs_nobody_out(tmp_path: Path) -> None:
    first = open_page(tmp_path)
    page = next(first)
    organiser, other = page.organiser(), page.organiser()
    other.post("/api/logout", {})
    first.close()
    assert (tmp_path / "sessions").stat().st_mode & 0o777 == 0o600
    second = open_page(tmp_path)
    page = next(second)
    organiser.port = other.port = page.server.port
    page.start()
    assert organiser.say("pause").status == 200
    assert other.get("/api/session").json["organiser"] is False
    second.close()


@pytest.mark.parametrize("kept", ["", "no json", '{"secret": "00"}', '{"secret": 7, "organisers": []}', "[" * 100_000])
def test_damaged_sessions_only_mean_to_log_in_again(kept: str) -> None:
    assert Sessions(kept, "pin").to_text(0.0, 0.0) != kept


def test_another_pin_ends_every_session() -> None:
    old = Sessions(None, "one pin")
    session, _ = old.promote(0.0)
    kept = old.to_text(0.0, 1000.0)
    same, other = Sessions(kept, "one pin", 50.0, 1060.0), Sessions(kept, "another", 50.0, 1060.0)
    assert (found := same.find(session.cookie, 50.0)) is not None
    assert found.organiser
    assert other.find(session.cookie, 50.0) is None
    later = same.find(session.cookie, 50.0 + SESSION_SECONDS - 60.0)
    assert later is not None
    assert not later.organiser, "twelve hours in all"


def test_the_ninth_login_tells_whose_session_it_ends(page: Any) -> None:
    with socket.create_connection(("127.0.0.1", page.server.port), timeout=PATIENCE_SECONDS) as follower:
        follower.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        browsers = [page.browser() for _ in range(9)]
        assert [browser.login().json["ended"] for browser in browsers] == [0] * 8 + [1]
        assert [browser.get("/api/session").json["organiser"] for browser in browsers] == [False] + [True] * 8
        heard = b""
        while b"event: session" not in heard:
            heard += follower.recv(65536)


# Hung and hammering clients -------------------------------------------------------------------------------------------


def laid_for_a_deaf_client(page: Any, holds: Callable[[], bool]) -> bool:
    """Lay tables for a client that follows and reads nothing until something holds, if it does in time."""
    text = "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 / K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 K11 K12 K13"
    page.start()
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", page.server.port))
        deaf.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert comes_true(lambda: page.server.stream.pages == 1)
        return comes_true(lambda: page.lay(text) and not time.sleep(0.1) and holds())


def test_a_client_that_does_not_read_is_let_go(small_page: Any) -> None:
    traffic = small_page.server.traffic
    assert laid_for_a_deaf_client(small_page, lambda: traffic.open.total() == 0)
    assert comes_true(lambda: small_page.server.stream.pages == 0)


def test_nobody_waits_for_a_client_that_does_not_read(tmp_path: Path) -> None:
    with contextmanager(open_page)(tmp_path, bounds=ConnectionLimits(max_unread_seconds=1e6)) as page:
        connections = page.server._server.server_state.connections
        laid_meanwhile = accumulate(any(one.flow.write_paused for one in connections) for _ in count())
        assert laid_for_a_deaf_client(page, lambda: next(laid_meanwhile) > 3)


@pytest.mark.parametrize(
    "request_head",
    [
        pytest.param(b"", id="says nothing"),
        pytest.param(b"GET /api/state HTTP/1.1\r\nHost: 127.0", id="half a head"),
        pytest.param(
            b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
            b'Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{"pin"',
            id="half a body",
        ),
    ],
)
def test_a_client_that_never_finishes_is_let_go(small_page: Any, request_head: bytes) -> None:
    if b"%d" in request_head:
        request_head = request_head.replace(b"%d", str(small_page.server.port).encode())
    with socket.create_connection(("127.0.0.1", small_page.server.port), timeout=PATIENCE_SECONDS) as client:
        client.sendall(request_head)
        while client.recv(65536):
            pass
    assert comes_true(lambda: small_page.server.traffic.open.total() == 0)


def test_more_connections_than_may_be_are_closed_at_once(tmp_path: Path) -> None:
    limits = ConnectionLimits(max_connections=12, max_connections_per_address=8, max_silent_seconds=PATIENCE_SECONDS)
    with contextmanager(open_page)(tmp_path, bounds=limits) as page, ExitStack() as clients:
        for _ in range(20):
            clients.enter_context(socket.create_connection(("127.0.0.1", page.server.port), timeout=PATIENCE_SECONDS))
        assert comes_true(lambda: (page.server.traffic.open.total(), page.server.traffic.refused) == (8, 12))


def test_hundreds_of_connections_do_not_keep_a_phone_out() -> None:
    """Three addresses with a hundred each: a phone opens its six, and the organiser's has places of its own."""
    traffic = Traffic(ConnectionLimits())
    crowd = [Connection(traffic, f"10.0.0.{number % 3}") for number in range(300)]
    assert sum(one.is_in for one in crowd) == 256
    phone = [Connection(traffic, "192.168.1.7") for _ in range(6)]
    assert all(one.is_in for one in phone)
    assert traffic.open.total() == 256
    evenly = [Connection(traffic, f"10.1.{number // 200}.{number % 200}") for number in range(300)]
    assert sum(one.is_in for one in evenly) < 300
    traffic.reserve("192.168.1.8")
    assert all(Connection(traffic, "192.168.1.8").is_in for _ in range(6))


class Connection:
    """As much of a connection as is counted."""

    is_idle = True

    def __init__(self, traffic: Traffic, address: str) -> None:
        self.quiet_since = time.monotonic()
        self.transport = self
        self.is_in = traffic.enter(address, self)  # type: ignore[arg-type]  # a connection without a network

    def abort(self) -> None:
        self.is_in = False


def following(page: Any, address: str) -> socket.socket:
    """Ask for the stream as a proxy does for this address."""
    stream = socket.create_connection(("127.0.0.1", page.server.port), timeout=PATIENCE_SECONDS)
    stream.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\n\r\n" % address.encode())
    return stream


def test_one_phone_alone_cannot_keep_the_others_from_following(proxied_page: Any) -> None:
    def answer(following: socket.socket) -> bytes:
        return following.recv(12)

    with ExitStack() as clients:
        greedy = [clients.enter_context(following(proxied_page, "192.168.1.7")) for _ in range(30)]
        assert {answer(one) for one in greedy} == {b"HTTP/1.1 200"}
        others = [
            clients.enter_context(following(proxied_page, one)) for one in ("192.168.1.7", "192.168.1.8", "127.0.0.1")
        ]
        assert [answer(one) for one in others] == [b"HTTP/1.1 503", b"HTTP/1.1 200", b"HTTP/1.1 200"]


def test_two_hundred_phones_that_follow_at_once_are_answered_without_a_traceback(
    proxied_page: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as clients:
        every = [clients.enter_context(following(proxied_page, f"10.0.0.{number}")) for number in range(200)]
        answers = Counter(one.recv(12) for one in every)
    assert answers == {b"HTTP/1.1 200": 120, b"HTTP/1.1 503": 80}
    assert not [record for record in caplog.records if record.exc_info]
    assert comes_true(lambda: proxied_page.server.stream.pages == 0)


def test_streams_behind_a_proxy_do_not_shut_the_organiser_out(proxied_page: Any) -> None:
    page = proxied_page
    with ExitStack() as clients:
        every = [clients.enter_context(following(page, f"10.0.0.{number % 124}")) for number in range(250)]
        assert Counter(one.recv(12) for one in every) == {b"HTTP/1.1 200": 120, b"HTTP/1.1 503": 130}
        organiser = page.browser()
        assert login_from(organiser, "192.168.1.7", page.pin).status == 200
        for _ in range(8):
            own = clients.enter_context(following(page, "192.168.1.7"))
            assert own.recv(12) == b"HTTP/1.1 200"
    assert comes_true(lambda: page.server.stream.pages == 0)
    assert set(page.server.traffic.open) <= {"127.0.0.1"}


def test_one_sender_behind_a_proxy_has_no_more_connections_than_without_one(proxied_page: Any) -> None:
    traffic = proxied_page.server.traffic
    with ExitStack() as clients:
        every = [clients.enter_context(following(proxied_page, "10.0.0.1")) for _ in range(140)]
        assert Counter(one.recv(12) for one in every) == {b"HTTP/1.1 200": 30, b"HTTP/1.1 503": 110}
        assert comes_true(lambda: traffic.open["10.0.0.1"] == 30)  # the refused ones are the proxy's again


def test_who_asks_too_fast_is_answered_more_slowly(small_page: Any) -> None:
    requests = 40
    began = time.monotonic()
    request = b"GET /api/address HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = b"GET /api/address HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    answers = raw(small_page, request * (requests - 1) + last, 30)
    assert answers.count(b"HTTP/1.1 200") == requests
    assert time.monotonic() - began > (requests - 5 * 4 - 2) / 5  # after the burst five a second


@pytest.mark.parametrize("goodbye", ["keep-alive", "close"])
def test_who_opens_a_connection_for_each_request_waits_and_is_not_reset(small_page: Any, goodbye: str) -> None:
    """As programs do without a session: each reads its answer and leaves."""
    requests, began = 40, time.monotonic()
    request = f"GET /api/address HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: {goodbye}\r\n\r\n".encode()
    for _ in range(requests):
        with socket.create_connection(("127.0.0.1", small_page.server.port), PATIENCE_SECONDS) as one:
            one.sendall(request)
            assert one.recv(12) == b"HTTP/1.1 200"
    assert time.monotonic() - began > (requests - 5 * 4 - 2) / 5


def test_the_organiser_does_not_wait_behind_what_strangers_ask_for(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page.start()
    free, busy = threading.Event(), threading.Event()

    def slow_record(_told: Any) -> str:
        busy.set()
        assert free.wait(PATIENCE_SECONDS)
        return ""

    monkeypatch.setattr(page.server._parts.export, "record", slow_record)
    strangers = [
        threading.Thread(target=page.browser().get, args=("/api/export/record.txt",)) for _ in range(MAX_QUEUED_TASKS)
    ]
    for stranger in strangers:
        stranger.start()
    try:
        assert busy.wait(PATIENCE_SECONDS)
        assert page.organiser().say("pause").status == 200
    finally:
        free.set()
        for stranger in strangers:
            stranger.join()


def test_bodies_are_small(page: Any) -> None:
    browser = page.organiser()
    assert browser.post("/api/say", {"say": "pause", "x": "y" * 20_000}).status == 413
    head = (
        b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:%(port)d\r\nOrigin: http://127.0.0.1:%(port)d\r\n"
        b"Content-Type: application/json\r\nCookie: referee=%(cookie)s\r\nX-CSRF-Token: %(token)s\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    ) % {b"port": page.server.port, b"cookie": browser.cookie.encode(), b"token": browser.token.encode()}
    answer = raw(page, head + (b"1000\r\n" + b"1" * 4096 + b"\r\n") * 8, 3)
    assert answer.startswith(b"HTTP/1.1 413"), answer[:100]


def test_the_match_goes_on_when_the_page_is_closed(page: Any) -> None:
    page.start()
    page.server.close()
    page.play("R10 R11 R12")
    assert page.judged[-1].stands


# Anything at all ------------------------------------------------------------------------------------------------------

LIMITS = Limits()


@pytest.mark.hypothesis
def test_whatever_is_said_is_an_input_or_a_line(page: Any) -> None:
    page.start()
    now, words = page.bridge.now, bodies(interface(page), "/api/say")
    lines = set()

    @given(
        said=words | damaged(words) | VALUES,
        speaker=st.sampled_from([Sender("organiser"), Sender("players", ("a",), True)]),
    )
    @example(said={"command": "end_turn", "surplus": 1}, speaker=Sender("organiser"))
    @example(said={"command": "clock"}, speaker=Sender("organiser"))
    @settings(max_examples=examples(300), deadline=None, database=None)
    def say(said: Any, speaker: Any) -> None:
        try:
            parsed = parse_command(said, now, speaker, LIMITS)
        except InvalidCommandError as error:
            lines.add(str(error))
        else:
            assert parsed.entered.by == speaker.by

    say()
    assert [line for line in lines if "\n" in line] == []
    assert any("leave it out" in line for line in lines)
    assert any("; give" in line for line in lines)


@pytest.mark.slow
def test_a_thousand_requests_of_any_kind_leave_no_500_and_no_changed_match(patient_page: Any) -> None:
    page = patient_page
    page.start(house_rules=(("turn_seconds", 0),))  # it takes a while
    page.settle("R10 R11 R12")
    before = page.match
    pages_before, threads_before = page.server.stream.pages, page.server.traffic.open.total()
    viewer = page.browser()
    viewer.token = viewer.get("/api/session").json["csrf"]
    asked: list[tuple[str, str, int]] = []
    document = interface(page)
    paths = [(method, path) for path, methods in document["paths"].items() for method in methods]
    paths = [("GET", "/page/{path}"), *((method.upper(), path) for method, path in paths if path != "/api/events")]
    posts = [path for method, path in paths if method == "POST"]
    right = st.one_of(*(bodies(document, path) for path in posts if path != PHOTO_PATH))

    @given(
        which=st.sampled_from(paths),
        fill=st.text(max_size=12)
        | st.integers(-5, 10**7).map(str)
        | st.sampled_from(["frame-001", "000001.jpg", "..%2f"]),
        query=st.sampled_from(["", "?game=x", "?game=-1", "?lines=99999999999", "?game=1&game=2", "?%00=%ff"]),
        method=st.sampled_from(["", "", "", "GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "BREW"]),
        body=right | damaged(right) | VALUES | st.binary(max_size=40),
        headers=st.dictionaries(
            st.sampled_from(["Accept-Encoding", "If-None-Match", "Content-Type", "Cookie", "Range", "X-CSRF-Token"]),
            st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
            max_size=2,
        ),
    )
    @settings(max_examples=1000, deadline=None, database=None)
    def ask(*, which: Any, fill: str, query: str, method: str, body: Any, headers: dict[str, str]) -> None:
        given_method, path = which
        for part in ("{path}", "{key}", "{index}", "{name}", "{game}", "{turn}", "{journal}", "{number}"):
            path = path.replace(part, quote(fill, safe="%"))
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        own = {
            "Origin": f"http://127.0.0.1:{page.server.port}",
            "Content-Type": "application/json",
            "X-CSRF-Token": viewer.token,
        }
        answer = page_ask(viewer, path + query, method or given_method, content, {**own, **headers})
        asked.append((method or given_method, path, answer.status))
        assert answer.status != 500, (which, fill, query, method, body, headers, answer.content[:300])
        if answer.status >= 400 and answer.content and method != "HEAD":
            assert {"error", "error_id"} <= answer.json.keys()

    ask()
    assert len(asked) >= 1000
    answered = {status for _, _, status in asked}
    assert 200 in answered  # what else comes is up to chance, but something is always refused
    assert any(400 <= status < 500 for status in answered)
    after = page.match
    assert (after.phase, after.turn, after.seat, after.results) == (
        before.phase,
        before.turn,
        before.seat,
        before.results,
    )
    assert (after.table.shown, after.pauses.halted, after.dispute.corrections) == (
        before.table.shown,
        before.pauses.halted,
        before.dispute.corrections,
    )
    assert page.admin.changed == {}
    assert page.server.stream.pages == pages_before
    assert page.server._parts.pictures._bytes_kept <= MAX_CACHE_BYTES
    end = time.monotonic() + PATIENCE_SECONDS
    while page.server.traffic.open.total() > threads_before and time.monotonic() < end:
        time.sleep(0.05)
    assert page.server.traffic.open.total() <= threads_before


@pytest.mark.hypothesis
def test_an_organiser_who_says_anything_gets_an_answer(patient_page: Any) -> None:
    page = patient_page
    page.start()
    page.settle("R10 R11 R12")
    organiser = page.organiser()
    statuses = set()

    document = interface(page)
    paths = ["/api/say", "/api/settings", "/api/signals/test", "/api/calibration/check"]
    right = st.one_of(*(st.tuples(st.just(path), bodies(document, path)) for path in (*paths[:1], *paths)))
    wrong = st.one_of(*(st.tuples(st.just(path), damaged(bodies(document, path))) for path in paths))

    @given(asked=right | wrong)
    @settings(max_examples=examples(200), deadline=None, database=None)
    def ask(asked: Any) -> None:
        path, said = asked
        answer = page_ask(
            organiser,
            path,
            "POST",
            json.dumps(said).encode(),
            {
                "Origin": f"http://127.0.0.1:{page.server.port}",
                "Content-Type": "application/json",
                "X-CSRF-Token": organiser.token,
            },
        )
        statuses.add(answer.status)
        assert answer.status in {200, 400, 409}, (said, path, answer.content)

    ask()
    assert 400 in statuses
    assert page.browser().state()["match"] is not None


def interface(page: Any) -> Any:
    """The document of everything the page takes."""
    return page.browser().get("/api/openapi.json").json


def page_ask(viewer: Any, path: str, method: str, content: bytes, headers: dict[str, str]) -> Any:
    return viewer.ask(path, method=method, body=None if method in {"GET", "HEAD"} else content, headers=headers)
