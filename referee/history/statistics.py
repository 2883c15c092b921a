"""Statistics over evenings: one row per seat of every finished match, in SQLite in the state folder.

A match is written once, at its end, to spare the SD card. All rows can be rebuilt from the journals that are
stored. A deleted player's rows stay without the name, so that a rebuild does not bring it back.
"""

import csv
import io
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from referee.errors import StorageError
from referee.game.endgame.score_sheet import safe_cell
from referee.game.player_names import tidy_name
from referee.history.story import Story, ToldPlayer, stories
from referee.plain_json import JsonObject
from referee.rules.wording import say
from referee.storage.files import hand_over, make_folder
from referee.storage.journal import history_in, journal_id, list_journals, read_steps

STATISTICS_FILE: Final = "statistics.sqlite"
_VERSION: Final = 1
_LOCK_TIMEOUT_SECONDS: Final = 5.0
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
_SELECT_PLAYERS: Final = """
SELECT s.player, COUNT(*) AS matches, SUM(s.place = 1) AS matches_won, SUM(s.games_won) AS games_won,
    SUM(m.games) AS games, SUM(s.score) AS score, SUM(s.turns) AS turns, ROUND(SUM(s.seconds), 1) AS seconds,
    SUM(s.tiles) AS tiles, SUM(s.draws) AS draws, SUM(s.penalties) AS penalties, MAX(s.longest_turn) AS longest_turn,
    MAX(s.longest_play) AS longest_play, MAX(s.longest_run) AS longest_run, SUM(s.openings) AS openings,
    SUM(s.opening_points) AS opening_points, MAX(m.began) AS last_played
FROM seats s JOIN matches m ON m.id = s.match WHERE s.player IS NOT NULL AND m.turns > 0 GROUP BY s.player
"""
_SELECT_SEATS: Final = "SELECT * FROM seats WHERE match = ? ORDER BY seat"
_SELECT_NAMES: Final = "SELECT DISTINCT player FROM seats WHERE player NOT NULL"
_CLEAR_NAME: Final = "UPDATE seats SET player = NULL WHERE player = ?"
_INSERT_MATCH: Final = "INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_SEAT: Final = "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SUMMED_COLUMNS: Final = (
    "matches",
    "matches_won",
    "games",
    "games_won",
    "turns",
    "tiles",
    "draws",
    "penalties",
    "openings",
)
COLUMNS: Final = (
    "player", "matches", "matches_won", "games", "games_won", "score", "turns", "seconds", "mean_turn", "longest_turn",
    "tiles", "tiles_a_turn", "longest_play", "longest_run", "openings", "mean_opening", "draws", "penalties",
    "last_played",
)  # fmt: skip
"""The columns of a player's statistics, in order."""


class Evening(Struct, frozen=True, kw_only=True):
    """A finished match."""

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
        """Use the database in this folder; the first finished match creates it."""
        self._path = folder / STATISTICS_FILE
        self._folder = folder

    def keep(self, journal: Path, story: Story) -> None:
        """Insert or replace a finished match; StorageError if the disk refuses it."""
        head = next(read_steps(journal)).step
        with self._open() as database:
            _write(database, journal, head, story)

    def rebuild(self) -> int:
        """Insert or replace the finished matches of all stored journals; return their number.

        Damaged journals are skipped. Matches of deleted journals stay as they are.
        """
        count = 0
        with self._open() as database:
            for journal in reversed(tuple(list_journals(self._folder))):
                try:
                    head = next(read_steps(journal)).step
                    finished = [story for story in stories(history_in(journal)) if story.ended_at is not None]
                except StorageError:
                    continue
                for story in finished:
                    _write(database, journal, head, story)
                count += len(finished)
        return count

    def players(self) -> Sequence[JsonObject]:
        """Return one object per player with the keys `COLUMNS`, most matches won first."""
        if not self._path.is_file():
            return ()
        with self._open() as database:
            rows = [dict(row) for row in database.execute(_SELECT_PLAYERS)]
        players: dict[str, JsonObject] = {}
        for row in sorted(rows, key=lambda row: str(row["last_played"])):  # the last spelling of a name counts
            key = row["player"].casefold()
            players[key] = _merge_rows(players[key], row) if key in players else row
        return sorted(map(_with_means, players.values()), key=_rank_key)

    def evenings(self, limit: int = 200) -> Sequence[Evening]:
        """Return up to `limit` finished matches whose journals still exist, newest first."""
        if not self._path.is_file():
            return ()
        with self._open() as database:
            matches = list(database.execute("SELECT * FROM matches ORDER BY began DESC, id DESC LIMIT ?", (limit,)))
            available = [match for match in matches if (self._folder / match["journal"]).is_file()]
            return [_evening(match, list(database.execute(_SELECT_SEATS, (match["id"],)))) for match in available]

    def delete(self, name: str) -> int:
        """Remove a name from every match; return the number of matches. The journals keep the name."""
        if not self._path.is_file():
            return 0
        with self._open() as database:
            named = {row["player"] for row in database.execute(_SELECT_NAMES)}
            wanted = [(known_name,) for known_name in named if known_name.casefold() == tidy_name(name).casefold()]
            return sum(database.execute(_CLEAR_NAME, parameters).rowcount for parameters in wanted)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the database for one transaction; StorageError if the file cannot be used."""
        fresh = not self._path.exists()
        try:
            make_folder(self._folder)
            with closing(sqlite3.connect(self._path, timeout=_LOCK_TIMEOUT_SECONDS)) as database, database:
                database.row_factory = sqlite3.Row
                if fresh or _version(database) == 0:
                    database.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_VERSION};")
                    hand_over(self._path)
                elif _version(database) != _VERSION:
                    text = say(
                        "statistics.newer",
                        "statistics {path} are of a newer version; update the referee",
                        path=str(self._path),
                    )
                    raise StorageError(text)
                yield database
        except (sqlite3.Error, OSError) as error:
            full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
            space, away = say("statistics.space", "free some space"), say("statistics.away", "move the file away")
            unusable = say(
                "statistics.unusable",
                "statistics {path} cannot be used ({why}); {way_out}, then: referee stats --rebuild",
                path=str(self._path),
                why=str(error),
                way_out=space if full else away,
            )
            raise StorageError(unusable) from None


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _write(database: sqlite3.Connection, journal: Path, head: Mapping[str, Any], story: Story) -> None:
    """Insert or replace a match; a seat whose name was deleted stays without one."""
    key = f"{journal_id(journal, head)}.{story.number}"
    gone = {
        row["seat"] for row in database.execute("SELECT seat FROM seats WHERE match = ? AND player IS NULL", (key,))
    }
    seconds = round((story.ended_at or story.began_at) - story.began_at, 1)
    match = (key, journal.name, story.number, _start_time(head, story), story.edition, story.format)
    database.execute(_INSERT_MATCH, (*match, story.games, len(story.turns), seconds))
    for player in story.players:
        name = None if player.seat in gone else player.name
        database.execute(_INSERT_SEAT, (key, *_seat(player, name)))


def _seat(player: ToldPlayer, name: str | None) -> tuple[object, ...]:
    points = [points for _, _, points in player.openings]
    return (
        *(player.seat, name, player.games_won, player.score, player.place, player.turns, player.seconds, player.tiles),
        *(player.draws, player.penalties, player.longest_turn, len(player.longest_play), len(player.longest_run)),
        *(len(points), sum(points)),
    )


def _start_time(head: Mapping[str, Any], story: Story) -> str:
    """Return a match's start as ISO time: the journal's start plus the time played before the match."""
    try:
        begun = datetime.fromisoformat(str(head.get("begun", "")))
        return (begun + timedelta(seconds=story.began_at)).isoformat(timespec="seconds")
    except (ValueError, OverflowError):  # changed by hand, or of a journal without a start time
        return ""


def _merge_rows(one: JsonObject, other: JsonObject) -> JsonObject:
    """Merge the rows of two spellings of a name; the second spelling counts."""
    longest = {key: max(one[key], other[key]) for key in ("longest_turn", "longest_play", "longest_run")}
    sums = {key: (one[key] or 0) + (other[key] or 0) for key in (*_SUMMED_COLUMNS, "seconds", "opening_points")}
    scores = [score for score in (one["score"], other["score"]) if score is not None]
    return {**other, **longest, **sums, "score": sum(scores) if scores else None}


def _with_means(row: JsonObject) -> JsonObject:
    turns, openings = row["turns"], row["openings"]
    means = {
        "mean_turn": round(row["seconds"] / turns, 1) if turns else None,
        "tiles_a_turn": round(row["tiles"] / turns, 2) if turns else None,
        "mean_opening": round(row["opening_points"] / openings, 1) if openings else None,
        "matches_won": row["matches_won"] or 0,
    }
    return {key: {**row, **means}[key] for key in COLUMNS}


def _rank_key(row: JsonObject) -> tuple[object, ...]:
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
    """Return the players as CSV."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for row in players:
        table.writerow([safe_cell(row["player"]), *(row[key] for key in COLUMNS[1:])])
    return text.getvalue()
