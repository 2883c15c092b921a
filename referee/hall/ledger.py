"""The hall's ledger: penalties, reported and corrected results, and tournaments; a pure fold of entries.

An entry that comes twice counts once: it has a key. Nothing is ever removed: a penalty is withdrawn, a result
corrected, and what the table told stays.
"""

from dataclasses import dataclass, replace
from typing import Final

from referee.errors import ConfigError
from referee.hall.bodies import CorrectionBody, PenaltyBody, WithdrawalBody
from referee.hall.tournament import TOURNAMENT_ENTRY_KINDS as OF_TOURNAMENTS
from referee.hall.tournament import Tournament, apply_to_tournaments
from referee.plain_json import JsonObject

_ENTRY_KINDS: Final = ("penalty", "withdrawn", "result", "corrected", *OF_TOURNAMENTS)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The state after all entries: penalties by number, results by match, tournaments, and known keys."""

    penalties: tuple[JsonObject, ...] = ()
    results: tuple[JsonObject, ...] = ()
    tournaments: tuple[Tournament, ...] = ()
    keys: frozenset[str] = frozenset()

    def penalties_of(self, table: str) -> tuple[JsonObject, ...]:
        """Return the penalties of a table that were not withdrawn."""
        return tuple(penalty for penalty in self.penalties if penalty["table"] == table and not penalty["withdrawn"])

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
        numbered = {**entry, "match": match_of(entry["result"])}
        before = _find_result(ledger, numbered["match"])
        is_news = before is None or before["result"]["players"] != entry["result"]["players"]
        ledger = replace(ledger, results=_with_result(ledger.results, entry))
        return replace(ledger, tournaments=apply_to_tournaments(ledger.tournaments, numbered, is_news=is_news))
    if kind == "corrected":
        numbered = {
            **entry,
            "match": entry["match"] if "match" in entry else match_of(entry),
        }  # entries of older versions have no match id
        results = (
            {**result, "corrections": (*result["corrections"], numbered)}
            if match_of(result["result"]) == numbered["match"]
            else result
            for result in ledger.results
        )
        ledger, entry = replace(ledger, results=tuple(results)), numbered
    return replace(ledger, tournaments=apply_to_tournaments(ledger.tournaments, entry))


def _find_result(ledger: Ledger, match: str) -> JsonObject | None:
    return next((result for result in ledger.results if match_of(result["result"]) == match), None)


def match_of(result: JsonObject) -> str:
    """Return a match's id: device, journal and start time; the table's name may change."""
    return "/".join(str(result.get(key, "")) for key in ("device", "journal", "began_at"))


def _with_result(results: tuple[JsonObject, ...], entry: JsonObject) -> tuple[JsonObject, ...]:
    """Return the results with this one; an earlier report of the same match moves to its `earlier`."""
    match = match_of(entry["result"])
    if not any(match_of(result["result"]) == match for result in results):
        return (*results, {**entry, "corrections": (), "earlier": ()})
    return tuple(
        {**result, "result": entry["result"], "wall": entry["wall"], "earlier": (*result["earlier"], result["result"])}
        if match_of(result["result"]) == match
        else result
        for result in results
    )


def scores_of(result: JsonObject) -> tuple[int, ...]:
    """Return the totals that count, by seat: the last correction, else the table's report."""
    if result["corrections"]:
        return tuple(result["corrections"][-1]["scores"])
    return tuple(player["total"] for player in result["result"]["players"])


def penalty_entry(body: PenaltyBody, _ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the journal entry of a penalty."""
    texts = {key: getattr(body, key).strip() for key in ("key", "table", "player", "reason")}
    return {"kind": "penalty", "by": actor, "wall": wall, "points": body.points, **texts}


def withdrawal_entry(body: WithdrawalBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that withdraws a penalty; ConfigError if no such penalty is in force."""
    number = body.number
    if not any(penalty["number"] == number and not penalty["withdrawn"] for penalty in ledger.penalties):
        raise ConfigError(f"penalty {number} is unknown or withdrawn; see the list")
    return {"kind": "withdrawn", "key": f"withdrawn-{number}", "number": number, "by": actor, "wall": wall}


def result_entry(table: str, result: JsonObject, wall: str) -> JsonObject:
    """Return the entry of a result that a table reported."""
    key = f"result-{match_of(result)}-{result.get('sha256')}"
    return {"kind": "result", "key": key, "table": table, "result": result, "wall": wall}


def correction_entry(body: CorrectionBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that corrects a result; ConfigError if the match is unknown or the scores do not fit it."""
    match, scores = body.match.strip(), list(body.scores)
    found = _find_result(ledger, match)
    if found is None:
        raise ConfigError(f"no table reported a result of match {match}; see the list")
    players = len(found["result"]["players"])
    if len(scores) != players:
        raise ConfigError(f"'scores' is {scores!r:.40}; give a whole number for each of the {players} players")
    if sum(scores) and not sum(player["total"] for player in found["result"]["players"]):
        raise ConfigError(f"the scores {scores} sum to {sum(scores)}; they must sum to 0")
    texts = {"key": body.key.strip(), "reason": body.reason.strip(), "match": match}
    return {"kind": "corrected", "by": actor, "wall": wall, "scores": scores, **texts}
