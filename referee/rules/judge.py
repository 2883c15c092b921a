"""The judge: what a turn was, from the table before and the table after, with every fault there is.

Two sets are the same if the same tiles lie in them; where a colour-change or mirror joker makes the order count, if
they also lie in the same order or wholly reversed. What was on the table and is the same still stands, wherever it
lies now; the rest of the table before is gone, and the rest of the table after is new.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from referee.rules.editions import RuleSet
from referee.rules.joker_release import joker_violations
from referee.rules.reasons import why_not
from referee.rules.set_reading import CHANGES, MIRRORS
from referee.rules.sets import preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Fault, Illegal, JudgedSet, Legal, Outcome, Undecided, Verdict, Violation
from referee.rules.wording import listed


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


def judge_turn(before: Table, after: Table, *, opened: bool, rules: RuleSet) -> Verdict:
    """Judge the table as the turn left it against the table it began with; `opened`: the player had opened before."""
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
    new = tuple(_surplus(keys_after, keys_before))
    return _Turn(
        after=after,
        opened=opened,
        rules=rules,
        sets=sets,
        played=_in_order(after.tiles, counts_after - counts_before),
        taken=_in_order(before.tiles, counts_before - counts_after),
        gone=tuple(before.sets[place] for place in _surplus(keys_before, keys_after)),
        new=new,
        meld=sum(sets[place].worth or 0 for place in new),
    )


def _sameness(tiles: TileSet) -> tuple[int, ...]:
    """Return what two sets share exactly if they are the same."""
    codes = tuple(tile.code for tile in tiles)
    if any(CHANGES[code] or MIRRORS[code] for code in codes):
        return min(codes, codes[::-1])
    return tuple(sorted(codes))


def _surplus(keys: list[tuple[int, ...]], others: list[tuple[int, ...]]) -> Iterator[int]:
    """Give the places of the keys that are not matched, one to one, by the others."""
    left = Counter(others)
    for place, key in enumerate(keys):
        if left[key]:
            left[key] -= 1
        else:
            yield place


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
            yield _broken_set(place, judged.tiles, turn.rules)
    if not turn.played and (turn.new or turn.gone):
        message = "tiles were rearranged and none was added; a turn must add at least one tile from the rack"
        yield _of_the_table(Fault.NOTHING_PLAYED, (), message)
    if not turn.opened:
        yield from _opening_faults(turn)
    if any(isinstance(tile, Joker) for tiles in turn.gone for tile in tiles):
        new = tuple((place, turn.after.sets[place]) for place in turn.new)
        yield from joker_violations(turn.after, turn.gone, new, turn.rules)


def _tile_taken(taken: tuple[Tile, ...]) -> Violation:
    jokers = any(isinstance(tile, Joker) for tile in taken)
    way_out = (
        "a freed joker must be laid again in the same turn" if jokers else "what is on the table stays on the table"
    )
    verb, still = ("was", "is") if len(taken) == 1 else ("were", "are")
    return _of_the_table(
        Fault.TILE_TAKEN, taken, f"{listed(taken)} {verb} on the table and {still} no longer there; {way_out}"
    )


def _broken_set(place: int, tiles: TileSet, rules: RuleSet) -> Violation:
    if len(tiles) == 1:
        message = f"{tiles[0]} lies on its own; every tile must be part of a set"
        return Violation(fault=Fault.LOOSE_TILE, set_index=place, tiles=tiles, message=message)
    reason = why_not(tiles, rules)
    if reason is None:  # pragma: no cover - the caller has just found it to be no set
        raise AssertionError(tiles)
    return Violation(fault=Fault.NOT_A_SET, set_index=place, tiles=reason.guilty, message=reason.sentence)


def _opening_faults(turn: _Turn) -> Iterator[Violation]:
    for tiles in turn.gone:
        message = f"{_shown(tiles)} was on the table and was used; until a player has opened only own tiles may be laid"
        yield _of_the_table(Fault.TABLE_USED_BEFORE_OPENING, tiles, message)
    if turn.played and turn.meld < turn.rules.initial_meld:
        tiles = tuple(tile for place in turn.new for tile in turn.after.sets[place])
        message = f"the new sets are worth {turn.meld}; an opening needs {turn.rules.initial_meld}"
        yield _of_the_table(Fault.INITIAL_MELD_TOO_LOW, tiles, message)


def _impossible_tiles(turn: _Turn) -> Violation | None:
    box = turn.rules.box
    surplus = {tile: count for tile, count in turn.after.counts().items() if count > box.get(tile, 0)}
    if not surplus:
        return None
    counts = listed([f"{count} × {tile} (the box holds {box.get(tile, 0)})" for tile, count in surplus.items()])
    message = f"the table cannot be as it was read: {counts}; look again"
    return _of_the_table(Fault.IMPOSSIBLE_TILES, tuple(surplus), message)


def _of_the_table(fault: Fault, tiles: tuple[Tile, ...], message: str) -> Violation:
    return Violation(fault=fault, set_index=None, tiles=tiles, message=message)


def _shown(tiles: TileSet) -> str:
    return " ".join(map(str, tiles))
