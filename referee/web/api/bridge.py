"""Queues between match and page: steps of the match go out, commands come in, without waiting.

The thread that owns the match calls `publish` and `poll`, which hand over references and return at once. The page's
thread calls the rest. Both queues are bounded: if the page hangs, its oldest steps are dropped and new commands
are refused.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from typing import Final

from referee.game.events import TurnEvent
from referee.game.inputs import Input, Seconds
from referee.game.state import Match
from referee.web.view.view_state import MatchStep

MAX_WAITING_COMMANDS: Final = 16
MAX_STEPS: Final = 1000
_TIME_FIELDS: Final = frozenset({"now"})
_COMPARED_FIELDS: Final = tuple(field.name for field in fields(Match) if field.name not in _TIME_FIELDS)


class TooManyCommandsError(Exception):
    """The queue of commands is full."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command: its events, and whether it changed the match."""

    events: tuple[TurnEvent, ...]
    changed: bool


@dataclass(frozen=True, slots=True)
class _QueuedCommand:
    entered: Input
    answer: Future[CommandResult]


class Bridge:
    """Passes steps of the match to the page, and commands from the page to the match."""

    def __init__(self, match: Match) -> None:
        """Begin with this match."""
        self.match = match
        self._commands: deque[_QueuedCommand] = deque()
        self._taken: dict[int, _QueuedCommand] = {}
        self._steps: deque[MatchStep] = deque(maxlen=MAX_STEPS)
        self._wake = _no_wake

    # Called on the match's thread -------------------------------------------------------------------------------------

    def publish(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> None:
        """Queue one step for the page and resolve its command's future."""
        earlier, self.match = self.match, match
        command = self._taken.pop(id(entered), None)
        changed = bool(events) or has_visible_change(earlier, match)
        if events:
            self._steps.append(MatchStep(earlier, entered, events, match))
        if command is not None:
            command.answer.set_result(CommandResult(events, changed))
        if changed:
            self._wake()

    def poll(self, until: Seconds) -> tuple[Input, ...]:
        """Return the queued commands, dated `until`; cancelled commands are dropped."""
        if not self._commands:
            return ()
        commands = []
        while self._commands:
            command = self._commands.popleft()
            if command.answer.set_running_or_notify_cancel():
                entered = replace(command.entered, at=until)
                self._taken[id(entered)] = _QueuedCommand(entered, command.answer)  # alive, so its id stays unique
                commands.append(entered)
        return tuple(commands)

    # Called on the page's thread --------------------------------------------------------------------------------------

    def on_change(self, wake: Callable[[], None]) -> None:
        """Call `wake` on the match's thread whenever there is a new step."""
        self._wake = wake

    def submit(self, command: Input) -> Future[CommandResult]:
        """Queue a command; the future resolves after the match's step. TooManyCommandsError if the queue is full."""
        if len(self._commands) >= MAX_WAITING_COMMANDS:
            raise TooManyCommandsError
        answer: Future[CommandResult] = Future()
        self._commands.append(_QueuedCommand(command, answer))
        return answer

    @property
    def waiting(self) -> bool:
        """Whether there are steps that were not fetched."""
        return bool(self._steps)

    def steps(self) -> list[MatchStep]:
        """Return the steps since the last call, oldest first."""
        given = []
        while self._steps:
            given.append(self._steps.popleft())
        return given


def _no_wake() -> None:
    """Do nothing: no page is connected yet."""


def has_visible_change(earlier: Match, later: Match) -> bool:
    """Return whether a step changed anything but the time; compares identities, because most steps change nothing."""
    return earlier is not later and any(getattr(earlier, name) is not getattr(later, name) for name in _COMPARED_FIELDS)
