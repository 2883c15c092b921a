"""A reader of gettext catalogues in source form, so that no compiled file is needed."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PoFile:
    """A parsed file: the comments at its top, its header, and for each id its singular and plurals."""

    comments: Mapping[str, str]
    header: Mapping[str, str]
    texts: Mapping[str, tuple[str, ...]]


def parse_po(text: str) -> PoFile:
    """Parse a catalogue whose `msgctxt` is the id; fuzzy, obsolete and untranslated entries are skipped."""
    texts: dict[str, tuple[str, ...]] = {}
    header = ""
    for entry in _entries(text):
        forms = tuple(text for key, text in sorted(entry.items()) if key.startswith("msgstr"))
        if "msgctxt" in entry and all(forms):
            texts[entry["msgctxt"]] = forms
        elif entry.get("msgid") == "":
            header = forms[0]
    top = text.partition("\n\n")[0]
    return PoFile(_pairs(line.removeprefix("# ") for line in top.splitlines()), _pairs(header.splitlines()), texts)


def parse_comments(text: str) -> Mapping[str, str]:
    """Parse only the comments at the top of a catalogue."""
    return _pairs(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))


def _entries(text: str) -> Iterator[Mapping[str, str]]:
    """Yield each entry as a mapping from keyword to text."""
    for block in text.split("\n\n"):
        entry: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#"):
                if line.startswith("#,") and "fuzzy" in line and "msgctxt" in block:
                    break
                continue
            word, _, quoted = line.partition(" ") if not line.startswith('"') else (keyword, "", line)
            keyword = word
            entry[keyword] = entry.get(keyword, "") + json.loads(quoted)  # PO's escapes are a subset of JSON's
        else:
            yield entry


def _pairs(lines: Iterator[str] | list[str]) -> Mapping[str, str]:
    return {key: value for key, colon, value in (line.partition(": ") for line in lines) if colon}
