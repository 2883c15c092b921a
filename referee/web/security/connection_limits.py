"""Bounds on connections: how many, how fast they ask, and how long a silent or deaf one is kept.

uvicorn waits without end for the first request of a connection, for the rest of a body and for a client that does not
read. So a phone that fell asleep, or somebody who means harm, could use up all connections; here each is looked at
every few seconds. Who asks too fast is not answered with an error, which would cost as much, but read more slowly.
"""

import asyncio
import ipaddress
import socket
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

_LOOK_SECONDS: Final = 2.5
_GONE_MILLISECONDS: Final = 20_000
_MAX_KEPT: Final = 16
_SEND_BYTES: Final = 65_536  # what the kernel keeps for one who does not read; it would take megabytes


@dataclass(slots=True)
class Bucket:
    """A token bucket, refilled over time; it may be overdrawn, which takes time too."""

    most: float
    per_second: float
    left: float = 0.0
    at: float = float("-inf")

    def spend(self, now: float) -> float:
        """Take one token and return how many seconds to wait before the next."""
        self.left = min(self.most, self.left + (now - self.at) * self.per_second)
        self.at = now
        self.left -= 1
        return 0.0 if self.left >= 0 else -self.left / self.per_second


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of a server."""

    connections: int = 256
    connections_kept: int = 32
    """More, for the networks in which the organiser is logged in."""
    connections_each: int = 128
    requests_per_second: float = 200.0
    requests_per_second_each: float = 60.0
    burst_seconds: float = 4.0
    silent_seconds: float = 10.0
    """A connection without a whole request, or with half a body, is closed after so long."""
    deaf_seconds: float = 15.0
    """And one that does not read what it asked for."""


@dataclass(slots=True)
class Traffic:
    """The use that all connections of a server share."""

    bounds: Bounds
    open: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    _held: "dict[BoundedProtocol, str]" = field(init=False, default_factory=dict)
    _kept: OrderedDict[str, None] = field(init=False, default_factory=OrderedDict)
    _everybody: Bucket = field(init=False)
    _each: dict[str, Bucket] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Fill the common bucket."""
        bounds = self.bounds
        self._everybody = Bucket(bounds.requests_per_second * bounds.burst_seconds, bounds.requests_per_second)

    def keep(self, address: str) -> None:
        """Reserve places for an organiser's address."""
        home = network_of(address)
        self._kept[home] = None
        self._kept.move_to_end(home)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)

    def is_kept(self, address: str) -> bool:
        """Return whether this is an organiser's address."""
        return network_of(address) in self._kept

    def enter(self, address: str, connection: "BoundedProtocol") -> bool:
        """Count a connection in; False where there are too many.

        Where all places are taken, one of the address that has most of them is taken back, so that nobody who opens
        hundreds keeps a phone with its six out.
        """
        home, bounds = network_of(address), self.bounds
        places = bounds.connections + (bounds.connections_kept if home in self._kept else 0)
        if self.open[home] >= bounds.connections_each or (self.open.total() >= places and not self._make_room(home)):
            self.refused += 1
            return False
        self.open[home] += 1
        self._held[connection] = home
        return True

    def _make_room(self, home: str) -> bool:
        crowd, most = self.open.most_common(1)[0]
        if most <= self.open[home] + 1:
            return False
        theirs = [connection for connection, address in self._held.items() if address == crowd]
        given_up = min(theirs, key=lambda connection: (not connection.is_idle, connection.quiet_since))
        self.leave(given_up)
        given_up.transport.abort()
        return True

    def leave(self, connection: "BoundedProtocol") -> None:
        """Count a connection out, if it was counted in."""
        home = self._held.pop(connection, None)
        if home is None:
            return
        self.open[home] -= 1
        if self.open[home] <= 0:
            del self.open[home]

    def spend(self, address: str, now: float) -> float:
        """Count a request, and say how long its sender has to wait before the next."""
        bounds, home = self.bounds, network_of(address)
        if home not in self._each:
            if len(self._each) > 4 * bounds.connections:  # forget those who have nothing open
                self._each = {known: bucket for known, bucket in self._each.items() if known in self.open}
            rate = bounds.requests_per_second_each
            self._each[home] = Bucket(rate * bounds.burst_seconds, rate)
        wait = self._each[home].spend(now)
        return wait if home in self._kept else max(wait, self._everybody.spend(now))


def network_of(address: str) -> str:
    """Return what is one place: an address, or of IPv6 the 64 bits that a household or a provider's customer has."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if known.version == 4 or known.is_loopback:
        return str(known)
    return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)).network_address)


class BoundedProtocol(H11Protocol):
    """A connection within the limits; an idle or stalled one is closed."""

    traffic: Traffic
    quiet_since = 0.0
    _address = ""
    _watch: asyncio.TimerHandle | None = None
    _deaf_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Count the connection in, or give it up at once."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self.quiet_since = self.loop.time()
        if not self.traffic.enter(self._address, self):
            transport.abort()
            return
        known: Any = transport.get_extra_info("socket")
        if known is not None:
            known.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # else a phone out of reach stays for long
                known.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _GONE_MILLISECONDS)
        self._watch = self.loop.call_later(_LOOK_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection out."""
        self.traffic.leave(self)
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Take the next request, later if too many came."""
        self.quiet_since = self.loop.time()
        wait = self.traffic.spend(self._address, self.loop.time())
        if wait <= 0 or self.transport.is_closing():
            super().on_response_complete()
            return
        self.flow.pause_reading()
        self.quiet_since += wait
        self.loop.call_later(wait, self._answer_again)

    def _answer_again(self) -> None:
        if not self.transport.is_closing():
            super().on_response_complete()

    def _look(self) -> None:
        now, bounds = self.loop.time(), self.traffic.bounds
        if not self.flow.write_paused:
            self._deaf_since = None
        elif self._deaf_since is None:
            self._deaf_since = now
        deaf = self._deaf_since is not None and now - self._deaf_since >= bounds.deaf_seconds
        waiting = self.is_idle or self.cycle.more_body
        if deaf or (waiting and now - self.quiet_since >= bounds.silent_seconds):
            self.transport.abort()
            return
        self._watch = self.loop.call_later(_LOOK_SECONDS, self._look)


def bounded(traffic: Traffic) -> type[H11Protocol]:
    """Return a protocol class whose connections share these limits."""
    return type("Bounded", (BoundedProtocol,), {"traffic": traffic})
