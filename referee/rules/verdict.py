"""Verdicts: legal, illegal with every violation, or undecided; values, never exceptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, Literal, TypeVar

from referee.rules.tiles import Tile
from referee.rules.wording import Message


@unique
class Fault(StrEnum):
    """The kinds of faults of a turn; `docs/rules.md` defines them."""

    TILE_TAKEN = "tile_taken"
    LOOSE_TILE = "loose_tile"
    NOT_A_SET = "not_a_set"
    NOTHING_PLAYED = "nothing_played"
    TABLE_USED_BEFORE_OPENING = "table_used_before_opening"
    INITIAL_MELD_TOO_LOW = "initial_meld_too_low"
    JOKER_NOT_REPLACED = "joker_not_replaced"
    JOKER_NOT_REPLACEABLE = "joker_not_replaceable"
    JOKER_FOR_JOKER = "joker_for_joker"
    FREED_JOKER_IN_OLD_SET = "freed_joker_in_old_set"
    SET_REARRANGED = "set_rearranged"
    IMPOSSIBLE_TILES = "impossible_tiles"


@unique
class Outcome(StrEnum):
    """Whether the player played tiles, or passed and so draws."""

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
    """One case of a fault: its set, the guilty tiles, and a message for the players."""

    fault: Fault
    set_index: int | None
    """The set it lies in, counted from 0 in the table after; None if it concerns no single one."""
    tiles: tuple[Tile, ...]
    wording: Message

    @property
    def message(self) -> str:
        """The message in English, without full stop."""
        return str(self.wording)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSet:
    """A set of the table after, with its preferred reading; kind and worth are None if it is no set."""

    tiles: tuple[Tile, ...]
    kind: SetKind | None
    worth: int | None
    untidy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _VerdictBase:
    """The fields of every verdict."""

    outcome: Outcome
    played: tuple[Tile, ...]
    """The tiles the player added, in the order they lie on the table after."""
    meld: int | None
    """The worth of the sets made only of played tiles, of a player who had not opened; None for one who had."""
    sets: tuple[JudgedSet, ...]
    """The sets of the table after, in its order."""

    @property
    def is_legal(self) -> bool:
        """Whether the turn is legal; an undecided one is not, yet."""
        return isinstance(self, Legal)

    def __bool__(self) -> bool:
        """Raise TypeError: an illegal verdict is no false one."""
        raise TypeError("a verdict is neither true nor false; ask verdict.is_legal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Legal(_VerdictBase):
    """The verdict on a legal turn."""

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Always empty."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Illegal(_VerdictBase):
    """The verdict on a turn that broke rules, with all violations."""

    violations: tuple[Violation, ...]

    def __post_init__(self) -> None:
        """Raise ValueError without a violation."""
        if not self.violations:
            raise ValueError("an illegal turn has at least one violation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided(_VerdictBase):
    """The verdict on an impossible or doubtful table: look again before judging."""

    doubtful_tiles: tuple[Tile, ...]
    """The tiles to look at again."""
    violations: tuple[Violation, ...]
    """What was found all the same, the reason to look again among it."""


Verdict = Legal | Illegal | Undecided

VerdictName = Literal["legal", "illegal", "undecided"]
VERDICT_NAMES: Final[Mapping[type[Verdict], VerdictName]] = {Legal: "legal", Illegal: "illegal", Undecided: "undecided"}

AnyVerdict = TypeVar("AnyVerdict", Legal, Illegal, Undecided)


def with_kind(verdict: Verdict, kind: Callable[..., AnyVerdict], **findings: object) -> AnyVerdict:
    """Return a verdict of another kind about the same turn; `findings` are that kind's additional fields."""
    return kind(outcome=verdict.outcome, played=verdict.played, meld=verdict.meld, sets=verdict.sets, **findings)
