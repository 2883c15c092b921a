"""JSON objects, and JSON in as few bytes as it takes."""

import json
from typing import Any

from msgspec import to_builtins

JsonObject = dict[str, Any]


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in UTF-8, without spaces; it may hold structs."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=to_builtins).encode()
