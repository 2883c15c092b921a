"""Tiles keep their tracks from look to look: laws of a track's life on tables that change at random."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.reading.observation import Layout, TableReading, TileReading, TrackId
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import NO_TRACKS, Tracks, same_faces, update_tracks
from referee.rules.notation import parse_tile

WIDTH, HEIGHT = 30.0, 42.0
NAMES = ("R1", "R2", "R3", "K7", "K8", "B9", "J")
JITTER = 0.08  # tile widths
Laid = dict[int, str]
"""Which tile lies in which place."""


def read(laid: Laid, jitter: float = 0.0, unsure: frozenset[int] = frozenset()) -> TableReading:
    """Look at tiles, one a place, which lie off it by so many widths."""
    tiles = []
    for place, name in laid.items():
        x, y = 40.0 * (place % 6) + jitter * WIDTH, 60.0 * (place // 6) - jitter * WIDTH
        quad = ((x, y), (x + WIDTH, y), (x + WIDTH, y + HEIGHT), (x, y + HEIGHT))
        others = ((parse_tile("O13"), 0.4),) if place in unsure else ()
        chance = 0.6 if others else 1.0
        tile = TileReading(
            quad=quad,
            tile=parse_tile(name),
            confidence=chance,
            alternatives=others,
            unsure=bool(others),
        )
        tiles.append(tile)
    return TableReading(frame_id="f", at=0.0, tiles=tuple(tiles), layouts=lay_out_tiles(tiles))


def places_of(laid: Laid, seen: TableReading) -> dict[int, TrackId]:
    return dict(zip(laid, (tile.place for tile in seen.tiles), strict=True))


def tracks_of(laid: Laid, seen: TableReading) -> dict[int, TrackId]:
    return dict(zip(laid, (tile.track for tile in seen.tiles), strict=True))


places = st.integers(0, 17)
tables = st.dictionaries(places, st.sampled_from(NAMES), max_size=8)
evenings = st.lists(st.tuples(tables, st.floats(-JITTER, JITTER), st.frozensets(places, max_size=2)), max_size=8)


def followed(evening: list[tuple[Laid, float, frozenset[int]]]) -> list[dict[int, TrackId]]:
    tracks, seen = NO_TRACKS, []
    for laid, jitter, unsure in evening:
        tracks, look = update_tracks(tracks, read(laid, jitter, unsure))
        seen.append(tracks_of(laid, look))
    return seen


@given(evenings)
def test_no_two_tiles_of_a_look_have_one_track_and_no_track_begins_twice(
    evening: list[tuple[Laid, float, frozenset[int]]],
) -> None:
    ever: set[TrackId] = set()
    for tracks in followed(evening):
        assert len(set(tracks.values())) == len(tracks)
        fresh = set(tracks.values()) - ever
        assert not ever or not fresh or min(fresh) > max(ever)
        ever |= fresh


@given(evenings)
def test_the_same_looks_give_the_same_tracks(evening: list[tuple[Laid, float, frozenset[int]]]) -> None:
    assert followed(evening) == followed(evening)


@given(tables, st.floats(-JITTER, JITTER), st.frozensets(places, max_size=3), st.randoms())
def test_a_table_that_nobody_touched_keeps_every_track(
    laid: Laid, jitter: float, unsure: frozenset[int], order: Random
) -> None:
    """However it jitters, whatever is in doubt, in whichever order it is read."""
    tracks, first = update_tracks(NO_TRACKS, read(laid))
    shuffled = dict(sorted(laid.items(), key=lambda _: order.random()))
    _, again = update_tracks(tracks, read(shuffled, jitter, unsure))
    assert tracks_of(shuffled, again) == tracks_of(laid, first)
    assert same_faces(first, again)


@given(tables.filter(bool), st.data())
def test_a_tile_that_is_lifted_and_laid_back_never_has_the_track_of_another(laid: Laid, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(sorted(laid)))
    to = data.draw(places.filter(lambda other: other == place or other not in laid))
    lifted = {other: name for other, name in laid.items() if other != place}
    back = {**lifted, to: laid[place]}
    tracks, first = update_tracks(NO_TRACKS, read(laid))
    tracks, _ = update_tracks(tracks, read(lifted))
    _, last = update_tracks(tracks, read(back))
    was, now = tracks_of(laid, first), tracks_of(back, last)
    others = {track for other, track in was.items() if other != place}
    assert now[to] not in others
    assert (now[to] == was[place]) is (to == place)
    assert {other: now[other] for other in lifted} == {other: was[other] for other in lifted}


@given(tables.filter(bool), st.data())
def test_another_tile_laid_where_one_was_lifted_has_a_track_of_its_own(laid: Laid, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(sorted(laid)))
    other = data.draw(st.sampled_from([name for name in NAMES if name != laid[place]]))
    lifted = {there: name for there, name in laid.items() if there != place}
    tracks, first = update_tracks(NO_TRACKS, read(laid))
    tracks, _ = update_tracks(tracks, read(lifted))
    _, last = update_tracks(tracks, read({**lifted, place: other}))
    assert tracks_of({**lifted, place: other}, last)[place] not in tracks_of(laid, first).values()


@given(tables.filter(bool), st.data())
def test_a_tile_that_is_covered_keeps_its_track_until_it_is_seen_again(laid: Laid, data: st.DataObject) -> None:
    covered = data.draw(st.frozensets(st.sampled_from(sorted(laid)), min_size=1))
    tracks, first = update_tracks(NO_TRACKS, read(laid))
    seen = read(laid)
    hidden = [
        replace(tile, unsure=True, confidence=0.0) if place in covered else tile
        for place, tile in zip(laid, seen.tiles, strict=True)
    ]
    tracks, under = update_tracks(tracks, replace(seen, tiles=tuple(hidden)))
    _, again = update_tracks(tracks, seen)
    assert tracks_of(laid, first) == tracks_of(laid, under) == tracks_of(laid, again)


@given(st.lists(st.lists(st.tuples(st.floats(0.0, 2.0), st.sampled_from(NAMES)), max_size=5), max_size=6))
def test_no_two_tiles_of_a_look_have_one_track_however_they_are_slid(looks: list[list[tuple[float, str]]]) -> None:
    """Tiles read anywhere, one over another too: a reader may see two in the place of one."""
    tracks = NO_TRACKS
    for laid in looks:
        tiles = [read({0: name}, jitter=place).tiles[0] for place, name in laid]
        reading = TableReading(frame_id="f", at=0.0, tiles=tuple(tiles), layouts=(Layout((), (), 1.0),))
        tracks, seen = update_tracks(tracks, reading)
        assert len({tile.track for tile in seen.tiles}) == len(tiles)


@given(st.permutations(NAMES[:-1]), st.integers(2, 6))
def test_tiles_that_change_places_keep_their_tracks(names: list[str], count: int) -> None:
    before = dict(enumerate(names[:count]))
    after = {place: names[(place + 1) % count] for place in range(count)}
    tracks, first = update_tracks(NO_TRACKS, read(before))
    _, second = update_tracks(tracks, read(after))
    was, now = ({tile.tile: tile.track for tile in look.tiles} for look in (first, second))
    assert was == now
    assert set(places_of(before, first).values()).isdisjoint(places_of(after, second).values())


@given(tables, tables)
def test_what_began_and_what_ended_tells_what_was_played(before: Laid, after: Laid) -> None:
    """Where nothing is misread the tracks say of every name what counting says: two alike, of which one moved, too."""
    tracks, first = update_tracks(NO_TRACKS, read(before))
    _, second = update_tracks(tracks, read(after))
    was = dict(zip((tile.track for tile in first.tiles), (tile.tile for tile in first.tiles), strict=True))
    now = dict(zip((tile.track for tile in second.tiles), (tile.tile for tile in second.tiles), strict=True))
    began = Counter(tile for track, tile in now.items() if track not in was)
    ended = Counter(tile for track, tile in was.items() if track not in now)
    assert began == Counter(now.values()) - Counter(was.values())
    assert ended == Counter(was.values()) - Counter(now.values())


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        pytest.param({0: "R1"}, {0: "R2"}, True, id="exchanged for one of a rack"),
        pytest.param({0: "R1"}, {0: "R2", 5: "R1"}, False, id="moved away, and another one laid there"),
        pytest.param({0: "R1", 1: "R2"}, {0: "R2"}, False, id="taken away, and the next one pushed there"),
        pytest.param({0: "J"}, {0: "R2", 5: "J"}, True, id="a joker exchanged"),
        pytest.param({0: "R1", 1: "R1"}, {0: "R2", 5: "R1"}, True, id="the other one has moved"),
    ],
)
def test_a_place_holds_another_tile_unless_the_one_that_lay_there_is_seen_elsewhere(
    before: Laid, after: Laid, *, same: bool
) -> None:
    tracks, first = update_tracks(NO_TRACKS, read(before))
    _, second = update_tracks(tracks, read(after))
    assert (first.tiles[0].place == second.tiles[0].place) is same
    assert first.tiles[0].track != second.tiles[0].track


def test_a_tile_that_nobody_moved_is_only_read_otherwise() -> None:
    tracks, first = update_tracks(NO_TRACKS, read({0: "R1"}))
    _, second = update_tracks(tracks, read({0: "R2"}), moved=False)
    assert first.tiles[0].track == second.tiles[0].track


def test_a_joker_exchanged_twice_leaves_its_place_to_each() -> None:
    tracks, seen = update_tracks(NO_TRACKS, read({0: "R1", 1: "J", 2: "R3"}))
    was = [(tile.track, tile.place) for tile in seen.tiles]
    for name in ("R2", "J"):
        tracks, seen = update_tracks(tracks, read({0: "R1", 1: name, 2: "R3"}))
        assert [tile.place for tile in seen.tiles] == [place for _, place in was]
        assert (seen.tiles[0].track, seen.tiles[2].track) == (was[0][0], was[2][0])
    assert len({was[1][0], *(tile.track for tile in seen.tiles)}) == 4


@given(evenings, st.lists(st.booleans(), min_size=8, max_size=8))
def test_no_track_changes_its_name_without_a_look_that_says_so(
    evening: list[tuple[Laid, float, frozenset[int]]], movements: list[bool]
) -> None:
    """After a movement it may have had both names, in the look before or in this one."""
    tracks = NO_TRACKS
    for (laid, jitter, unsure), moved in zip(evening, movements, strict=False):
        known = {tile.track: tile for tile in (*tracks.departed, *tracks.lying)}
        tracks, seen = update_tracks(tracks, read(laid, jitter, unsure), moved=moved)
        for tile in seen.tiles:
            assert not moved or tile.track not in known or known[tile.track].names & tile.names


@given(evenings)
def test_no_two_tiles_of_a_look_have_one_place(evening: list[tuple[Laid, float, frozenset[int]]]) -> None:
    tracks = NO_TRACKS
    for laid, jitter, unsure in evening:
        tracks, seen = update_tracks(tracks, read(laid, jitter, unsure))
        assert len(set(places_of(laid, seen).values())) == len(laid)


def test_a_tile_laid_back_and_slid_away_leaves_its_place_to_an_equal_one() -> None:
    tracks = NO_TRACKS
    for look in ({0: "R1"}, {}, {0: "R1"}):
        tracks, seen = update_tracks(tracks, read(look))
    first = seen.tiles[0].track
    for slid in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05):
        tracks, seen = update_tracks(tracks, read({0: "R1"}, slid))
        assert seen.tiles[0].track == first
    tiles = (*seen.tiles, *read({0: "R1"}).tiles)
    _, seen = update_tracks(tracks, TableReading(frame_id="f", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles)))
    assert seen.tiles[0].track == first != seen.tiles[1].track


def test_a_tile_in_doubt_elsewhere_is_not_the_one_that_lay_here() -> None:
    tracks, first = update_tracks(NO_TRACKS, read({0: "R1"}))
    _, second = update_tracks(tracks, read({0: "R2", 5: "R1"}, unsure=frozenset({5})))
    assert first.tiles[0].place == second.tiles[0].place
    assert first.tiles[0].track not in {tile.track for tile in second.tiles}


def test_tracks_that_have_gone_are_not_kept_for_ever() -> None:
    tracks: Tracks = NO_TRACKS
    for turn in range(700):
        laid = {place: NAMES[(turn + place) % 6] for place in range(turn % 12, turn % 12 + 3)}
        tracks, _ = update_tracks(tracks, read(laid, 2.0 * turn))
    assert len(tracks.departed) <= 300
