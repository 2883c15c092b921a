"""Agreement over time: several looks at a table that keeps still become one settled reading.

A pure fold: `look` takes the state so far, one more reading and whether hands or tiles were moving, and gives the
next state and, when the table has just settled, the reading it settled to. Light is not asked about: looks agree when
their tiles lie in the same places, however bright they are. They are paired by place and not by track, for tracks go
by names too, and a single look may misread one. A motion gate that never rests (a flickering lamp) is
outvoted by many looks that agree in everything; a tile that is found in some looks and not in others is kept, in
doubt, once waiting longer has not helped. What hardly looks like a tile lying face down may come and go unheeded.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from referee.reading.observation import MAX_ALTERNATIVES, WORTH_NAMING, Point, Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import SAME_PLACE, UNMOVED, TileIndex, pairs
from referee.rules.tiles import Tile

_AGREED = 0.8  # averaged chance below which a tile is asked about: 2 of 6 such were named wrongly by sure looks
_OUTLINED_OTHERWISE = 0.4  # tile widths: so far apart one look may see the middle of a tile from where another does
_SHOWN = 3  # last looks that all show a tile: that earlier ones did not, for a hand lay over it, say, is no doubt
_NONE = 0.9  # chance that no tile is there, from which a thing that lies alone is none
_OFTEN = 1 / 3  # of the looks in which a tile must be found to count: up to a half it may also be none


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusPolicy:
    """How long a table must be at rest before its reading counts."""

    looks: int = 3
    quiet_seconds: float = 0.3
    restless_looks: int = 8  # under motion that moves nothing
    unmoved: float = UNMOVED  # tile widths within which a tile is the one that lay there before

    def __post_init__(self) -> None:
        if not 1 <= self.looks <= self.restless_looks or self.quiet_seconds < 0:
            raise ValueError(f"patience needs 1 <= looks <= restless looks and no negative time: {self}")

    def shorter(self, *, agrees: bool = False) -> "ConsensusPolicy":
        """Return the policy for a table that had settled: one look if it `agrees` with all of it, else one less."""
        looks = 1 if agrees else max(1, self.looks - 1)
        return replace(self, looks=looks, quiet_seconds=0.0, unmoved=SAME_PLACE)


@dataclass(frozen=True, slots=True)
class ConsensusState:
    """The state of the fold: the looks since the last motion, oldest first, and the settled table."""

    looks: tuple[TableReading, ...] = ()
    settled: TableReading | None = None
    restless: bool = False  # the looks were taken under motion
    told: bool = False  # these looks have been settled already
    since: float = math.inf  # the last frame that differed from the one before: what it shows may have lain still since


def look(
    state: ConsensusState,
    reading: TableReading,
    *,
    moving: bool,
    patience: ConsensusPolicy = ConsensusPolicy(),
    mended: TableReading | None = None,
    changed: bool = True,
) -> tuple[ConsensusState, TableReading | None]:
    """Take one more look; the settled reading comes once for each time the table comes to rest.

    A table that has settled stays so as long as the looks show it; `mended` is this look with the tiles that it
    overlooked though their places show them. Unless the picture has `changed`, a doubtful tile that most looks do not
    show is none.
    """
    looks, told = _kept(state, reading, mended or reading, moving=moving, changed=changed)
    looks = (*looks, reading)[-2 * patience.restless_looks :]
    since = state.since if len(looks) > len(state.looks) else reading.at
    if told or not _enough(looks, min(since, looks[0].at), patience, moving=moving):
        return ConsensusState(looks, state.settled, moving, told, since), None
    settled = fuse(looks, state.settled, patience.unmoved)
    return ConsensusState(looks, settled, moving, True, since), settled


def _kept(
    state: ConsensusState, reading: TableReading, mended: TableReading, *, moving: bool, changed: bool
) -> tuple[tuple[TableReading, ...], bool]:
    """Return the earlier looks that still count, and whether they were told."""
    if state.told and state.settled is not None:
        still = agrees(state.settled, mended, () if changed else state.looks)
        return (state.looks, True) if still else ((), False)
    if not state.looks:
        return (), False
    if moving:
        return (state.looks, False) if _agree(state.looks[-1], reading) else ((), False)
    # Without motion what is in doubt may come and go, and so may one tile; more are a change that the gate missed.
    changed = sum(not tile.unsure for tile in _never_so(state.looks, reading)) > max(1, len(reading.tiles) // 20)
    changed &= reading.at > state.looks[-1].at  # two looks at one frame differ by no change
    return ((), False) if changed or state.restless else (state.looks, False)


def _never_so(looks: Sequence[TableReading], now: TableReading) -> list[TileReading]:
    """Return the tiles that none of the looks shows but this one, and those that all of them show but this one."""
    came = [tile for tile in _lacking(now, looks[-1]) if not _shown(tile, looks)]
    return came + [tile for tile in _lacking(looks[-1], now) if _shown(tile, looks) == len(looks)]


def _enough(looks: Sequence[TableReading], since: float, patience: ConsensusPolicy, *, moving: bool) -> bool:
    if moving:
        return len(looks) >= patience.restless_looks
    if looks[-1].at - since < patience.quiet_seconds or len(looks) < patience.looks:
        return False
    steady = not any(_unmatched(looks[-1], earlier) for earlier in looks[-patience.looks : -1])
    return steady or len(looks) >= 2 * patience.looks


def fuse(looks: Sequence[TableReading], before: TableReading | None = None, reach: float = UNMOVED) -> TableReading:
    """Return the consensus of several looks; what `before` was sure of stays sure where a tile has not moved.

    It did not where it is found within `reach` tile widths of where it lay, and the looks hold the same name likeliest.
    """
    seen: list[list[TileReading]] = []
    shown_in: list[list[int]] = []
    for looked, reading in enumerate(looks):
        places = TileIndex([tiles[-1] for tiles in seen])
        for tile in reading.tiles:
            place = places.find(tile.quad, _OUTLINED_OTHERWISE)
            if place is None:
                seen.append([tile])
                shown_in.append([looked])
            else:
                seen[place].append(tile)
                shown_in[place].append(looked)
    unmoved = pairs([tiles[-1] for tiles in seen], () if before is None else before.tiles, reach)
    tiles = tuple(
        _fused(tiles, _that_count(shown, len(looks)), old)
        for tiles, shown, (_, old) in zip(seen, shown_in, unmoved, strict=True)
        if len(tiles) >= _OFTEN * len(looks)
    )
    layouts = lay_out_tiles(tiles)
    none = {index for index in layouts[0].loose if tiles[index].bare > _NONE}
    if none:  # in a row it may be a tile that is covered
        tiles = tuple(tile for index, tile in enumerate(tiles) if index not in none)
        layouts = lay_out_tiles(tiles)
    last = looks[-1]
    return TableReading(
        frame_id=last.frame_id, at=last.at, tiles=tiles, layouts=layouts, milliseconds=last.milliseconds
    )


def _that_count(shown: Sequence[int], looks: int) -> int:
    """Return how many looks count for a tile seen in these: only the last ones if it is in all of them."""
    return len(set(shown)) if set(shown) >= set(range(looks - _SHOWN, looks)) else looks


def _fused(seen: Sequence[TileReading], looks: int, before: TileReading | None) -> TileReading:
    """Return the consensus on one tile; looks are not independent, so chances are averaged, not multiplied."""
    chances, looks = _averaged(seen), max(looks, len(seen))  # one look may have seen two in its place
    ranked = sorted(chances, key=lambda name: -chances[name])
    best, bare = ranked[0], 1 - sum(1 - tile.bare for tile in seen) / looks
    sure_looks = sum(tile.tile == best and not tile.unsure for tile in seen)
    contradicted = any(tile.tile != best and not tile.unsure for tile in seen)
    confidence = chances[best]
    unsure = 2 * sure_looks <= looks or contradicted or confidence < _AGREED
    # Another name than before is no misreading of the tile that lay there: one of a row moved up may lie where it lay.
    if unsure and before is not None and not before.unsure and before.tile == best:
        unsure, confidence, bare = False, before.confidence, before.bare
    others = [(name, chances[name]) for name in ranked if name is not None and name != best][:MAX_ALTERNATIVES]
    return TileReading(
        quad=_mean_quad(seen), tile=best, confidence=confidence, alternatives=tuple(others), unsure=unsure, bare=bare
    )


def _averaged(seen: Sequence[TileReading]) -> Mapping[Tile | None, float]:
    """Return the geometric mean of each name's chances; their sum is at most 1."""
    logs: dict[Tile | None, float] = defaultdict(lambda: len(seen) * math.log(WORTH_NAMING))
    for tile in seen:
        for name, chance in ((tile.tile, tile.confidence), *tile.alternatives):
            logs[name] += math.log(max(chance, WORTH_NAMING)) - math.log(WORTH_NAMING)
    means = {name: math.exp(total / len(seen)) for name, total in logs.items()}
    whole = max(1.0, sum(means.values()))
    return {name: chance / whole for name, chance in means.items()}


def _mean_quad(seen: Sequence[TileReading]) -> Quad:
    """Corner by corner, in the order of the last look: in an earlier one the tile may have been read upside down."""
    last = seen[-1].quad
    same_way = [tile.quad for tile in seen if math.dist(tile.quad[0], last[0]) < math.dist(tile.quad[2], last[0])]
    a, b, c, d = (_mean([quad[corner] for quad in same_way]) for corner in range(4))
    return (a, b, c, d)


def _mean(points: Sequence[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))


def agrees(settled: TableReading, seen: TableReading, looks: Sequence[TableReading] = ()) -> bool:
    """Return whether a look shows exactly the settled tiles: each in its place, under a name it may have.

    A doubtful tile that too few of the earlier `looks` show to count is nothing else.
    """
    known = pairs(settled.tiles, seen.tiles, _OUTLINED_OTHERWISE)
    kept = all(not _heeded(tile) if now is None else _may_show(tile, now) for tile, now in known)
    return kept and all(_flickers(tile, looks) for tile in _lacking(seen, settled))


def _flickers(tile: TileReading, looks: Sequence[TableReading]) -> bool:
    return tile.unsure and _shown(tile, looks) + 1 < _OFTEN * (len(looks) + 1)


def _shown(tile: TileReading, looks: Sequence[TableReading]) -> int:
    """Return how many of the looks show any tile in its place."""
    return sum(TileIndex(look.tiles).find(tile.quad, _OUTLINED_OTHERWISE) is not None for look in looks)


def _may_show(settled: TileReading, seen: TileReading) -> bool:
    """Return whether a tile may be the settled one: a sure tile has one name only."""
    return seen.tile == settled.tile or (
        settled.unsure and (seen.unsure or any(name == seen.tile for name, _ in settled.alternatives))
    )


def _agree(one: TableReading, other: TableReading) -> bool:
    """Return whether both show the same tiles in the same places; a doubtful name is no difference."""
    both = (*pairs(one.tiles, other.tiles), *pairs(other.tiles, one.tiles))
    return all(
        there is not None and (tile.tile == there.tile or tile.unsure or there.unsure)
        for tile, there in both
        if _heeded(tile)
    )


def _heeded(tile: TileReading) -> bool:
    """Return whether a tile's coming or going matters: not for an unsure tile lying face down."""
    return tile.tile is not None or not tile.unsure


def _lacking(one: TableReading, other: TableReading) -> list[TileReading]:
    """Return the tiles of the one that have no tile of the other in their place."""
    return [
        tile for tile, there in pairs(one.tiles, other.tiles, _OUTLINED_OTHERWISE) if there is None and _heeded(tile)
    ]


def _unmatched(one: TableReading, other: TableReading) -> list[TileReading]:
    """Return the tiles of either that have no tile of the other in their place."""
    return [*_lacking(one, other), *_lacking(other, one)]
