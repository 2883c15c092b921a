"""The composition root: builds all parts from the settings, starts them in order and stops them in reverse."""

import logging
from contextlib import ExitStack, closing
from dataclasses import dataclass
from math import inf
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, TextIO

from referee import __version__
from referee.addresses import showable
from referee.errors import check_installed
from referee.game.inputs import MatchStarted, Paused, Restarted
from referee.game.state import Match
from referee.hardware.console import ConsoleSignals
from referee.hardware.ports import Button, Clock, Organisers, Publisher, Signals
from referee.hardware.system import Notifier, SystemClock, device_id, is_service
from referee.history.evidence import Evidence
from referee.history.history import History
from referee.history.missed_plays import MissedPlays
from referee.history.statistics import Statistics
from referee.language.catalogue import ENGLISH
from referee.page.logs import TURN_LOGGER
from referee.protocol.bridge import Bridge
from referee.reading.consensus import ConsensusPolicy
from referee.reading.inputs import Input, Seconds
from referee.rules.editions import rule_set
from referee.service.evening_faces import EveningFaces
from referee.service.health import Health, health_file, read_health
from referee.service.idle_detection import IdleDetection
from referee.service.loop import Live, Loop
from referee.service.match_source import Source, match_of, other_match_notice
from referee.service.memory import Memory, SnapshotPublisher, open_memory
from referee.service.page import PageParts, camera_status_of, check_extra, open_page
from referee.service.publishers import (
    CuePublisher,
    EventLines,
    EvidencePublisher,
    LineSink,
    StatisticsPublisher,
    TextLines,
)
from referee.service.sources import is_recorded, open_profile, open_signals, open_source, profile_file
from referee.service.starts import StartCounter
from referee.service.stop import Stop
from referee.settings.config import Config
from referee.storage.folder import state_folder
from referee.storage.journal import FileJournal
from referee.storage.json_codec import events_from_json
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher

if TYPE_CHECKING:
    from referee.link.table_link import TableLink

_ASLEEP_SECONDS = 5.0
log = logging.getLogger("referee")


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
class _Table:
    """One opened table: its watcher, its signals, and the memory of its match."""

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


def run_referee(config: Config, options: RunOptions, stop: Stop) -> None:
    """Referee until the end or until stopped; lights are off and files closed when it returns."""
    if config.web.enabled:
        check_extra()
    with ExitStack() as parts:
        notifier = Notifier()
        table = _open_table(config, options, stop, parts)
        if table is None:
            return
        bridge = Bridge(table.match, table.memory.match_name) if config.web.enabled else None
        link = _link(config, table)
        history = History(events_from_json(table.memory.past))
        missed = parts.enter_context(closing(MissedPlays(history))) if bridge else None
        cues = CuePublisher(table.signals)
        faces = EveningFaces(table.reader, table.watcher, table.memory.folder)
        others = _publishers(config, options, table, history)
        publishers = (cues, faces, history, *others, bridge, missed, link)
        loop = Loop(
            table.match,
            table.memory.journal,
            tuple(publisher for publisher in publishers if publisher is not None),
            log.warning,
            Organisers([organiser for organiser in (bridge, link, table.source.organiser) if organiser is not None]),
            idle_detection=_idle_detection(table.source, table.begun, bridge or link),
            progress=notifier.alive,
        )
        health = _health(options, table, loop)
        parts.callback(health.close)
        if bridge is not None and missed is not None:
            page_parts = _page_parts(
                config, options, table, health=health, history=history, missed=missed, link=link, stop=stop
            )
            parts.callback(open_page(bridge, page_parts, cues.ask).close)
        if link is not None:
            parts.callback(link.start().close)
        for entered in _opening(config, table):
            loop.enter(entered)
        health.start()
        notifier.ready()
        parts.callback(notifier.send, "STOPPING=1")
        _play(table, loop, options, notifier, stop, watched=bridge is not None or link is not None)


def _open_table(config: Config, options: RunOptions, stop: Stop, parts: ExitStack) -> _Table | None:
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
    return _Table(
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


def _health(options: RunOptions, table: _Table, loop: Loop) -> Health:
    """Return the health reporter for `referee status`, not started yet."""
    fixed = {
        "camera": showable(options.camera),
        "models": table.reader.version,
        "profile": table.profile.calibrated_steps if table.profile else None,
    }
    return Health(
        loop,
        table.watcher,
        table.clock,
        fixed,
        table.memory.folder,
        spare=table.source.spare,
        signal_faults=lambda: table.signals.faults,
    )


def _play(table: _Table, loop: Loop, options: RunOptions, notifier: Notifier, stop: Stop, *, watched: bool) -> None:
    """Play the match to its end, or until stopped."""
    source = table.source
    if not source.recorded:
        live = Live(
            camera=source.camera,
            button=source.button,
            watcher=table.watcher,
            clock=table.clock,
            may_end=_may_end_for_camera,
        )
        loop.run_live(live, stop)
        return
    after = table.memory.unfinished.at if table.memory.unfinished else None
    pace = SystemClock(after) if watched else None  # shown at its own pace
    loop.run_recorded(source.camera, source.button, table.watcher, stop, after, pace=pace)
    if not options.until_end:
        _stay(loop, source.button, pace, notifier, stop)


def _may_end_for_camera() -> bool:
    """Return whether this process may exit to be restarted, which only systemd would do."""
    return is_service() and StartCounter(state_folder("")).may_exit_for_camera()


def _opening(config: Config, table: _Table) -> tuple[Input, ...]:
    """Return the first inputs: of the match cut short, or of a new one unless the page begins it."""
    source, unfinished, begun = table.source, table.memory.unfinished, table.begun
    if unfinished is not None:
        log.info("resuming the match of %s at %.0f s", unfinished.path.name, unfinished.at)
        if (notice := other_match_notice(config, unfinished.match.setup.start)) is not None and source.match is None:
            log.warning("%s", notice)
        return (Restarted(unfinished.at),)
    if config.web.enabled and config.web.start_on_page and not source.recorded:
        return ()
    if source.organiser is not None:
        log.info("the match begins when Enter is pressed")
    elif source.pressable:
        log.info("the match begins when a button is pressed")
    else:
        return (begun,)
    return (begun, Paused(begun.at))


def _idle_detection(source: Source, begun: MatchStarted, page: object | None) -> IdleDetection | None:
    """Return the idle detection; None for a recording, or without any way to resume."""
    if source.recorded or not (source.pressable or page is not None):
        return None
    return IdleDetection(begun if page is None else None)


def _stay(loop: Loop, button: Button, pace: Clock | None, notifier: Notifier, stop: Stop) -> None:
    """Stay after the end of a recording, taking commands if there is a page."""
    if pace is not None:
        loop.wait(button, pace, Seconds(inf), stop)
    while not stop.wait(_ASLEEP_SECONDS):
        notifier.alive()


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


def _publishers(config: Config, options: RunOptions, table: _Table, history: History) -> tuple[Publisher, ...]:
    """Return the publishers beside the players and the page: event stream, log and disk."""
    memory = table.memory
    publishers: list[Publisher] = []
    if is_service() and not isinstance(table.signals, ConsoleSignals):
        publishers.append(TextLines(logging.getLogger(TURN_LOGGER).info))
    if options.events is not None:
        publishers.append(EventLines(options.events, log.warning))
    if memory.folder is not None:
        evidence = Evidence(memory.folder / "evidence", config.storage.evidence_megabytes)
        publishers.append(EvidencePublisher(evidence, table.watcher, log.warning))
        if memory.journal_path is not None and config.storage.statistics:
            statistics = Statistics(memory.folder)
            publishers.append(StatisticsPublisher(statistics, memory.journal_path, history, log.warning))
    if isinstance(memory.journal, FileJournal):
        publishers.append(SnapshotPublisher(memory.journal))
    return tuple(publishers)


def _link(config: Config, table: _Table) -> "TableLink | None":
    """Return the link to the hall, not begun yet; None if there is no hall. Raises ConfigError."""
    if not config.hall.is_linked:
        return None
    check_installed("the hall needs", "hall", paho="paho-mqtt")
    from referee.link.table_link import TableLink  # noqa: PLC0415 - needs the extra
    from referee.link.table_report import TableFacts  # noqa: PLC0415 - as above
    from referee.link.topics import digest_of  # noqa: PLC0415 - as above

    journal = table.memory.journal_path
    count = digest = 0
    for event in table.memory.past:
        count, digest = count + 1, digest_of(event, digest)
    facts = TableFacts(
        device=device_id(),
        version=__version__,
        journal=journal,
        journal_id=table.memory.match_name or f"unkept-{token_hex(4)}",
        event_count=count,
        digest=digest,
        limits=config.limits,
        now=table.clock.now,
        camera_status=lambda: camera_status_of(table.watcher),
        health=lambda: read_health(health_file()),
        page=_page_address(config),
    )
    return TableLink(config.hall, table.match, facts)


def _page_address(config: Config) -> str | None:
    """Return the address of the table's own page, if it is served to others."""
    if not config.web.enabled:
        return None
    from referee.server.address import is_local_only, page_addresses  # noqa: PLC0415 - needs the extra

    return None if is_local_only(config.web.host) else page_addresses(config.web.host, config.web.port)[0]


def _page_parts(
    config: Config,
    options: RunOptions,
    table: _Table,
    *,
    health: Health,
    history: History,
    missed: MissedPlays,
    link: "TableLink | None",
    stop: Stop,
) -> PageParts:
    """Return the parts that the page shows or calls."""
    return PageParts(
        config=config,
        settings_file=options.settings_file,
        folder=table.memory.folder,
        journal=table.memory.journal_path,
        head=table.memory.head(),
        history=history,
        watcher=table.watcher,
        profile=table.profile,
        outline=table.source.area,
        clock=table.clock,
        recorded=table.source.recorded,
        camera=None if options.camera == "auto" else showable(options.camera),
        profile_file=profile_file(config, table.memory.folder),
        lock=table.source.lock,
        reader=table.reader,
        health=lambda: health.latest,
        missed=missed,
        arbiter=link,
        stop=stop,
    )
