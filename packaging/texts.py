"""Keep the catalogues in step with the sources: python packaging/texts.py, from the repository root with `dev`.

English is written where it is said: in calls of `say` and `say_count`, in `referee/language/page.json` and `hall.json`,
and as the titles and descriptions of settings. Every catalogue gets what is new with no translation; one whose English
was changed is marked fuzzy, and is not used until somebody has read it again and taken the mark off.
"""

import argparse
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from referee.settings.sections import SETTINGS

ROOT = Path(__file__).parents[1]
CATALOGUES = ROOT / "referee" / "language"
PAGE = CATALOGUES / "page.json"
HALL = CATALOGUES / "hall.json"
_CALLS = {"say": ((1, "c"), 2), "say_count": ((1, "c"), 2, 3)}
Source = tuple[str, tuple[str, ...], str]  # an id, its English singular and plural, and the file


def sources() -> Iterator[Source]:
    """Give every message that is written in the sources."""
    for folder in ("referee", "calibration"):
        for file, _, english, _, id_ in extract_from_dir(ROOT / folder, [("**.py", "python")], {}, _CALLS):
            yield str(id_), (english,) if isinstance(english, str) else tuple(english), f"{folder}/{file}"
    for page in (PAGE, HALL):
        for id_, english in json.loads(page.read_text("utf-8")).items():
            forms = tuple(english) if isinstance(english, list) else (english,)
            yield id_, forms, f"referee/language/{page.name}"
    for section, part in SETTINGS.items():
        for key, setting in part.items():
            yield f"setting.{section}.{key}", (setting.description,), "referee/settings/sections.py"
            yield f"setting.{section}.{key}.title", (setting.title,), "referee/settings/sections.py"


@cache
def template() -> dict[str, tuple[tuple[str, ...], set[str]]]:
    """Give every id with its English and the files it stands in; ValueError where an id has two meanings."""
    found: dict[str, tuple[tuple[str, ...], set[str]]] = {}
    for id_, english, file in sources():
        known = found.setdefault(id_, (english, set()))
        if known[0] != english:
            raise ValueError(f"message {id_} is {known[0]} in {known[1]}, and {english} in {file}; take another id")
        known[1].add(file)
    return dict(sorted(found.items()))


def updated(file: Path) -> str:
    """Give a catalogue as it has to be."""
    code = file.stem
    old = read_po(io.BytesIO(file.read_bytes()), locale=code)
    new = Catalog(locale=code, project="rummikub-referee", header_comment=old.header_comment, fuzzy=False)
    known = {message.context: message for message in old if message.context}
    for id_, (english, files) in template().items():
        new.add(english if english[1:] else english[0], context=id_, locations=[(one, 0) for one in sorted(files)])
        message = new.get(english[0], id_)
        if message is None:
            raise AssertionError(id_)
        message.string = english if code == "en" and english[1:] else english[0] if code == "en" else ""
        if code != "en" and id_ in known:
            _take_over(message, known[id_], new.num_plurals)
    written = io.BytesIO()
    write_po(written, new, width=0, include_lineno=False)
    return "".join(line for line in written.getvalue().decode().splitlines(keepends=True) if not _is_noise(line))


def _take_over(message: Message, old: Any, forms: int) -> None:
    """Keep a translation; it is fuzzy where the English, or whether it is counted, has changed."""
    same = old.id == message.id
    message.string = (
        old.string if old.pluralizable == message.pluralizable else (("",) * forms if message.pluralizable else "")
    )
    message.flags = set(old.flags) & {"fuzzy"} if same else {"fuzzy"}


def _is_noise(line: str) -> bool:
    """Tell whether a line of the header says nothing: dates that change with each run, names nobody filled in."""
    return line.startswith(
        (
            '"POT-Creation-Date',
            '"PO-Revision-Date',
            '"Generated-By',
            '"Report-Msgid',
            '"Last-Translator',
            '"Language-Team',
            '"Project-Id-Version',
        )
    )


def main() -> None:
    """Write every catalogue anew."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0]).parse_args()
    for file in sorted(CATALOGUES.glob("*.po")):
        text = updated(file)
        changed = text != file.read_text("utf-8")
        file.write_text(text, "utf-8")
        lacking = sum(
            1
            for message in read_po(io.BytesIO(text.encode()))
            if message.id and (message.fuzzy or not all(_forms(message)))
        )
        print(f"{file.name}: {'written' if changed else 'as it was'}, {lacking} to translate or to read again")


def _forms(message: Message) -> tuple[str, ...]:
    string = message.string
    return (string or "",) if isinstance(string, str | None) else tuple(one or "" for one in string)


if __name__ == "__main__":
    main()
