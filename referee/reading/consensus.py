"""Consensus over time: several looks at a still table become one settled reading.

A pure fold: `add_look` takes the state so far, one more reading and whether something moved, and returns the next state
and, when the table has just settled, its reading. Looks agree when their tiles lie in the same places, whatever the
light. Tiles are matched by place, not by track: tracks also depend on names, and a single look may misread one.

If the motion gate never rests (a flickering lamp), many looks that agree completely outvote it. A tile found in only
some looks is kept, in doubt, once waiting longer has not helped. Doubtful face-down tiles may come and go.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from referee.reading.observation import MAX_ALTERNATIVES, MIN_NAMED_CHANCE, Point, Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import SAME_PLACE_WIDTHS, UNMOVED_WIDTHS, TileIndex, match_by_place
from referee.rules.tiles import Tile

_MIN_CONFIDENCE = 0.8  # mean probability below which a tile is unsure: sure looks misnamed 2 of 6 such tiles
_MATCH_WIDTHS = 0.4  # tile widths by which two looks may differ on the centre of one tile
_RECENT_LOOKS = 3  # a tile in all of these is not in doubt: a hand may have covered it in earlier ones
_MAX_NO_FACE = 0.9  # no-face probability above which a loose detection is dropped
_MIN_SHARE_OF_LOOKS = 1 / 3  # in which a tile must be found to count; up to a half it may also be no tile


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusPolicy:
    """How long a table must be at rest before its reading counts."""

    looks: int = 3
    quiet_seconds: float = 0.3
    restless_looks: int = 8  # needed while the motion gate reports motion
    unmoved: float = UNMOVED_WIDTHS  # tile widths within which a tile is the one that lay there before

    def __post_init__(self) -> None:
        if not 1 <= self.looks <= self.restless_looks or self.quiet_seconds < 0:
            raise ValueError(f"a consensus policy needs 1 <= looks <= restless looks and no negative time: {self}")

    def shorter(self, *, agrees: bool = False) -> "ConsensusPolicy":
        """Return the policy for re-reading a settled table: one look if it `agrees` completely, else one look fewer."""
        looks = 1 if agrees else max(1, self.looks - 1)
        return replace(self, looks=looks, quiet_seconds=0.0, unmoved=SAME_PLACE_WIDTHS)


@dataclass(frozen=True, slots=True)
class ConsensusState:
    """The state of the fold: the looks since the last motion, oldest first, and the last settled reading."""

    looks: tuple[TableReading, ...] = ()
    settled: TableReading | None = None
    restless: bool = False  # the looks were taken during motion
    reported: bool = False  # the reading these looks settled to was returned
    since: float = math.inf  # seconds; the last frame that changed, since which the table may lie still

    def restarted(self, since: float) -> "ConsensusState":
        """Return the state without looks: the table may have changed since this time."""
        return ConsensusState(settled=self.settled, since=since)


def add_look(
    state: ConsensusState,
    reading: TableReading,
    *,
    moving: bool,
    policy: ConsensusPolicy = ConsensusPolicy(),
    mended: TableReading | None = None,
    changed: bool = True,
) -> tuple[ConsensusState, TableReading | None]:
    """Add one look; return the settled reading once each time the table comes to rest.

    A settled table stays settled while the looks show it. `mended` is this look with the overlooked tiles that their
    places still show. Unless the picture has `changed`, a doubtful tile that most looks do not show is no tile.
    """
    looks, reported = _looks_kept(state, reading, mended or reading, moving=moving, changed=changed)
    looks = (*looks, reading)[-2 * policy.restless_looks :]
    since = state.since if len(looks) > len(state.looks) else reading.at
    if reported or not _has_settled(looks, min(since, looks[0].at), policy, moving=moving):
        return ConsensusState(looks, state.settled, moving, reported, since), None
    settled = fuse(looks, state.settled, policy.unmoved)
    return ConsensusState(looks, settled, moving, True, since), settled


def _looks_kept(
    state: ConsensusState, reading: TableReading, mended: TableReading, *, moving: bool, changed: bool
) -> tuple[tuple[TableReading, ...], bool]:
    """Return the earlier looks that still count, and whether their reading was returned."""
    if state.reported and state.settled is not None:
        still = shows_settled(state.settled, mended, () if changed else state.looks)
        return (state.looks, True) if still else ((), False)
    if not state.looks:
        return (), False
    if moving:
        return (state.looks, False) if _looks_agree(state.looks[-1], reading) else ((), False)
    # Without motion, doubtful tiles and one tile (or one in 20) may come and go; more is a change the gate missed.
    came_and_went = sum(not tile.unsure for tile in _clear_changes(state.looks, reading))
    changed = came_and_went > max(1, len(reading.tiles) // 20) or _exchanged(state.looks, reading)
    changed &= reading.at > state.looks[-1].at  # two looks at one frame show no change
    return ((), False) if changed or state.restless else (state.looks, False)


def _exchanged(looks: Sequence[TableReading], now: TableReading) -> bool:
    """Return whether this reading is sure of a tile that the last two readings were sure was another."""
    known = [match_by_place(now.tiles, look.tiles, _MATCH_WIDTHS) for look in looks[-2:]]
    return len(known) > 1 and any(
        not pairs[0][0].unsure
        and all(was is not None and not was.unsure and was.tile != tile.tile for tile, was in pairs)
        for pairs in zip(*known, strict=True)
    )


def _clear_changes(looks: Sequence[TableReading], now: TableReading) -> list[TileReading]:
    """Return the tiles that only this look shows, and those that only this look lacks."""
    came = [tile for tile in _missing(now, looks[-1]) if not _times_seen(tile, looks)]
    return came + [tile for tile in _missing(looks[-1], now) if _times_seen(tile, looks) == len(looks)]


def _has_settled(looks: Sequence[TableReading], since: float, policy: ConsensusPolicy, *, moving: bool) -> bool:
    if moving:
        return len(looks) >= policy.restless_looks
    if looks[-1].at - since < policy.quiet_seconds or len(looks) < policy.looks:
        return False
    steady = not any(_unmatched(looks[-1], earlier) for earlier in looks[-policy.looks : -1])
    return steady or len(looks) >= 2 * policy.looks


def fuse(
    looks: Sequence[TableReading], before: TableReading | None = None, max_widths: float = UNMOVED_WIDTHS
) -> TableReading:
    """Return the consensus of several looks; unmoved tiles that `before` was sure of stay sure.

    A tile is unmoved if it lies within `max_widths` tile widths of its place and its likeliest name is the same.
    """
    seen: list[list[TileReading]] = []
    shown_in: list[list[int]] = []
    for looked, reading in enumerate(looks):
        places = TileIndex([tiles[-1] for tiles in seen])
        for tile in reading.tiles:
            place = places.find(tile.quad, _MATCH_WIDTHS)
            if place is None:
                seen.append([tile])
                shown_in.append([looked])
            else:
                seen[place].append(tile)
                shown_in[place].append(looked)
    unmoved = match_by_place([tiles[-1] for tiles in seen], () if before is None else before.tiles, max_widths)
    tiles = tuple(
        _fused(tiles, _looks_counted(shown, len(looks)), old)
        for tiles, shown, (_, old) in zip(seen, shown_in, unmoved, strict=True)
        if len(tiles) >= _MIN_SHARE_OF_LOOKS * len(looks)
    )
    layouts = lay_out_tiles(tiles)
    none = {index for index in layouts[0].loose if tiles[index].bare > _MAX_NO_FACE}
    if none:  # a detection in a row stays: it may be a covered tile
        tiles = tuple(tile for index, tile in enumerate(tiles) if index not in none)
        layouts = lay_out_tiles(tiles)
    last = looks[-1]
    return TableReading(
        frame_id=last.frame_id,
        at=last.at,
        tiles=tiles,
        layouts=layouts,
        reached=last.reached,
        milliseconds=last.milliseconds,
    )


def _looks_counted(shown: Sequence[int], looks: int) -> int:
    """Return how many looks count for a tile shown in these: those that show it, if the most recent ones all do."""
    return len(set(shown)) if set(shown) >= set(range(looks - _RECENT_LOOKS, looks)) else looks


def _fused(seen: Sequence[TileReading], looks: int, before: TileReading | None) -> TileReading:
    """Return the consensus on one tile; looks are not independent, so probabilities are averaged, not multiplied."""
    chances, looks = _averaged(seen), max(looks, len(seen))  # one look may show two in its place
    ranked = sorted(chances, key=lambda name: -chances[name])
    best, bare = ranked[0], 1 - sum(1 - tile.bare for tile in seen) / looks
    sure_looks = sum(tile.tile == best and not tile.unsure for tile in seen)
    contradicted = any(tile.tile != best and not tile.unsure for tile in seen)
    confidence = chances[best]
    unsure = 2 * sure_looks <= looks or contradicted or confidence < _MIN_CONFIDENCE
    others = tuple((name, chances[name]) for name in ranked if name is not None and name != best)[:MAX_ALTERNATIVES]
    # A different name is not necessarily a misreading: a row may have moved up by one tile.
    if unsure and before is not None and before.tile == best:
        if not before.unsure:
            unsure, confidence, bare = False, before.confidence, before.bare
        elif not contradicted and not before.hidden:  # what may be it is no more than it was
            confidence, others = before.confidence, before.alternatives
    return TileReading(
        quad=_mean_quad(seen), tile=best, confidence=confidence, alternatives=others, unsure=unsure, bare=bare
    )


def _averaged(seen: Sequence[TileReading]) -> Mapping[Tile | None, float]:
    """Return the geometric mean of each name's chances; their sum is at most 1."""
    logs: dict[Tile | None, float] = defaultdict(lambda: len(seen) * math.log(MIN_NAMED_CHANCE))
    for tile in seen:
        for name, chance in ((tile.tile, tile.confidence), *tile.alternatives):
            logs[name] += math.log(max(chance, MIN_NAMED_CHANCE)) - math.log(MIN_NAMED_CHANCE)
    means = {name: math.exp(total / len(seen)) for name, total in logs.items()}
    whole = max(1.0, sum(means.values()))
    return {name: chance / whole for name, chance in means.items()}


def _mean_quad(seen: Sequence[TileReading]) -> Quad:
    """Average the corners in the order of the last look, leaving out looks that read the tile upside down."""
    last = seen[-1].quad
    same_way = [tile.quad for tile in seen if math.dist(tile.quad[0], last[0]) < math.dist(tile.quad[2], last[0])]
    a, b, c, d = (_mean([quad[corner] for quad in same_way]) for corner in range(4))
    return (a, b, c, d)


def _mean(points: Sequence[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))


def shows_settled(settled: TableReading, seen: TableReading, looks: Sequence[TableReading] = ()) -> bool:
    """Return whether a look shows exactly the settled tiles: each in its place, under a name it may have.

    An additional doubtful tile is ignored if too few of the earlier `looks` show it.
    """
    known = match_by_place(settled.tiles, seen.tiles, _MATCH_WIDTHS)
    kept = all(not _matters(tile) if now is None else _may_show(tile, now) for tile, now in known)
    return kept and all(_flickers(tile, looks) for tile in _missing(seen, settled))


def _flickers(tile: TileReading, looks: Sequence[TableReading]) -> bool:
    return tile.unsure and _times_seen(tile, looks) + 1 < _MIN_SHARE_OF_LOOKS * (len(looks) + 1)


def _times_seen(tile: TileReading, looks: Sequence[TableReading]) -> int:
    """Return how many of the looks show any tile in its place."""
    return sum(TileIndex(look.tiles).find(tile.quad, _MATCH_WIDTHS) is not None for look in looks)


def _may_show(settled: TileReading, seen: TileReading) -> bool:
    """Return whether a tile may be the settled one: a sure tile has one name only."""
    return seen.tile == settled.tile or (
        settled.unsure and (seen.unsure or any(name == seen.tile for name, _ in settled.alternatives))
    )


def _looks_agree(one: TableReading, other: TableReading) -> bool:
    """Return whether both show the same tiles in the same places; doubtful names may differ."""
    both = (*match_by_place(one.tiles, other.tiles), *match_by_place(other.tiles, one.tiles))
    return all(
        there is not None and (tile.tile == there.tile or tile.unsure or there.unsure)
        for tile, there in both
        if _matters(tile)
    )


def _matters(tile: TileReading) -> bool:
    """Return whether it matters that a tile comes or goes; for a doubtful face-down tile it does not."""
    return tile.tile is not None or not tile.unsure


def _missing(one: TableReading, other: TableReading) -> list[TileReading]:
    """Return the tiles of `one` whose place is empty in `other`."""
    return [
        tile
        for tile, there in match_by_place(one.tiles, other.tiles, _MATCH_WIDTHS)
        if there is None and _matters(tile)
    ]


def _unmatched(one: TableReading, other: TableReading) -> list[TileReading]:
    """Return the tiles of either reading whose place is empty in the other."""
    return [*_missing(one, other), *_missing(other, one)]
