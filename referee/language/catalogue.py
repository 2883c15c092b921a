"""Catalogues: messages in a language, with its plurals, its lists and its letters for tile colours."""

import gettext
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from referee.errors import ConfigError
from referee.language.po import parse_po, parse_remarks
from referee.rules.tiles import NumberTile, Tile
from referee.rules.wording import Message, Row, Text, Value, said_in, way_out

ENGLISH: Final = "en"
_COLOURS: Final = MappingProxyType({"K": "black", "R": "red", "B": "blue", "O": "orange"})
_PLURALS: Final = 200  # every plural rule repeats after 100
Dress = Callable[[Message, str], str]


@dataclass(frozen=True, slots=True)
class Language:
    """A language with a catalogue: its code, its own name, and whether a native speaker has reviewed it."""

    code: str
    name: str
    reviewed: bool


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of a language by their ids: a text alone, or its singular and plurals, of which `plural` chooses."""

    language: str
    texts: Mapping[str, tuple[str, ...]]
    plural: Callable[[int], int]

    def say(self, text: Text | Message, dress: Dress | None = None) -> str:
        """Say a text; `dress` may change how a message that stands in it is shown, such as its colour."""
        return said_in(text if isinstance(text, tuple) else (text,), lambda part: self._said(part, dress))

    def _said(self, part: Row | Message, dress: Dress | None) -> str:
        if isinstance(part, Row):
            return " ".join("?" if tile is None else self._tile(tile) for tile in part.tiles)
        values = dict(part.values)
        forms = self.texts.get(part.id, (part.english,))
        count = values.get("count")
        form = forms[self.plural(count)] if len(forms) > 1 and isinstance(count, int) else forms[0]
        said = form.format_map({gap: self._value(value, dress) for gap, value in part.values})
        return said if dress is None else dress(part, said)

    def _value(self, value: Value, dress: Dress | None) -> str:
        if isinstance(value, tuple):
            return self._listed([self._item(item, dress) for item in value])
        return self._item(value, dress)

    def _item(self, value: object, dress: Dress | None) -> str:
        if isinstance(value, Message | Row):
            return self._said(value, dress)
        return self._tile(value) if isinstance(value, NumberTile) else str(value)

    def _listed(self, items: list[str]) -> str:
        if len(items) < 2:
            return "".join(items)
        both = self.texts.get("list.and", ("{first} and {last}",))[0]
        return both.format(first=", ".join(items[:-1]), last=items[-1])

    def _tile(self, tile: Tile) -> str:
        if not isinstance(tile, NumberTile):
            return str(tile)
        letter = self.texts.get(f"letter.{_COLOURS[tile.colour.letter]}", (tile.colour.letter,))[0]
        return f"{letter}{tile.number}"

    @property
    def plurals(self) -> str:
        """Which plural each number from 0 to 199 takes, a digit each; from 200 on as the number 100 to 199 like it."""
        return "".join(str(int(self.plural(count))) for count in range(_PLURALS))


@cache
def languages() -> Mapping[str, Language]:
    """Return every language there is a catalogue of, English first."""
    found = {}
    for file in files("referee.language").iterdir():
        code, dot, kind = file.name.partition(".")
        if dot and kind == "po":
            with file.open("r", encoding="utf-8") as lines:
                remarks = parse_remarks("".join(line for _, line in zip(range(5), lines, strict=False)))
            found[code] = Language(code, remarks["Language"], remarks["Read by a native speaker"] == "yes")
    return MappingProxyType(dict(sorted(found.items(), key=lambda one: (one[0] != ENGLISH, one[1].name))))


@cache
def catalogue(code: str = ENGLISH) -> Catalogue:
    """Read the catalogue of a language; ConfigError where there is none."""
    if code not in languages():
        raise ConfigError(f"language {code[:40]!r} is not known; {way_out(code, languages())}")
    read = parse_po(files("referee.language").joinpath(f"{code}.po").read_text("utf-8"))
    rule = read.header["Plural-Forms"].partition("plural=")[2].rstrip(";")
    return Catalogue(code, read.texts, gettext.c2py(rule))
