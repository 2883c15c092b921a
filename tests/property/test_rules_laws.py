"""Laws that hold for all tiles, tables and games, whatever the examples say."""

from collections import Counter
from itertools import product

from hypothesis import assume, example, given
from hypothesis import strategies as st

from referee.rules.editions import EDITIONS, RuleSet, rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, parse_table, parse_tiles
from referee.rules.reasons import why_no_set
from referee.rules.scoring import GameResult, score_game, score_match
from referee.rules.sets import is_set, readings
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, PLAIN_JOKERS, Colour, Joker, JokerKind, NumberTile, Tile
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided
from referee.rules.verdict_json import verdict_to_json

RULES = st.sampled_from(list(EDITIONS.values()))
TILES = st.sampled_from(ALL_TILES)
TABLES = st.lists(st.lists(TILES, min_size=1, max_size=6).map(tuple), max_size=6).map(lambda sets: Table(tuple(sets)))
ORDERED = {JokerKind.COLOUR_CHANGE, JokerKind.MIRROR}
JOKER = PLAIN_JOKERS[0]


@st.composite
def likely_sets(draw: st.DrawFn) -> TileSet:
    """Tiles of a run, group or mirror set with some replaced by jokers; many are sets, many just miss."""
    colour, number = draw(st.sampled_from(Colour)), draw(st.integers(1, 13))
    size = draw(st.integers(2, 6))
    tiles: list[Tile] = [NumberTile(colour, min(13, number + step)) for step in range(size)]
    if draw(st.booleans()):
        tiles = [NumberTile(other, number) for other in draw(st.permutations(list(Colour)))[:size]]
    change = draw(st.integers(0, size))
    if change < len(tiles) and draw(st.booleans()):
        after = draw(st.sampled_from(Colour))
        tiles[change:] = [PLAIN_JOKERS[2], *(NumberTile(after, tile.number) for tile in tiles[change + 1 :])]
    if draw(st.booleans()):
        tiles = [*tiles, PLAIN_JOKERS[3], *tiles[::-1]]
    for place in draw(st.lists(st.integers(0, len(tiles) - 1), max_size=2)):
        tiles[place] = draw(st.sampled_from([*PLAIN_JOKERS[:2], *ALL_TILES]))
    return tuple(tiles)


def ordered(tiles: TileSet) -> bool:
    return any(isinstance(tile, Joker) and tile.kind in ORDERED for tile in tiles)


@given(TABLES)
def test_what_is_written_is_read_again(table: Table) -> None:
    text = format_table(table)
    assert parse_table(text) == parse_table(text.lower().replace(" / ", "\n")) == table


@example(parse_tiles("J K2 JM K2 JC"), rule_set("twist"))  # either side may be the one that is mirrored
@given(likely_sets(), RULES)
def test_a_set_seen_from_across_the_table_is_the_same_set(tiles: TileSet, rules: RuleSet) -> None:
    """The same readings, with what each tile stands for turned round."""
    there = {(reading.kind, reading.worth, reading.stands_for[::-1]) for reading in readings(tiles[::-1], rules)}
    here = {(reading.kind, reading.worth, reading.stands_for) for reading in readings(tiles, rules)}
    assert {(kind, worth) for kind, worth, _ in here} == {(kind, worth) for kind, worth, _ in there}
    assert not ordered(tiles) or here == there


@given(likely_sets(), RULES, st.randoms(use_true_random=False))
def test_order_counts_only_with_colour_change_or_mirror(tiles: TileSet, rules: RuleSet, random: object) -> None:
    assume(not ordered(tiles))
    shuffled = list(tiles)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    worths = [sorted(reading.worth for reading in readings(row, rules)) for row in (tiles, tuple(shuffled))]
    assert worths[0] == worths[1]


@given(likely_sets(), RULES, st.permutations(list(Colour)))
def test_colours_are_alike(tiles: TileSet, rules: RuleSet, painted: list[Colour]) -> None:
    paint = dict(zip(Colour, painted, strict=True))
    other = tuple(
        NumberTile(paint[tile.colour], tile.number)
        if isinstance(tile, NumberTile)
        else Joker(tile.kind, paint[tile.colour] if tile.colour else None)
        for tile in tiles
    )
    assert [(found.kind, found.worth, found.untidy) for found in readings(tiles, rules)] == [
        (found.kind, found.worth, found.untidy) for found in readings(other, rules)
    ]


@given(likely_sets(), RULES)
def test_a_set_is_worth_what_its_tiles_stand_for(tiles: TileSet, rules: RuleSet) -> None:
    for reading in readings(tiles, rules):
        assert reading.worth == sum(sum(one.numbers) for one in reading.stands_for)
        assert len(reading.stands_for) == len(tiles)
        for tile, one in zip(tiles, reading.stands_for, strict=True):
            if isinstance(tile, NumberTile):
                assert (one.numbers, one.colours) == ((tile.number,), (tile.colour,))


@given(likely_sets(), RULES)
def test_the_preferred_reading_comes_first(tiles: TileSet, rules: RuleSet) -> None:
    """The one that ascends as laid and is worth most; of a mirror set simply the one worth most."""
    mirrors = any(isinstance(tile, Joker) and tile.kind is JokerKind.MIRROR for tile in tiles)
    found = [(mirrors or reading.ascends, reading.worth) for reading in readings(tiles, rules)]
    assert found == sorted(found, reverse=True)


@given(likely_sets(), RULES, st.integers(0, 20))
def test_a_joker_may_take_the_place_of_a_number_tile(tiles: TileSet, rules: RuleSet, place: int) -> None:
    place %= len(tiles)
    with_joker = (*tiles[:place], JOKER, *tiles[place + 1 :])
    assume(isinstance(tiles[place], NumberTile) and any(isinstance(tile, NumberTile) for tile in with_joker))
    if is_set(tiles, rules) and not any(isinstance(tile, Joker) and tile.kind is JokerKind.COLOURED for tile in tiles):
        assert is_set(with_joker, rules)


@given(st.lists(TILES, min_size=1, max_size=16).map(tuple) | likely_sets(), RULES)
def test_there_is_a_reason_exactly_if_there_is_no_set(tiles: TileSet, rules: RuleSet) -> None:
    reason = why_no_set(tiles, rules)
    assert (reason is None) == is_set(tiles, rules)
    if reason is not None:
        assert set(reason.guilty) <= set(tiles)
        assert str(reason.wording).isprintable()


@given(TABLES, TABLES, st.booleans(), RULES)
def test_a_verdict_is_what_its_faults_are(before: Table, after: Table, opened: bool, rules: RuleSet) -> None:  # noqa: FBT001
    verdict = judge_turn(before, after, opened=opened, rules=rules)
    kinds = {found.fault.value for found in verdict.violations}
    assert type(verdict) is (Undecided if "impossible_tiles" in kinds else Illegal if kinds else Legal)
    assert (verdict.outcome is Outcome.PLAYED) == bool(verdict.played)
    assert Counter(verdict.played) == after.counts() - before.counts()
    assert (verdict.meld is None) == opened
    assert [judged.tiles for judged in verdict.sets] == list(after.sets)
    assert len(verdict_to_json(verdict)["sets"]) == len(after.sets)  # type: ignore[arg-type]


@given(TABLES, st.booleans(), RULES, st.randoms(use_true_random=False))
def test_moving_and_turning_whole_sets_is_no_play(before: Table, opened: bool, rules: RuleSet, random: object) -> None:  # noqa: FBT001
    moved = [tiles[::-1] for tiles in before.sets]
    random.shuffle(moved)  # type: ignore[attr-defined]
    verdict = judge_turn(before, Table(tuple(moved)), opened=opened, rules=rules)
    assert verdict.outcome is Outcome.NO_PLAY
    found = {violation.fault.value for violation in verdict.violations}
    assert found <= {"not_a_set", "loose_tile", "impossible_tiles"}


RACKS = st.lists(st.integers(1, 300), min_size=2, max_size=6)


@given(RACKS, st.integers(0, 5), RULES)
def test_what_is_won_is_what_is_lost(values: list[int], place: int, rules: RuleSet) -> None:
    players = "ABCDEF"[: len(values)]
    winner = players[place % len(players)]
    racks = dict(zip(players, values, strict=True))
    lost = {player: value for player, value in racks.items() if player != winner}
    game = GameResult(winner=winner, racks=lost, unopened=frozenset(lost))
    assert sum(score_game(players, game, rules, lambda _: False).values()) == 0
    blocked = score_game(players, GameResult(winner=None, racks=racks), rules, lambda _: False)
    lowest = min(values)
    paid = lowest * values.count(lowest) if rules.edition.startswith("3in1") else 0
    assert 0 <= -paid - sum(blocked.values()) < values.count(lowest)  # what joint winners cannot share
    assert len({score for player, score in blocked.items() if racks[player] == lowest}) == 1
    assert min(blocked.values()) == -(max(values) - (0 if paid else lowest)) or len(set(values)) == 1


@given(st.lists(RACKS.filter(lambda racks: len(racks) >= 4), max_size=6), RULES)
def test_totals_add_up_and_the_best_is_first(games: list[list[int]], rules: RuleSet) -> None:
    results = [GameResult(winner=None, racks=dict(zip("ABCD", racks, strict=False))) for racks in games]
    score = score_match("ABCD", results, rules, lambda _: False)
    assert score.totals == {player: sum(game[player] for game in score.games) for player in "ABCD"}
    standing = [(score.games_won[player], score.totals[player]) for player in score.ranking]
    assert standing == sorted(standing, reverse=True)
    for one, other in product("ABCD", repeat=2):
        level = standing[score.ranking.index(one)] == standing[score.ranking.index(other)]
        assert (score.ranks[one] == score.ranks[other]) == level
