"""A match beside its journal: what is folded from there is what is folded from the start, or it does not count."""

import os
import pickle
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from referee.game.inputs import MatchEnded, MatchStarted, Ticked
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds
from referee.rules.editions import EDITIONS
from referee.service import memory
from referee.service.button_mapping import meaning
from referee.service.loop import Loop
from referee.service.memory import SnapshotPublisher
from referee.sim.scenarios import NAMES, simulated_match
from referee.storage import recovery, snapshot
from referee.storage.journal import FileJournal, load_journal
from referee.storage.recovery import find_unfinished
from referee.storage.snapshot import load_snapshot
from tests.support.perfect_watcher import PerfectWatcher

SNAPSHOT_BYTES = 20_000


def play(path: Path, edition: str, seed: int, turns: int) -> Match:
    """Play some turns of an evening into a journal, which is not closed: the plug is pulled."""
    journal = FileJournal(path)
    loop = Loop(Match(), journal, (SnapshotPublisher(journal),), lambda _: None)
    match, _ = simulated_match(EDITIONS[edition], seed=seed, games=1, cheat_rate=0.35)
    match.players = replace(match.players, strong_seats=frozenset())
    loop.enter(MatchStarted(at=Seconds(0.0), names=NAMES[: match.players.count], edition=edition, games=1, by="page"))
    onlooker = PerfectWatcher()
    for _ in islice(match.play(), turns):
        presses = sorted(match.scene.presses, key=lambda press: press.at)
        for moment in match.scene.moments:
            while presses and presses[0].at <= moment.at:
                loop.enter(meaning(presses.pop(0), loop.match))
            loop.enter(Ticked(Seconds(moment.at)))
            for entered in onlooker.watch(moment, loop.match):
                loop.enter(entered)
        match.scene.moments.clear()
        match.scene.presses.clear()
    return loop.match


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SNAPSHOT_BYTES", SNAPSHOT_BYTES)


def folded(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    """The match that is found, and how many steps were folded for it."""
    steps: list[Input] = []

    def counted(match: Match, entered: Input) -> object:
        steps.append(entered)
        return step(match, entered)

    with monkeypatch.context() as counting:
        counting.setattr(recovery, "step", counted)
        found = find_unfinished(path.parent)
    assert found is not None
    return found.match, len(steps)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("edition", "seed"), [("original", 5), ("twist", 8), ("3in1-expert", 2)])
def test_a_match_goes_on_from_its_snapshot_as_from_its_first_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edition: str, seed: int
) -> None:
    path = tmp_path / "match-00001.jsonl"
    play(path, edition, seed, turns=12)
    kept = load_snapshot(path)
    assert kept is not None
    assert path.stat().st_size - kept.mark.length < 2 * SNAPSHOT_BYTES
    fast, few = folded(path, monkeypatch)
    path.with_suffix(".snapshot").unlink()
    slow, all_steps = folded(path, monkeypatch)
    assert fast == slow
    assert few < all_steps - 50
    assert all_steps == len(load_journal(path).entries)


@pytest.mark.usefixtures("often")
def test_a_match_that_went_on_is_kept_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match-00001.jsonl"
    play(path, "original", 5, turns=6)
    found = find_unfinished(tmp_path)
    assert found is not None
    with FileJournal(path, keep_bytes=found.good_bytes) as journal:
        loop = Loop(found.match, journal, (SnapshotPublisher(journal),), lambda _: None)
        loop.enter(MatchStarted(at=Seconds(found.at + 1), names=("Ann", "Ben"), edition="original"))
    kept = load_snapshot(path)
    assert kept is not None
    assert kept.mark.length == path.stat().st_size
    assert folded(path, monkeypatch) == (loop.match, 0)


def spoilt(path: Path) -> Iterator[None]:
    """Spoil the snapshot or what it stands for, in one way after another."""
    beside = path.with_suffix(".snapshot")
    good, journal, chance = beside.read_bytes(), path.read_bytes(), Random(3)
    for place in (0, 31, 32, len(good) - 1, *(chance.randrange(len(good)) for _ in range(20))):
        beside.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        yield
    beside.write_bytes(good[: len(good) // 2])
    yield
    beside.write_bytes(b"")
    yield
    beside.write_bytes(good)
    path.write_bytes(journal[:300] + bytes([journal[300] ^ 1]) + journal[301:])
    yield
    path.write_bytes(journal[:-SNAPSHOT_BYTES])
    yield


@pytest.mark.usefixtures("often")
def test_a_spoilt_snapshot_or_one_of_another_program_or_journal_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match-00001.jsonl"
    play(path, "original", 5, turns=8)
    assert load_snapshot(path) is not None
    monkeypatch.setattr(snapshot, "_program", lambda: b"another")
    assert load_snapshot(path) is None
    monkeypatch.undo()
    for _ in spoilt(path):
        assert load_snapshot(path) is None


class Poison:
    def __reduce__(self) -> object:
        return os.getpid, ()


@pytest.mark.parametrize("poison", [Poison(), find_unfinished, len, Path("/")])
def test_a_snapshot_that_holds_more_than_values_of_a_match_is_not_loaded(tmp_path: Path, poison: object) -> None:
    path = tmp_path / "match-00001.jsonl"
    path.write_bytes(b"")
    data = pickle.dumps((None, poison, 0.0))
    path.with_suffix(".snapshot").write_bytes(snapshot._seal(data) + data)
    assert load_snapshot(path) is None


@pytest.mark.usefixtures("often")
def test_a_match_that_is_over_leaves_no_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "match-00001.jsonl"
    match = play(path, "original", 5, turns=6)
    found = find_unfinished(tmp_path)
    assert found is not None
    with FileJournal(path, keep_bytes=found.good_bytes) as journal:
        loop = Loop(match, journal, (SnapshotPublisher(journal),), lambda _: None)
        loop.enter(MatchEnded(Seconds(match.now + 1)))
    assert not path.with_suffix(".snapshot").exists()
