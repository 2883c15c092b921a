"""The hall's ledger: penalties, reported and corrected results, and tournaments; a pure fold of entries.

An entry that comes twice counts once: it has a key. Nothing is ever removed: a penalty is withdrawn, a result
corrected, and what the table told stays.
"""

from dataclasses import dataclass, replace
from typing import Final

from msgspec import ValidationError, convert, to_builtins

from referee.errors import ConfigError, FieldError
from referee.hall.bodies import CorrectionBody, PenaltyBody, WithdrawalBody
from referee.hall.messages import Result
from referee.hall.tournament import TOURNAMENT_ENTRY_KINDS as OF_TOURNAMENTS
from referee.hall.tournament import Tournament, apply_to_tournaments, with_reported_result
from referee.plain_json import JsonObject
from referee.rules.wording import say

_ENTRY_KINDS: Final = ("penalty", "withdrawn", "result", "corrected", *OF_TOURNAMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A correction of a result, by seat; `won` counts the games won where they rank the players."""

    by: str
    wall: str
    reason: str
    scores: tuple[int, ...]
    won: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The result of a match: what its table told last, and before, and the corrections by hand."""

    match: str
    table: str
    told: Result
    wall: str
    corrections: tuple[Correction, ...] = ()
    earlier: tuple[Result, ...] = ()

    @property
    def scores(self) -> tuple[int, ...]:
        """The totals that count, by seat: the last correction, else the table's report."""
        return self.corrections[-1].scores if self.corrections else self.told.totals


@dataclass(frozen=True, slots=True)
class Ledger:
    """The state after all entries: penalties by number, results by match, tournaments, and known keys."""

    penalties: tuple[JsonObject, ...] = ()
    results: tuple[MatchResult, ...] = ()
    tournaments: tuple[Tournament, ...] = ()
    keys: frozenset[str] = frozenset()

    def penalties_of(self, table: str) -> tuple[JsonObject, ...]:
        """Return the penalties of a table that were not withdrawn."""
        return tuple(penalty for penalty in self.penalties if penalty["table"] == table and not penalty["withdrawn"])

    def result(self, match: str) -> MatchResult | None:
        """Return the result of a match; None if no table told it."""
        return next((result for result in self.results if result.match == match), None)

    def holds(self, key: str) -> bool:
        """Return whether the ledger has an entry with this key."""
        return key in self.keys


def apply_entry(ledger: Ledger, entry: JsonObject) -> Ledger:
    """Return the ledger after an entry; a repeated key or an unknown kind changes nothing."""
    key, kind = str(entry.get("key", "")), entry.get("kind")
    if kind not in _ENTRY_KINDS or ledger.holds(key):
        return ledger
    ledger = replace(ledger, keys=ledger.keys | {key})
    if kind == "penalty":
        numbered = {**entry, "number": len(ledger.penalties) + 1, "withdrawn": None}
        ledger = replace(ledger, penalties=(*ledger.penalties, numbered))
        return replace(ledger, tournaments=apply_to_tournaments(ledger.tournaments, numbered))
    if kind == "withdrawn":
        penalties = (
            {**penalty, "withdrawn": entry["by"]}
            if penalty["number"] == entry["number"] and not penalty["withdrawn"]
            else penalty
            for penalty in ledger.penalties
        )
        return replace(ledger, penalties=tuple(penalties))
    if kind == "result":
        return _with_result(ledger, entry)
    if kind == "corrected":
        entry = {"match": match_of(entry), **entry}  # entries of older versions have no match id
        ledger = _with_correction(ledger, entry)
    return replace(ledger, tournaments=apply_to_tournaments(ledger.tournaments, entry))


def match_of(result: JsonObject) -> str:
    """Return a match's id: device, journal and start time; the table's name may change."""
    return "/".join(str(result.get(key, "")) for key in ("device", "journal", "began_at"))


def _with_result(ledger: Ledger, entry: JsonObject) -> Ledger:
    """Return the ledger with a reported result; an earlier report of its match by this table moves to `earlier`.

    Another table's, with other scores, is a result beside it, so that no table can replace what another one told.
    """
    try:
        told = convert(entry["result"], Result)
    except ValidationError:
        return ledger  # an older version kept what cannot be one
    table, match = entry["table"], match_of(entry["result"])
    known = ledger.result(match)
    if known is not None and known.table != table:
        if known.told.players == told.players:
            return ledger  # the table has another name now
        match = f"{match}/{table}"
    before = ledger.result(match)
    if before is not None and len(before.told.players) != len(told.players):
        return ledger  # nobody joins or leaves a match that is over
    if before is None:
        results = (*ledger.results, MatchResult(match=match, table=table, told=told, wall=entry["wall"]))
    else:
        after = replace(before, told=told, wall=entry["wall"], earlier=(*before.earlier, before.told))
        results = tuple(after if result is before else result for result in ledger.results)
    ledger = replace(ledger, results=results)
    if before is not None and before.told.players == told.players:
        return ledger
    return replace(ledger, tournaments=with_reported_result(ledger.tournaments, match, table, told))


def _with_correction(ledger: Ledger, entry: JsonObject) -> Ledger:
    parts = {key: tuple(entry.get(key) or ()) for key in ("scores", "won")}
    correction = Correction(by=entry["by"], wall=entry["wall"], reason=entry["reason"], **parts)
    results = (
        replace(result, corrections=(*result.corrections, correction)) if result.match == entry["match"] else result
        for result in ledger.results
    )
    return replace(ledger, results=tuple(results))


def penalty_entry(body: PenaltyBody, _ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the journal entry of a penalty."""
    texts = {key: getattr(body, key).strip() for key in ("key", "table", "player", "reason")}
    return {"kind": "penalty", "by": actor, "wall": wall, "points": body.points, **texts}


def withdrawal_entry(body: WithdrawalBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that withdraws a penalty; ConfigError if no such penalty is in force."""
    number = body.number
    if not any(penalty["number"] == number and not penalty["withdrawn"] for penalty in ledger.penalties):
        raise ConfigError(
            say("penalty.unknown", "penalty {number} is unknown or withdrawn; see the list", number=number)
        )
    return {"kind": "withdrawn", "key": f"withdrawn-{number}", "number": number, "by": actor, "wall": wall}


def result_entry(table: str, result: Result, wall: str) -> JsonObject:
    """Return the entry of a result that a table reported."""
    told = to_builtins(result)
    key = f"result-{match_of(told)}-{result.sha256}"
    return {"kind": "result", "key": key, "table": table, "result": told, "wall": wall}


def correction_entry(body: CorrectionBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that corrects a result; ConfigError if the match is unknown or the scores do not fit it."""
    match, scores = body.match.strip(), list(body.scores)
    found = ledger.result(match)
    if found is None:
        raise ConfigError(
            say("result.unknown", "no table reported a result of match {match}; see the list", match=match)
        )
    players = len(found.told.players)
    if len(scores) != players:
        each = say("scores.players", "give a whole number for each of the {players} players", players=players)
        raise FieldError(each, "scores", f"'scores' is {scores!r:.40}")
    if sum(scores) and not sum(found.told.totals):
        message = say(
            "scores.sum", "the scores {scores} sum to {sum}; they must sum to 0", scores=str(scores), sum=sum(scores)
        )
        raise FieldError(message, "scores", str(message))
    texts = {"key": body.key.strip(), "reason": body.reason.strip(), "match": match}
    return {"kind": "corrected", "by": actor, "wall": wall, "scores": scores, **texts}
