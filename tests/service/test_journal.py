"""What survives: a plug pulled at any byte, a rotten line, a full disk; and that a journal repeats its match."""

import errno
import json
import logging
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.errors import StorageError
from referee.game.events import Judged
from referee.game.inputs import MatchEnded, MatchStarted, Restarted, Ticked
from referee.game.match import step
from referee.game.state import Match
from referee.history.record import format_record
from referee.reading.inputs import Input, Seconds
from referee.rules.choices import BlockedScoring
from referee.service.memory import Memory, open_memory
from referee.storage import recovery
from referee.storage.folder import FolderLock
from referee.storage.journal import FileJournal, list_journals, load_journal, next_journal_path
from referee.storage.journal_bytes import format_line, parse_line
from referee.storage.json_codec import input_from_json, input_to_json
from referee.storage.match_step import MatchStep
from referee.storage.recovery import find_unfinished, match_after, replay_differences
from tests.service.conftest import write_journal


def test_a_journal_gives_back_what_was_written(journal: Path, inputs: list[Input]) -> None:
    recorded = load_journal(journal)
    assert [entry.entered for entry in recorded.entries] == inputs
    assert replay_differences(recorded) == ()
    assert not recorded.torn
    assert recorded.good_bytes == journal.stat().st_size


def test_house_rules_of_every_kind_come_back() -> None:
    agreed = (("turn_seconds", 0), ("strict_joker_release", True), ("blocked_scoring", "own_rack"))
    begun = MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original", house_rules=agreed)
    again = input_from_json(json.loads(json.dumps(input_to_json(begun))))
    assert again == begun
    rules = step(Match(), again)[0].rules
    assert (rules.turn_seconds, rules.strict_joker_release) == (None, True)
    assert rules.blocked_scoring is BlockedScoring.OWN_RACK


def test_a_cut_at_any_byte_loses_only_the_line_it_cuts(journal: Path, inputs: list[Input]) -> None:
    whole = journal.read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == 0x0A]
    cuts = {*random.Random(6).sample(range(ends[0], len(whole)), 200), *ends, *(end - 1 for end in ends[1:])}
    for cut in sorted(cuts):
        journal.write_bytes(whole[:cut])
        recorded = load_journal(journal)
        lines = sum(end <= cut for end in ends) - 1
        assert [entry.entered for entry in recorded.entries] == inputs[:lines]
        assert recorded.torn is (cut not in ends)


def test_a_tail_of_zeros_is_a_torn_tail(journal: Path, inputs: list[Input]) -> None:
    journal.write_bytes(journal.read_bytes() + bytes(300))
    recorded = load_journal(journal)
    assert len(recorded.entries) == len(inputs)
    assert recorded.torn


def test_damage_in_the_middle_is_told_in_one_line(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"at":', b'"ta":')
    journal.write_bytes(b"".join(lines))
    with pytest.raises(StorageError, match="is damaged at line 5") as told:
        load_journal(journal)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "has no head", id="empty"),
        pytest.param(b"no journal\n", "has no head", id="foreign"),
        pytest.param(format_line({"journal": 99}), "is of version 99", id="of another version"),
        pytest.param(
            format_line({"journal": 1}) + format_line({"input": {"input": "Sneezed", "at": 1.0}, "told": []}),
            r"line 2: this input is unknown \('Sneezed'\); was it written by another version",
            id="unknown input",
        ),
        *(
            pytest.param(
                format_line({"journal": 1}) + format_line({"n": 1, "input": entered, "told": []}),
                rf"match-00001.jsonl, line 2: this input is unknown \({said}\); was it written by another version",
                id=name,
            )
            for name, entered, said in (
                ("a seat in quotes", {"input": "TurnEnded", "at": 1.0, "seat": "2"}, r"Expected `int.*at `\$.seat`"),
                ("no time", {"input": "Ticked"}, "Object missing required field `at`"),
                ("no tile", {"input": "TileCorrected", "at": 1.0, "index": 0, "tile": "X9"}, ".*'X9'.*"),
                ("a tile that is a number", {"input": "TileCorrected", "at": 1.0, "index": 0, "tile": 9}, ".*"),
                ("nothing said", {"input": "TableCorrected", "at": 1.0, "said": {"what": 1}}, ".*what.*"),
                ("too late", {"input": "ClockSet", "at": 1.0, "seconds_left": 1e9}, "a clock is set to 0 to 3600 s.*"),
            )
        ),
        pytest.param(format_line({"journal": "1"}), "is of version '1', not 1", id="a version in quotes"),
        pytest.param(format_line([1]), "has no head", id="a head that is a list"),
        *(
            pytest.param(format_line({"journal": 1}) + format_line(step), "line 2: this is not a step", id=name)
            for name, step in {
                "a step that is a list": [1],
                "a step that is a text": "step",
                "nothing told": {"input": {"input": "Ticked", "at": 1.0}},
                "told no list": {"input": {"input": "Ticked", "at": 1.0}, "told": 7},
                "told no events": {"input": {"input": "Ticked", "at": 1.0}, "told": ["legal"]},
            }.items()
        ),
        pytest.param(
            format_line({"journal": 1}) + format_line({"told": []}), "line 2: this input is unknown", id="no input"
        ),
    ],
)
def test_what_is_no_journal_is_told(tmp_path: Path, content: Any, said: Any) -> None:
    path = tmp_path / "match-00001.jsonl"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=said):
        load_journal(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(
            lambda lines: [*lines[:5], format_line({**parse_line(lines[4]), "told": [{"event": "else"}]}), *lines[5:]],
            "line 6: this is step 4",
            id="a step doubled, and not the same",
        ),
        pytest.param(lambda lines: [*lines[:5], *lines[6:]], "line 6: this is step 6", id="a line lost"),
        pytest.param(lambda lines: [*lines[:5], lines[6], lines[5], *lines[7:]], "line 6: this is step 6", id="moved"),
    ],
)
def test_a_line_doubled_lost_or_moved_is_damage(journal: Path, change: Any, said: str) -> None:
    """Each line is good by itself: the match they give together is another one than was played."""
    journal.write_bytes(b"".join(change(journal.read_bytes().splitlines(keepends=True))))
    with pytest.raises(StorageError, match=f"{said}, so lines were lost, doubled or moved; copy it up to that line"):
        load_journal(journal)


def test_a_journal_from_before_steps_had_numbers_is_read_and_gone_on_with(journal: Path, inputs: list[Input]) -> None:
    head, *steps = journal.read_bytes().splitlines(keepends=True)
    old = [{key: value for key, value in parse_line(line).items() if key != "n"} for line in steps[:-2]]
    journal.write_bytes(head + b"".join(map(format_line, old)))
    unfinished = find_unfinished(journal.parent)
    assert unfinished is not None
    with FileJournal(journal, keep_bytes=unfinished.good_bytes) as file:
        file.append(MatchStep.of(Match(), Ticked(Seconds(60.0))))
    assert [entry.entered for entry in load_journal(journal).entries] == [*inputs[:-2], Ticked(Seconds(60.0))]


def test_every_line_is_json_with_its_checksum() -> None:
    line = format_line({"input": {"input": "Ticked", "at": 1.25}, "told": []})
    assert parse_line(line) == {"input": {"input": "Ticked", "at": 1.25}, "told": []}
    for place in range(len(line)):
        rotten = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        assert parse_line(rotten) is None


def test_a_match_cut_short_is_found_and_goes_on(journal: Path, inputs: list[Input]) -> None:
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-30])  # the plug was pulled in the middle of the last line
    unfinished = find_unfinished(journal.parent)
    assert unfinished is not None
    assert unfinished.match == match_after(iter(inputs[:-1]))
    assert unfinished.at == inputs[-2].at
    with FileJournal(journal, keep_bytes=unfinished.good_bytes) as file:
        taken = MatchStep.of(unfinished.match, Restarted(unfinished.at))
        file.append(taken)
    recorded = load_journal(journal)
    assert [entry.entered for entry in recorded.entries] == [*inputs[:-1], Restarted(unfinished.at)]
    assert replay_differences(recorded) == ()
    assert taken.match.pauses.halted


def open_again(folder: Path, caplog: pytest.LogCaptureFixture) -> tuple[Memory, list[str]]:
    """The memory of a referee that starts in this folder, and its warnings."""
    caplog.clear()
    with ExitStack() as parts, caplog.at_level(logging.WARNING, "referee"):
        memory = open_memory(folder, "", parts, recorded=False, new=False)
    return memory, caplog.messages


def flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: flip(data, len(data) - 40), id="a bit of the last line"),
        pytest.param(lambda data: flip(data, len(data) - 1), id="the end of the last line"),
        pytest.param(lambda data: data + bytes(4096), id="zeros at the end"),
        pytest.param(lambda data: data[:-700] + bytes(700), id="zeros over the last lines"),
    ],
)
def test_a_damaged_end_is_told_and_kept_beside_the_journal(
    journal: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[bytes], bytes]
) -> None:
    damaged = spoil(journal.read_bytes())
    journal.write_bytes(damaged)
    memory, (said,) = open_again(journal.parent, caplog)
    assert memory.unfinished is not None
    lost = len(damaged) - memory.unfinished.good_bytes
    assert f"the end of journal {journal.name} is damaged: {lost} bytes after turn" in said
    assert said.endswith("The whole file is kept as match-00001.damaged")
    assert journal.with_suffix(".damaged").read_bytes() == damaged
    assert damaged.startswith(journal.read_bytes())
    assert open_again(journal.parent, caplog)[1] == []


def test_a_line_that_the_plug_cut_is_no_damage(journal: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = journal.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last, 7):
        journal.write_bytes(whole[:-cut])
        assert open_again(journal.parent, caplog)[1] == []
    assert not journal.with_suffix(".damaged").exists()


def test_a_match_that_is_over_is_not_taken_up_again(journal: Path, inputs: list[Input], tmp_path: Path) -> None:
    assert find_unfinished(tmp_path / "elsewhere") is None
    match = match_after(iter(inputs))
    recorded = load_journal(journal)
    with FileJournal(journal, keep_bytes=recorded.good_bytes) as file:
        file.append(MatchStep.of(match, MatchEnded(Seconds(99.0))))
    assert find_unfinished(tmp_path) is None
    assert next_journal_path(tmp_path).name == "match-00002.jsonl"


def test_a_journal_in_which_nothing_was_written_is_left_nowhere(tmp_path: Path, inputs: list[Input]) -> None:
    first = next_journal_path(tmp_path)
    FileJournal(first, head={"begun": "today"}).close()  # a start that failed
    assert not first.exists()
    FileJournal(first, head={"begun": "today"})  # one that was killed
    assert load_journal(first).entries == ()
    assert find_unfinished(tmp_path) is None
    assert next_journal_path(tmp_path) == first
    with FileJournal(first, head={"begun": "today"}) as journal:
        journal.append(MatchStep.of(Match(), inputs[0]))
    with FileJournal(first, keep_bytes=first.stat().st_size):  # gone on with, and again nothing came
        pass
    assert [entry.entered for entry in load_journal(first).entries] == inputs[:1]


def test_a_copy_of_a_journal_is_not_taken_for_the_newest(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "match-mine.jsonl").write_bytes(b"")
    (tmp_path / "match-00001 (copy).jsonl").write_bytes(journal.read_bytes())
    assert next_journal_path(tmp_path).name == "match-00002.jsonl"
    unfinished = find_unfinished(tmp_path)
    assert unfinished is not None
    assert unfinished.path == journal


def test_a_damaged_journal_is_put_aside_and_said(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:3], b"rot\n", *lines[4:]]))
    with pytest.raises(StorageError, match=r"match-00001\.damaged"):
        find_unfinished(journal.parent)
    assert (journal.parent / "match-00001.damaged").exists()
    assert find_unfinished(journal.parent) is None


def test_a_second_damaged_journal_does_not_take_the_place_of_the_first(journal: Path) -> None:
    for content in (b"first\n", b"second\n"):
        journal.write_bytes(content)
        with pytest.raises(StorageError):
            find_unfinished(journal.parent)
    kept = sorted(path.read_bytes() for path in journal.parent.glob("*.damaged*"))
    assert kept == [b"first\n", b"second\n"]


@pytest.mark.parametrize(
    ("begun", "said"),
    [
        pytest.param({"edition": "wurst"}, "edition 'wurst' is not known", id="an edition this program lacks"),
        pytest.param({"house_rules": [["wurst", 1]]}, "house rule 'wurst' is not known", id="a house rule it lacks"),
        pytest.param({"first": 1.5}, r"line 2: this input is unknown .*at `\$.first`", id="half a seat"),
    ],
)
def test_a_match_this_program_cannot_go_through_does_not_keep_the_next_one_from_beginning(
    tmp_path: Path, begun: dict[str, Any], said: str
) -> None:
    """It was written by another version, say; the service had stopped at every start."""
    started = {"input": "MatchStarted", "at": 1.0, "names": ["A", "B"], "edition": "original", **begun}
    steps = [{"n": 1, "input": started, "told": []}, {"n": 2, "input": {"input": "TurnEnded", "at": 2.0}, "told": []}]
    path = tmp_path / "match-00001.jsonl"
    path.write_bytes(b"".join(map(format_line, [{"journal": 1}, *steps])))
    with pytest.raises(StorageError, match=f"{said}.*it is now match-00001.damaged, and a new match begins"):
        find_unfinished(tmp_path)
    assert find_unfinished(tmp_path) is None


@pytest.mark.parametrize("at", [1e9, 1e300, float("inf")])
def test_a_clock_that_would_have_run_for_years_does_not_hold_up_the_next_start(tmp_path: Path, at: float) -> None:
    path = a_match_at(tmp_path, {"input": "TurnEnded", "at": at})
    said = "more than 7 days after the step before it, and the clock runs; cut a copy before that step to use it"
    with pytest.raises(StorageError, match=f"step 2: at = .* is {said}"):
        replay_differences(load_journal(path))
    with pytest.raises(StorageError, match=f"line 3: at = .* is {said}; it is now match-00001.damaged"):
        find_unfinished(tmp_path)


def test_a_break_may_last_for_months_and_the_clock_run_for_days(tmp_path: Path) -> None:
    paused = {"input": "Paused", "at": 6 * 86_400.0}
    a_match_at(tmp_path, paused, {"input": "Resumed", "at": 1e7})
    found = find_unfinished(tmp_path)
    assert found is not None
    assert found.at == 1e7
    assert not found.match.pauses.halted


def a_match_at(folder: Path, *entered: dict[str, Any]) -> Path:
    """Write a journal: a match that begins, and these inputs."""
    started = {"input": "MatchStarted", "at": 1.0, "names": ["A", "B"], "edition": "original"}
    steps = [{"n": number, "input": one, "told": []} for number, one in enumerate((started, *entered), start=1)]
    path = folder / "match-00001.jsonl"
    path.write_bytes(b"".join(map(format_line, [{"journal": 1}, *steps])))
    return path


def test_what_nobody_thought_of_does_not_either(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise IndexError(7)

    monkeypatch.setattr(recovery, "step", fails)
    with pytest.raises(StorageError, match=r"cannot be replayed .* is now match-00001\.damaged"):
        find_unfinished(journal.parent)
    assert find_unfinished(journal.parent) is None


@pytest.mark.parametrize(
    ("head", "entered"),
    [
        pytest.param({"journal": 2, "referee": "0.10.0"}, "TurnEnded", id="another form of journal"),
        pytest.param({"journal": 1, "referee": "0.10.0"}, "WurstEaten", id="an input that this program does not know"),
    ],
)
def test_a_newer_program_finds_its_journal_as_it_left_it(
    tmp_path: Path, head: dict[str, Any], entered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "__version__", "0.9.1")
    path = tmp_path / "match-00001.jsonl"
    step = {"n": 1, "input": {"input": entered, "at": 2.0}, "told": []}
    path.write_bytes(written := b"".join(map(format_line, [head, step])))
    for _ in range(2):
        with pytest.raises(StorageError, match=r"0\.10\.0 wrote it and this is 0\.9\.1: it stays as it is") as told:
            find_unfinished(tmp_path)
        assert "\n" not in str(told.value)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [(path.name, written)]


@pytest.mark.parametrize("content", [b"", bytes(4096), b'{"crc":"ef58'], ids=["nothing", "zeros", "half a head"])
def test_a_plug_pulled_in_the_first_write_leaves_nothing_to_put_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "match-00001.jsonl").write_bytes(content)
    assert find_unfinished(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_disk_too_full_to_begin_is_told_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda *_: 0)
    with pytest.raises(StorageError, match=r"cannot be opened \(the disk is full\); free some space"):
        FileJournal(tmp_path / "match-00001.jsonl", head={"begun": "today"})
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_the_record_of_a_journal_with_nothing_but_a_head_says_so_much(tmp_path: Path) -> None:
    path = tmp_path / "match-00001.jsonl"
    path.write_bytes(format_line({"journal": 1, "referee": "0.1.0"}))
    assert format_record(load_journal(path)) == '[Record "1"]\n[Referee "0.1.0"]\n'


def test_judged_turns_are_on_the_disk_before_they_are_told(
    tmp_path: Path, inputs: list[Input], monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    monkeypatch.setattr(os, "fdatasync", lambda _: synced.add(len(written)))
    match, written, judged = Match(), list[Input](), set[int]()
    with FileJournal(tmp_path / "match-00001.jsonl") as file:
        for entered in inputs:
            taken = MatchStep.of(match, entered)
            match = taken.match
            written.append(entered)
            file.append(taken)
            if any(isinstance(event, Judged) for event in taken.events):
                judged.add(len(written))
    assert len(judged) == 5
    assert judged <= synced
    assert len(synced) < len(inputs)  # not at every step: that would wear out the card


def test_an_idle_turn_is_brought_to_the_disk_every_five_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    monkeypatch.setattr(os, "fdatasync", lambda _: synced.append(1))
    with FileJournal(tmp_path / "match-00001.jsonl") as file:
        for second in range(21):
            file.append(MatchStep.of(Match(), Ticked(Seconds(float(second)))))
    assert len(synced) == 1 + 4  # the head, then at 5, 10, 15 and 20 s


def test_a_full_disk_is_told_and_leaves_no_half_line_and_no_hole(
    journal: Path, inputs: list[Input], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = load_journal(journal)
    file = FileJournal(journal, keep_bytes=recorded.good_bytes)
    really, room = os.write, 200
    monkeypatch.setattr(os, "write", lambda descriptor, line: really(descriptor, line[:room]))
    long = MatchStarted(at=Seconds(50.0), names=("Ann" * 80, "Ben"), edition="original")
    later = [Ticked(Seconds(51.0)), Ticked(Seconds(52.0))]
    with pytest.raises(StorageError, match="the disk is full"):
        file.append(MatchStep.of(Match(), long))
    with pytest.raises(StorageError, match="the disk is full"):
        file.append(MatchStep.of(Match(), later[0]))  # would fit, and leave a hole before it
    assert journal.stat().st_size == recorded.good_bytes
    monkeypatch.undo()
    file.append(MatchStep.of(Match(), later[1]))
    file.close()
    assert [entry.entered for entry in load_journal(journal).entries] == [*inputs, long, *later]


def test_what_a_full_disk_did_not_take_is_written_at_the_end(
    journal: Path, inputs: list[Input], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = FileJournal(journal, keep_bytes=journal.stat().st_size)
    monkeypatch.setattr(os, "write", lambda *_: 0)
    with pytest.raises(StorageError, match="the disk is full"):
        file.append(MatchStep.of(Match(), Ticked(Seconds(50.0))))
    monkeypatch.undo()
    file.close()
    assert [entry.entered for entry in load_journal(journal).entries] == [*inputs, Ticked(Seconds(50.0))]


STORES_AND_FAILS = [errno.EROFS, errno.ENOSPC, errno.EIO]


def store_and_fail(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Let a write reach the file and still report an error, as on a card that turns read-only in the middle of it."""
    for name in ("write", "pwrite"):
        really = getattr(os, name)

        def write(*given: Any, really: Any = really) -> int:
            really(*given)
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, name, write)


@pytest.mark.parametrize("code", STORES_AND_FAILS, ids=errno.errorcode.get)
def test_a_write_that_stores_and_fails_loses_and_doubles_no_step(
    tmp_path: Path, inputs: list[Input], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """At every step, with the plug pulled at the end; and with a card that takes writes again."""
    match, file = Match(), FileJournal(tmp_path / "match-00001.jsonl")
    with monkeypatch.context() as card:
        store_and_fail(card, code)
        for entered in inputs:
            taken = MatchStep.of(match, entered)
            match = taken.match
            with pytest.raises(StorageError, match=f"is not kept: {os.strerror(code)}"):
                file.append(taken)
    cut = find_unfinished(tmp_path)
    assert cut is not None
    assert cut.match == match
    file.append(MatchStep.of(Match(), Ticked(Seconds(60.0))))
    file.close()
    recorded = load_journal(file.path)
    assert [entry.entered for entry in recorded.entries] == [*inputs, Ticked(Seconds(60.0))]
    assert file.path.read_bytes().count(b"\n") == 1 + len(inputs) + 1


@pytest.mark.parametrize("code", STORES_AND_FAILS, ids=errno.errorcode.get)
def test_one_write_that_stores_and_fails_is_made_good_by_the_next(
    tmp_path: Path, inputs: list[Input], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    for failing in range(len(inputs)):
        match, path = Match(), tmp_path / f"match-{failing:05d}.jsonl"
        with FileJournal(path) as file:
            for number, entered in enumerate(inputs):
                taken = MatchStep.of(match, entered)
                match = taken.match
                with monkeypatch.context() as card, suppress(StorageError):
                    if number == failing:
                        store_and_fail(card, code)
                    file.append(taken)
        assert [entry.entered for entry in load_journal(path).entries] == inputs
        assert path.read_bytes().count(b"\n") == 1 + len(inputs)


def test_a_step_that_could_not_be_forced_is_written_anew_with_those_that_waited_for_it(
    journal: Path, inputs: list[Input], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed fdatasync(2) Linux may take what was to be forced for forced, and drop it from memory."""
    ticks = [Ticked(Seconds(at)) for at in (60.0, 61.0, 65.0, 66.0)]

    with FileJournal(journal, keep_bytes=journal.stat().st_size) as file:
        file.append(MatchStep.of(Match(), ticks[0]))
        forced = journal.stat().st_size

        def drop(descriptor: int) -> None:
            os.ftruncate(descriptor, forced)
            raise OSError(errno.EIO, "Input/output error")

        file.append(MatchStep.of(Match(), ticks[1]))  # taken, and not yet forced
        monkeypatch.setattr(os, "fdatasync", drop)
        with pytest.raises(StorageError, match="Input/output error"):
            file.append(MatchStep.of(Match(), ticks[2]))
        monkeypatch.undo()
        file.append(MatchStep.of(Match(), ticks[3]))
    assert [entry.entered for entry in load_journal(journal).entries] == [*inputs, *ticks]


def test_a_journal_in_which_an_earlier_version_repeated_steps_is_read_and_gone_on_with(
    journal: Path, inputs: list[Input]
) -> None:
    """It appended what a read-only card had refused and stored, again and again: 8; 8, 9; 8, 9, 10."""
    lines = journal.read_bytes().splitlines(keepends=True)
    repeated = [*lines[:9], *lines[8:10], *lines[8:11], *lines[8:]]
    journal.write_bytes(b"".join([*repeated, *lines[8:12], lines[12][:-9]]))  # and the plug was pulled
    unfinished = find_unfinished(journal.parent)
    assert unfinished is not None
    assert unfinished.match == match_after(iter(inputs))
    with FileJournal(journal, keep_bytes=unfinished.good_bytes) as file:
        file.append(MatchStep.of(Match(), Ticked(Seconds(60.0))))
    recorded = load_journal(journal)
    assert [entry.entered for entry in recorded.entries] == [*inputs, Ticked(Seconds(60.0))]
    assert replay_differences(recorded)[:-1] == ()


def test_a_disk_that_fails_before_the_head_is_told_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_and_fail(monkeypatch, errno.EIO)
    with pytest.raises(StorageError, match=r"cannot be opened \(Input/output error\); check the folder"):
        FileJournal(tmp_path / "match-00001.jsonl")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_is_told(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FileJournal(journal, keep_bytes=journal.stat().st_size)

    def fail(*_: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(StorageError, match="Input/output error; check the disk"):
        file.append(MatchStep.of(Match(), Ticked(Seconds(50.0))))
    monkeypatch.undo()
    file.close()


def test_two_referees_do_not_share_a_folder(tmp_path: Path) -> None:
    with FolderLock(tmp_path / "state"), pytest.raises(StorageError, match="in use by another referee"):
        FolderLock(tmp_path / "state")
    FolderLock(tmp_path / "state").close()


def test_another_process_has_the_folder_until_it_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\nfrom referee.storage.folder import FolderLock\n"
        "with FolderLock(pathlib.Path(sys.argv[1])):\n    print(flush=True)\n    sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        with pytest.raises(StorageError, match="in use by another referee"):
            FolderLock(tmp_path)
        other.kill()
    FolderLock(tmp_path).close()


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be used"):
        FolderLock(tmp_path / "file" / "state")


# referee replay ---------------------------------------------------------------------------------------------------


def test_replay_tells_the_same_again(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(journal)]) == 0
    out, err = capsys.readouterr()
    assert "Ann plays R10 R11 R12: LEGAL, 33 points for the opening." in out
    assert "31 steps tell the same again" in err


def test_replay_finds_a_verdict_that_has_changed(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    step_told = parse_line(lines[6])
    (judged,) = (event for event in step_told["told"] if event["event"] == "judged")
    judged["verdict"] = "illegal"
    journal.write_bytes(b"".join([*lines[:6], format_line(step_told), *lines[7:]]))
    assert main(["replay", "--quiet", str(journal)]) == 1
    assert "1 of 31 steps tell something else" in capsys.readouterr().err


def test_replay_of_nothing_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(tmp_path / "none.jsonl")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_game_record_of_a_match(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(journal), "--record", "-"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        '[Record "1"]',
        '[Edition "original"]',
        '[Player1 "Ann"]',
        '[Player2 "Ben"]',
        "",
        "game 1 starts 1",
        "1.1 1 legal played - 33 | R10 R11 R12 | R10 R11 R12",
        "1.2 2 illegal! played initial_meld_too_low 27 | B9 K9 O9 | R10 R11 R12 / B9 K9 O9",
        "1.2 2 legal played - 30 | B10 K10 O10 | R10 R11 R12 / B10 K10 O10",
        "1.3 1 legal no_play - - | - | R10 R11 R12 / B10 K10 O10",
        "1.3 1 draws 1 no_play",
        "1.4 2 legal played - - | J K2 K3 | R10 R11 R12 / B10 K10 O10 / J K2 K3",
    ]


def test_a_record_that_cannot_be_written_is_one_line(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--quiet", str(journal), "--record", "/nowhere/record.txt"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_state_folder_that_is_deleted_in_play_is_told_and_written_again(tmp_path: Path, inputs: list[Input]) -> None:
    folder = tmp_path / "state"
    match, path = Match(), folder / "match-00001.jsonl"
    told: list[str] = []
    with FileJournal(path) as file:
        for number, entered in enumerate(inputs):
            taken = MatchStep.of(match, entered)
            match = taken.match
            try:
                file.append(taken)
            except StorageError as error:
                told.append(str(error))
            if number == len(inputs) // 2:
                shutil.rmtree(folder)
    assert told == [f"journal {path} is not kept: it was deleted in play, and is written again; check the disk"]
    assert [entry.entered for entry in load_journal(path).entries] == inputs


def test_the_match_after_99999_begins_and_goes_on(tmp_path: Path, inputs: list[Input]) -> None:
    for number in (3, 99_998, 99_999):
        write_journal(tmp_path / f"match-{number:05d}.jsonl", inputs)
    after = next_journal_path(tmp_path)
    assert after.name == "match-100000.jsonl"
    write_journal(after, inputs[:-1])
    assert [path.stem for path in list_journals(tmp_path)] == [
        "match-100000",
        "match-99999",
        "match-99998",
        "match-00003",
    ]
    found = find_unfinished(tmp_path)
    assert found is not None
    assert found.path == after
    assert next_journal_path(tmp_path).name == "match-100001.jsonl"
