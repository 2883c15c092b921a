"""Connection limits: how many, how fast they send requests, and how long an idle or stalled one stays open.

uvicorn waits forever for the first request of a connection, for the rest of a body, and for a client that does not
read. Sleeping phones or an attacker could therefore use up all connections, so each connection is checked
every few seconds. A client that sends too fast gets no error, which would cost as much, but is read more slowly.
"""

import asyncio
import ipaddress
import socket
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.rules.wording import say
from referee.server.request_checks import Refusal, refuse

_CHECK_SECONDS: Final = 2.5
_TCP_TIMEOUT_MILLISECONDS: Final = 20_000
_MAX_RESERVED_ADDRESSES: Final = 16
_CONNECTION: Final = "connection"
PROXY_ADDRESSES: Final = ("127.0.0.1", "::1")
_SEND_BUFFER_BYTES: Final = 65_536  # the kernel would buffer megabytes for a client that does not read


@dataclass(slots=True)
class TokenBucket:
    """A token bucket, refilled over time; overdrawn tokens delay later requests."""

    capacity: float
    per_second: float
    tokens: float = 0.0
    updated_at: float = float("-inf")

    def spend(self, now: float) -> float:
        """Take one token and return how many seconds to wait before the next."""
        self._refill(now)
        self.tokens -= 1
        return self.debt(now)

    def debt(self, now: float) -> float:
        """Return how many seconds to wait before the next token."""
        self._refill(now)
        return 0.0 if self.tokens >= 0 else -self.tokens / self.per_second

    def _refill(self, now: float) -> None:
        self.tokens = min(self.capacity, self.tokens + (now - self.updated_at) * self.per_second)
        self.updated_at = now


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The limits of a server's connections; "address" means a network prefix."""

    max_connections: int = 256
    reserved_connections: int = 32
    """Additional connections for addresses with an organiser session."""
    max_connections_per_address: int = 128
    requests_per_second: float = 200.0
    requests_per_second_per_address: float = 60.0
    burst_seconds: float = 4.0
    max_silent_seconds: float = 10.0
    """How long a connection may send no complete request."""
    max_unread_seconds: float = 15.0
    """How long a client may leave a response unread."""


@dataclass(slots=True)
class Traffic:
    """The connections of a server and their request rates."""

    limits: ConnectionLimits
    behind_proxy: bool = False
    """Whether a proxy on this machine names the senders: its connections count as theirs."""
    open: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    _connections: "dict[LimitedProtocol, str]" = field(init=False, default_factory=dict)
    _reserved: OrderedDict[str, None] = field(init=False, default_factory=OrderedDict)
    _shared_bucket: TokenBucket = field(init=False)
    _buckets: dict[str, TokenBucket] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Create the shared token bucket."""
        limits = self.limits
        self._shared_bucket = TokenBucket(limits.requests_per_second * limits.burst_seconds, limits.requests_per_second)

    def reserve(self, address: str) -> None:
        """Reserve connections for an organiser's address."""
        home = network_prefix(address)
        self._reserved[home] = None
        self._reserved.move_to_end(home)
        while len(self._reserved) > _MAX_RESERVED_ADDRESSES:
            self._reserved.popitem(last=False)

    def is_reserved(self, address: str) -> bool:
        """Return whether connections are reserved for this address."""
        return network_prefix(address) in self._reserved

    def enter(self, address: str, connection: "LimitedProtocol") -> bool:
        """Register a connection; return False if there are too many.

        If all places are taken, close a connection of the address with the most, so that a client with hundreds of
        connections cannot lock out a phone with six.
        """
        home, limits = network_prefix(address), self.limits
        is_proxy = self.is_proxy(address)
        places = limits.max_connections + (limits.reserved_connections if is_proxy or home in self._reserved else 0)
        if (self.open[home] >= limits.max_connections_per_address and not is_proxy) or (
            self.open.total() >= places and not self._make_room(home)
        ):
            self.refused += 1
            return False
        self._count(home, connection)
        return True

    def is_proxy(self, address: str) -> bool:
        """Return whether a connection from this address may be anybody's."""
        return self.behind_proxy and address in PROXY_ADDRESSES

    def name(self, sender: str, connection: "LimitedProtocol") -> bool:
        """Count a proxy's connection as that of the sender it names; return False if that one has too many."""
        self.leave(connection)
        if is_in := self.enter(sender, connection):
            return is_in
        self._count(network_prefix(connection.address), connection)
        return False

    def release(self, connection: "LimitedProtocol") -> None:
        """Count a connection as the proxy's again."""
        if connection in self._connections:
            self.leave(connection)
            self._count(network_prefix(connection.address), connection)

    def _count(self, home: str, connection: "LimitedProtocol") -> None:
        self.open[home] += 1
        self._connections[connection] = home

    def _make_room(self, home: str) -> bool:
        crowd, most = self.open.most_common(1)[0]
        if most <= self.open[home] + 1:
            return False
        theirs = [connection for connection, address in self._connections.items() if address == crowd]
        given_up = min(theirs, key=lambda connection: (not connection.is_idle, connection.quiet_since))
        self.leave(given_up)
        given_up.transport.abort()
        return True

    def leave(self, connection: "LimitedProtocol") -> None:
        """Unregister a connection, if it was registered."""
        home = self._connections.pop(connection, None)
        if home is None:
            return
        self.open[home] -= 1
        if self.open[home] <= 0:
            del self.open[home]

    def spend(self, address: str, now: float) -> float:
        """Count a request; return how many seconds its sender must wait before the next."""
        limits, home = self.limits, network_prefix(address)
        if home not in self._buckets:
            if len(self._buckets) > 4 * limits.max_connections:  # forget addresses without connections
                self._buckets = {known: bucket for known, bucket in self._buckets.items() if known in self.open}
            rate = limits.requests_per_second_per_address
            self._buckets[home] = TokenBucket(rate * limits.burst_seconds, rate)
        wait = self._buckets[home].spend(now)
        return wait if home in self._reserved else max(wait, self._shared_bucket.spend(now))

    def debt(self, address: str, now: float) -> float:
        """Return how many seconds the first request of a new connection must wait for earlier ones of its sender."""
        bucket = self._buckets.get(network_prefix(address))
        return 0.0 if bucket is None or self.is_proxy(address) else bucket.debt(now)


def network_prefix(address: str) -> str:
    """Return the key of a client's network: the IPv4 address, or the /64 prefix of an IPv6 address."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if known.version == 4 or known.is_loopback:
        return str(known)
    return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)).network_address)


class LimitedProtocol(H11Protocol):
    """An HTTP/1.1 connection within the limits; closed if idle or stalled."""

    traffic: Traffic
    quiet_since = 0.0
    address = ""
    """Who opened it: a client or its proxy."""
    _watch: asyncio.TimerHandle | None = None
    _unread_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Register the connection, or close it at once."""
        self.app_state = {**self.app_state, _CONNECTION: self}
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.quiet_since = self.loop.time()
        if not self.traffic.enter(self.address, self):
            transport.abort()
            return
        known: Any = transport.get_extra_info("socket")
        if known is not None:
            known.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # otherwise an unreachable phone stays connected for minutes
                known.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _TCP_TIMEOUT_MILLISECONDS)
        self._watch = self.loop.call_later(_CHECK_SECONDS, self._check)
        if (wait := self.traffic.debt(self.address, self.quiet_since)) > 0:
            self.flow.pause_reading()
            self.quiet_since += wait
            self.loop.call_later(wait, self._read_at_last)

    def _read_at_last(self) -> None:
        if not self.transport.is_closing():
            self.flow.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self.traffic.leave(self)
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Answer the next request, delayed if the rate is too high; that its client leaves meanwhile is noticed."""
        self.quiet_since = self.loop.time()
        wait = 0.0 if self.traffic.is_proxy(self.address) else self.traffic.spend(self.address, self.loop.time())
        if wait <= 0 or self.transport.is_closing():
            super().on_response_complete()
            return
        self.quiet_since += wait
        self.loop.call_later(wait, self._answer_again)

    def _answer_again(self) -> None:
        if not self.transport.is_closing():
            super().on_response_complete()

    def _check(self) -> None:
        now, limits = self.loop.time(), self.traffic.limits
        if not self.flow.write_paused:
            self._unread_since = None
        elif self._unread_since is None:
            self._unread_since = now
        deaf = self._unread_since is not None and now - self._unread_since >= limits.max_unread_seconds
        waiting = self.is_idle or self.cycle.more_body
        if deaf or (waiting and now - self.quiet_since >= limits.max_silent_seconds):
            self.transport.abort()
            return
        self._watch = self.loop.call_later(_CHECK_SECONDS, self._check)


class NamedSenders:
    """ASGI middleware that applies the limits to the senders that a proxy names, not to the proxy."""

    def __init__(self, app: ASGIApp, traffic: Traffic) -> None:
        """Answer with this application."""
        self._app, self._traffic = app, traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; its connection is its sender's meanwhile."""
        connection, sender = scope["state"][_CONNECTION], (scope["client"] or ("",))[0]
        if self._traffic.is_proxy(sender) or not self._traffic.is_proxy(connection.address):
            await self._app(scope, receive, send)
            return
        if not self._traffic.name(sender, connection):
            message = say("refused.pages", "too many pages are open; close one")
            await refuse(Refusal(503, "busy", message, seconds=10), send)
            return
        try:
            await asyncio.sleep(self._traffic.spend(sender, asyncio.get_running_loop().time()))
            await self._app(scope, receive, send)
        finally:
            self._traffic.release(connection)


def limited_protocol(traffic: Traffic) -> type[H11Protocol]:
    """Return a protocol class whose connections share this traffic."""
    return type("Bounded", (LimitedProtocol,), {"traffic": traffic})
