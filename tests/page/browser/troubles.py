"""A proxy between a phone and the referee, in the way of commands: it delays, loses, doubles and reorders them."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.conftest import PATIENCE_SECONDS

_PASSED_ON: Final = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Troubles:
    """Passes everything on, and a command of `/api/say` as the `next` trouble says.

    `late`: the request waits for `release`; `late answer`: the answer does; `lost answer`: nobody gets it;
    `doubled`: the referee gets the request twice. The trouble is over with one request.
    """

    def __init__(self, port: int, path: str = "/api/say") -> None:
        self.port, self.path = port, path
        self.next = ""
        self.bodies: list[bytes] = []
        """What was asked for, each as often as the phone sent it."""
        self.answered = 0
        """How often the phone got an answer."""
        self.held, self._free = threading.Event(), threading.Event()
        trouble = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                trouble.pass_on(self)

            do_POST = do_GET  # noqa: N815 - as the class wants it

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def be(self, trouble: str, path: str = "/api/say") -> None:
        """Be in the way of the next command so."""
        self.held.clear()
        self._free.clear()
        self.path, self.next = path, trouble

    def release(self) -> None:
        """Let what waits go on."""
        self._free.set()

    def close(self) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def pass_on(self, phone: BaseHTTPRequestHandler) -> None:
        body = phone.rfile.read(int(phone.headers.get("content-length", 0)))
        trouble = ""
        if phone.command == "POST" and phone.path == self.path:
            self.bodies.append(body)
            trouble, self.next = self.next, ""
        if trouble == "late":
            self._wait()
        with suppress(OSError, http.client.HTTPException):
            if trouble == "doubled":
                with self._ask(phone, body) as first:
                    first.read()
            with self._ask(phone, body) as answer:
                if trouble == "late answer":
                    self._wait()
                if trouble != "lost answer":
                    self._answer(phone, answer)
                    self.answered += phone.command == "POST" and phone.path == self.path
        phone.close_connection = True

    def _wait(self) -> None:
        self.held.set()
        self._free.wait(PATIENCE_SECONDS)

    @contextmanager
    def _ask(self, phone: BaseHTTPRequestHandler, body: bytes) -> Iterator[http.client.HTTPResponse]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=2 * PATIENCE_SECONDS)) as referee:
            referee.putrequest(phone.command, phone.path, skip_host=True, skip_accept_encoding=True)
            for name, value in phone.headers.items():
                if name.lower() != "connection":
                    referee.putheader(name, value)
            referee.endheaders(body or None)
            with closing(referee.getresponse()) as answer:
                yield answer

    def _answer(self, phone: BaseHTTPRequestHandler, answer: http.client.HTTPResponse) -> None:
        phone.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _PASSED_ON:
                phone.send_header(name, value)
        phone.send_header("connection", "close")
        phone.end_headers()
        for part in _parts(answer):
            phone.wfile.write(part)
            phone.wfile.flush()


def _parts(answer: Any) -> Iterator[bytes]:
    """What comes, as it comes."""
    while part := answer.read1(65536):
        yield part
