"""The composition root: it makes every part from the settings, starts them in order and stops them in reverse."""

import logging
import threading
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, TextIO

from referee import __version__
from referee.config import Config
from referee.errors import ConfigError
from referee.game.inputs import Input, MatchStarted, Paused, Restarted, Seconds
from referee.game.state import Match
from referee.hardware.console import ConsoleSignals
from referee.hardware.system import Notifier, SystemClock, device_id, is_service
from referee.ports import Button, Clock, Organisers, Publisher, Signals
from referee.reading.consensus import ConsensusPolicy
from referee.rules.editions import rule_set
from referee.service.health import Health, health_file, read_health
from referee.service.idle_detection import Attendance
from referee.service.loop import Live, Loop
from referee.service.memory import Memory, open_memory
from referee.service.missed_plays import MissedPlays
from referee.service.page import Beside, check_extra, open_page, sighting_of
from referee.service.publishers import (
    BoxPublisher,
    CuePublisher,
    EventLines,
    EvidencePublisher,
    Lines,
    StatisticsPublisher,
    WordLines,
)
from referee.service.sources import Source, is_recorded, match_of, open_signals, open_source
from referee.service.starts import Starts
from referee.service.watcher import Watcher
from referee.storage.evidence import Evidence
from referee.storage.folder import state_folder
from referee.storage.profile import PROFILE_NAME, load_profile
from referee.storage.recovery import Unfinished
from referee.storage.statistics import Statistics
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile, camera_name
from referee.vision.watch.table_region import within
from referee.web.api.bridge import Bridge
from referee.web.api.logs import TURNS

if TYPE_CHECKING:
    from referee.link.table_link import TableLink

_ASLEEP_SECONDS = 5.0
log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line asks for beyond the settings."""

    camera: str
    signals: str
    until_end: bool = False
    new: bool = False
    state: Path | None = None
    events: Lines | None = None
    words: TextIO | None = None
    settings_file: Path | None = None


def run_referee(config: Config, wishes: Wishes, stop: threading.Event) -> None:
    """Referee as asked until the end or until told to stop; lights are off and files closed when it returns."""
    if config.web.enabled:
        check_extra()
    with ExitStack() as parts:
        notifier = Notifier()
        recorded = is_recorded(wishes.camera)
        memory = open_memory(wishes.state, config.storage.folder, parts, recorded=recorded, new=wishes.new)
        unfinished = memory.unfinished
        clock = SystemClock(unfinished.at if unfinished else None)
        reader = TableReader(threads=config.vision.threads)
        if stop.is_set():
            return  # whoever stops it while it starts need not wait for the rest
        signals = open_signals(config, wishes.signals, wishes.camera, wishes.words)
        parts.callback(signals.close)
        profile = None if recorded else _profile(config, wishes, memory, reader)
        source = open_source(config, wishes.camera, clock, profile.locked if profile else None)
        parts.callback(source.camera.close)
        parts.callback(source.button.close)
        begun = source.match or match_of(config)
        edition = unfinished.match.sitting.start.edition if unfinished else begun.edition
        if recorded:
            profile = _profile_of_recorded(config, wishes, memory, reader, source)
        watcher = _watcher(config, reader, edition, source, profile)
        match = unfinished.match if unfinished else Match()
        bridge = Bridge(match) if config.web.enabled else None
        link = _link(config, match, memory, watcher, clock)
        cues = CuePublisher(signals)
        missed = parts.enter_context(closing(MissedPlays(memory.told()))) if bridge else None
        others = _publishers(
            config, wishes, watcher, memory, signals, page=(bridge, missed) if bridge and missed else ()
        )
        publishers: tuple[Publisher, ...] = (cues, BoxPublisher(watcher), *others, *((link,) if link else ()))
        attendance = _attendance(source, begun, bridge or link)
        loop = Loop(
            match,
            memory.journal,
            publishers,
            log.warning,
            Organisers([one for one in (bridge, link, source.organiser) if one is not None]),
            attendance=attendance,
            progress=notifier.alive,
        )
        known = {
            "camera": camera_name(wishes.camera),
            "models": reader.version,
            "profile": profile.knows if profile else None,
        }
        parts.callback((health := Health(loop, watcher, clock, known, memory.folder, spare=source.spare)).close)
        if bridge is not None and missed is not None:
            beside = _beside(
                config,
                wishes,
                memory,
                watcher=watcher,
                profile=profile,
                source=source,
                clock=clock,
                health=health,
                missed=missed,
                link=link,
            )
            parts.callback(open_page(bridge, beside, cues.ask).close)
        if link is not None:
            parts.callback(link.start().close)
        for entered in _opening(config, source, unfinished, begun):
            loop.enter(entered)
        notifier.ready()
        parts.callback(notifier.send, "STOPPING=1")
        if source.recorded:
            after = unfinished.at if unfinished else None
            pace = SystemClock(after) if bridge or link else None  # whoever looks on sees it as it was
            loop.run_recorded(source.camera, source.button, watcher, stop, after, pace=pace)
            if not wishes.until_end:
                _stay(loop, source.button, pace, notifier, stop)
        else:
            live = Live(
                camera=source.camera, button=source.button, watcher=watcher, clock=clock, may_end=_may_end_for_camera
            )
            loop.run_live(live, stop)


def _may_end_for_camera() -> bool:
    """Whether this process may end to be started afresh: only systemd would do that."""
    return is_service() and Starts(state_folder("")).may_renew()


def _opening(config: Config, source: Source, unfinished: Unfinished | None, begun: MatchStarted) -> tuple[Input, ...]:
    """Give what comes first: the match that was cut short, or a new one, unless it is begun on the page."""
    if unfinished is not None:
        log.info("going on with the match of %s at %.0f s", unfinished.path.name, unfinished.at)
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


def _attendance(source: Source, begun: MatchStarted, page: object | None) -> Attendance | None:
    """Give what minds that somebody is there; None where nobody could say so."""
    if source.recorded or not (source.pressable or page is not None):
        return None
    return Attendance(begun if page is None else None)


def _stay(loop: Loop, button: Button, pace: Clock | None, notifier: Notifier, stop: threading.Event) -> None:
    """Stay after the end of a recording: asleep, or listening where a page is there to speak from."""
    if pace is not None:
        loop.wait(button, pace, Seconds(inf), stop)
    while not stop.wait(_ASLEEP_SECONDS):
        notifier.alive()


def _watcher(config: Config, reader: TableReader, edition: str, source: Source, profile: Profile | None) -> Watcher:
    """Make what looks at the table."""
    return Watcher(
        reader,
        rule_set(edition).box,
        ConsensusPolicy(looks=config.vision.looks, quiet_seconds=config.vision.quiet_seconds),
        config.vision.idle_seconds,
        on_table=within(source.area) if source.area else None,
        profile=profile,
    )


def _publishers(
    config: Config,
    wishes: Wishes,
    watcher: Watcher,
    memory: Memory,
    signals: Signals,
    *,
    page: tuple[Publisher, ...],
) -> tuple[Publisher, ...]:
    """Give who is told beside the players: whoever reads along, here or in the service's log, the disk, the page."""
    publishers: list[Publisher] = []
    if is_service() and not isinstance(signals, ConsoleSignals):
        publishers.append(WordLines(logging.getLogger(TURNS).info))
    if wishes.events is not None:
        publishers.append(EventLines(wishes.events, log.warning))
    if memory.folder is not None:
        evidence = Evidence(memory.folder / "evidence", config.storage.evidence_megabytes)
        publishers.append(EvidencePublisher(evidence, watcher, log.warning))
    journal = memory.journal_path
    if memory.folder is not None and journal is not None and config.storage.statistics:
        publishers.append(StatisticsPublisher(Statistics(memory.folder), journal, memory.told(), log.warning))
    return (*publishers, *page)


def _link(config: Config, match: Match, memory: Memory, watcher: Watcher, clock: Clock) -> "TableLink | None":
    """Give the link to the hall, not begun yet; None where there is no hall. Raises ConfigError."""
    if not config.hall.linked:
        return None
    if find_spec("paho") is None:
        raise ConfigError("the hall needs paho-mqtt; install it, in the checkout: pip install -e '.[hall]'")
    from referee.link.past import match_name  # noqa: PLC0415 - needs the extra
    from referee.link.table_link import TableLink  # noqa: PLC0415 - as above
    from referee.link.table_report import TableFacts  # noqa: PLC0415 - as above
    from referee.link.topics import digest_of  # noqa: PLC0415 - as above

    journal = memory.journal_path
    told = digest = 0
    for event in memory.told():
        told, digest = told + 1, digest_of(event, digest)
    facts = TableFacts(
        device=device_id(),
        version=__version__,
        journal=journal,
        journal_id=f"unkept-{token_hex(4)}" if journal is None else match_name(journal),
        told=told,
        digest=digest,
        limits=config.limits,
        now=clock.now,
        sighting=lambda: sighting_of(watcher),
        health=lambda: read_health(health_file()),
        page=_page_address(config),
    )
    return TableLink(config.hall, match, facts)


def _page_address(config: Config) -> str | None:
    """Give where others find the table's own page, if it is served to them."""
    if not config.web.enabled:
        return None
    from referee.web.api.address import addresses, local_only  # noqa: PLC0415 - needs the extra

    return None if local_only(config.web.host) else addresses(config.web.host, config.web.port)[0]


def _beside(
    config: Config,
    wishes: Wishes,
    memory: Memory,
    *,
    watcher: Watcher,
    profile: Profile | None,
    source: Source,
    clock: SystemClock,
    health: Health,
    missed: MissedPlays,
    link: "TableLink | None",
) -> Beside:
    """Give what the page shows beside the match."""
    journal = memory.journal_path
    return Beside(
        config=config,
        settings_file=wishes.settings_file,
        folder=memory.folder,
        journal=journal,
        head=memory.head(),
        past=memory.told(),
        watcher=watcher,
        profile=profile,
        outline=source.area,
        clock=clock,
        recorded=source.recorded,
        health=lambda: health.latest,
        missed=missed,
        arbiter=link,
    )


def _profile_of_recorded(
    config: Config, wishes: Wishes, memory: Memory, reader: TableReader, source: Source
) -> Profile | None:
    """Give what a recorded source lets the reader learn; who knows the table needs no profile of it."""
    if source.learn is not None:
        return source.learn(reader)
    return _profile(config, wishes, memory, reader) if source.area is None else None


def _profile(config: Config, wishes: Wishes, memory: Memory, reader: TableReader) -> Profile | None:
    """Give the profile of the settings, else that beside the journals of a live camera; None where there is none.

    Raises CalibrationError where it is another camera's or another reader's. A recording does not say which camera
    took it.
    """
    recorded = is_recorded(wishes.camera)
    path = Path(config.vision.profile) if config.vision.profile else None
    if path is None and not recorded and memory.folder is not None and (memory.folder / PROFILE_NAME).exists():
        path = memory.folder / PROFILE_NAME
    if path is None:
        return None
    profile = load_profile(path, None if recorded or wishes.camera == "auto" else wishes.camera)
    reader.check_profile(profile)
    log.info("camera %s, profile %s: %s", camera_name(wishes.camera), path, ", ".join(profile.knows) or "nothing yet")
    if profile.locked is None and not recorded:
        log.warning("profile %s knows no focus and light; lock them with: referee calibrate camera --light", path)
    return profile
