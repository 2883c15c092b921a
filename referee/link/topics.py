"""The topics and messages between tables and a hall: `referee/v1/HALL/TABLE/KIND`, JSON on each."""

import json
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from referee.plain_json import json_bytes

ROOT: Final = "referee/v1"
COMMAND: Final = "cmd"
REPLY: Final = "reply"
MAX_PAYLOAD_BYTES: Final = 65_536
MAX_IN_FLIGHT: Final = 20
"""So many messages are sent before the broker has taken the first."""


@dataclass(frozen=True, slots=True)
class TableAddress:
    """One table of one hall."""

    hall: str
    table: str

    def topic(self, kind: str) -> str:
        """Return the topic of `status`, `state`, `event`, `alert`, `result` or `health`."""
        return f"{ROOT}/{self.hall}/{self.table}/{kind}"

    def command(self, verb: str) -> str:
        """Return the topic of a command to the table; `+` for all commands."""
        return self.topic(f"{COMMAND}/{verb}")

    def can_answer_on(self, topic: str) -> bool:
        """Return whether a table may answer on a topic: only below the hall's reply topics."""
        return topic.startswith(f"{ROOT}/{self.hall}/{REPLY}/") and "+" not in topic and "#" not in topic


def parse_payload(payload: bytes | bytearray) -> Any | None:
    """Return the JSON of a payload; None if it is too long or invalid."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        return None
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def digest_of(event: Any, before: int = 0) -> int:
    """Return the digest of a sequence of events, from the digest before the last one, and that one."""
    return crc32(json_bytes(event), before)
