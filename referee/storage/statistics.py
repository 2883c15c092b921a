"""Statistics over evenings: one row a seat of every match that was finished, in SQLite in the state folder.

A match is written once, when it is over, so the card is not worn. All rows can be made again from the journals that are
kept. A deleted player's rows lose the name and keep their place, so that making them again does not bring it back.
"""

import csv
import io
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from referee.errors import StorageError
from referee.files import hand_over, make_folder
from referee.game.endgame.score_sheet import safe_cell
from referee.game.player_names import tidy_name
from referee.game.story import PlayerStory, Story, stories
from referee.storage.journal import events_in, journal_id, journals, read_steps

FILE: Final = "statistics.sqlite"
_VERSION: Final = 1
_WAIT_SECONDS: Final = 5.0
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS matches (
    id TEXT PRIMARY KEY, journal TEXT NOT NULL, number INTEGER NOT NULL, began TEXT NOT NULL, edition TEXT NOT NULL,
    format TEXT NOT NULL, games INTEGER NOT NULL, turns INTEGER NOT NULL, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS seats (
    match TEXT NOT NULL REFERENCES matches (id), seat INTEGER NOT NULL, player TEXT, games_won INTEGER NOT NULL,
    score INTEGER, place INTEGER, turns INTEGER NOT NULL, seconds REAL NOT NULL, tiles INTEGER NOT NULL,
    draws INTEGER NOT NULL, penalties INTEGER NOT NULL, longest_turn REAL NOT NULL, longest_play INTEGER NOT NULL,
    longest_run INTEGER NOT NULL, openings INTEGER NOT NULL, opening_points INTEGER NOT NULL,
    PRIMARY KEY (match, seat)) WITHOUT ROWID;
"""
_SUMS: Final = """
SELECT s.player, COUNT(*) AS matches, SUM(s.place = 1) AS matches_won, SUM(s.games_won) AS games_won,
    SUM(m.games) AS games, SUM(s.score) AS score, SUM(s.turns) AS turns, ROUND(SUM(s.seconds), 1) AS seconds,
    SUM(s.tiles) AS tiles, SUM(s.draws) AS draws, SUM(s.penalties) AS penalties, MAX(s.longest_turn) AS longest_turn,
    MAX(s.longest_play) AS longest_play, MAX(s.longest_run) AS longest_run, SUM(s.openings) AS openings,
    SUM(s.opening_points) AS opening_points, MAX(m.began) AS last_played
FROM seats s JOIN matches m ON m.id = s.match WHERE s.player IS NOT NULL AND m.turns > 0 GROUP BY s.player
"""
_SEATS: Final = "SELECT * FROM seats WHERE match = ? ORDER BY seat"
_NAMES: Final = "SELECT DISTINCT player FROM seats WHERE player NOT NULL"
_FORGET: Final = "UPDATE seats SET player = NULL WHERE player = ?"
_MATCH: Final = "INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SEAT: Final = "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SUMMED: Final = ("matches", "matches_won", "games", "games_won", "turns", "tiles", "draws", "penalties", "openings")
COLUMNS: Final = (
    "player", "matches", "matches_won", "games", "games_won", "score", "turns", "seconds", "mean_turn", "longest_turn",
    "tiles", "tiles_a_turn", "longest_play", "longest_run", "openings", "mean_opening", "draws", "penalties",
    "last_played",
)  # fmt: skip
"""The columns of a player's statistics, in order."""

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """A match that was finished: where its journal is and which match of it, when it began, who played, who won."""

    journal: str
    number: int
    began: str
    edition: str
    games: int
    turns: int
    players: tuple[str | None, ...]
    winners: tuple[str, ...]


class Statistics:
    """The statistics of a state folder; every call opens and closes the file."""

    def __init__(self, folder: Path) -> None:
        """Use the file in this folder; it is made when the first match is over."""
        self._path = folder / FILE
        self._folder = folder

    def keep(self, journal: Path, story: Story) -> None:
        """Write a finished match, or replace it; StorageError where it cannot be kept."""
        head = next(read_steps(journal)).step
        with self._open() as database:
            _write(database, journal, head, story)

    def rebuild(self) -> int:
        """Write every finished match of the journals that are kept, and give their number.

        A journal that is damaged is left out. Matches of journals that have gone stay as they were written.
        """
        kept = 0
        with self._open() as database:
            for journal in sorted(journals(self._folder)):
                try:
                    head = next(read_steps(journal)).step
                    finished = [story for story in stories(events_in(journal)) if story.ended_at is not None]
                except StorageError:
                    continue
                for story in finished:
                    _write(database, journal, head, story)
                kept += len(finished)
        return kept

    def players(self) -> Sequence[Plain]:
        """Return what is known of each player, by `COLUMNS`; who won most matches first."""
        if not self._path.is_file():
            return ()
        with self._open() as database:
            rows = [dict(row) for row in database.execute(_SUMS)]
        together: dict[str, Plain] = {}
        for row in sorted(rows, key=lambda row: str(row["last_played"])):  # a name's spelling is that of the last time
            key = row["player"].casefold()
            together[key] = _joined(together[key], row) if key in together else row
        return sorted(map(_with_means, together.values()), key=_standing)

    def evenings(self, most: int = 200) -> Sequence[Evening]:
        """List the finished matches whose journals are still there, the newest first."""
        if not self._path.is_file():
            return ()
        with self._open() as database:
            matches = list(database.execute("SELECT * FROM matches ORDER BY began DESC, id DESC LIMIT ?", (most,)))
            kept = [match for match in matches if (self._folder / match["journal"]).is_file()]
            return [_evening(match, list(database.execute(_SEATS, (match["id"],)))) for match in kept]

    def delete(self, name: str) -> int:
        """Remove a name from every match and return the number of matches; the journals keep it."""
        if not self._path.is_file():
            return 0
        with self._open() as database:
            named = {row["player"] for row in database.execute(_NAMES)}
            wanted = [(one,) for one in named if one.casefold() == tidy_name(name).casefold()]
            return sum(database.execute(_FORGET, one).rowcount for one in wanted)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Return the database inside one transaction; StorageError where the file cannot be used."""
        fresh = not self._path.exists()
        try:
            make_folder(self._folder)
            with closing(sqlite3.connect(self._path, timeout=_WAIT_SECONDS)) as database, database:
                database.row_factory = sqlite3.Row
                if fresh or _version(database) == 0:
                    database.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_VERSION};")
                    hand_over(self._path)
                elif _version(database) != _VERSION:
                    raise StorageError(f"statistics {self._path} are of a newer version; update the referee")
                yield database
        except (sqlite3.Error, OSError) as error:
            full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
            way_out = "free some space" if full else "move the file away"
            raise StorageError(
                f"statistics {self._path} cannot be used ({error}); {way_out}, then: referee stats --rebuild"
            ) from None


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _write(database: sqlite3.Connection, journal: Path, head: Mapping[str, Any], story: Story) -> None:
    """Write a match; a seat whose name was deleted stays without one."""
    key = f"{journal_id(journal, head)}.{story.number}"
    gone = {
        row["seat"] for row in database.execute("SELECT seat FROM seats WHERE match = ? AND player IS NULL", (key,))
    }
    seconds = round((story.ended_at or story.began_at) - story.began_at, 1)
    match = (key, journal.name, story.number, _began(head, story), story.edition, story.format)
    database.execute(_MATCH, (*match, story.games, len(story.turns), seconds))
    for player in story.players:
        name = None if player.seat in gone else player.name
        database.execute(_SEAT, (key, *_seat(player, name)))


def _seat(player: PlayerStory, name: str | None) -> tuple[object, ...]:
    points = [points for _, _, points in player.openings]
    return (
        *(player.seat, name, player.games_won, player.score, player.place, player.turns, player.seconds, player.tiles),
        *(player.draws, player.penalties, player.longest_turn, len(player.longest_play), len(player.longest_run)),
        *(len(points), sum(points)),
    )


def _began(head: Mapping[str, Any], story: Story) -> str:
    """Return when a match began: when its journal did, and the time played since."""
    try:
        begun = datetime.fromisoformat(str(head.get("begun", "")))
        return (begun + timedelta(seconds=story.began_at)).isoformat(timespec="seconds")
    except (ValueError, OverflowError):  # written by hand, or before journals had a time
        return ""


def _joined(one: Plain, other: Plain) -> Plain:
    """Put two spellings of one name together, as the second writes it."""
    longest = {key: max(one[key], other[key]) for key in ("longest_turn", "longest_play", "longest_run")}
    sums = {key: (one[key] or 0) + (other[key] or 0) for key in (*_SUMMED, "seconds", "opening_points")}
    scores = [score for score in (one["score"], other["score"]) if score is not None]
    return {**other, **longest, **sums, "score": sum(scores) if scores else None}


def _with_means(row: Plain) -> Plain:
    turns, openings = row["turns"], row["openings"]
    means = {
        "mean_turn": round(row["seconds"] / turns, 1) if turns else None,
        "tiles_a_turn": round(row["tiles"] / turns, 2) if turns else None,
        "mean_opening": round(row["opening_points"] / openings, 1) if openings else None,
        "matches_won": row["matches_won"] or 0,
    }
    return {key: {**row, **means}[key] for key in COLUMNS}


def _standing(row: Plain) -> tuple[object, ...]:
    return -row["matches_won"], -row["games_won"], -(row["score"] or 0), row["player"].casefold()


def _evening(match: sqlite3.Row, seats: Sequence[sqlite3.Row]) -> Evening:
    return Evening(
        journal=match["journal"],
        number=match["number"],
        began=match["began"],
        edition=match["edition"],
        games=match["games"],
        turns=match["turns"],
        players=tuple(seat["player"] for seat in seats),
        winners=tuple(seat["player"] for seat in seats if seat["place"] == 1 and seat["player"] is not None),
    )


def format_csv(players: Sequence[Mapping[str, Any]]) -> str:
    """Write the players as a table for a spreadsheet."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for row in players:
        table.writerow([safe_cell(row["player"]), *(row[key] for key in COLUMNS[1:])])
    return text.getvalue()
