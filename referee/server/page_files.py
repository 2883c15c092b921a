"""The page's files, loaded once at the start, so that no request reads the disk."""

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "json": "application/json; charset=utf-8",
        "svg": "image/svg+xml; charset=utf-8",
        "png": "image/png",
        "ico": "image/x-icon",
        "webmanifest": "application/manifest+json",
        "woff2": "font/woff2",
    }
)
_MIN_COMPRESSED_BYTES: Final = 1000


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: media type, content, compressed content (None: not worth it), and ETag."""

    kind: str
    content: bytes
    compressed: bytes | None
    etag: str


def load_assets(package: str = "referee.page") -> Mapping[str, Asset]:
    """Return every page file of a package by its path; files of unknown types are skipped."""
    return MappingProxyType(dict(_walk(files(package).joinpath("static"), "")))


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _walk(entry, f"{path}{entry.name}/")
        elif (kind := MEDIA_TYPES.get(entry.name.rpartition(".")[2])) is not None:
            yield f"{path}{entry.name}", make_asset(kind, entry.read_bytes())


def make_asset(kind: str, content: bytes) -> Asset:
    """Return content as an asset, compressed if that is worthwhile."""
    packed = None
    if kind.startswith("text/") or "json" in kind or "svg" in kind:
        packed = gzip.compress(content, mtime=0) if len(content) >= _MIN_COMPRESSED_BYTES else None
    return Asset(kind, content, packed, f'"{hashlib.sha256(content).hexdigest()[:20]}"')
