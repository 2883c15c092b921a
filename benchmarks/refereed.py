"""One simulated game, rendered and refereed by the real models; each answer is held against the truth.

The players of the simulation do not hear the referee. So that every turn is judged for itself, a match that was led
astray is set right before the next turn begins, as the organiser would on the page: what is told is every judgement
that went amiss, not only the first. Of tiles in doubt the organiser is asked, as in play, and says what they are: the
judgement counts as undecided, and what is judged then must be right too.
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

from benchmarks.identities import Identities
from benchmarks.setup_tiles import true_lens, true_plane
from referee.errors import CalibrationError
from referee.game.correction_types import TileIs
from referee.game.endgame.games import next_turn
from referee.game.events import Judged, RestoreNeeded, TurnEvent
from referee.game.inputs import (
    Input,
    MatchEnded,
    MatchStarted,
    NextGame,
    Restarted,
    Seat,
    Seconds,
    TableCorrected,
    TableSettled,
    Ticked,
    TurnEnded,
)
from referee.game.limits import Limits
from referee.game.state import Match, Pauses, TurnStart, with_item
from referee.game.table.differences import same_sets
from referee.ports import PlannedButton
from referee.reading.observation import TableReading, TileReading
from referee.rules.editions import RuleSet, rule_set
from referee.rules.notation import format_table, format_tile, parse_tile
from referee.rules.table import Table
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import VERDICT_NAMES, Undecided
from referee.service.face_learning import LearntFaces, learn_faces
from referee.service.loop import Loop
from referee.service.match_source import RECORDED_DOUBT_SECONDS
from referee.service.watcher import Watcher
from referee.sim.camera_faults import LAMP_SECONDS, TINTS, CameraFaults, shift_image, tint_image
from referee.sim.hardships import LASTING_HARDSHIPS, Hardship, MatchWithHardships
from referee.sim.joker_faces import has_special_jokers
from referee.sim.recording import tile_positions
from referee.sim.render import Painter, TableSetting
from referee.sim.scenarios import DEFAULT_SIZE, NAMES, match_with_hardships, simulated_match
from referee.sim.scene import SceneMoment, area_in_picture, outlined_area
from referee.sim.simulated_match import SimulatedMatch, TrueJudgement, TrueTurn
from referee.sim.view import LaidTile
from referee.storage.journal import FileJournal, NoJournal, load_journal
from referee.storage.recovery import match_after
from referee.vision.geometry.homography import TablePlane
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile
from referee.vision.watch.table_region import inside_outline

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
_LOOKS_KEPT = 5
_EVENING = 40  # turns, over which a camera's arm sags
_APART_MM = 70.0
_PLACES_MM = ((0.0, 0.0), (-160.0, -110.0), (150.0, 90.0), (-140.0, 120.0))
_MATCH_DISTANCE_HEIGHTS = 0.5  # tile heights within which a tile that was read is the one that lies there


@dataclass(slots=True)
class Refereed:
    """What came of a game so far; `amiss` tells of every judgement that was not answered as was true."""

    turns: int = 0
    faulty: int = 0
    judgements: int = 0
    amiss: list[dict[str, Any]] = field(default_factory=list)
    waits: dict[str, list[float]] = field(default_factory=lambda: {"legal": [], "illegal": []})
    """Seconds of the match from a press to its first verdict, for tables that were legal and that were not."""
    seconds: float = 0.0
    processor: float = 0.0
    """Seconds on the wall, and of the processor."""
    enrolled: bool = False
    """Whether the box's jokers were learnt before the game."""
    not_learnt: list[str] = field(default_factory=list)
    """Why `referee calibrate tiles` wrote nothing, of each picture that it refused."""
    whole: int = 0
    """Judgements of turns in which every tile lay whole, face up and uncovered."""
    moves: int = 0
    switches: int = 0
    """How often a tile came, went or moved between two settled looks, and one's track became another's."""
    hardships: dict[str, int] = field(default_factory=dict)
    befallen: int = 0
    camera: str = ""
    """In how many turns each hardship came, in how many any did, and what the camera was like."""


class Incident(Protocol):
    """Something that happens to the referee during play."""

    def happen(self, table: "RefereedTable", turn: TrueTurn, seconds: float) -> None:
        """Do what is due this many seconds into the turn, if anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a game is played and watched."""

    size: tuple[int, int] = DEFAULT_SIZE
    turns: int | None = None
    games: int = 1
    """In one match; `turns` counts through them."""
    journal: bool = False
    outline: bool = True
    """Whether the referee is told which part of the picture is the table, as calibration would."""
    enrol: bool = True
    """Whether a box with special jokers is shown to `referee calibrate tiles` before the first turn.

    The game goes on without if the step refuses every picture.
    """
    hung: Callable[[TableSetting], TableSetting] = lambda setting: setting
    """How the camera hangs instead."""
    incidents: tuple["Incident", ...] = ()
    unkind: tuple[Hardship, ...] = ()
    """Random hardships of people and tiles; with any of them the camera is faulty too."""


def referee_game(edition: str, seed: int, *, cheats: float, folder: Path, how: How = How()) -> Refereed:
    """Play and referee one game; pictures of what went amiss come into the folder."""
    rules = rule_set(edition)
    unsteady = CameraFaults.random(seed, how.unkind) if how.unkind else None
    evening: SimulatedMatch
    if unsteady is None:
        evening, setting = simulated_match(rules, seed=seed, games=how.games, cheat_rate=cheats, size=how.size)
    else:
        evening, setting = match_with_hardships(
            rules,
            seed=seed,
            games=how.games,
            cheat_rate=cheats,
            size=how.size,
            hardships=how.unkind,
            is_outlined=how.outline,
        )
        evening.verdict_seconds = unsteady.verdict_seconds
    table = RefereedTable(rules, how.hung(setting), folder, f"{edition}-{seed}", how, unsteady)
    start, spent = perf_counter(), process_time()
    for turn in islice(evening.play(), how.turns):
        table.play(turn, evening.scene.moments, PlannedButton(evening.scene.presses))
        evening.scene.moments.clear()
        evening.scene.presses.clear()
    table.close()
    if isinstance(evening, MatchWithHardships) and unsteady is not None:
        lasting = dict.fromkeys((one.value for one in how.unkind if one in LASTING_HARDSHIPS), table.found.turns)
        table.found.hardships = dict(evening.turn_counts) | lasting
        table.found.befallen = evening.turns_with_hardship or max(lasting.values(), default=0)
        table.found.camera = unsteady.summary()
    table.found.seconds, table.found.processor = round(perf_counter() - start, 1), round(process_time() - spent, 1)
    return table.found


class Reads:
    """A reader that counts its readings."""

    def __init__(self, reader: TableReader) -> None:
        self._reader = reader
        self.count = 0

    def read_table(self, *words: Any, **more: Any) -> TableReading:
        """Read, and count it."""
        self.count += 1
        return self._reader.read_table(*words, **more)


class RefereedTable:
    """The referee over a simulated table."""

    def __init__(  # noqa: PLR0917 - all of it is given once
        self,
        rules: RuleSet,
        setting: TableSetting,
        folder: Path,
        name: str,
        how: How,
        unsteady: CameraFaults | None = None,
    ) -> None:
        self.found = Refereed()
        self._unsteady, self._lit, self._moved = unsteady, ("", 0.0), (0.0, 0.0)
        self._rules, self._setting, self._folder, self._name, self._how = rules, setting, folder, name, how
        self._painter = Painter(setting)
        reader = TableReader()
        profile = None
        if how.enrol and has_special_jokers(rules):
            profile, self.found.not_learnt = enrolled(reader, rules, setting)
        self.found.enrolled = profile is not None
        if how.outline:
            known = profile or Profile(camera="sim", size=setting.view.size)
            profile = replace(known, intrinsics=true_lens(setting.view), table=table_of(setting))
        self._reads = Reads(reader)
        self._new_watcher = partial(Watcher, self._reads, rules.box, profile=profile)
        self._journal = FileJournal(folder / f"{name}.jsonl") if how.journal else NoJournal()
        self._begin(Match())
        self._frames = 0
        self._frame: Frame | None = None
        self._laid: tuple[LaidTile, ...] = ()
        self._identities = Identities()
        self._switches = (0, 0)
        self._looks: list[Image] = []
        self._at_rest: tuple[object, ...] | None = None
        self._turn: TrueTurn
        self._begun = False
        self._coming: list[TrueJudgement] = []
        self._due: tuple[TrueTurn, TrueJudgement] | None = None
        self._answers: list[Judged | RestoreNeeded] = []
        self._asked: Judged | None = None
        self._said = False
        self._astray = False
        self._ahead = 0.0
        names = NAMES[: len(setting.seats)]
        limits = Limits(doubt_seconds=RECORDED_DOUBT_SECONDS)
        start = MatchStarted(at=Seconds(0.0), names=names, edition=rules.edition, games=how.games, limits=limits)
        self._loop.enter(start)

    def _begin(self, match: Match) -> None:
        self._watcher = self._new_watcher()
        self._loop = Loop(match, self._journal, (self,), print, look_requester=self._watcher)

    @property
    def setting(self) -> TableSetting:
        """The table, the lamp and the camera as they are now."""
        return self._setting

    def change(self, setting: TableSetting) -> None:
        """Let the camera see the table otherwise from now on: another lamp, or the camera pushed."""
        self._setting, self._painter, self._at_rest = setting, Painter(setting), None

    def cut_power(self) -> None:
        """Pull the plug; the referee comes back with what its journal holds, which has to be kept."""
        self._journal.close()
        path = self._folder / f"{self._name}.jsonl"
        recorded = load_journal(path)
        match = match_after(entry.entered for entry in recorded.entries)
        self._journal = FileJournal(path, keep_bytes=recorded.good_bytes)
        self._begin(match)
        self._loop.enter(Restarted(recorded.entries[-1].entered.at))

    def play(self, turn: TrueTurn, shots: Sequence[SceneMoment], button: PlannedButton) -> None:
        """Let the referee see one turn."""
        self._turn, self._begun = turn, False
        self._coming = sorted(turn.judgements, key=lambda true: self._asked_at(turn, true))
        for at, shot in self._frames_of(turn, shots):
            self._ask(at, hands=bool(shot.hands))
            self._laid = shot.laid
            for incident in self._how.incidents:
                incident.happen(self, turn, at - turn.started)
            self._frames += 1
            name = f"{self._name}-{self._frames:05d}"
            if self._unsteady is None:
                self._frame = self._frame_of(shot, name)
                self._loop.take(self._frame, button, self._watcher)
            else:
                self._frame = self._unsteady_frame(shot, at, name, turn)
                self._take_slowly(self._frame, button, self._unsteady)
            self._say_what_was_asked()
        self._ahead = self._gained(turn)
        self.found.turns += 1
        self.found.faulty += turn.kind is not None

    def _ask(self, until: float, *, hands: bool = False) -> None:
        """Weigh the last judgement and wait for the next one, if that is asked for by then; set the match right first.

        It has to come before the press, which a reading that takes long may let in between two frames.
        """
        turn = self._turn
        asked = bool(self._coming) and until > self._asked_at(turn, self._coming[0])
        if asked or (hands and not self._begun):
            self._close_due()
            if turn.number == 1 and turn.game > 1 and not self._begun:
                self._loop.enter(NextGame(self._loop.match.now, first=Seat(turn.seat)))
                self._astray = False
            if self._astray and not (self._begun and self._overtime(turn)):
                self._set_right(turn)
            self._begun = True
        if asked:
            self._due = (turn, self._coming.pop(0))
            self._switches = (self._switches[1], self._identities.switches)
            self.found.judgements += 1
            self.found.whole += turn.all_visible

    def _frames_of(self, turn: TrueTurn, shots: Sequence[SceneMoment]) -> Iterator[tuple[float, SceneMoment]]:
        if self._unsteady is not None:
            return self._unsteady.frames(shots, turn.ended)
        return ((shot.at, shot) for shot in shots)

    def _take_slowly(self, frame: Frame, button: PlannedButton, unsteady: CameraFaults) -> None:
        """Take a frame as the live loop does: what is pressed while it is read is entered before what it shows."""
        at, reads = Seconds(frame.at), self._reads.count
        self._loop.enter_presses(button, at)
        self._loop.enter(Ticked(at))
        seen = self._watcher.watch(frame)
        if self._reads.count > reads:
            later = Seconds(at + sum(unsteady.read(at) for _ in range(self._reads.count - reads)))
            self._ask(later)
            self._loop.enter_presses(button, later)
            self._loop.enter(Ticked(later, at))
        for entered in seen:
            self._loop.enter(entered)

    def _unsteady_frame(self, shot: SceneMoment, at: float, name: str, turn: TrueTurn) -> Frame:
        """What a camera on a sagging arm sees under the referee's own lamps."""
        done = self.found.turns + min(1.0, (at - turn.started) / max(turn.ended - turn.started, 1.0))
        assert self._unsteady is not None  # noqa: S101 - asked only where it is
        painted = self._painter.paint(
            shot.laid, shot.hands, noise_index=self._frames % _LOOKS_KEPT, objects=shot.objects
        )
        by = self._unsteady.sag_pixels * done / max(self._how.turns or 0, _EVENING)
        image, self._moved = shift_image(painted, self._unsteady.direction, by)
        lamp, until = self._lit
        if at < until and self._unsteady.has_lamps:
            image = tint_image(image, TINTS[lamp])
        return Frame(name, at, lambda: compressed(image), image)

    def _places(self, turn: TrueTurn, true: TrueJudgement) -> list[dict[str, Any]]:
        """Where tiles truly lie in the picture."""
        places = tile_positions(true.arrangement, self._setting, turn.displaced_tiles)
        across, down = self._moved
        return [one | {"quad": [[x + across, y + down] for x, y in one["quad"]]} for one in places]

    def _asked_at(self, turn: TrueTurn, true: TrueJudgement) -> float:
        """From when on a verdict answers this judgement: the press, or soon before the match's time is over."""
        patience = (
            0.0 if self._unsteady is None else self._unsteady.verdict_seconds
        )  # the match's turn began that much sooner
        return true.at if true.cause == "press" else turn.started + self._limit - self._ahead - patience - 3.0

    def _gained(self, turn: TrueTurn) -> float:
        """By how much the match begins the next turn before the players, who notice late that the time is over."""
        last = turn.judgements[-1]
        waited = last.cause == "time" and last.is_legal
        return max(0.0, turn.ended - turn.started - self._limit + self._ahead) if waited else 0.0

    @property
    def _limit(self) -> float:
        return float(self._rules.turn_seconds or 0)

    def _frame_of(self, shot: SceneMoment, name: str) -> Frame:
        """What the camera sees; of a table at rest a few pictures, each with its own noise, are shown in turn.

        Frames with hands in them are compressed when somebody reads them: before that only the motion gate looks.
        """
        if shot.hands:
            self._at_rest, self._looks = None, []
            image = self._painter.paint(shot.laid, shot.hands, noise_index=self._frames)
            return Frame(name, shot.at, lambda: compressed(image), image)
        if shot.laid != self._at_rest:
            self._at_rest, self._looks = shot.laid, []
        if len(self._looks) < _LOOKS_KEPT:
            self._looks.append(compressed(self._painter.paint(shot.laid, noise_index=self._frames)))
            return Frame(name, shot.at, self._looks[-1])
        return Frame(name, shot.at, self._looks[self._frames % _LOOKS_KEPT])

    def close(self) -> None:
        """Weigh the last judgement, and end the match."""
        self._close_due()
        self._loop.enter(MatchEnded(self._loop.match.now))
        self._journal.close()

    def publish(self, entered: Input, told: tuple[TurnEvent, ...], match: Match) -> None:
        """Hold what was seen and judged against the truth."""
        shown = match.table.shown
        if isinstance(entered, TableSettled) and shown is not None:
            quads = [self._setting.view.quad(one, self._setting.style.thickness) for one in self._laid]
            middles = [(float(x), float(y)) for x, y in (quad.mean(axis=0) + self._moved for quad in quads)]
            self._identities.look(shown.read, self._laid, middles)
            self.found.moves, self.found.switches = self._identities.moves, self._identities.switches
        for event in told:
            if isinstance(event, Judged):
                self._lit = VERDICT_NAMES[type(event.verdict)], event.at + LAMP_SECONDS
            if isinstance(event, Judged) and self._due is None:
                self._tell(UNASKED, match.seat, event)
            elif isinstance(event, Judged) and self._due is not None:
                self._answers.append(event)
                kind = amiss_as(event, self._due[1])
                if kind is None and self._said:
                    self._astray = False
                elif kind == UNDECIDED and event.doubts:
                    self._asked = event
                if kind is not None:
                    self._tell(kind, match.seat, event)
            elif isinstance(event, RestoreNeeded) and event.doubts and self._due and isinstance(entered, TurnEnded):
                self._answers.append(event)  # the table is to be put back, and the press is answered by what is asked
                self._tell(UNDECIDED, match.seat, None)

    def _say_what_was_asked(self) -> None:
        """Say what the tiles are that the last verdict was in doubt of, as the organiser would on the page; once."""
        asked, settled = self._asked, self._watcher.settled
        self._asked = None
        if asked is None or settled is None or self._due is None or self._said:
            return
        reading = settled.reading
        if reading.frame_id != asked.frame_id:
            return
        self._said = True
        truth = self._places(*self._due)
        middles = [np.mean(one["quad"], axis=0).tolist() for one in truth]
        if not all(inside_outline(area_in_picture(self._setting.view))([(x, y) for x, y in middles])):
            return  # a set half outside the picture is pushed back, not named tile by tile
        doubted = {doubt.index for doubt in asked.doubts}
        known = {lies_at(tile, truth) for index, tile in enumerate(reading.tiles) if index not in doubted}
        for doubt in asked.doubts:
            if doubt.index < len(reading.tiles):
                there = lies_at(reading.tiles[doubt.index], truth)
                tile = None if there is None or there in known else parse_tile(str(truth[there]["tile"]))
                known.add(there)
                now = self._loop.match.now
                self._loop.enter(
                    TableCorrected(now, TileIs(doubt.index, tile), by="organiser", frame_id=asked.frame_id)
                )

    def _close_due(self) -> None:
        if self._due is None:
            return
        true = self._due[1]
        first = self._answers[0] if self._answers else None
        if first is None:
            self._tell(SILENT, self._due[0].seat, None)
        elif true.cause == "press" and isinstance(first, Judged) and not isinstance(first.verdict, Undecided):
            waits = self.found.waits["legal" if true.is_legal else "illegal"]
            waits.append(round(first.at - true.at - 0.05, 2))
        self._due, self._answers, self._said = None, [], False

    def _overtime(self, turn: TrueTurn) -> bool:
        """Whether the time of the turn is up: a clock set anew would call that off."""
        limited = self._rules.turn_seconds is not None
        return limited and self._loop.match.now > turn.started + self._limit - self._ahead - 1.0

    def _set_right(self, turn: TrueTurn) -> None:
        """Let the match stand where the players are."""
        match, count = self._loop.match, len(self._setting.seats)
        racks = zip(match.players, turn.racks, strict=True)
        players = tuple(replace(player, rack=rack) for player, rack in racks)
        mover = replace(players[turn.seat], opened=turn.opened)
        back = replace(
            begun_with(match, turn.before),
            seat=Seat((turn.seat - 1) % count),
            turn=turn.number - 1,
            players=with_item(players, turn.seat, mover),
            undo=None,
            pauses=Pauses(),
        )
        match = next_turn(back)[0]
        if match.play.clock.since is not None:  # the players' turn began before
            clock = replace(match.play.clock, since=Seconds(turn.started))
            match = replace(match, play=replace(match.play, clock=clock))
        self._loop.match = match
        self._astray, self._ahead = False, 0.0

    def _tell(self, kind: str, seat: int, event: Judged | None) -> None:
        """Keep what went amiss once for each judgement and kind: words, picture, and what was read otherwise."""
        self._astray = True
        at = self._due[1].at if self._due else None
        if any(one["kind"] == kind and one["at"] == at for one in self.found.amiss):
            return
        one: dict[str, Any] = {"kind": kind, "seat": seat, "at": at}
        one["switched"] = self._identities.switches > self._switches[0]
        if self._due:
            turn, true = self._due
            one |= {
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
            one["said"] = [
                VERDICT_NAMES[type(event.verdict)],
                sorted({violation.fault.value for violation in event.verdict.violations}),
                event.verdict.outcome.value,
            ]
            one["read"], one["was"] = format_table(event.table), format_table(event.before)
            one["doubts"] = [[doubt.index, [format_tile(tile) for tile in doubt.may_be]] for doubt in event.doubts]
        settled = self._watcher.settled
        if settled and self._due:
            one["misread"] = misread(settled.reading, self._places(*self._due))
            one["layouts"] = len(settled.reading.layouts)
        one["picture"] = self._picture(f"{self._name}-{len(self.found.amiss) + 1}")
        self.found.amiss.append(one)

    def _picture(self, name: str) -> str:
        """Save the frame that was judged, without loss."""
        frame = self._watcher.settled_frame or self._frame
        if frame is None:
            return ""
        file = self._folder / f"{name}.png"
        cv2.imwrite(str(file), frame.image)
        return file.name


def table_of(setting: TableSetting) -> TablePlane:
    """The table as `referee calibrate` measures it: plane, outline and the size of the tiles."""
    area = outlined_area(setting.view)
    corners = [(area.left, area.top), (area.right, area.top), (area.right, area.bottom), (area.left, area.bottom)]
    return true_plane(setting.view, setting.style.thickness, np.array(corners, np.float64))


def enrolled(reader: TableReader, rules: RuleSet, setting: TableSetting) -> tuple[Profile | None, list[str]]:
    """The profile that `referee calibrate tiles` writes from a picture of the jokers, and what it said of those before.

    It writes nothing where it cannot tell two faces apart or sees more than lies there. The jokers are then laid
    elsewhere, as a person would; after the last place there is no profile.
    """
    refused = []
    for across, down in _PLACES_MM:
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
    """Learn all jokers, those of which there are two in two rows, lying so far from the middle of the picture."""
    jokers = sorted((tile for tile in rules.box if isinstance(tile, Joker)), key=str)
    rows = [jokers, [tile for tile in jokers if rules.box[tile] > 1]]
    view = setting.view
    laid = [
        LaidTile(
            tile=tile,
            copy=copy,
            x=view.width_mm / 2 + across + _APART_MM * (place - (len(row) - 1) / 2),
            y=view.height_mm / 2 + down + _APART_MM * (copy - 0.5),
            angle=0.02 * (-1) ** place,
        )
        for copy, row in enumerate(rows)
        for place, tile in enumerate(row)
    ]
    image = compressed(Painter(replace(setting, seats=())).paint(laid))
    return learn_faces(reader, image, "the picture of jokers", [tuple(row) for row in rows if row], note=print)


def compressed(image: Image) -> Image:
    """The picture as a webcam, or `referee simulate`, would hand it over."""
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def begun_with(match: Match, wanted: Table) -> Match:
    """The match with a turn that may have begun with this table: as it believes, as it sees, or else as it is told."""
    start = match.turn_start
    if _holds([table for table in start.tables if table not in start.disputed], wanted):
        return match
    observation = match.table.current
    if observation is not None and _holds(observation.hypotheses.tables, wanted):
        return replace(match, turn_start=TurnStart(tables=observation.hypotheses.tables, observation=observation))
    return replace(match, turn_start=TurnStart(tables=(wanted,)))


def _holds(tables: Sequence[Table], wanted: Table) -> bool:
    return any(same_sets(wanted, table) for table in tables)


def amiss_as(event: Judged, true: TrueJudgement) -> str | None:
    """In which way an answer is not as was true; None where it is."""
    verdict = event.verdict
    said = VERDICT_NAMES[type(verdict)]
    if isinstance(verdict, Undecided):
        return UNDECIDED
    if (said == "legal") != true.is_legal:
        return PASSED if said == "legal" else ACCUSED
    same = {violation.fault for violation in verdict.violations} == true.faults and verdict.outcome is true.outcome
    return None if same else OTHERWISE


def misread(reading: TableReading, truth: Sequence[Mapping[str, Any]]) -> list[str]:
    """In words: each tile that was read as another, was unsure, was missed, or was read where none lies."""
    said, found = [], set()
    for tile in reading.tiles:
        there = lies_at(tile, truth)
        found.add(there)
        true = None if there is None else str(truth[there]["tile"])
        if true != _name(tile.tile) or tile.unsure:
            others = " ".join(f"{_name(other)} {chance:.3f}" for other, chance in tile.alternatives[:3])
            sure = "unsure" if tile.unsure else "sure"
            place = f"at {tile.centre[0]:.0f},{tile.centre[1]:.0f}"
            said.append(f"{true} as {_name(tile.tile)} {tile.confidence:.3f} {sure}, else {others or '-'}, {place}")
    missed = [tile for index, tile in enumerate(truth) if index not in found]
    return said + [f"{tile['tile']} missed at {np.mean(tile['quad'], axis=0).round()}" for tile in missed]


def lies_at(tile: TileReading, truth: Sequence[Mapping[str, Any]]) -> int | None:
    """Which of the tiles that truly lie there was read as this one; None where none lies there."""
    middles = np.array([np.mean(one["quad"], axis=0) for one in truth]).reshape(-1, 2)
    reach = float(np.hypot(*(np.array(tile.quad[3]) - np.array(tile.quad[0]))))
    apart = np.hypot(*(middles - np.array(tile.centre)).T) if len(middles) else np.array([np.inf])
    near = int(apart.argmin())
    return near if apart[near] < _MATCH_DISTANCE_HEIGHTS * reach else None


def _name(tile: Tile | None) -> str:
    return "back" if tile is None else format_tile(tile)
