"""The judge: what a turn was, from the table before and the table after, with every fault there is.

Two sets are the same if the same tiles lie in them; where a colour-change or mirror joker makes the order count, if
they also lie in the same order or wholly reversed. What was on the table and is the same still stands, wherever it
lies now; the rest of the table before is gone, and the rest of the table after is new.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from referee.rules.blame import Suspects
from referee.rules.editions import RuleSet
from referee.rules.joker_release import joker_violations
from referee.rules.reasons import why_not
from referee.rules.set_reading import CHANGES, MIRRORS
from referee.rules.sets import preferred_reading
from referee.rules.table import Table, TileSet, surplus
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Fault, Illegal, JudgedSet, Legal, Outcome, Undecided, Verdict, Violation
from referee.rules.wording import Message, say, say_count


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn taken apart."""

    after: Table
    opened: bool
    rules: RuleSet
    sets: tuple[JudgedSet, ...]
    played: tuple[Tile, ...]
    taken: tuple[Tile, ...]
    gone: tuple[TileSet, ...]
    new: tuple[int, ...]
    """Places, in the table after, of the sets that are new."""
    meld: int
    """The worth of the new sets made only of tiles that were played."""


def judge_turn(before: Table, after: Table, *, opened: bool, rules: RuleSet) -> Verdict:
    """Judge the table after the turn against the table it began with; `opened`: the player had opened before."""
    turn = _take_apart(before, after, opened=opened, rules=rules)
    violations = (*_violations(turn),)
    impossible = _impossible_tiles(turn)
    outcome = Outcome.PLAYED if turn.played else Outcome.NO_PLAY
    meld = None if opened else turn.meld
    if impossible is not None:
        return Undecided(
            outcome=outcome,
            played=turn.played,
            meld=meld,
            sets=turn.sets,
            unsure_of=impossible.tiles,
            violations=(*violations, impossible),
        )
    if violations:
        return Illegal(outcome=outcome, played=turn.played, meld=meld, sets=turn.sets, violations=violations)
    return Legal(outcome=outcome, played=turn.played, meld=meld, sets=turn.sets)


def judge_set(tiles: TileSet, rules: RuleSet) -> JudgedSet:
    """Return the tiles with their preferred reading."""
    reading = preferred_reading(tiles, rules)
    if reading is None:
        return JudgedSet(tiles=tiles, kind=None, worth=None, untidy=False)
    return JudgedSet(tiles=tiles, kind=reading.kind, worth=reading.worth, untidy=reading.untidy)


def _take_apart(before: Table, after: Table, *, opened: bool, rules: RuleSet) -> _Turn:
    sets = tuple(judge_set(tiles, rules) for tiles in after.sets)
    counts_before, counts_after = before.counts(), after.counts()
    keys_before = [_sameness(tiles) for tiles in before.sets]
    keys_after = [_sameness(tiles) for tiles in after.sets]
    new = tuple(surplus(keys_after, keys_before))
    played = counts_after - counts_before
    return _Turn(
        after=after,
        opened=opened,
        rules=rules,
        sets=sets,
        played=_in_order(after.tiles, Counter(played)),
        taken=_in_order(before.tiles, counts_before - counts_after),
        gone=tuple(before.sets[place] for place in surplus(keys_before, keys_after)),
        new=new,
        meld=_worth_of_own([sets[place] for place in new], played),
    )


def _worth_of_own(new: list[JudgedSet], played: Counter[Tile]) -> int:
    """Return the worth of the sets made of played tiles, the best first, for two may share a tile of the table."""
    left = Counter(played)
    worth = 0
    for judged in sorted(new, key=lambda one: one.worth or 0, reverse=True):
        tiles = Counter(judged.tiles)
        if judged.worth and tiles <= left:
            left -= tiles
            worth += judged.worth
    return worth


def _sameness(tiles: TileSet) -> tuple[int, ...]:
    """Return what two sets share exactly if they are the same."""
    codes = tuple(tile.code for tile in tiles)
    if any(CHANGES[code] or MIRRORS[code] for code in codes):
        return min(codes, codes[::-1])
    return tuple(sorted(codes))


def _in_order(tiles: tuple[Tile, ...], counts: Counter[Tile]) -> tuple[Tile, ...]:
    """Return as many of the tiles as are counted, in their order."""
    if not counts:
        return ()
    picked = []
    for tile in tiles:
        if counts[tile]:
            counts[tile] -= 1
            picked.append(tile)
    return tuple(picked)


# ---- the faults, in the order of the table in docs/rules.md --------------------------------------------------------


def _violations(turn: _Turn) -> Iterator[Violation]:
    if turn.taken:
        yield _tile_taken(turn.taken)
    for place, judged in enumerate(turn.sets):
        if judged.kind is None:
            yield _broken_set(place, turn)
    if not turn.played and (turn.new or turn.gone):
        yield _of_the_table(Fault.NOTHING_PLAYED, (), _TAKEN_ONLY if turn.taken else _REARRANGED)
    if not turn.opened:
        yield from _opening_faults(turn)
    if any(isinstance(tile, Joker) for tiles in turn.gone for tile in tiles):
        new = tuple((place, turn.after.sets[place]) for place in turn.new)
        yield from joker_violations(turn.after, turn.gone, new, turn.played, turn.rules)


_REARRANGED: Final = say(
    "turn.rearranged",
    "tiles were rearranged and none was added; a turn must add at least one tile from the rack",
)
_TAKEN_ONLY: Final = say(
    "turn.taken_only",
    "tiles were taken and none was added; a turn must add at least one tile from the rack",
)


def _tile_taken(taken: tuple[Tile, ...]) -> Violation:
    if any(isinstance(tile, Joker) for tile in taken):
        said = say_count(
            "turn.joker_taken",
            "{tiles} was on the table and is no longer there; a freed joker must be laid again in the same turn",
            "{tiles} were on the table and are no longer there; a freed joker must be laid again in the same turn",
            count=len(taken),
            tiles=taken,
        )
    else:
        said = say_count(
            "turn.tile_taken",
            "{tiles} was on the table and is no longer there; what is on the table stays on the table",
            "{tiles} were on the table and are no longer there; what is on the table stays on the table",
            count=len(taken),
            tiles=taken,
        )
    return _of_the_table(Fault.TILE_TAKEN, taken, said)


def _broken_set(place: int, turn: _Turn) -> Violation:
    tiles = turn.after.sets[place]
    if len(tiles) == 1:
        alone = say("set.alone", "{tile} lies on its own; every tile must be part of a set", tile=tiles)
        return Violation(fault=Fault.LOOSE_TILE, set_index=place, tiles=tiles, said=alone)
    reason = why_not(tiles, turn.rules, _suspects(place, turn))
    if reason is None:  # pragma: no cover - the caller has just found it to be no set
        raise AssertionError(tiles)
    return Violation(fault=Fault.NOT_A_SET, set_index=place, tiles=reason.guilty, said=reason.said)


def _suspects(place: int, turn: _Turn) -> Suspects:
    """Return which tiles of a set are likely to blame: those played into it, then those that came from elsewhere."""
    if place not in turn.new:
        return ()
    tiles = Counter(turn.after.sets[place])
    came = tiles - max((tiles & Counter(was) for was in turn.gone), key=Counter.total, default=Counter())
    return (came & Counter(turn.played), came)


def _opening_faults(turn: _Turn) -> Iterator[Violation]:
    for tiles in turn.gone:
        used = say(
            "opening.table_used",
            "{tiles} were on the table and were used; until a player has opened only own tiles may be laid",
            tiles=tiles,
        )
        yield _of_the_table(Fault.TABLE_USED_BEFORE_OPENING, tiles, used)
    if turn.played and turn.meld < turn.rules.initial_meld:
        low = say(
            "opening.too_low",
            "the sets laid from the rack are worth {meld}; an opening needs {needed}",
            meld=turn.meld,
            needed=turn.rules.initial_meld,
        )
        yield _of_the_table(Fault.INITIAL_MELD_TOO_LOW, turn.played, low)


def _impossible_tiles(turn: _Turn) -> Violation | None:
    box = turn.rules.box
    surplus = {tile: count for tile, count in turn.after.counts().items() if count > box.get(tile, 0)}
    if not surplus:
        return None
    counts = tuple(
        say("box.count", "{count} × {tile} (the box holds {held})", count=count, tile=(tile,), held=box.get(tile, 0))
        for tile, count in surplus.items()
    )
    said = say("box.impossible", "the table cannot be as it was read: {counts}; look again", counts=counts)
    return _of_the_table(Fault.IMPOSSIBLE_TILES, tuple(surplus), said)


def _of_the_table(fault: Fault, tiles: tuple[Tile, ...], said: Message) -> Violation:
    return Violation(fault=fault, set_index=None, tiles=tiles, said=said)
