"""The composition root: it makes every part from the settings, starts them in order and stops them in reverse."""

import logging
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import cv2
import numpy as np

from referee import __version__
from referee.config import Config
from referee.errors import StorageError
from referee.game.inputs import FIRST_SEAT, MatchStarted, Restarted, Seat, Seconds
from referee.game.state import Match
from referee.hardware.system import Notifier, SystemClock, wall_label
from referee.ports import Journal, Signals
from referee.reading.settle import Patience
from referee.rules.editions import rule_set
from referee.service.loop import Live, Loop, Teller
from referee.service.sources import Source, is_recorded, open_source
from referee.service.telling import CueTeller, EventLines
from referee.service.watcher import OnTable, Watcher
from referee.storage.folder import FolderLock, state_folder
from referee.storage.journal import FileJournal, NoJournal, next_path
from referee.storage.profile import load_profile
from referee.storage.recall import Unfinished, find_unfinished
from referee.vision.pipeline import TableReader

log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line asks for beyond the settings."""

    camera: str
    signals: str
    until_end: bool = False
    new: bool = False
    state: Path | None = None
    events: TextIO | None = None
    words: TextIO | None = None


def run_referee(config: Config, wishes: Wishes, stop: threading.Event) -> None:
    """Referee as asked until the end or until told to stop; lights are off and files closed when it returns."""
    with ExitStack() as parts:
        notifier = Notifier()
        unfinished, journal = _memory(config, wishes, parts)
        clock = SystemClock(unfinished.at if unfinished else None)
        reader = TableReader(threads=config.vision.threads)
        signals = _signals(config, wishes, parts)
        source = open_source(config, wishes.camera, clock)
        parts.callback(source.camera.close)
        parts.callback(source.button.close)
        tellers: tuple[Teller, ...] = (CueTeller(signals),)
        if wishes.events is not None:
            tellers += (EventLines(wishes.events),)
        loop = Loop(unfinished.match if unfinished else Match(), journal, tellers, log.warning)
        _begin(loop, config, source, unfinished)
        watcher = _watcher(config, loop.match, reader, source)
        notifier.send("READY=1")
        parts.callback(notifier.send, "STOPPING=1")
        if source.recorded:
            loop.run_recorded(source.camera, source.button, watcher, stop, unfinished.at if unfinished else None)
            if not wishes.until_end:
                stop.wait()
        else:
            live = Live(camera=source.camera, button=source.button, watcher=watcher, clock=clock)
            loop.run_live(live, stop, lambda: notifier.send("WATCHDOG=1"))


def _memory(config: Config, wishes: Wishes, parts: ExitStack) -> tuple[Unfinished | None, Journal]:
    """Open the journal: that of a match cut short, or a new one; a recording is only kept where a folder is named."""
    if is_recorded(wishes.camera) and wishes.state is None:
        return None, NoJournal()
    folder = wishes.state or state_folder(config.storage.folder)
    parts.enter_context(FolderLock(folder))
    unfinished = None
    try:
        unfinished = None if wishes.new else find_unfinished(folder)
    except StorageError as error:
        log.warning("%s", error)
    if unfinished is not None:
        journal = FileJournal(unfinished.path, keep_bytes=unfinished.good_bytes)
    else:
        journal = FileJournal(next_path(folder), head={"referee": __version__, "begun": wall_label()})
    return unfinished, parts.enter_context(journal)


def _signals(config: Config, wishes: Wishes, parts: ExitStack) -> Signals:
    from referee.service.sources import open_signals  # noqa: PLC0415 - gpiozero is loaded only where pins are

    signals = open_signals(config, wishes.signals, wishes.camera, wishes.words)
    parts.callback(signals.close)
    return signals


def _watcher(config: Config, match: Match, reader: TableReader, source: Source) -> Watcher:
    patience = Patience(looks=config.vision.looks, quiet_seconds=config.vision.quiet_seconds)
    return Watcher(reader, match.rules.box, patience, config.vision.idle_seconds, _on_table(config, source))


def _on_table(config: Config, source: Source) -> OnTable | None:
    """Tell what of the picture is table: as the source knows, else as the profile was calibrated, else all of it."""
    if source.area is not None:
        outline = np.array(source.area, np.float32)
        return lambda points: [cv2.pointPolygonTest(outline, point, measureDist=False) >= 0 for point in points]
    if not config.vision.profile:
        return None
    profile = load_profile(Path(config.vision.profile))
    return lambda points: profile.on_table(np.array(points, np.float64)).tolist()


def _begin(loop: Loop, config: Config, source: Source, unfinished: Unfinished | None) -> None:
    """Begin a match, or go on with the one that was cut short."""
    if unfinished is not None:
        log.info("going on with the match of %s at %.0f s", unfinished.path.name, unfinished.at)
        loop.enter(Restarted(unfinished.at))
        return
    said = config.match
    loop.enter(source.match or MatchStarted(
        at=Seconds(0.0), names=said.players, edition=rule_set(said.edition).edition, house_rules=config.house_rules,
        first=Seat(said.first - 1) if said.first else FIRST_SEAT, games=said.games or None, limits=config.limits,
    ))
