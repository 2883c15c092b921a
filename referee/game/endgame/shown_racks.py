"""Racks shown to the camera at the end of a game: whose tiles they are, and when that is certain.

Each loser lays the rack face up beside the sets and presses. The rack consists of the tiles beyond the final table and
beyond the racks shown earlier that still lie there. Table tiles are recognised by place, or by name if pushed aside. A
rack counts once two looks at different frames agree on it, the box holds all its tiles, and their number is the one
counted by the referee. Otherwise the referee asks: about doubtful tiles, an incomplete table, or a different number.
Only the number may be confirmed by a second press, since players may have miscounted when they drew.
"""

from collections import Counter
from dataclasses import dataclass, replace

from referee.game.endgame.games import begin_when_cleared
from referee.game.endgame.racks import score_racks
from referee.game.event_parts import Reason
from referee.game.events import RackAsked, RackRead, RacksShown
from referee.game.inputs import RackShown, RacksTold, RummikubCalled, Seat, TurnEnded
from referee.game.state import Match, Showing, ShownRack, Step, is_double_press, prepend
from referee.game.table.hypotheses import may_be
from referee.reading.inputs import TableSettled
from referee.reading.observation import TileReading, TrackId
from referee.rules.scoring import rack_value
from referee.rules.tiles import Tile


@dataclass(frozen=True, slots=True)
class _Beyond:
    """The tiles beyond the table and earlier racks: indices in the reading, and the problem with them, if any."""

    indices: tuple[int, ...]
    reason: Reason | None = None


def show_rack(match: Match, shown: RackShown | TurnEnded | RummikubCalled) -> Step:
    """Read the tiles beyond the table as a rack, once the table is at rest."""
    pressed = not isinstance(shown, RackShown)
    if not match.results or (pressed and is_double_press(match)):
        return match, ()
    match = replace(match, pressed_at=match.now) if pressed else match
    waiting = waiting_racks(match)
    if match.showing.racks and not waiting and match.results[-1].scores is None:
        return match, (_all_shown(match),)  # the last event was not answered
    owner = shown.seat if shown.seat is not None else next(iter(waiting), None)
    if owner not in waiting:
        return match, ()
    asked = match.showing.asked if match.showing.owner == owner else None
    return look_at_rack(replace(match, showing=replace(match.showing, owner=owner, due=True, seen=None, asked=asked)))


def look_between_games(match: Match, _settled: TableSettled | None = None) -> Step:
    """Read the rack that was laid down, or begin the next game once the table is cleared.

    A table cleared between two racks does not begin the next game, unless one of them was asked twice.
    """
    bare = match.table.current is not None and match.table.current.is_cleared
    match = replace(match, showing=replace(match.showing, cleared=match.showing.cleared or bare))
    if match.showing.due and not bare:
        return look_at_rack(match)
    waiting = waiting_racks(match) if match.showing.racks else ()
    gave_up = any(match.showing.asks.count(seat) > 1 for seat in waiting)
    return (match, ()) if match.showing.due or (waiting and not gave_up) else begin_when_cleared(match)


def waiting_racks(match: Match) -> tuple[Seat, ...]:
    """Return the seats whose racks are still unknown, clockwise from the winner."""
    result = match.results[-1]
    if result.scores is not None:
        return ()
    known = {rack.seat for rack in match.showing.racks}
    wanted = set(result.owners) - known
    return tuple(seat for seat in match.setup.after(match.seat) if seat in wanted)


def look_at_rack(match: Match, *, sure: bool = False) -> Step:
    """Read the rack that is due; it counts after a second look that agrees, or at once if `sure`."""
    if match.showing.owner is None or match.table.current is None:
        return match, ()
    beyond = _beyond(match)
    tiles = match.table.current.reading.tiles
    rack = tuple(sorted((name for index in beyond.indices if (name := tiles[index].tile)), key=lambda tile: tile.code))
    reason = beyond.reason or _rack_problem(match, match.showing.owner, rack)
    if reason is not None:
        return _ask(match, match.showing.owner, rack, reason, beyond.indices)
    if not sure and match.showing.seen is None:
        return replace(match, showing=replace(match.showing, seen=rack)), ()
    if not sure and match.showing.seen != rack:
        return _ask(match, match.showing.owner, rack, Reason.DOUBT, beyond.indices)
    return _accept_rack(match, match.showing.owner, rack, tuple(tiles[index].placement for index in beyond.indices))


def _rack_problem(match: Match, owner: Seat, rack: tuple[Tile, ...]) -> Reason | None:
    if not rack:
        return Reason.NOTHING
    held = Counter(rack) + match.turn_start.best.counts()
    for shown in match.showing.racks:
        held += Counter(shown.tiles)
    if any(count > match.rules.box.get(tile, 0) for tile, count in held.items()):
        return Reason.BOX
    counted = match.players[owner]
    fits = counted.rack <= len(rack) <= counted.rack + counted.spare
    return None if fits or rack == match.showing.asked else Reason.COUNT


def _ask(match: Match, owner: Seat, rack: tuple[Tile, ...], reason: Reason, indices: tuple[int, ...]) -> Step:
    seen = () if match.table.current is None else match.table.current.hypotheses.doubts
    doubts = tuple(doubt for doubt in seen if doubt.index in indices)
    asked = RackAsked(
        **match.event_header, owner=owner, reason=reason, tiles=rack, expected=match.players[owner].rack, doubts=doubts
    )
    offered = rack if reason is Reason.COUNT else None
    showing = replace(match.showing, due=False, seen=None, asked=offered, asks=(*match.showing.asks, owner))
    return replace(match, showing=showing), (asked,)


def _accept_rack(match: Match, owner: Seat, rack: tuple[Tile, ...], placements: tuple[TrackId, ...]) -> Step:
    racks = (*match.showing.racks, ShownRack(owner, rack, placements))
    kept = Showing(racks=racks, asks=match.showing.asks, cleared=match.showing.cleared)
    known = replace(match, showing=kept)
    read = RackRead(**match.event_header, owner=owner, tiles=rack, value=rack_value(rack, match.rules))
    if waiting_racks(known):
        return known, (read,)
    result = known.results[-1]
    if match.rules.could_open_penalty is not None and not result.blocked and set(result.unopened) & set(result.owners):
        return known, (read, _all_shown(known))
    return prepend(score_racks(known, RacksTold(known.now, _all_shown(known).racks)), read)


def _all_shown(match: Match) -> RacksShown:
    racks = sorted((shown.seat, shown.tiles) for shown in match.showing.racks)
    return RacksShown(**match.event_header, racks=tuple(racks))


# Whose is what ----------------------------------------------------------------------------------------------------


def _beyond(match: Match) -> _Beyond:
    """Separate the tiles beyond the table and the earlier racks."""
    seen = () if match.table.current is None else match.table.current.reading.tiles
    faces = [index for index, tile in enumerate(seen) if tile.tile is not None]
    began = match.turn_start.observation
    table = [] if began is None else [tile for tile in began.reading.tiles if tile.tile is not None]
    lay = {tile.placement: _names(tile) for tile in table}
    in_place = [index for index in faces if {*lay.get(seen[index].placement, ())} & {*_names(seen[index])}]
    here = {seen[index].placement for index in in_place}
    left = Counter(tile.tile for tile in table if tile.placement not in here)
    rest = [index for index in faces if index not in in_place]
    pushed = [index for index in rest if not seen[index].unsure and _take(left, seen[index].tile)]
    if not left.total():
        rest = [index for index in rest if index not in pushed]
    elif in_place:  # the table is incomplete; if all of it were gone, every tile would be the rack's
        return _Beyond(tuple(rest), Reason.TABLE)
    rest = [index for index in rest if not _of_shown_rack(match, seen[index])]
    doubtful = any(seen[index].unsure for index in rest)
    return _Beyond(tuple(rest), Reason.DOUBT if doubtful else None)


def _take(left: Counter[Tile | None], tile: Tile | None) -> bool:
    taken = left[tile] > 0
    left[tile] -= taken
    return taken


def _names(tile: TileReading) -> tuple[Tile, ...]:
    return tuple(name for name in may_be(tile) if name is not None)


def _of_shown_rack(match: Match, tile: TileReading) -> bool:
    return any(tile.tile in shown.tiles and tile.placement in shown.placements for shown in match.showing.racks)
