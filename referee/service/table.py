"""The table of a run: its settings, camera, lamps, models and memory, opened in order and closed in reverse."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from referee.game.inputs import MatchStarted
from referee.game.state import Match
from referee.hardware.ports import Signals
from referee.hardware.system import SystemClock
from referee.language.catalogue import ENGLISH
from referee.reading.consensus import ConsensusPolicy
from referee.rules.editions import rule_set
from referee.service.match_source import Source, match_of
from referee.service.memory import Memory, open_memory
from referee.service.publishers import LineSink
from referee.service.sources import is_recorded, open_profile, open_signals, open_source
from referee.service.stop import Stop
from referee.settings.config import Config
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of `referee run` beyond the settings."""

    camera: str
    signals: str
    until_end: bool = False
    new: bool = False
    state: Path | None = None
    events: LineSink | None = None
    words: TextIO | None = None
    language: str = ENGLISH
    settings_file: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One opened table: its settings, its watcher, its signals, and the memory of its match."""

    config: Config
    options: RunOptions
    memory: Memory
    clock: SystemClock
    reader: TableReader
    signals: Signals
    source: Source
    begun: MatchStarted
    """The match that begins here unless one is unfinished."""
    profile: Profile | None
    watcher: Watcher
    match: Match


def open_table(config: Config, options: RunOptions, stop: Stop, parts: ExitStack) -> Table | None:
    """Open the table, to be closed by `parts`; return None if stopped meanwhile."""
    recorded = is_recorded(options.camera)
    memory = open_memory(options.state, config.storage.folder, parts, recorded=recorded, new=options.new)
    unfinished = memory.unfinished
    clock = SystemClock(unfinished.at if unfinished else None)
    reader = TableReader(threads=config.vision.threads)
    if stop.is_set():
        return None
    signals = open_signals(config, options.signals, options.camera, options.words, options.language)
    parts.callback(signals.close)
    profile = None if recorded else open_profile(config, options.camera, memory.folder, reader)
    known = (profile.locked, profile.delay_seconds) if profile else ()
    source = open_source(config, options.camera, clock, *known)
    parts.callback(source.camera.close)
    parts.callback(source.button.close)
    if source.learn is not None:
        profile = source.learn(reader)
    elif recorded and source.area is None:  # who knows the table needs no profile of it
        profile = open_profile(config, options.camera, memory.folder, reader)
    begun = source.match or match_of(config)
    edition = unfinished.match.setup.start.edition if unfinished else begun.edition
    return Table(
        config=config,
        options=options,
        memory=memory,
        clock=clock,
        reader=reader,
        signals=signals,
        source=source,
        begun=begun,
        profile=profile,
        watcher=_watcher(config, reader, edition, source, profile),
        match=unfinished.match if unfinished else Match(),
    )


def _watcher(config: Config, reader: TableReader, edition: str, source: Source, profile: Profile | None) -> Watcher:
    """Return the watcher of the table."""
    return Watcher(
        reader,
        rule_set(edition).box,
        ConsensusPolicy(looks=config.vision.looks, quiet_seconds=config.vision.quiet_seconds),
        config.vision.idle_seconds,
        on_table=inside_outline(source.area) if source.area else None,
        profile=profile,
    )
