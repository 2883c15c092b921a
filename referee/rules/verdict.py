"""Verdicts: legal, illegal with every violation, or undecided; values, never exceptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, TypeVar

from referee.rules.tiles import Tile
from referee.rules.wording import Message


@unique
class Fault(StrEnum):
    """What can be wrong with a turn; `docs/rules.md` says when each applies."""

    TILE_TAKEN = "tile_taken"
    LOOSE_TILE = "loose_tile"
    NOT_A_SET = "not_a_set"
    NOTHING_PLAYED = "nothing_played"
    TABLE_USED_BEFORE_OPENING = "table_used_before_opening"
    INITIAL_MELD_TOO_LOW = "initial_meld_too_low"
    JOKER_NOT_REPLACED = "joker_not_replaced"
    JOKER_NOT_REPLACEABLE = "joker_not_replaceable"
    JOKER_FOR_JOKER = "joker_for_joker"
    IMPOSSIBLE_TILES = "impossible_tiles"


@unique
class Outcome(StrEnum):
    """Whether the player added tiles, or passed and so draws."""

    PLAYED = "played"
    NO_PLAY = "no_play"


@unique
class SetKind(StrEnum):
    """The three kinds of sets; a colour-change run is a run."""

    GROUP = "group"
    RUN = "run"
    MIRROR = "mirror"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One fault: where it is, the guilty tiles, and a sentence for the players."""

    fault: Fault
    set_index: int | None
    """The set it lies in, counted from 0 in the table after; None where it concerns no single one."""
    tiles: tuple[Tile, ...]
    said: Message

    @property
    def message(self) -> str:
        """The sentence in English, without its full stop."""
        return str(self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSet:
    """A set of the table after, with its preferred reading; kind and worth are None if it is none."""

    tiles: tuple[Tile, ...]
    kind: SetKind | None
    worth: int | None
    untidy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What every verdict tells."""

    outcome: Outcome
    played: tuple[Tile, ...]
    """The tiles the player added, in the order they lie on the table after."""
    meld: int | None
    """The worth of the sets made only of played tiles, of a player who had not opened; None for one who had."""
    sets: tuple[JudgedSet, ...]
    """The sets of the table after, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Legal(_Judged):
    """The turn was legal."""

    @property
    def violations(self) -> tuple[Violation, ...]:
        """None: a legal turn breaks no rule."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Illegal(_Judged):
    """The turn broke a rule; every violation is listed."""

    violations: tuple[Violation, ...]

    def __post_init__(self) -> None:
        """Refuse an accusation without a reason."""
        if not self.violations:
            raise ValueError("an illegal turn has at least one violation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided(_Judged):
    """The table cannot be as it was read: look again before judging."""

    unsure_of: tuple[Tile, ...]
    """The tiles to look at again."""
    violations: tuple[Violation, ...]
    """What was found all the same, the reason to look again among it."""


Verdict = Legal | Illegal | Undecided

VERDICT_NAMES: Final[Mapping[type[Verdict], str]] = {Legal: "legal", Illegal: "illegal", Undecided: "undecided"}

AnyVerdict = TypeVar("AnyVerdict", Legal, Illegal, Undecided)


def recast(verdict: Verdict, kind: Callable[..., AnyVerdict], **findings: object) -> AnyVerdict:
    """Return a verdict of another kind about the same turn, with the findings that this kind has besides."""
    return kind(outcome=verdict.outcome, played=verdict.played, meld=verdict.meld, sets=verdict.sets, **findings)
