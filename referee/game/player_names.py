"""Players' names: what may be one, wherever it is given."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from referee.rules.wording import Message, say

LONGEST_NAME: Final = 40
MAX_PLAYERS: Final = 6
_JOINERS: Final = frozenset("\u200c\u200d")
"""They join the parts of one emoji, or keep letters apart in Persian, and stand between two other characters."""
_EMOJI: Final = range(0x1F000, 0x20000)
_TAGS: Final = range(0xE0020, 0xE0080)
"""They follow a black flag and say whose it is."""


def tidy_name(name: str) -> str:
    """Return the name in composed characters, without outer spaces, with single inner ones."""
    return " ".join(part for part in unicodedata.normalize("NFC", name).split(" ") if part)


def wrong_with_name(name: str) -> Message | None:
    """Return what is wrong with a tidy name, to follow it in a sentence; None if nothing is."""
    if any(not _may_stand(character) for character in name):
        return say("names.hidden", "has a character that cannot be shown; leave it out")
    if not any(_is_seen(character) for character in name):
        return say("names.nothing", "shows nothing; give a name")
    if len(name) > LONGEST_NAME:
        return say("names.long", "is too long; {most} characters are the most", most=LONGEST_NAME)
    if name[0] in _JOINERS or name[-1] in _JOINERS:
        return say("names.joiner", "begins or ends with a joiner that cannot be seen; leave it out")
    return None


def wrong_with_names(names: Iterable[str]) -> Message | None:
    """Return what is wrong with the tidy names of a match, to be filled with their `value`; None if nothing is."""
    given = tuple(names)
    for name in given:
        wrong = wrong_with_name(name)
        if wrong is not None:
            return say("names.wrong", "{value} holds {name}, which {wrong}", name=_shown(name), wrong=wrong)
    if not 2 <= len(given) <= MAX_PLAYERS or len({name.casefold() for name in given}) != len(given):
        return say("names.different", "{value} must be two to six different names")
    return None


def _may_stand(character: str) -> bool:
    young = ord(character) in _EMOJI  # it may be younger than this Python, which then takes it for nothing
    return character.isprintable() or character in _JOINERS or ord(character) in _TAGS or young


def _is_seen(character: str) -> bool:
    return character not in _JOINERS and ord(character) not in _TAGS and unicodedata.category(character)[0] not in "MZ"


def _shown(name: str) -> str:
    text = ascii(name) if any(not _may_stand(character) for character in name) else repr(name)
    return text if len(text) <= LONGEST_NAME + 2 else f"{text[:LONGEST_NAME]}…"
