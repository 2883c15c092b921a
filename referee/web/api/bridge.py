"""Where the referee and the page meet: steps of the match go out, the organiser's commands come in, nobody waits.

The thread that owns the match calls `publish` and `poll`, which hand over references and return at once. The page's
thread calls the rest. Both queues are bounded: if the page hangs, the oldest steps are lost to it, and no more commands
are taken.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from typing import Final

from referee.game.events import TurnEvent
from referee.game.inputs import Input, Seconds
from referee.game.state import Match
from referee.web.view.view_state import Happened

MAX_WAITING_COMMANDS: Final = 16
MAX_STEPS: Final = 1000
_PASSING: Final = frozenset({"now"})
_SHOWN_FIELDS: Final = tuple(field.name for field in fields(Match) if field.name not in _PASSING)


class TooManyCommandsError(Exception):
    """The match has not taken earlier commands yet."""


@dataclass(frozen=True, slots=True)
class Entered:
    """The result of a command: its events, and whether it `changed` anything."""

    events: tuple[TurnEvent, ...]
    changed: bool


@dataclass(frozen=True, slots=True)
class _QueuedCommand:
    entered: Input
    answer: Future[Entered]


class Bridge:
    """Passes steps of the match to the page, and the page's commands to the match."""

    def __init__(self, match: Match) -> None:
        """Begin with this match."""
        self.match = match
        self._commands: deque[_QueuedCommand] = deque()
        self._taken: dict[int, _QueuedCommand] = {}
        self._steps: deque[Happened] = deque(maxlen=MAX_STEPS)
        self._wake = _nobody

    # By the thread of the match ---------------------------------------------------------------------------------------

    def publish(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> None:
        """Pass on one step."""
        earlier, self.match = self.match, match
        command = self._taken.pop(id(entered), None)
        changed = bool(events) or differs(earlier, match)
        if events:
            self._steps.append(Happened(earlier, entered, events, match))
        if command is not None:
            command.answer.set_result(Entered(events, changed))
        if changed:
            self._wake()

    def poll(self, until: Seconds) -> tuple[Input, ...]:
        """Return the waiting commands, dated `until`; cancelled ones are dropped."""
        if not self._commands:
            return ()
        commands = []
        while self._commands:
            command = self._commands.popleft()
            if command.answer.set_running_or_notify_cancel():
                entered = replace(command.entered, at=until)
                self._taken[id(entered)] = _QueuedCommand(entered, command.answer)  # kept, so that the id stays its own
                commands.append(entered)
        return tuple(commands)

    # By the thread of the page ----------------------------------------------------------------------------------------

    def on_change(self, wake: Callable[[], None]) -> None:
        """Call `wake`, from the match's thread, whenever there is something new to show."""
        self._wake = wake

    def say(self, command: Input) -> Future[Entered]:
        """Queue a command; the future resolves once the match has taken it. Raises TooManyCommandsError."""
        if len(self._commands) >= MAX_WAITING_COMMANDS:
            raise TooManyCommandsError
        answer: Future[Entered] = Future()
        self._commands.append(_QueuedCommand(command, answer))
        return answer

    @property
    def waiting(self) -> bool:
        """Whether there are steps that were not fetched yet."""
        return bool(self._steps)

    def steps(self) -> list[Happened]:
        """Return the steps since the last call, oldest first."""
        given = []
        while self._steps:
            given.append(self._steps.popleft())
        return given


def _nobody() -> None:
    """Wake nobody: no page is there yet."""


def differs(one: Match, other: Match) -> bool:
    """Return whether a step changed anything but the time; compares by identity, as most steps change nothing."""
    return one is not other and any(getattr(one, name) is not getattr(other, name) for name in _SHOWN_FIELDS)
