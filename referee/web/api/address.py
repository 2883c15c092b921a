"""Addresses of the page that a phone can reach, and a QR code of the best."""

import io
import ipaddress
import socket
from collections.abc import Iterator

import segno


def addresses(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of a page that listens there, the best for a phone first."""
    if host not in {"", "0.0.0.0", "::"}:  # noqa: S104 - compared with, not bound to
        return (_written(host, port),)
    found = dict.fromkeys((*_own_addresses(), f"{socket.gethostname().removesuffix('.local')}.local"))
    return tuple(_written(name, port) for name in found)


def local_only(host: str) -> bool:
    """Return whether no other machine can reach a page that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def qr_svg(address: str) -> bytes:
    """Draw the address as an SVG."""
    drawn = io.BytesIO()
    segno.make(address, error="m", micro=False).save(drawn, kind="svg", scale=8, border=4, xmldecl=False)
    return drawn.getvalue()


def qr_text(address: str) -> str:
    """Draw the address for a terminal."""
    drawn = io.StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, compact=True, border=2)
    return drawn.getvalue()


def _own_addresses() -> Iterator[str]:
    """Yield this machine's addresses in its networks; asking for a route sends nothing."""
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET, "10.255.255.255")):
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((far, 9))
                own = str(asked.getsockname()[0])
            except OSError:
                continue  # no network leads there
        if own != "0.0.0.0":  # noqa: S104 - compared with, not bound to
            yield own


def _written(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"
