"""The page's URLs that a phone can reach, and a QR code of the best one."""

import io
import ipaddress
import socket
from collections.abc import Iterator

import segno


def page_addresses(host: str, port: int) -> tuple[str, ...]:
    """Return the URLs of a page that listens at this host and port, the best for a phone first."""
    if host not in {"", "0.0.0.0", "::"}:  # noqa: S104 - compared with, not bound to
        return (_url(host, port),)
    found = dict.fromkeys((*_own_addresses(), f"{socket.gethostname().removesuffix('.local')}.local"))
    return tuple(_url(name, port) for name in found)


def is_local_only(host: str) -> bool:
    """Return whether a page that listens at this host is unreachable from other machines."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def qr_svg(address: str) -> bytes:
    """Return a QR code of the address as SVG."""
    drawn = io.BytesIO()
    segno.make(address, error="m", micro=False).save(drawn, kind="svg", scale=8, border=4, xmldecl=False)
    return drawn.getvalue()


def qr_text(address: str) -> str:
    """Return a QR code of the address as text for a terminal."""
    drawn = io.StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, compact=True, border=2)
    return drawn.getvalue()


def _own_addresses() -> Iterator[str]:
    """Yield this machine's network addresses; looking up a route sends no packets."""
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET, "10.255.255.255")):
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((far, 9))
                own = str(asked.getsockname()[0])
            except OSError:
                continue  # no route
        if own != "0.0.0.0":  # noqa: S104 - compared with, not bound to
            yield own


def _url(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"
