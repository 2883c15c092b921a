"""A bundler for the page: one script and one style sheet, built at the start, so that a phone makes few requests.

Each module becomes a function that returns its exports, in the order of their dependencies. What the page's
modules do not use (default exports, renamed exports, import cycles) raises ValueError.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from referee.server.page_files import Asset, make_asset

MAIN: Final = "main.js"
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w/]+\.js)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_EXPORT_LIST: Final = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
_UNSUPPORTED: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_DECLARED_NAME: Final = re.compile(r"(?:const|function|class) (\w+)")
_COMMENT: Final = re.compile(r"^\s*(?://.*|/\*(?:[^*]|\*(?!/))*\*/)\s*$\n?", re.MULTILINE)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_STYLESHEET_LINK: Final = re.compile(r'^ *<link rel="stylesheet" href="/page/([\w/]+\.css)">\n', re.MULTILINE)


def bundle_assets(assets: Mapping[str, Asset], page: str = "index.html") -> Mapping[str, Asset]:
    """Return the files with all modules bundled in `main.js` and all unconditional style sheets in the first one.

    Raise ValueError for a module that cannot be bundled.
    """
    parts: dict[str, str] = {}
    _add_module(MAIN, assets, parts, ())
    html = assets[page].content.decode()
    sheets = _STYLESHEET_LINK.findall(html)
    html = _STYLESHEET_LINK.sub(lambda found: found[0] if found[1] == sheets[0] else "", html)
    kept = {path: asset for path, asset in assets.items() if path not in parts and path not in sheets}
    made = {
        MAIN: "\n".join(parts.values()),
        sheets[0]: "\n".join(_minified(assets[sheet].content.decode()) for sheet in sheets),
        page: html,
    }
    fresh = {path: make_asset(assets[path].kind, text.encode()) for path, text in made.items()}
    return MappingProxyType({**kept, **fresh})


def _add_module(path: str, assets: Mapping[str, Asset], modules: dict[str, str], importers: tuple[str, ...]) -> None:
    """Add a module after the modules that it imports."""
    if path in modules:
        return
    if path in importers:
        raise ValueError(f"the page's modules import each other in a cycle: {' > '.join((*importers, path))}")
    text = assets[path].content.decode()
    for _, needed in _IMPORT.findall(text):
        _add_module(needed, assets, modules, (*importers, path))
    names = [_DECLARED_NAME.search(text, found.end()) for found in _EXPORT.finditer(text)]
    exports = [name[1] for name in names if name] + [
        line.strip() for line in ",".join(_EXPORT_LIST.findall(text)).split(",")
    ]
    body = _IMPORT.sub(_import_bindings, text)
    body = _EXPORT_LIST.sub("", _EXPORT.sub("", body))
    if (unsupported := _UNSUPPORTED.search(body)) is not None:
        raise ValueError(f"{path} has a line that cannot be bundled: {unsupported[0]}")
    exported = ", ".join(filter(None, exports))
    modules[path] = f"const {_module_variable(path)} = (() => {{\n{_minified(body)}\nreturn {{ {exported} }};\n}})();"
    if path == MAIN and exported:
        modules[path] += f"\nexport const {{ {exported} }} = {_module_variable(path)};"


def _import_bindings(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = {_module_variable(found[2])};"


def _module_variable(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path.removesuffix(".js"))


def _minified(text: str) -> str:
    """Remove comment lines and indentation; no string of the page spans lines."""
    return _INDENT.sub("", _COMMENT.sub("", text)).strip()
