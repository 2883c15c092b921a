"""The composition root: builds all parts from the settings, starts them in order and stops them in reverse."""

import logging
from contextlib import ExitStack, closing
from math import inf
from secrets import token_hex
from typing import TYPE_CHECKING

from referee import __version__
from referee.addresses import showable
from referee.errors import check_installed
from referee.game.inputs import MatchStarted, Paused, Restarted
from referee.hardware.console import ConsoleSignals
from referee.hardware.live import LiveCamera
from referee.hardware.ports import Button, Clock, Organisers, Publisher
from referee.hardware.system import Notifier, SystemClock, device_id, is_service
from referee.history.evidence import Evidence
from referee.history.history import History
from referee.history.missed_plays import MissedPlays
from referee.history.statistics import Statistics
from referee.page.logs import TURN_LOGGER
from referee.protocol.bridge import Bridge
from referee.reading.inputs import Input, Seconds
from referee.service.evening_faces import EveningFaces
from referee.service.health import Health, health_file, read_health
from referee.service.idle_detection import IdleDetection
from referee.service.loop import Live, Loop
from referee.service.match_source import Source, other_match_notice
from referee.service.memory import SnapshotPublisher
from referee.service.page import camera_status_of, check_extra, open_page
from referee.service.publishers import (
    CuePublisher,
    EventLines,
    EvidencePublisher,
    StatisticsPublisher,
    TextLines,
)
from referee.service.starts import StartCounter
from referee.service.stop import Stop
from referee.service.table import RunOptions, Table, open_table
from referee.settings.config import Config
from referee.storage.folder import state_folder
from referee.storage.journal import FileJournal
from referee.storage.json_codec import events_from_json

if TYPE_CHECKING:
    from referee.link.table_link import TableLink

_ASLEEP_SECONDS = 5.0
log = logging.getLogger("referee")


def run_referee(config: Config, options: RunOptions, stop: Stop) -> None:
    """Referee until the end or until stopped; lights are off and files closed when it returns."""
    if config.web.enabled:
        check_extra()
    with ExitStack() as parts:
        notifier = Notifier()
        table = open_table(config, options, stop, parts)
        if table is None:
            return
        bridge = Bridge(table.match, table.memory.match_name) if config.web.enabled else None
        link = _link(table)
        history = History(events_from_json(table.memory.past))
        missed = parts.enter_context(closing(MissedPlays(history))) if bridge else None
        cues = CuePublisher(table.signals)
        faces = EveningFaces(table.reader, table.watcher, table.memory.folder)
        others = _publishers(table, history)
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
        health = _health(table, loop)
        parts.callback(health.close)
        if bridge is not None and missed is not None:
            page = open_page(
                table, bridge, history=history, missed=missed, health=health, arbiter=link, play=cues.ask, stop=stop
            )
            parts.callback(page.close)
        if link is not None:
            parts.callback(link.start().close)
        for entered in _opening(table):
            loop.enter(entered)
        health.start()
        notifier.ready()
        parts.callback(notifier.send, "STOPPING=1")
        _play(table, loop, notifier, stop, watched=bridge is not None or link is not None)


def _health(table: Table, loop: Loop) -> Health:
    """Return the health reporter for `referee status`, not started yet."""
    fixed = {
        "camera": showable(table.options.camera),
        "models": table.reader.version,
        "profile": table.profile.calibrated_steps if table.profile else None,
        "camera_delay": camera.delay_seconds or None if isinstance(camera := table.source.camera, LiveCamera) else None,
    }
    return Health(
        loop,
        table.watcher,
        table.clock,
        fixed,
        table.memory.folder,
        spare=table.source.spare,
        signal_faults=lambda: (*table.signals.faults, *table.source.button.faults),
    )


def _play(table: Table, loop: Loop, notifier: Notifier, stop: Stop, *, watched: bool) -> None:
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
    if not table.options.until_end:
        _stay(loop, source.button, pace, notifier, stop)


def _may_end_for_camera() -> bool:
    """Return whether this process may exit to be restarted, which only systemd would do."""
    return is_service() and StartCounter(state_folder("")).may_exit_for_camera()


def _opening(table: Table) -> tuple[Input, ...]:
    """Return the first inputs: of the match cut short, or of a new one unless the page begins it."""
    source, unfinished, begun = table.source, table.memory.unfinished, table.begun
    if unfinished is not None:
        log.info("resuming the match of %s at %.0f s", unfinished.path.name, unfinished.at)
        if (
            notice := other_match_notice(table.config, unfinished.match.setup.start)
        ) is not None and source.match is None:
            log.warning("%s", notice)
        return (Restarted(unfinished.at),)
    if table.config.web.enabled and table.config.web.start_on_page and not source.recorded:
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


def _publishers(table: Table, history: History) -> tuple[Publisher, ...]:
    """Return the publishers beside the players and the page: event stream, log and disk."""
    memory, options, storage = table.memory, table.options, table.config.storage
    publishers: list[Publisher] = []
    if is_service() and not isinstance(table.signals, ConsoleSignals):
        publishers.append(TextLines(logging.getLogger(TURN_LOGGER).info))
    if options.events is not None:
        publishers.append(EventLines(options.events, log.warning))
    if memory.folder is not None:
        evidence = Evidence(memory.folder / "evidence", storage.evidence_megabytes)
        publishers.append(EvidencePublisher(evidence, table.watcher, log.warning))
        if memory.journal_path is not None and storage.statistics:
            statistics = Statistics(memory.folder)
            publishers.append(StatisticsPublisher(statistics, memory.journal_path, history, log.warning))
    if isinstance(memory.journal, FileJournal):
        publishers.append(SnapshotPublisher(memory.journal))
    return tuple(publishers)


def _link(table: Table) -> "TableLink | None":
    """Return the link to the hall, not begun yet; None if there is no hall. Raises ConfigError."""
    config = table.config
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
