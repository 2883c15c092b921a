"""The tables that a reading allows: its layouts, combined with every possible name of each unsure tile.

Two kinds do not count fully:

- `omitting`: a table without something that was read as a tile. It blocks either verdict, but decides nothing alone.
- `unlikely`: a table from an improbable layout, such as a tight row split into two sets, or one without an unsure tile
  that lies alone. It blocks an accusation, but not a pass.

A face-down tile in a set may be any tile, so its set is in doubt. Outside every set it changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, product
from math import prod

from referee.game.corrections.links import Link, linked_rows
from referee.game.event_parts import Doubt
from referee.game.table.certainty import Certainty, certainty
from referee.game.table.tile_position import position_message
from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.row_segmentation import MAX_DIVISIONS
from referee.reading.rows import rows_with_backs
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Tile

MIN_ALTERNATIVE = 0.02  # probability from which an alternative of an unsure tile counts
MIN_LIKELY_SCORE = 0.05  # layouts below this score are unlikely
MAX_TABLES = 24  # with more possible tables, the referee asks


@dataclass(frozen=True, slots=True)
class TableHypotheses:
    """The tables a reading allows, likeliest first; not `complete` if there are too many or a tile is unknown.

    `unlikely` are improbable tables, `omitting` those without something that was read as a tile; `cut_short` says that
    there may be other layouts; `confirmed_rows` are confirmed by people; `certain` holds in all tables, listed or not.
    """

    tables: tuple[Table, ...]
    doubts: tuple[Doubt, ...] = ()
    complete: bool = True
    frame_id: str = ""
    unlikely: frozenset[Table] = frozenset()
    omitting: frozenset[Table] = frozenset()
    cut_short: bool = False
    confirmed_rows: frozenset[TileSet] = field(default=frozenset(), compare=False)
    certain: Certainty = field(default=Certainty(), compare=False)
    frame_at: float = 0.0

    @property
    def improbable(self) -> frozenset[Table]:
        """The tables that block an accusation, but never let a turn pass."""
        return self.unlikely | self.omitting

    @property
    def sure(self) -> bool:
        """Whether every tile was read, and nothing covers a place."""
        return self.complete and self.certain.all_read and not self.certain.covered

    @property
    def best(self) -> Table:
        """The likeliest table."""
        return self.tables[0]


def may_be(tile: TileReading) -> tuple[Tile | None, ...]:
    """Return the possible names of a tile, likeliest first; None stands for no face."""
    if not tile.unsure or tile.tile is None:  # what looks most like a back is no face that anybody laid
        return (tile.tile,)
    others = (other for other, chance in tile.alternatives if chance >= MIN_ALTERNATIVE and other != tile.tile)
    nothing = (None,) if tile.bare >= MIN_ALTERNATIVE or tile.hidden else ()  # under what hides it it may be gone
    return (tile.tile, *others, *nothing)


def may_be_none(reading: TableReading, index: int) -> bool:
    """Return whether there may be no tile: the reader considers it possible, or is unsure of a loose detection."""
    tile = reading.tiles[index]
    return tile.unsure and (tile.bare >= MIN_ALTERNATIVE or index in reading.layouts[0].loose)


def hypotheses(reading: TableReading, links: Sequence[Link] = (), read: TableReading | None = None) -> TableHypotheses:
    """List the tables a reading allows: its layouts, times what each unsure tile may be.

    `links` are what people stated of its rows. `read` is the reading before any correction; tiles beyond it only
    people have seen.
    """
    read = read or reading
    choices = tuple(may_be(tile) for tile in reading.tiles)
    unsure = tuple(index for index in reading.unsure if reading.tiles[index].tile is not None)
    doubts = tuple(
        Doubt(index, tuple(tile for tile in choices[index] if tile is not None), position_message(reading, index))
        for index in unsure
    )
    count = prod(map(len, choices)) * len(reading.layouts)
    unknown = frozenset(
        doubt.index for doubt in doubts if len(doubt.may_be) == 1 and not reading.tiles[doubt.index].hidden
    )
    tables: dict[Table, float] = {}
    faces: set[Table] = set()
    for tiles in islice(product(*choices), max(1, MAX_TABLES // len(reading.layouts))):
        seen = tuple(replace(old, tile=new) for old, new in zip(reading.tiles, tiles, strict=True))
        none = frozenset(index for index in unsure if tiles[index] is None)
        for layout in reading.layouts:
            table = replace(reading, tiles=seen, layouts=(without(layout, none),)).table()
            tables[table] = max(tables.get(table, 0.0), layout.score)
            faces |= set() if none else {table}
    for index in (index for index in unsure if may_be_none(reading, index)):
        table = replace(reading, layouts=(without(reading.layouts[0], frozenset({index})),)).table()
        if table not in tables:
            tables[table] = 0.0
            faces.add(table)
    unlikely = frozenset(table for table, score in tables.items() if score < MIN_LIKELY_SCORE)
    omitting = frozenset(tables) - faces
    confirmed_rows = frozenset(
        tuple(tile for index in row if (tile := reading.tiles[index].tile) is not None)
        for row in linked_rows(reading, links)
    )
    cut_short = max(len(read.layouts), len(reading.layouts)) >= MAX_DIVISIONS
    backs = frozenset(
        index
        for index, (tile, was) in enumerate(zip(reading.tiles, read.tiles, strict=False))
        if tile.tile is None and was.tile is None
    )
    turned = rows_with_backs(reading.tiles, backs)
    doubts += tuple(
        Doubt(index, (), position_message(reading, index)) for row in turned for index in row if index in backs
    )
    unread = unknown if count <= MAX_TABLES else frozenset(unsure)
    complete = not unknown and count <= MAX_TABLES and not turned
    certain = certainty(reading, unread, read, turned)
    return TableHypotheses(
        tuple(tables),
        doubts,
        complete,
        reading.frame_id,
        unlikely,
        omitting,
        cut_short,
        confirmed_rows,
        certain,
        reading.at,
    )


def without(layout: Layout, none: frozenset[int]) -> Layout:
    """Return the layout with these places empty; an empty place divides its row."""
    if not none:
        return layout
    parts = [
        tuple(part) for row in layout.sets for empty, part in groupby(row, lambda index: index in none) if not empty
    ]
    loose = (*(index for index in layout.loose if index not in none), *(part[0] for part in parts if len(part) == 1))
    return Layout(tuple(part for part in parts if len(part) > 1), loose, layout.score)


def merge(first: TableHypotheses | None, second: TableHypotheses) -> TableHypotheses:
    """Return the merged hypotheses of two looks at one table; differences between them become doubts."""
    if first is None:
        return second
    tables = tuple(dict.fromkeys((*second.tables, *first.tables)))
    likely = {table for seen in (first, second) for table in seen.tables if table not in seen.unlikely}
    faces = {table for seen in (first, second) for table in seen.tables if table not in seen.omitting}
    complete = first.complete and second.complete
    unlikely, omitting = frozenset(tables) - likely, frozenset(tables) - faces
    certain = first.certain.merge(second.certain)
    return replace(second, tables=tables, complete=complete, unlikely=unlikely, omitting=omitting, certain=certain)
