"""The page's scripts as one file and its styles as another, put together at the start, so that a phone asks less often.

Every module becomes a function that gives what it exports, in the order in which they need each other. What the page's
own modules do not write (default exports, renamed exports, circles) is refused rather than guessed.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from referee.web.api.page_files import Asset, make_asset

MAIN: Final = "main.js"
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w/]+\.js)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_LISTED: Final = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
_LEFT: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_NAME: Final = re.compile(r"(?:const|function|class) (\w+)")
_COMMENT: Final = re.compile(r"^\s*(?://.*|/\*(?:[^*]|\*(?!/))*\*/)\s*$\n?", re.MULTILINE)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_SHEET: Final = re.compile(r'^ *<link rel="stylesheet" href="/page/([\w/]+\.css)">\n', re.MULTILINE)


def bundled(assets: Mapping[str, Asset], page: str = "index.html") -> Mapping[str, Asset]:
    """Return the files: `main.js` with every module in it, and the first style with all that have no condition.

    Raise ValueError for a module that cannot be put in.
    """
    parts: dict[str, str] = {}
    _add(MAIN, assets, parts, ())
    html = assets[page].content.decode()
    sheets = _SHEET.findall(html)
    html = _SHEET.sub(lambda found: found[0] if found[1] == sheets[0] else "", html)
    kept = {path: asset for path, asset in assets.items() if path not in parts and path not in sheets}
    made = {
        MAIN: "\n".join(parts.values()),
        sheets[0]: "\n".join(_plain(assets[sheet].content.decode()) for sheet in sheets),
        page: html,
    }
    fresh = {path: make_asset(assets[path].kind, text.encode()) for path, text in made.items()}
    return MappingProxyType({**kept, **fresh})


def _add(path: str, assets: Mapping[str, Asset], parts: dict[str, str], above: tuple[str, ...]) -> None:
    """Put a module in after those that it needs."""
    if path in parts:
        return
    if path in above:
        raise ValueError(f"the page's scripts need each other in a circle: {' > '.join((*above, path))}")
    text = assets[path].content.decode()
    for _, needed in _IMPORT.findall(text):
        _add(needed, assets, parts, (*above, path))
    names = [_NAME.search(text, found.end()) for found in _EXPORT.finditer(text)]
    given = [name[1] for name in names if name] + [one.strip() for one in ",".join(_LISTED.findall(text)).split(",")]
    body = _IMPORT.sub(_taken, text)
    body = _LISTED.sub("", _EXPORT.sub("", body))
    if (left := _LEFT.search(body)) is not None:
        raise ValueError(f"{path} has a line that cannot be put into one file: {left[0]}")
    shared = ", ".join(filter(None, given))
    parts[path] = f"const {_variable(path)} = (() => {{\n{_plain(body)}\nreturn {{ {shared} }};\n}})();"
    if path == MAIN and shared:
        parts[path] += f"\nexport const {{ {shared} }} = {_variable(path)};"


def _taken(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = {_variable(found[2])};"


def _variable(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path.removesuffix(".js"))


def _plain(text: str) -> str:
    """Leave out lines that are comments alone, and what lines are set in; no text of the page spans lines."""
    return _INDENT.sub("", _COMMENT.sub("", text)).strip()
