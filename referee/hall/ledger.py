"""The hall's ledger: penalties, results as told and as corrected, and tournaments; a pure fold of entries.

An entry that comes twice counts once: it has a key. Nothing is ever removed: a penalty is withdrawn, a result
corrected, and what the table told stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from referee.errors import ConfigError
from referee.hall.bodies import Correction, Penalty, Withdrawal
from referee.hall.tournament import KINDS as OF_TOURNAMENTS
from referee.hall.tournament import Tournament, follow

Plain = Mapping[str, Any]
_KINDS: Final = ("penalty", "withdrawn", "result", "corrected", *OF_TOURNAMENTS)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All entries folded: penalties by number, results by match, tournaments, and the keys of what was entered."""

    penalties: tuple[Plain, ...] = ()
    results: tuple[Plain, ...] = ()
    tournaments: tuple[Tournament, ...] = ()
    keys: frozenset[str] = frozenset()

    def penalties_of(self, table: str) -> tuple[Plain, ...]:
        """Return the penalties of a table that hold."""
        return tuple(one for one in self.penalties if one["table"] == table and not one["withdrawn"])

    def holds(self, key: str) -> bool:
        """Return whether an entry was made already."""
        return key in self.keys


def enter(ledger: Ledger, entry: Plain) -> Ledger:
    """Return the ledger with one more entry; one that is known, or of an unknown kind, changes nothing."""
    key, kind = str(entry.get("key", "")), entry.get("kind")
    if kind not in _KINDS or ledger.holds(key):
        return ledger
    ledger = replace(ledger, keys=ledger.keys | {key})
    if kind == "penalty":
        said = {**entry, "number": len(ledger.penalties) + 1, "withdrawn": None}
        ledger = replace(ledger, penalties=(*ledger.penalties, said))
        return replace(ledger, tournaments=follow(ledger.tournaments, said))
    if kind == "withdrawn":
        penalties = (
            {**one, "withdrawn": entry["by"]} if one["number"] == entry["number"] and not one["withdrawn"] else one
            for one in ledger.penalties
        )
        return replace(ledger, penalties=tuple(penalties))
    if kind == "result":
        said = {**entry, "match": match_of(entry["result"])}
        before = _of_match(ledger, said["match"])
        is_news = before is None or before["result"]["players"] != entry["result"]["players"]
        ledger = replace(ledger, results=_told(ledger.results, entry))
        return replace(ledger, tournaments=follow(ledger.tournaments, said, is_news=is_news))
    if kind == "corrected":
        said = {**entry, "match": entry["match"] if "match" in entry else match_of(entry)}  # those of old name no match
        results = (
            {**one, "corrections": (*one["corrections"], said)} if match_of(one["result"]) == said["match"] else one
            for one in ledger.results
        )
        ledger, entry = replace(ledger, results=tuple(results)), said
    return replace(ledger, tournaments=follow(ledger.tournaments, entry))


def _of_match(ledger: Ledger, match: str) -> Plain | None:
    return next((one for one in ledger.results if match_of(one["result"]) == match), None)


def match_of(result: Plain) -> str:
    """Return the name of a result's match from device, journal and the time it began; a table may be renamed."""
    return "/".join(str(result.get(key, "")) for key in ("device", "journal", "began_at"))


def _told(results: tuple[Plain, ...], entry: Plain) -> tuple[Plain, ...]:
    """Return the results with one more; where the table tells a match anew, what it said before stays beside it."""
    match = match_of(entry["result"])
    if not any(match_of(one["result"]) == match for one in results):
        return (*results, {**entry, "corrections": (), "earlier": ()})
    return tuple(
        {**one, "result": entry["result"], "wall": entry["wall"], "earlier": (*one["earlier"], one["result"])}
        if match_of(one["result"]) == match
        else one
        for one in results
    )


def scores_of(result: Plain) -> tuple[int, ...]:
    """Return the totals that hold of a result, by seat: those corrected last, else those of the table."""
    if result["corrections"]:
        return tuple(result["corrections"][-1]["scores"])
    return tuple(player["total"] for player in result["result"]["players"])


def penalty(said: Penalty, _ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry of a penalty."""
    texts = {key: getattr(said, key).strip() for key in ("key", "table", "player", "reason")}
    return {"kind": "penalty", "by": by, "wall": wall, "points": said.points, **texts}


def withdrawal(said: Withdrawal, ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry that withdraws a penalty; ConfigError where there is no such penalty."""
    number = said.number
    if not any(one["number"] == number and not one["withdrawn"] for one in ledger.penalties):
        raise ConfigError(f"penalty {number} is unknown or withdrawn; see the list")
    return {"kind": "withdrawn", "key": f"withdrawn-{number}", "number": number, "by": by, "wall": wall}


def told_result(table: str, result: Plain, wall: str) -> Plain:
    """Return the entry of a result a table told."""
    key = f"result-{match_of(result)}-{result.get('sha256')}"
    return {"kind": "result", "key": key, "table": table, "result": result, "wall": wall}


def correction(said: Correction, ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry that corrects a result by hand; ConfigError where it cannot."""
    match, scores = said.match.strip(), list(said.scores)
    found = _of_match(ledger, match)
    if found is None:
        raise ConfigError(f"no table reported a result of match {match}; see the list")
    players = len(found["result"]["players"])
    if len(scores) != players:
        raise ConfigError(f"'scores' is {scores!r:.40}; give a whole number for each of the {players} players")
    if sum(scores) and not sum(player["total"] for player in found["result"]["players"]):
        raise ConfigError(f"the scores {scores} sum to {sum(scores)}; they must sum to 0")
    texts = {"key": said.key.strip(), "reason": said.reason.strip(), "match": match}
    return {"kind": "corrected", "by": by, "wall": wall, "scores": scores, **texts}
