"""A client of an MQTT 5 broker that reconnects by itself and logs each hindrance once."""

import logging
import socket
import ssl
import sys
import threading
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from referee.link.topics import MAX_IN_FLIGHT
from referee.log_limit import LogLimit
from referee.plain_json import json_bytes
from referee.settings.hall import HallSettings

KEEPALIVE_SECONDS: Final = 15
RECONNECT_SECONDS: Final = 1
"""Together with CONNECT_SECONDS, this reconnects a table within 4 s of the network's return."""
CONNECT_SECONDS: Final = 2.5
UNANSWERED_SECONDS: Final = 4
"""A link silent for this long is reopened, because TCP would retry more and more rarely and notice late."""
BURST_MESSAGES: Final = 30
MESSAGES_PER_SECOND: Final = 5
"""A table accepts a burst, then this rate, so that a flood waits at the broker and not the players."""
MAX_PACKET_BYTES: Final = 80_000
MAX_QUEUED: Final = 100

log = logging.getLogger("referee")


class BrokerClient:
    """Connects to the broker in its own thread, which calls the callbacks; they must not block."""

    def __init__(
        self,
        settings: HallSettings,
        name: str,
        topics: tuple[str, ...],
        *,
        on_message: Callable[[MQTTMessage], None],
        on_connected: Callable[[], None],
        on_acknowledged: Callable[[int], None] | None = None,
        will: tuple[str, bytes] | None = None,
        queued: int = MAX_QUEUED,
        is_rate_limited: bool = False,
    ) -> None:
        """Make a client named `name` that subscribes to these topics; nothing is sent before `start`.

        `on_connected` is called at each connection, `on_acknowledged` with the number of an acknowledged one; `will`
        is the topic and retained payload that the broker publishes if this client vanishes; with `is_rate_limited` it
        accepts a flood slowly. ConfigError if a file of the settings cannot be read.
        """
        self._settings, self._name, self._topics, self._on_connected = settings, name, topics, on_connected
        self._on_message, self._is_rate_limited, self._next_message_at = on_message, is_rate_limited, 0.0
        self._log_limit = LogLimit()
        self._connected = threading.Event()
        client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5)
        settings.secure(client)
        if will is not None:
            client.will_set(will[0], will[1], qos=1, retain=True)
        client.reconnect_delay_set(RECONNECT_SECONDS, RECONNECT_SECONDS)
        client.connect_timeout = CONNECT_SECONDS
        client.max_queued_messages_set(queued)
        client.max_inflight_messages_set(MAX_IN_FLIGHT)
        client.on_socket_open = lambda _client, _data, tcp_socket: _set_tcp_timeouts(tcp_socket)
        client.on_connect = self._on_connect
        client.on_connect_fail = lambda *_: self._log(self._connection_error())
        client.on_disconnect = lambda *_: self._connected.clear()
        client.on_message = lambda _client, _data, message: self._receive(message)
        if on_acknowledged is not None:
            client.on_publish = lambda _client, _data, number, *_: on_acknowledged(number)
        self._client = client

    @property
    def is_connected(self) -> bool:
        """Whether the broker is connected."""
        return self._connected.is_set()

    def start(self) -> None:
        """Connect, now or as soon as the broker answers."""
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.MaximumPacketSize = MAX_PACKET_BYTES
        self._client.connect_async(self._settings.host, self._settings.port, KEEPALIVE_SECONDS, properties=properties)
        self._client.loop_start()

    def publish(self, topic: str, value: Any, *, retain: bool = False) -> int:
        """Publish a value as JSON and return the message's number; None clears the topic."""
        payload = b"" if value is None else json_bytes(value)
        return self._client.publish(topic, payload, qos=1, retain=retain).mid

    def ask(self, topic: str, value: Any, response_topic: str, correlation: bytes) -> bool:
        """Publish a request with response topic and correlation data; return whether it was sent."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ResponseTopic, properties.CorrelationData = response_topic, correlation
        return self._client.publish(topic, json_bytes(value), qos=1, properties=properties).rc == 0

    def answer(self, request: MQTTMessage, value: Any, is_allowed_topic: Callable[[str], bool]) -> None:
        """Answer a message on its response topic, if `is_allowed_topic`."""
        topic = getattr(request.properties, "ResponseTopic", None)
        if not isinstance(topic, str) or not is_allowed_topic(topic):
            return
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if isinstance(correlation := correlation_of(request), bytes):
            properties.CorrelationData = correlation
        self._client.publish(topic, json_bytes(value), qos=1, properties=properties)

    def close(self) -> None:
        """Disconnect, and stop the client's thread."""
        if self.is_connected:
            self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(self, client: Client, _data: object, _flags: object, reason: ReasonCode, *_: object) -> None:
        if reason.is_failure:
            self._log(f"the broker {self._settings.broker} refuses {self._name}: {reason}")
            return
        if self._log_limit.end():
            log.info("the broker %s answers", self._settings.broker)
        client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in self._topics])
        self._connected.set()
        self._on_connected()

    def _receive(self, message: MQTTMessage) -> None:
        self._on_message(message)
        if self._is_rate_limited:
            now = monotonic()
            self._next_message_at = (
                max(self._next_message_at, now - BURST_MESSAGES / MESSAGES_PER_SECOND) + 1 / MESSAGES_PER_SECOND
            )
            sleep(max(0.0, self._next_message_at - now))

    def _connection_error(self) -> str:
        """Return why there is no connection; called while the exception is handled."""
        error, broker = sys.exception(), self._settings.broker
        if isinstance(error, ssl.SSLCertVerificationError):
            way_out = "renew it, set this machine's clock, or name who vouches for it as ca_file under [hall]"
            return f"the certificate of the broker {broker} is refused: {error.verify_message}; {way_out}"
        return f"the broker {broker} does not answer"

    def _log(self, fault: str) -> None:
        if self._log_limit.may_log(fault, monotonic()):
            log.warning("%s; the tables referee without the hall", fault)


def _set_tcp_timeouts(tcp_socket: Any) -> None:
    tcp_socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    tcp_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, UNANSWERED_SECONDS // 2)
    tcp_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
    tcp_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * UNANSWERED_SECONDS)


def correlation_of(message: MQTTMessage) -> bytes | None:
    """Return the correlation data of a message; None without any."""
    return getattr(message.properties, "CorrelationData", None)
