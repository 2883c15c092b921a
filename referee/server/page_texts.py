"""The page's texts: one JSON file per language, made from its catalogue at the first request."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from referee.language.catalogue import catalogue, languages
from referee.plain_json import json_bytes
from referee.server.page_files import MEDIA_TYPES, Asset, make_asset

_SKIPPED_PREFIXES: Final = (
    "card.",
    "claim.",
    "console.",
    "event.",
    "lamp.",
    "proposal_ended.",
    "verdict_word.",
    "where.",
)
"""What the console and the printed cards say, and the page never does."""
_HALL_PREFIXES: Final = (
    *("board.", "entrants.", "hall.", "hall_events.", "hall_file.", "penalty.", "result.", "round.", "rounds."),
    *("scores.", "tournament.", "won."),
)
"""What only a hall says."""
_SETUP_PREFIXES: Final = ("guide.", "see.", "step.")


def with_languages(assets: Mapping[str, Asset], page: str = "index.html") -> Mapping[str, Asset]:
    """Return the files with the list of languages inserted in the page."""
    html = assets[page].content.decode().replace("<html ", f'<html data-languages="{" ".join(languages())}" ', 1)
    return MappingProxyType({**assets, page: make_asset(assets[page].kind, html.encode())})


@cache
def page_text(path: str) -> Asset | None:
    """Return a file such as `text/de.json`: the page's texts, plurals as lists, and the plural rule as a table.

    `text/hall/de.json` also has the texts of the hall's wall; `text/setup/de.json` has what only the setup says.
    """
    folder, _, name = path.rpartition("/")
    code, _, kind = name.partition(".")
    if folder not in {"text", "text/hall", "text/setup"} or kind != "json" or code not in languages():
        return None
    elsewhere = _SKIPPED_PREFIXES if folder == "text/hall" else (*_SKIPPED_PREFIXES, *_HALL_PREFIXES)
    read = catalogue(code)
    texts = {
        id_: forms if forms[1:] else forms[0]
        for id_, forms in read.texts.items()
        if not id_.startswith(elsewhere) and _is_of_setup(id_) == (folder == "text/setup")
    }
    known = [[language.code, language.name, language.reviewed] for language in languages().values()]
    content = {"language": code, "languages": known, "plural": read.plurals, "texts": texts}
    return make_asset(MEDIA_TYPES["json"], json_bytes(content))


def _is_of_setup(id_: str) -> bool:
    """Return whether only the setup says it: its guides, or a setting's meaning, as `setting.camera.width.title`."""
    return id_.startswith(_SETUP_PREFIXES) or (id_.startswith("setting.") and id_.count(".") > 1)
