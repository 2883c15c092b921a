"""The judge: the verdict on a turn, from the table before and the table after, with all faults.

Two sets are equal if they have the same tiles; with a colour-change or mirror joker, only if
the tiles also lie in the same order or fully reversed. A set that is equal to one before still stands, wherever it
lies; all other sets before were removed, and all other sets after were added.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from referee.rules.blame import SuspectTiles
from referee.rules.changed_sets import predecessor, why_changed
from referee.rules.editions import RuleSet
from referee.rules.joker_release import joker_violations
from referee.rules.rearranging import rearranging_violations
from referee.rules.reasons import why_no_set, why_touching
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR
from referee.rules.sets import preferred_reading
from referee.rules.table import Table, TileSet, expect_table, unmatched
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Fault, Illegal, JudgedSet, Legal, Outcome, Undecided, Verdict, Violation
from referee.rules.wording import Message, Reason, TileRow, named, say, say_count


@dataclass(frozen=True, slots=True)
class _TurnDifference:
    """The differences between the tables before and after a turn."""

    after: Table
    opened: bool
    rules: RuleSet
    sets: tuple[JudgedSet, ...]
    played: tuple[Tile, ...]
    taken: tuple[Tile, ...]
    removed: tuple[TileSet, ...]
    added: tuple[int, ...]
    """Places, in the table after, of the sets that are new."""
    meld: int
    """The worth of the new sets made only of tiles that were played."""


def judge_turn(before: Table, after: Table, *, opened: bool, rules: RuleSet) -> Verdict:
    """Return the verdict on a turn; `opened`: the player had opened before it."""
    expect_table(before, "before")
    expect_table(after, "after")
    turn = _analyse(before, after, opened=opened, rules=rules)
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
            doubtful_tiles=impossible.tiles,
            violations=(*violations, impossible),
        )
    if violations:
        return Illegal(outcome=outcome, played=turn.played, meld=meld, sets=turn.sets, violations=violations)
    return Legal(outcome=outcome, played=turn.played, meld=meld, sets=turn.sets)


def judge_set(tiles: TileSet, rules: RuleSet) -> JudgedSet:
    """Return the tiles as a judged set with their preferred reading."""
    reading = preferred_reading(tiles, rules)
    if reading is None:
        return JudgedSet(tiles=tiles, kind=None, worth=None, untidy=False)
    return JudgedSet(tiles=tiles, kind=reading.kind, worth=reading.worth, untidy=reading.untidy)


def _analyse(before: Table, after: Table, *, opened: bool, rules: RuleSet) -> _TurnDifference:
    sets = tuple(judge_set(tiles, rules) for tiles in after.sets)
    counts_before, counts_after = before.counts(), after.counts()
    keys_before = [_set_key(tiles) for tiles in before.sets]
    keys_after = [_set_key(tiles) for tiles in after.sets]
    new = tuple(unmatched(keys_after, keys_before))
    played = counts_after - counts_before
    return _TurnDifference(
        after=after,
        opened=opened,
        rules=rules,
        sets=sets,
        played=_picked(after.tiles, Counter(played)),
        taken=_picked(before.tiles, counts_before - counts_after),
        removed=tuple(before.sets[place] for place in unmatched(keys_before, keys_after)),
        added=new,
        meld=_own_worth([sets[place] for place in new], played),
    )


def _own_worth(new: list[JudgedSet], played: Counter[Tile]) -> int:
    """Return the worth of sets made of played tiles alone, best first, for equal tiles may lie on the table too."""
    left = Counter(played)
    worth = 0
    for judged in sorted(new, key=lambda new_set: new_set.worth or 0, reverse=True):
        tiles = Counter(judged.tiles)
        if judged.worth and tiles <= left:
            left -= tiles
            worth += judged.worth
    return worth


def _set_key(tiles: TileSet) -> tuple[int, ...]:
    """Return a key that two sets share exactly if they are equal."""
    codes = tuple(tile.code for tile in tiles)
    if any(IS_COLOUR_CHANGE[code] or IS_MIRROR[code] for code in codes):
        return min(codes, codes[::-1])
    return tuple(sorted(codes))


def _picked(tiles: tuple[Tile, ...], counts: Counter[Tile]) -> tuple[Tile, ...]:
    """Return the counted tiles in their order on the table."""
    if not counts:
        return ()
    picked = []
    for tile in tiles:
        if counts[tile]:
            counts[tile] -= 1
            picked.append(tile)
    return tuple(picked)


# ---- the faults, in the order of the table in docs/rules.md --------------------------------------------------------


def _violations(turn: _TurnDifference) -> Iterator[Violation]:
    if turn.taken:
        yield _tile_taken(turn.taken)
    for place, judged in enumerate(turn.sets):
        if judged.kind is None:
            yield _broken_set(place, turn)
    if not turn.played and (turn.added or turn.removed):
        yield _table_violation(Fault.NOTHING_PLAYED, (), _TAKEN_ONLY if turn.taken else _REARRANGED)
    if not turn.opened:
        yield from _opening_faults(turn)
    new = tuple((place, turn.after.sets[place]) for place in turn.added)
    if any(isinstance(tile, Joker) for tiles in turn.removed for tile in tiles):
        yield from joker_violations(turn.after, turn.removed, new, turn.played, turn.rules)
    yield from rearranging_violations(turn.removed, new, turn.rules)


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
        wording = say_count(
            "turn.joker_taken",
            "{tiles} was on the table and is no longer there; a freed joker must be laid again in the same turn",
            "{tiles} were on the table and are no longer there; a freed joker must be laid again in the same turn",
            count=len(taken),
            tiles=named(taken),
        )
    else:
        wording = say_count(
            "turn.tile_taken",
            "{tiles} was on the table and is no longer there; what is on the table stays on the table",
            "{tiles} were on the table and are no longer there; what is on the table stays on the table",
            count=len(taken),
            tiles=taken,
        )
    return _table_violation(Fault.TILE_TAKEN, taken, wording)


def _broken_set(place: int, turn: _TurnDifference) -> Violation:
    tiles = turn.after.sets[place]
    if len(tiles) == 1:
        alone = say("set.alone", "{tile} lies on its own; every tile must be part of a set", tile=tiles)
        return Violation(fault=Fault.LOOSE_TILE, set_index=place, tiles=tiles, wording=alone)
    suspects = _suspects(place, turn)
    touching, changed = why_touching(tiles, turn.rules, suspects, turn.removed), _why_changed(place, turn, suspects)
    if touching and changed and not any(suspects) and set(touching.guilty) != set(changed.guilty):
        touching = None  # only tiles left, and the gap would not be where they lay
    reason = touching or changed or why_no_set(tiles, turn.rules, suspects)
    if reason is None:  # pragma: no cover - the caller has just found it to be no set
        raise AssertionError(tiles)
    return Violation(fault=Fault.NOT_A_SET, set_index=place, tiles=reason.guilty, wording=reason.wording)


def _why_changed(place: int, turn: _TurnDifference, suspects: SuspectTiles) -> Reason | None:
    """Return why a new row, most of which was a set before, is none; None if that does not explain it."""
    was = predecessor(turn.after.sets[place], turn.removed) if place in turn.added else None
    if was is None:
        return None
    elsewhere = tuple(turn.after.sets[other] for other in turn.added if other != place)
    return why_changed(turn.after.sets[place], was, suspects, elsewhere, turn.rules)


def _suspects(place: int, turn: _TurnDifference) -> SuspectTiles:
    """Return the likely culprits of a set: tiles played into it, then tiles from other sets."""
    if place not in turn.added:
        return ()
    tiles = Counter(turn.after.sets[place])
    came = tiles - max((tiles & Counter(was) for was in turn.removed), key=Counter.total, default=Counter())
    return (came & Counter(turn.played), came)


def _opening_faults(turn: _TurnDifference) -> Iterator[Violation]:
    may_use_table = turn.rules.table_in_meld_turn and turn.meld >= turn.rules.initial_meld
    for tiles in () if may_use_table else turn.removed:
        used = say(
            "opening.table_used",
            "{tiles} were on the table and were used; until a player has opened only own tiles may be laid",
            tiles=named(tiles),
        )
        yield _table_violation(Fault.TABLE_USED_BEFORE_OPENING, tiles, used)
    if turn.played and turn.meld < turn.rules.initial_meld:
        low = say(
            "opening.too_low",
            "the sets laid from the rack are worth {meld}; an opening needs {needed}",
            meld=turn.meld,
            needed=turn.rules.initial_meld,
        )
        yield _table_violation(Fault.INITIAL_MELD_TOO_LOW, turn.played, low)


def _impossible_tiles(turn: _TurnDifference) -> Violation | None:
    box = turn.rules.box
    unmatched = {tile: count for tile, count in turn.after.counts().items() if count > box.get(tile, 0)}
    if not unmatched:
        return None
    counts = tuple(
        say(
            "box.count",
            "{count} × {tile} (the box holds {held})",
            count=count,
            tile=TileRow((tile,)),
            held=box.get(tile, 0),
        )
        for tile, count in unmatched.items()
    )
    wording = say("box.impossible", "the table cannot be as it was read: {counts}; look again", counts=counts)
    return _table_violation(Fault.IMPOSSIBLE_TILES, tuple(unmatched), wording)


def _table_violation(fault: Fault, tiles: tuple[Tile, ...], wording: Message) -> Violation:
    return Violation(fault=fault, set_index=None, tiles=tiles, wording=wording)
