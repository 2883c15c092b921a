"""Network addresses as they may be shown and kept: scheme, host and path, for the rest may hold a password."""

import re
from typing import Final

_ADDRESS: Final = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*://)([^\s\"'<>]*)")


def showable(text: str) -> str:
    """Return a text whose addresses have no user, password, query or fragment."""
    return _ADDRESS.sub(lambda address: address[1] + _host_and_path(address[2]), text)


def _host_and_path(rest: str) -> str:
    """Return host and path of what follows `scheme://`; `…` where a password hides which part is the host."""
    before = re.split("[?#]", rest, maxsplit=1)[0]
    if "@" in rest[len(before) :] and "@" not in before and ":" in before and "/" not in before:
        return "…"
    return before.rpartition("@")[2]
