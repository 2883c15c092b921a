"""The table as a page draws it: tiles with their doubts, sets with their state, jokers with their meaning."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, unique
from urllib.parse import quote

from referee.game.corrections.corrections import NO_CORRECTIONS, Corrections
from referee.reading.observation import UNTRACKED, TableReading, TileReading
from referee.rules.editions import RuleSet
from referee.rules.sets import preferred_reading
from referee.rules.tiles import Joker
from referee.web.view.json_values import JsonObject, quad_to_json
from referee.web.view.rows import Row
from referee.web.view.view_state import Named


@unique
class SetState(StrEnum):
    """How a set is drawn: green, amber with a question mark, amber, red."""

    OK = "ok"
    DOUBT = "doubt"
    UNFINISHED = "unfinished"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A reading with all that is said of it: its rows, those new and at fault, the tiles played, asked, corrected."""

    reading: TableReading
    rows: tuple[Row, ...]
    new: frozenset[int] = frozenset()
    accused: frozenset[int] = frozenset()
    """Rows that a verdict named, and which still lie there."""
    unfit: frozenset[int] = frozenset()
    """Rows at fault as the table lies now, which nobody was told."""
    played: frozenset[int] = frozenset()
    corrections: Corrections = NO_CORRECTIONS
    named: tuple[Named, ...] = ()


def key_of_picture(frame_id: str) -> str:
    """Write a frame's name so that it can stand in an address."""
    return quote(frame_id, safe="")


def tiles_to_plain(drawn: Drawn) -> list[JsonObject]:
    """Return every tile of the reading."""
    return [
        {
            "index": index,
            "id": tile.track,
            "tile": None if tile.tile is None else str(tile.tile),
            "quad": quad_to_json(tile.quad),
            "confidence": tile.confidence,
            "unsure": tile.doubtful,
            "alternatives": [[str(other), chance] for other, chance in tile.alternatives],
            "corrected": _corrected(tile, drawn),
            "crop": crop_address(drawn.reading, index),
            "played": index in drawn.played,
        }
        for index, tile in enumerate(drawn.reading.tiles)
    ]


def crop_address(reading: TableReading, index: int) -> str | None:
    """Return the address of one tile's picture; None for a tile of a set beyond the picture's edge."""
    if reading.tiles[index].centre[1] < 0:
        return None
    return f"/api/crop/{key_of_picture(reading.frame_id)}/{index}.jpg"


def _corrected(tile: TileReading, drawn: Drawn) -> JsonObject | None:
    missed = tile.track < UNTRACKED  # people alone have seen it
    here = [made for made in reversed(drawn.corrections.tiles) if made.place == tile.place]
    made = next((made for made in here if made.tile == tile.tile), None)  # one tile may have taken another's place
    if not missed and made is None:
        return None
    naming = next((named.event for named in drawn.named if named.track == tile.track), None)
    was = made.read[0] if made is not None and made.read and not missed else None
    corrected: JsonObject = {"was": None if was is None else str(was), "by": naming.by if naming else ""}
    return {**corrected, "missed": True} if missed else corrected


def sets_to_plain(drawn: Drawn, rules: RuleSet) -> list[JsonObject]:
    """Return every set, loose tiles as sets of one."""
    return [_set(place, row, drawn, rules) for place, row in enumerate(drawn.rows)]


def _set(place: int, row: Row, drawn: Drawn, rules: RuleSet) -> JsonObject:
    best = preferred_reading(row.tiles, rules)
    return {
        "tiles": list(row.indices),
        "state": _state(place, row, drawn, is_set=best is not None).value,
        "kind": None if best is None else best.kind.value,
        "worth": None if best is None else best.worth,
        "new": place in drawn.new,
    }


def _state(place: int, row: Row, drawn: Drawn, *, is_set: bool) -> SetState:
    if place in drawn.accused:
        return SetState.WRONG
    if any(_doubtful(drawn.reading.tiles[index]) for index in row.indices):
        return SetState.DOUBT
    return SetState.OK if is_set and place not in drawn.unfit else SetState.UNFINISHED


def _doubtful(tile: TileReading) -> bool:
    return tile.doubtful and tile.tile is not None


def jokers_to_plain(rows: tuple[Row, ...], rules: RuleSet) -> Iterator[JsonObject]:
    """Yield every joker on the table and what it stands for, which is null in a row that is no set."""
    for place, row in enumerate(rows):
        best = preferred_reading(row.tiles, rules)
        for number, tile in enumerate(row.tiles):
            if isinstance(tile, Joker):
                stands = None if best is None else best.stands_for[number]
                meaning = stands and {
                    "numbers": list(stands.numbers),
                    "colours": [colour.letter for colour in stands.colours],
                }
                yield {"tile": str(tile), "stands_for": meaning, "set": place, "index": row.indices[number]}
