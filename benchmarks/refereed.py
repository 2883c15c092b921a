"""Render and referee one simulated game with the real models, and compare each answer with the truth.

Simulated players do not hear the referee. The organiser names tiles in doubt once, as in play: the judgement counts as
undecided, and the next one must be right. With `GameOptions.puts_right` a match that went astray is corrected before
the next turn begins, as the organiser would on the page, so that every turn is judged on its own; otherwise the
evening's log says from which turn on it was lost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Protocol

import cv2
import numpy as np

from benchmarks.evening_log import EveningLog
from benchmarks.identities import Identities
from benchmarks.setup_tiles import true_lens, true_plane
from referee.errors import CalibrationError
from referee.game.correction_types import TileIs
from referee.game.endgame.games import next_turn
from referee.game.events import Judged, RestoreNeeded
from referee.game.inputs import (
    CameraBack,
    CameraLost,
    MatchEnded,
    MatchStarted,
    NextGame,
    Restarted,
    Seat,
    TableCorrected,
    Ticked,
    TurnEnded,
)
from referee.game.limits import Limits
from referee.game.state import Match, Pauses, TurnStart, with_item
from referee.game.table.differences import same_sets
from referee.hardware.picture_check import PictureCheck, Sight
from referee.hardware.ports import PlannedButton
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.reading.observation import TableReading, TileReading
from referee.rules.editions import RuleSet, rule_set
from referee.rules.notation import format_table, format_tile, parse_tile
from referee.rules.table import Table
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import VERDICT_NAMES, Undecided
from referee.service.evening_faces import EveningFaces
from referee.service.loop import Loop
from referee.service.match_source import RECORDED_DOUBT_SECONDS
from referee.sim.camera_faults import LAMP_SECONDS, CameraFaults, TakenPicture
from referee.sim.hardship_kinds import LASTING_HARDSHIPS, Hardship
from referee.sim.hardships import MatchWithHardships
from referee.sim.joker_faces import has_special_jokers
from referee.sim.recording import tile_positions
from referee.sim.render import Painter, TableSetting
from referee.sim.scenarios import DEFAULT_SIZE, NAMES, match_with_hardships, simulated_match
from referee.sim.scene import SceneMoment, area_in_picture, outlined_area
from referee.sim.simulated_match import SimulatedMatch, TrueJudgement, TrueTurn
from referee.sim.view import LaidTile
from referee.storage.journal import FileJournal, NoJournal, load_journal
from referee.storage.match_step import MatchStep
from referee.storage.recovery import match_after
from referee.vision.calibrate.face_learning import LearntFaces, learn_faces
from referee.vision.geometry.homography import TablePlane
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher

ACCUSED, PASSED, OTHERWISE, SILENT, UNASKED = (
    "wrong accusation",
    "wrong pass",
    "other faults or outcome",
    "no answer in time",
    "answer to nothing",
)
UNDECIDED = "undecided"
KINDS = (ACCUSED, PASSED, OTHERWISE, SILENT, UNASKED, UNDECIDED)
_JPEG_QUALITY = 90
_PICTURES_KEPT = 5
_SPACING_MM = 70.0
_REACH_SECONDS = 5.0  # after a game, within which its last press may still be answered
_POSITIONS_MM = ((0.0, 0.0), (-160.0, -110.0), (150.0, 90.0), (-140.0, 120.0))
_MATCH_DISTANCE_HEIGHTS = 0.5  # within which a reading belongs to a true tile


@dataclass(slots=True)
class Refereed:
    """The results of a game so far; `amiss` has every judgement that was not answered correctly."""

    turns: int = 0
    faulty: int = 0
    judgements: int = 0
    amiss: list[dict[str, Any]] = field(default_factory=list)
    waits: dict[str, list[float]] = field(default_factory=lambda: {"legal": [], "illegal": []})
    """Seconds of match time from a press to its first verdict, for legal and illegal tables."""
    waits_for_look: list[float] = field(default_factory=list)
    """Seconds from the first look after a press that showed the whole table to the verdict."""
    seconds: float = 0.0
    processor: float = 0.0
    """Seconds by the clock and of processor time."""
    enrolled: bool = False
    """Whether the box's jokers were learnt before the game."""
    not_learnt: list[str] = field(default_factory=list)
    """Why `referee calibrate tiles` wrote nothing, of each picture that it refused."""
    whole: int = 0
    """Judgements of turns in which every tile lay inside the picture, face up and uncovered."""
    moves: int = 0
    switches: int = 0
    """How often a tile came, went or moved between two settled readings, and how often its track became another's."""
    hardships: dict[str, int] = field(default_factory=dict)
    befallen: int = 0
    camera: str = ""
    """The turns with each hardship, the turns with any, and the camera's faults."""
    evening: dict[str, Any] = field(default_factory=dict)
    """What `EveningLog.summary` says."""


class Incident(Protocol):
    """Something that happens to the referee during play."""

    def happen(self, table: "RefereedTable", turn: TrueTurn, seconds: float) -> None:
        """Act if something is due this many seconds into the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOptions:
    """How a game is played and watched."""

    size: tuple[int, int] = DEFAULT_SIZE
    turns: int | None = None
    games: int = 1
    """In one match; `turns` counts across them."""
    keeps_journal: bool = False
    has_outline: bool = True
    """Whether the referee knows which part of the picture is the table, as after calibration."""
    enrols_jokers: bool = True
    """Whether a box with special jokers is shown to `referee calibrate tiles` before the first turn.

    The game goes on without if the step refuses every picture.
    """
    puts_right: bool = True
    """Whether the organiser corrects a match that went astray, and begins the next game."""
    answers: bool = True
    """Whether the organiser names the tiles in doubt."""
    adjust_setting: Callable[[TableSetting], TableSetting] = lambda setting: setting
    """Changes the camera or the table."""
    incidents: tuple["Incident", ...] = ()
    hardships: tuple[Hardship, ...] = ()
    """Random hardships of people and tiles; with any of them the camera is faulty too."""


def referee_game(
    edition: str, seed: int, *, cheats: float, folder: Path, options: GameOptions = GameOptions()
) -> Refereed:
    """Play and referee one game; save pictures of failures in the folder."""
    rules = rule_set(edition)
    camera_faults = CameraFaults.random(seed, options.hardships) if options.hardships else None
    match: SimulatedMatch
    if camera_faults is None:
        match, setting = simulated_match(rules, seed=seed, games=options.games, cheat_rate=cheats, size=options.size)
    else:
        match, setting = match_with_hardships(
            rules,
            seed=seed,
            games=options.games,
            cheat_rate=cheats,
            size=options.size,
            hardships=options.hardships,
            is_outlined=options.has_outline,
        )
        match.verdict_seconds = camera_faults.verdict_seconds
    table = RefereedTable(rules, options.adjust_setting(setting), folder, f"{edition}-{seed}", options, camera_faults)
    start, spent = perf_counter(), process_time()
    for turn in islice(match.play(), options.turns):
        table.play(turn, match.scene.moments, PlannedButton(match.scene.presses))
        match.scene.moments.clear()
        match.scene.presses.clear()
    table.close()
    if isinstance(match, MatchWithHardships) and camera_faults is not None:
        lasting = dict.fromkeys(
            (hardship.value for hardship in options.hardships if hardship in LASTING_HARDSHIPS), table.found.turns
        )
        table.found.hardships = dict(match.turn_counts) | lasting
        table.found.befallen = match.turns_with_hardship or max(lasting.values(), default=0)
        table.found.camera = camera_faults.summary()
    table.found.evening = table.log.summary(options.games)
    table.found.seconds, table.found.processor = round(perf_counter() - start, 1), round(process_time() - spent, 1)
    return table.found


class CountingReader:
    """A reader that counts its readings."""

    def __init__(self, reader: TableReader) -> None:
        self._reader = reader
        self.count = 0

    def read_table(self, *args: Any, **kwargs: Any) -> TableReading:
        """Read the table and count the reading."""
        self.count += 1
        return self._reader.read_table(*args, **kwargs)


class RefereedTable:
    """The referee over a simulated table."""

    def __init__(  # noqa: PLR0917 - called once
        self,
        rules: RuleSet,
        setting: TableSetting,
        folder: Path,
        name: str,
        options: GameOptions,
        camera_faults: CameraFaults | None = None,
    ) -> None:
        self.found, self.log = Refereed(), EveningLog()
        self._camera_faults, self._lamp, self._shift = camera_faults, ("", 0.0), (0.0, 0.0)
        self._rules, self._setting, self._folder, self._name, self._options = rules, setting, folder, name, options
        self._painter = Painter(setting)
        reader = TableReader()
        profile = None
        if options.enrols_jokers and has_special_jokers(rules):
            profile, self.found.not_learnt = enrolled_profile(reader, rules, setting)
        self.found.enrolled = profile is not None
        if options.has_outline:
            known = profile or Profile(camera="sim", size=setting.view.size)
            profile = replace(known, intrinsics=true_lens(setting.view), table=calibrated_table(setting))
        self._table_reader, self._reader = reader, CountingReader(reader)
        self._new_watcher = partial(Watcher, self._reader, rules.box, profile=profile)
        self._journal = FileJournal(folder / f"{name}.jsonl") if options.keeps_journal else NoJournal()
        self._begin(Match())
        self._frames = 0
        self._frame: Frame | None = None
        self._laid: tuple[LaidTile, ...] = ()
        self._identities = Identities()
        self._switches = (0, 0)
        self._still_pictures: list[Image] = []
        self._still_tiles: tuple[object, ...] | None = None
        self._turn: TrueTurn
        self._turn_has_begun = False
        self._judgements_due: list[TrueJudgement] = []
        self._current: tuple[TrueTurn, TrueJudgement] | None = None
        self._answers: list[Judged | RestoreNeeded] = []
        self._first_look: float | None = None
        self._check, self._sight, self._is_lost = PictureCheck(), Sight.NEW, False
        self._is_noted = False
        self._question: Judged | None = None
        self._has_answered = False
        self._is_astray = False
        self._seconds_ahead = 0.0
        names = NAMES[: len(setting.seats)]
        limits = Limits(doubt_seconds=RECORDED_DOUBT_SECONDS)
        start = MatchStarted(at=Seconds(0.0), names=names, edition=rules.edition, games=options.games, limits=limits)
        self._loop.enter(start)

    def _begin(self, match: Match) -> None:
        self._watcher = self._new_watcher()
        faces = EveningFaces(self._table_reader, self._watcher)
        self._loop = Loop(match, self._journal, (self, faces), print, look_requester=self._watcher)

    @property
    def setting(self) -> TableSetting:
        """The present table, lamp and camera."""
        return self._setting

    def change_setting(self, setting: TableSetting) -> None:
        """Change the lamp or the camera from now on."""
        self._setting, self._painter, self._still_tiles = setting, Painter(setting), None

    def cut_power(self) -> None:
        """Cut the power; the referee resumes from its journal, which must be kept."""
        self._journal.close()
        path = self._folder / f"{self._name}.jsonl"
        recorded = load_journal(path)
        match = match_after(entry.entered for entry in recorded.entries)
        self._journal = FileJournal(path, keep_bytes=recorded.good_bytes)
        self._begin(match)
        self._loop.enter(Restarted(recorded.entries[-1].entered.at))

    def play(self, turn: TrueTurn, moments: Sequence[SceneMoment], button: PlannedButton) -> None:
        """Let the referee see one turn."""
        self._turn, self._turn_has_begun, self._is_noted = turn, False, False
        self.log.show(turn)
        self._judgements_due = sorted(turn.judgements, key=lambda true: self._answerable_from(turn, true))
        for taken in self._pictures_taken(turn, moments):
            at, moment = taken.at, taken.moment
            if turn.shown_racks and at > turn.ended + _REACH_SECONDS and self._current is not None:
                self._finish_judgement()
            self._note_look(taken)
            self._prepare_judgement(at, hands=bool(moment.hands))
            self._laid = moment.laid
            for incident in self._options.incidents:
                incident.happen(self, turn, at - turn.started)
            self._frames += 1
            name = f"{self._name}-{self._frames:05d}"
            if self._camera_faults is None:
                self._frame = self._steady_frame(moment, name)
                self._loop.take(self._frame, button, self._watcher)
            else:
                self._frame = self._faulty_frame(taken, name, self._camera_faults)
                self._take_with_delay(self._frame, button, self._camera_faults)
            self._answer_question()
        self._seconds_ahead = self._head_start(turn)
        self.found.turns += 1
        self.found.faulty += turn.kind is not None

    def _prepare_judgement(self, until: float, *, hands: bool = False) -> None:
        """Finish the last judgement and prepare the next one if it is due; correct the match first.

        This must happen before the press, which a slow reading may admit between two frames.
        """
        turn = self._turn
        asked = bool(self._judgements_due) and until > self._answerable_from(turn, self._judgements_due[0])
        if asked or (hands and not self._turn_has_begun):
            self._finish_judgement()
            if turn.number == 1 and turn.game > 1 and not self._turn_has_begun and self._options.puts_right:
                self._loop.enter(NextGame(self._loop.match.now, first=Seat(turn.seat)))
                self._is_astray = False
            if self._is_astray and self._options.puts_right and not (self._turn_has_begun and self._is_overtime(turn)):
                self._correct_match(turn)
            self._turn_has_begun = True
        if asked:
            if not self._is_noted:
                self._is_noted = True
                self.log.begin(turn, self._loop.match)
            self._current = (turn, self._judgements_due.pop(0))
            self._switches = (self._switches[1], self._identities.switches)
            self.found.judgements += 1
            self.found.whole += turn.all_visible

    def _pictures_taken(self, turn: TrueTurn, moments: Sequence[SceneMoment]) -> Iterator[TakenPicture]:
        if self._camera_faults is not None:
            return self._camera_faults.frames(moments, max(turn.ended, moments[-1].at if moments else 0.0))
        return (TakenPicture(moment.at, moment) for moment in moments)

    def _take_with_delay(self, frame: Frame, button: PlannedButton, camera_faults: CameraFaults) -> None:
        """Take a frame as the live loop does: presses during the reading are entered before its result."""
        at, readings_before = Seconds(frame.at), self._reader.count
        self._loop.enter_presses(button, at)
        self._loop.enter(Ticked(at))
        inputs = self._watch(frame)
        if self._reader.count > readings_before:
            later = Seconds(at + sum(camera_faults.read(at) for _ in range(self._reader.count - readings_before)))
            self._prepare_judgement(later)
            self._loop.enter_presses(button, later)
            self._loop.enter(Ticked(later, at))
        for entered in inputs:
            self._loop.enter(entered)

    def _watch(self, frame: Frame) -> tuple[Input, ...]:
        """Watch a frame as with a live camera: a repeated picture is no look, a turned camera is lost."""
        sight, was_lost = self._check.check(frame.small), self._is_lost
        if sight is Sight.RESHAPED:
            self._is_lost = self._sight is Sight.RESHAPED
        self._sight = sight
        if sight is not Sight.NEW:
            return (CameraLost(Seconds(frame.at)),) if self._is_lost and not was_lost else ()
        self._is_lost = False
        if was_lost:
            self._watcher.look_after_gap()
        back = (CameraBack(Seconds(frame.at)),) if was_lost else ()
        return (*back, *self._watcher.watch(frame))

    def _faulty_frame(self, taken: TakenPicture, name: str, camera_faults: CameraFaults) -> Frame:
        """Return what a faulty camera sees under the referee's lamps, or its last picture again."""
        at, last = taken.at, self._frame
        self._shift = camera_faults.shift(at)
        if taken.is_repeat and last is not None:
            return Frame(name, at, lambda: last.image, last.small)
        lamp, until = self._lamp
        image = camera_faults.picture(self._painter, taken, self._frames, lamp if at < until else None)
        return Frame(name, at, lambda: compressed(image), image)

    def _true_tiles(self, turn: TrueTurn, true: TrueJudgement) -> list[dict[str, Any]]:
        """Return the true tiles with their quads in the picture."""
        places = tile_positions(true.arrangement, self._setting, turn.displaced_tiles)
        across, down = self._shift
        return [tile | {"quad": [[x + across, y + down] for x, y in tile["quad"]]} for tile in places]

    def _answerable_from(self, turn: TrueTurn, true: TrueJudgement) -> float:
        """Return from when a verdict answers this judgement: the press, or shortly before the time runs out."""
        # The match's turn began that much sooner.
        verdict_seconds = 0.0 if self._camera_faults is None else self._camera_faults.verdict_seconds
        return (
            true.at
            if true.cause == "press"
            else turn.started + self._limit - self._seconds_ahead - verdict_seconds - 3.0
        )

    def _head_start(self, turn: TrueTurn) -> float:
        """Return how many seconds the match begins the next turn before the players, who notice the timeout late."""
        last = turn.judgements[-1]
        waited = last.cause == "time" and last.is_legal
        return max(0.0, turn.ended - turn.started - self._limit + self._seconds_ahead) if waited else 0.0

    @property
    def _limit(self) -> float:
        return float(self._rules.turn_seconds or 0)

    def _steady_frame(self, moment: SceneMoment, name: str) -> Frame:
        """Return a frame; a few pictures of a table at rest, each with its own noise, are used in rotation.

        Frames with hands are compressed only when read, because most reach only the motion gate.
        """
        if moment.hands:
            self._still_tiles, self._still_pictures = None, []
            image = self._painter.paint(moment.laid, moment.hands, noise_index=self._frames)
            return Frame(name, moment.at, lambda: compressed(image), image)
        if moment.laid != self._still_tiles:
            self._still_tiles, self._still_pictures = moment.laid, []
        if len(self._still_pictures) < _PICTURES_KEPT:
            self._still_pictures.append(compressed(self._painter.paint(moment.laid, noise_index=self._frames)))
            return Frame(name, moment.at, self._still_pictures[-1])
        return Frame(name, moment.at, self._still_pictures[self._frames % _PICTURES_KEPT])

    def close(self) -> None:
        """Finish the last judgement and end the match."""
        self._finish_judgement()
        self._loop.enter(MatchEnded(self._loop.match.now))
        self._journal.close()

    def publish(self, step: MatchStep) -> None:
        """Compare readings and verdicts with the truth."""
        entered, events, match = step.entered, step.events, step.match
        shown = match.table.shown
        if isinstance(entered, TableSettled) and shown is not None:
            quads = [self._setting.view.quad(tile, self._setting.style.thickness) for tile in self._laid]
            middles = [(float(x), float(y)) for x, y in (quad.mean(axis=0) + self._shift for quad in quads)]
            self._identities.add_reading(shown.read, self._laid, middles)
            self.found.moves, self.found.switches = self._identities.moves, self._identities.switches
        observed = match.table.current
        for event in events:
            tiles = observed.reading.tiles if observed is not None else ()
            self.log.hear(event, tiles, self._true_index)
            if isinstance(event, Judged):
                self._lamp = VERDICT_NAMES[type(event.verdict)], event.at + LAMP_SECONDS
            if isinstance(event, Judged) and self._current is None:
                self._record_failure(UNASKED, match.seat, event)
            elif isinstance(event, Judged) and self._current is not None:
                self._answers.append(event)
                kind = failure_kind(event, self._current[1])
                if kind is None and self._has_answered:
                    self._is_astray = False
                elif kind == UNDECIDED and event.doubts:
                    self._question = event
                if kind is not None:
                    self._record_failure(kind, match.seat, event)
            elif isinstance(event, RestoreNeeded) and event.doubts and self._current and isinstance(entered, TurnEnded):
                self._answers.append(event)  # the restore question answers the press
                self._record_failure(UNDECIDED, match.seat, None)

    def _answer_question(self) -> None:
        """Name the tiles that the last verdict doubted, once, as the organiser would on the page."""
        asked, settled = self._question, self._watcher.settled
        self._question = None
        if asked is None or settled is None or self._current is None or self._has_answered or not self._options.answers:
            return
        reading = settled.reading
        if reading.frame_id != asked.frame_id:
            return
        self._has_answered = True
        truth = self._true_tiles(*self._current)
        middles = [np.mean(tile["quad"], axis=0).tolist() for tile in truth]
        if not all(inside_outline(area_in_picture(self._setting.view))([(x, y) for x, y in middles])):
            return  # people push back a set that is half outside the picture
        doubted = {doubt.index for doubt in asked.doubts}
        known = {true_index(tile, truth) for index, tile in enumerate(reading.tiles) if index not in doubted}
        for doubt in asked.doubts:
            if doubt.index < len(reading.tiles):
                index = true_index(reading.tiles[doubt.index], truth)
                tile = None if index is None or index in known else parse_tile(str(truth[index]["tile"]))
                known.add(index)
                now = self._loop.match.now
                self._loop.enter(
                    TableCorrected(now, TileIs(doubt.index, tile), by="organiser", frame_id=asked.frame_id)
                )

    def _finish_judgement(self) -> None:
        if self._current is None:
            return
        true = self._current[1]
        first = self._answers[0] if self._answers else None
        if first is None:
            self._record_failure(SILENT, self._current[0].seat, None)
        elif true.cause == "press" and isinstance(first, Judged) and not isinstance(first.verdict, Undecided):
            waits = self.found.waits["legal" if true.is_legal else "illegal"]
            waits.append(round(first.at - max(true.at, true.seen_from) - 0.05, 2))
            if self._first_look is not None:
                self.found.waits_for_look.append(round(max(0.0, first.at - self._first_look), 2))
        self._current, self._answers, self._has_answered, self._first_look = None, [], False, None

    def _note_look(self, taken: TakenPicture) -> None:
        """Note the first picture after a press that shows the whole table as it is."""
        if self._current is None or self._first_look is not None or taken.is_repeat:
            return
        true, moment = self._current[1], taken.moment
        if not moment.hands and not moment.shape and moment.at > max(true.at, true.seen_from):
            self._first_look = taken.at

    def _true_index(self, tile: TileReading) -> int | None:
        """Return the index of the tile that lies at a reading; None if none does."""
        laid = [self._setting.view.quad(one, self._setting.style.thickness) + self._shift for one in self._laid]
        return true_index(tile, [{"quad": quad} for quad in laid])

    def _is_overtime(self, turn: TrueTurn) -> bool:
        """Return whether the turn's time is up, which a new clock would cancel."""
        limited = self._rules.turn_seconds is not None
        return limited and self._loop.match.now > turn.started + self._limit - self._seconds_ahead - 1.0

    def _correct_match(self, turn: TrueTurn) -> None:
        """Set the match to the players' true position."""
        match, count = self._loop.match, len(self._setting.seats)
        racks = zip(match.players, turn.racks, strict=True)
        players = tuple(replace(player, rack=rack) for player, rack in racks)
        mover = replace(players[turn.seat], opened=turn.opened)
        before = replace(
            match_beginning_with(match, turn.before),
            seat=Seat((turn.seat - 1) % count),
            turn=turn.number - 1,
            players=with_item(players, turn.seat, mover),
            undo=None,
            pauses=Pauses(),
        )
        match = next_turn(before)[0]
        if match.play.clock.since is not None:  # the players' turn began earlier
            clock = replace(match.play.clock, since=Seconds(turn.started))
            match = replace(match, play=replace(match.play, clock=clock))
        self._loop.match = match
        self._is_astray, self._seconds_ahead = False, 0.0

    def _record_failure(self, kind: str, seat: int, event: Judged | None) -> None:
        """Record a failure, once per judgement and kind: verdicts, picture and misread tiles."""
        self._is_astray = True
        at = self._current[1].at if self._current else None
        if any(failure["kind"] == kind and failure["at"] == at for failure in self.found.amiss):
            return
        failure: dict[str, Any] = {"kind": kind, "seat": seat, "at": at}
        failure["switched"] = self._identities.switches > self._switches[0]
        if self._current:
            turn, true = self._current
            failure |= {
                "turn": turn.number,
                "trick": turn.kind,
                "cause": true.cause,
                "hardships": list(turn.hardships),
                "whole": turn.all_visible,
                "true": [sorted(fault.value for fault in true.faults), true.outcome.value],
                "table": format_table(true.arrangement.table),
                "before": format_table(turn.before),
            }
        if event:
            failure["said"] = [
                VERDICT_NAMES[type(event.verdict)],
                sorted({violation.fault.value for violation in event.verdict.violations}),
                event.verdict.outcome.value,
            ]
            failure["read"], failure["was"] = format_table(event.table), format_table(event.before)
            failure["doubts"] = [[doubt.index, [format_tile(tile) for tile in doubt.may_be]] for doubt in event.doubts]
        settled = self._watcher.settled
        if settled and self._current:
            failure["misread"] = misread(settled.reading, self._true_tiles(*self._current))
            failure["layouts"] = len(settled.reading.layouts)
        failure["picture"] = self._picture(f"{self._name}-{len(self.found.amiss) + 1}")
        self.found.amiss.append(failure)

    def _picture(self, name: str) -> str:
        """Save the judged frame losslessly; return the file's name."""
        frame = self._watcher.settled_frame or self._frame
        if frame is None:
            return ""
        file = self._folder / f"{name}.png"
        cv2.imwrite(str(file), frame.image)
        return file.name


def calibrated_table(setting: TableSetting) -> TablePlane:
    """Return the table as `referee calibrate` measures it: plane, outline and tile size."""
    area = outlined_area(setting.view)
    corners = [(area.left, area.top), (area.right, area.top), (area.right, area.bottom), (area.left, area.bottom)]
    return true_plane(setting.view, setting.style.thickness, np.array(corners, np.float64))


def enrolled_profile(reader: TableReader, rules: RuleSet, setting: TableSetting) -> tuple[Profile | None, list[str]]:
    """Return the profile that `referee calibrate tiles` writes from a picture of the jokers, and earlier refusals.

    It refuses a picture with two faces that look alike or with more than the jokers. The jokers are then laid
    elsewhere, as a person would; after the last place there is no profile.
    """
    refused = []
    for across, down in _POSITIONS_MM:
        try:
            learnt = _learnt_at(reader, rules, setting, across, down)
        except CalibrationError as error:
            refused.append(str(error))
            continue
        if not learnt.alike:
            return Profile(camera="sim", size=setting.view.size, enrolment=learnt.enrolment), refused
        refused.append("; ".join(f"{one} and {other} cannot be told apart" for one, other, _ in learnt.alike))
    return None, refused


def _learnt_at(reader: TableReader, rules: RuleSet, setting: TableSetting, across: float, down: float) -> LearntFaces:
    """Enrol all jokers, in two rows if there are two of a kind, at this offset from the picture's middle."""
    jokers = sorted((tile for tile in rules.box if isinstance(tile, Joker)), key=str)
    rows = [jokers, [tile for tile in jokers if rules.box[tile] > 1]]
    view = setting.view
    laid = [
        LaidTile(
            tile=tile,
            copy=copy,
            x=view.width_mm / 2 + across + _SPACING_MM * (place - (len(row) - 1) / 2),
            y=view.height_mm / 2 + down + _SPACING_MM * (copy - 0.5),
            angle=0.02 * (-1) ** place,
        )
        for copy, row in enumerate(rows)
        for place, tile in enumerate(row)
    ]
    image = compressed(Painter(replace(setting, seats=())).paint(laid))
    return learn_faces(reader, image, "the picture of jokers", [tuple(row) for row in rows if row], note=print)


def compressed(image: Image) -> Image:
    """Return the picture after JPEG compression, as from a webcam or `referee simulate`."""
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def match_beginning_with(match: Match, expected: Table) -> Match:
    """Return the match with a turn that may have begun with this table: as it believes, as it sees, or as given."""
    start = match.turn_start
    if _contains([table for table in start.tables if table not in start.disputed], expected):
        return match
    observation = match.table.current
    if observation is not None and _contains(observation.hypotheses.tables, expected):
        return replace(match, turn_start=TurnStart(tables=observation.hypotheses.tables, observation=observation))
    return replace(match, turn_start=TurnStart(tables=(expected,)))


def _contains(tables: Sequence[Table], expected: Table) -> bool:
    return any(same_sets(expected, table) for table in tables)


def failure_kind(event: Judged, true: TrueJudgement) -> str | None:
    """Return how an answer differs from the truth; None if it does not."""
    verdict = event.verdict
    verdict_name = VERDICT_NAMES[type(verdict)]
    if isinstance(verdict, Undecided):
        return UNDECIDED
    if (verdict_name == "legal") != true.is_legal:
        return PASSED if verdict_name == "legal" else ACCUSED
    same = {violation.fault for violation in verdict.violations} == true.faults and verdict.outcome is true.outcome
    return None if same else OTHERWISE


def misread(reading: TableReading, truth: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe each tile that was misread, unsure, missed, or read where none lies."""
    lines, found = [], set()
    for tile in reading.tiles:
        index = true_index(tile, truth)
        found.add(index)
        true = None if index is None else str(truth[index]["tile"])
        if true != _name(tile.tile) or tile.unsure:
            others = " ".join(f"{_name(other)} {chance:.3f}" for other, chance in tile.alternatives[:3])
            sure = "unsure" if tile.unsure else "sure"
            place = f"at {tile.centre[0]:.0f},{tile.centre[1]:.0f}"
            lines.append(f"{true} as {_name(tile.tile)} {tile.confidence:.3f} {sure}, else {others or '-'}, {place}")
    missed = [tile for index, tile in enumerate(truth) if index not in found]
    return lines + [f"{tile['tile']} missed at {np.mean(tile['quad'], axis=0).round()}" for tile in missed]


def true_index(tile: TileReading, truth: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the index of the true tile at a reading; None if there is none."""
    middles = np.array([np.mean(tile["quad"], axis=0) for tile in truth]).reshape(-1, 2)
    tile_height = float(np.hypot(*(np.array(tile.quad[3]) - np.array(tile.quad[0]))))
    distances = np.hypot(*(middles - np.array(tile.centre)).T) if len(middles) else np.array([np.inf])
    nearest = int(distances.argmin())
    return nearest if distances[nearest] < _MATCH_DISTANCE_HEIGHTS * tile_height else None


def _name(tile: Tile | None) -> str:
    return "back" if tile is None else format_tile(tile)
