"""The table as pages show it: tiles with alternatives, sets with states, jokers with what they stand for."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, unique
from urllib.parse import quote

from msgspec import UNSET

from referee.game.corrections.corrections import NO_CORRECTIONS, Corrections
from referee.protocol import schema
from referee.protocol.rows import TableRow
from referee.protocol.shown_values import rounded_corners
from referee.protocol.view_state import NamedTile
from referee.reading.observation import UNTRACKED, TableReading, TileReading
from referee.rules.editions import RuleSet
from referee.rules.sets import preferred_reading
from referee.rules.tiles import Joker


@unique
class SetState(StrEnum):
    """The state of a set; drawn green, amber with a question mark, amber, or red."""

    OK = "ok"
    DOUBT = "doubt"
    UNFINISHED = "unfinished"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A reading with its rows: indices of new, faulty and unfinished rows and of played tiles, and corrections."""

    reading: TableReading
    rows: tuple[TableRow, ...]
    new: frozenset[int] = frozenset()
    faulty: frozenset[int] = frozenset()
    """Rows that a verdict named and that are still there."""
    unfinished: frozenset[int] = frozenset()
    """Rows at fault in the present table that no verdict has named."""
    played: frozenset[int] = frozenset()
    corrections: Corrections = NO_CORRECTIONS
    named: tuple[NamedTile, ...] = ()


def picture_key(frame_id: str) -> str:
    """Return a frame id escaped for a URL."""
    return quote(frame_id, safe="")


def tile_states(view: TableView) -> list[schema.TileState]:
    """Return every tile of the reading."""
    return [
        schema.TileState(
            index=index,
            id=tile.track,
            tile=None if tile.tile is None else str(tile.tile),
            quad=rounded_corners(tile.quad),
            confidence=tile.confidence,
            unsure=tile.doubtful,
            alternatives=[(str(other), chance) for other, chance in tile.alternatives],
            corrected=_correction_of(tile, view),
            crop=crop_address(view.reading, index),
            played=index in view.played,
        )
        for index, tile in enumerate(view.reading.tiles)
    ]


def crop_address(reading: TableReading, index: int) -> str | None:
    """Return the URL of one tile's picture; None for a tile outside the picture."""
    if reading.tiles[index].centre[1] < 0:
        return None
    return f"/api/crop/{picture_key(reading.frame_id)}/{index}.jpg"


def _correction_of(tile: TileReading, view: TableView) -> schema.CorrectedTile | None:
    missed = tile.track < UNTRACKED  # added by a person
    here = [made for made in reversed(view.corrections.tiles) if made.place == tile.place]
    made = next((made for made in here if made.tile == tile.tile), None)  # another tile may lie in its place
    if not missed and made is None:
        return None
    naming = next((named.event for named in view.named if named.track == tile.track), None)
    was = made.read[0] if made is not None and made.read and not missed else None
    by, was_text = naming.by if naming else "", None if was is None else str(was)
    return schema.CorrectedTile(was=was_text, by=by, missed=True if missed else UNSET)


def set_states(view: TableView, rules: RuleSet) -> list[schema.SetState]:
    """Return every set, loose tiles as sets of one."""
    return [_set(place, row, view, rules) for place, row in enumerate(view.rows)]


def _set(place: int, row: TableRow, view: TableView, rules: RuleSet) -> schema.SetState:
    best = preferred_reading(row.tiles, rules)
    return schema.SetState(
        tiles=list(row.indices),
        state=_state(place, row, view, is_set=best is not None).value,
        kind=None if best is None else best.kind.value,
        worth=None if best is None else best.worth,
        new=place in view.new,
    )


def _state(place: int, row: TableRow, view: TableView, *, is_set: bool) -> SetState:
    if place in view.faulty:
        return SetState.WRONG
    if any(_is_doubtful(view.reading.tiles[index]) for index in row.indices):
        return SetState.DOUBT
    return SetState.OK if is_set and place not in view.unfinished else SetState.UNFINISHED


def _is_doubtful(tile: TileReading) -> bool:
    return tile.doubtful and tile.tile is not None


def joker_states(rows: tuple[TableRow, ...], rules: RuleSet) -> Iterator[schema.JokerState]:
    """Yield every joker on the table with what it stands for, null in a row that is no set."""
    for place, row in enumerate(rows):
        best = preferred_reading(row.tiles, rules)
        for number, tile in enumerate(row.tiles):
            if isinstance(tile, Joker):
                stands = None if best is None else best.stands_for[number]
                meaning = (
                    None
                    if stands is None
                    else schema.StandsFor(
                        numbers=list(stands.numbers),
                        colours=[colour.letter for colour in stands.colours],
                    )
                )
                yield schema.JokerState(tile=str(tile), stands_for=meaning, set=place, index=row.indices[number])
