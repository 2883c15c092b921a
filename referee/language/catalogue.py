"""Message catalogues: plurals, lists and letters of tile colours in each language."""

import gettext
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from referee.errors import ConfigError
from referee.language.po import parse_comments, parse_po
from referee.rules.tiles import Joker, NumberTile, Tile
from referee.rules.wording import Message, Text, TileRow, Value, joker_name, render_text, way_out

ENGLISH: Final = "en"
_COLOUR_IDS: Final = MappingProxyType({"K": "black", "R": "red", "B": "blue", "O": "orange"})
_PLURAL_TABLE_SIZE: Final = 200  # every plural rule repeats after 100
Decorate = Callable[[Message, str], str]


@dataclass(frozen=True, slots=True)
class Language:
    """A language with a catalogue: its code, its own name, and whether a native speaker has reviewed it."""

    code: str
    name: str
    reviewed: bool


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A language's texts by id: one text, or singular and plurals; `plural` returns the index for a number."""

    language: str
    texts: Mapping[str, tuple[str, ...]]
    plural: Callable[[int], int]

    def say(self, text: Text | Message, decorate: Decorate | None = None) -> str:
        """Return a text in this language; `decorate` may change nested messages, such as their colour."""
        return render_text(text if isinstance(text, tuple) else (text,), lambda part: self._format(part, decorate))

    def _format(self, part: TileRow | Message, decorate: Decorate | None) -> str:
        if isinstance(part, TileRow):
            return " ".join("?" if tile is None else self._format_tile(tile) for tile in part.tiles)
        values = dict(part.values)
        forms = self.texts.get(part.id, (part.english,))
        count = values.get("count")
        form = forms[self.plural(count)] if len(forms) > 1 and isinstance(count, int) else forms[0]
        text = form.format_map({gap: self._format_value(value, decorate) for gap, value in part.values})
        return text if decorate is None else decorate(part, text)

    def _format_value(self, value: Value, decorate: Decorate | None) -> str:
        if isinstance(value, tuple):
            return self._join([self._format_item(item, decorate) for item in value])
        return self._format_item(value, decorate)

    def _format_item(self, value: object, decorate: Decorate | None) -> str:
        if isinstance(value, Message | TileRow):
            return self._format(value, decorate)
        if isinstance(value, Joker):
            return self._format(joker_name(value), decorate)
        return self._format_tile(value) if isinstance(value, NumberTile) else str(value)

    def _join(self, items: list[str]) -> str:
        if len(items) < 2:
            return "".join(items)
        both = self.texts.get("list.and", ("{first} and {last}",))[0]
        return both.format(first=", ".join(items[:-1]), last=items[-1])

    def _format_tile(self, tile: Tile) -> str:
        if not isinstance(tile, NumberTile):
            return str(tile)
        letter = self.texts.get(f"letter.{_COLOUR_IDS[tile.colour.letter]}", (tile.colour.letter,))[0]
        return f"{letter}{tile.number}"

    @property
    def plurals(self) -> str:
        """The plural index of each number from 0 to 199, one digit each; larger numbers repeat those of 100 to 199."""
        return "".join(str(int(self.plural(count))) for count in range(_PLURAL_TABLE_SIZE))


@cache
def languages() -> Mapping[str, Language]:
    """Return every language that has a catalogue, by code, English first."""
    found = {}
    for file in files("referee.language").iterdir():
        code, dot, kind = file.name.partition(".")
        if dot and kind == "po":
            with file.open("r", encoding="utf-8") as lines:
                remarks = parse_comments("".join(line for _, line in zip(range(5), lines, strict=False)))
            found[code] = Language(code, remarks["Language"], remarks["Read by a native speaker"] == "yes")
    return MappingProxyType(dict(sorted(found.items(), key=lambda entry: (entry[0] != ENGLISH, entry[1].name))))


@cache
def catalogue(code: str = ENGLISH) -> Catalogue:
    """Return the catalogue of a language; ConfigError if there is none."""
    if code not in languages():
        raise ConfigError(f"language {code[:40]!r} is not known; {way_out(code, languages())}")
    read = parse_po(files("referee.language").joinpath(f"{code}.po").read_text("utf-8"))
    rule = read.header["Plural-Forms"].partition("plural=")[2].rstrip(";")
    return Catalogue(code, read.texts, gettext.c2py(rule))
