"""A verdict as plain values under the keys that other programs rely on."""

from referee.rules.tiles import Tile
from referee.rules.verdict import VERDICT_NAMES, JudgedSet, Verdict, Violation

Answer = dict[str, object]


def answer(verdict: Verdict) -> Answer:
    """Return the verdict as JSON values."""
    return {
        "verdict": VERDICT_NAMES[type(verdict)],
        "outcome": verdict.outcome.value,
        "faults": [_fault(violation) for violation in verdict.violations],
        "played": _written(verdict.played),
        "meld": verdict.meld,
        "sets": [_set(judged) for judged in verdict.sets],
    }


def _fault(violation: Violation) -> Answer:
    return {
        "fault": violation.fault.value,
        "set": violation.set_index,
        "tiles": _written(violation.tiles),
        "message": violation.message,
    }


def _set(judged: JudgedSet) -> Answer:
    return {
        "tiles": _written(judged.tiles),
        "kind": None if judged.kind is None else judged.kind.value,
        "worth": judged.worth,
        "untidy": judged.untidy,
    }


def _written(tiles: tuple[Tile, ...]) -> list[str]:
    return list(map(str, tiles))
