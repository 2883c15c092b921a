"""The page's texts, a file a language, made of its catalogue when a phone first asks for it."""

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from referee.language.catalogue import catalogue, languages
from referee.web.api.page_files import TYPES, Asset, make_asset

_NOT_ON_PAGE: Final = ("card.", "claim.", "console.", "event.", "lamp.", "proposal_ended.", "verdict_word.", "where.")
"""What the console and the printed cards say, and the page never does."""


def with_languages(assets: Mapping[str, Asset], page: str = "index.html") -> Mapping[str, Asset]:
    """Return the files with the page telling which languages there are, so that it asks for none in vain."""
    html = assets[page].content.decode().replace("<html ", f'<html data-languages="{" ".join(languages())}" ', 1)
    return MappingProxyType({**assets, page: make_asset(assets[page].kind, html.encode())})


@cache
def page_text(path: str) -> Asset | None:
    """Return `text/de.json`: every text of the page, its plurals in a list, and which of them a number takes.

    `text/hall/de.json` holds the texts of the hall's wall too.
    """
    folder, _, name = path.rpartition("/")
    code, _, kind = name.partition(".")
    if folder not in {"text", "text/hall"} or kind != "json" or code not in languages():
        return None
    elsewhere = _NOT_ON_PAGE if folder == "text/hall" else (*_NOT_ON_PAGE, "hall.")
    read = catalogue(code)
    texts = {
        id_: forms if forms[1:] else forms[0] for id_, forms in read.texts.items() if not id_.startswith(elsewhere)
    }
    known = [[one.code, one.name, one.reviewed] for one in languages().values()]
    content = {"language": code, "languages": known, "plural": read.plurals, "texts": texts}
    return make_asset(TYPES["json"], json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())
