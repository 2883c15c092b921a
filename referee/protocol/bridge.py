"""Queues between match and page: steps of the match go out, commands come in, without waiting.

The thread that owns the match calls `publish` and `poll`, which hand over references and return at once. The page's
thread calls the rest. Both queues are bounded: if the page hangs, its oldest steps are dropped and new commands
are refused.

A command waits in its queue while the match moves on. So what it refers to is looked for when the match takes it: a
command whose match, game or turn is over by then is refused, and a second one with the same id has the first's result.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, fields
from secrets import token_hex
from typing import Final

from referee.game.inputs import Ticked
from referee.game.state import Match, is_second_press
from referee.plain_json import JsonObject
from referee.protocol.command import InvalidCommandError, ParsedCommand
from referee.protocol.subject import Moment, TurnNames
from referee.reading.inputs import Input, Seconds
from referee.rules.wording import Message, say
from referee.storage.match_step import MatchStep

MAX_WAITING_COMMANDS: Final = 16
MAX_STEPS: Final = 1000
MAX_KNOWN_IDS: Final = 256
_TIME_FIELDS: Final = frozenset({"now"})
_COMPARED_FIELDS: Final = tuple(field.name for field in fields(Match) if field.name not in _TIME_FIELDS)


class TooManyCommandsError(Exception):
    """The queue of commands is full."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command: its events as JSON objects, whether it changed the match, and what of it is over."""

    told: tuple[JsonObject, ...] = ()
    changed: bool = False
    over: Message | None = None


@dataclass(frozen=True, slots=True)
class _QueuedCommand:
    parsed: ParsedCommand
    answer: Future[CommandResult]


class Bridge:
    """Passes steps of the match to the page, and commands from the page to the match."""

    def __init__(self, match: Match, journal: str | None = None) -> None:
        """Begin with this match; `journal` is the name of its journal, and so of its matches."""
        self.match = match
        self._journal = journal or f"unkept-{token_hex(4)}"
        self._turn_names = TurnNames()
        self._turn_names.note(match)
        self._known: dict[str, tuple[JsonObject | None, Future[CommandResult]]] = {}
        self._commands: deque[_QueuedCommand] = deque()
        self._taken: tuple[Input, Future[CommandResult]] | None = None
        self._steps: deque[MatchStep] = deque(maxlen=MAX_STEPS)
        self._wake = _no_wake

    # Called on the match's thread -------------------------------------------------------------------------------------

    def publish(self, step: MatchStep) -> None:
        """Queue one step for the page and resolve its command's future."""
        self.match = step.match
        self._turn_names.note(step.match)
        changed = bool(step.events) or has_visible_change(step.earlier, step.match)
        if step.events:
            self._steps.append(step)
        if self._taken is not None and step.entered is self._taken[0]:
            self._taken[1].set_result(CommandResult(step.told, changed))
            self._taken = None
        if changed:
            self._wake()

    def poll(self, until: Seconds) -> Iterator[Input]:
        """Yield the queued commands, dated `until`, each checked once the one before has been entered.

        What is due by then is entered first, so that a command meets the match that it was checked against.
        """
        while self._commands:
            command = self._commands.popleft()
            if not command.answer.set_running_or_notify_cancel():
                continue
            yield Ticked(until)
            entered = command.parsed.dated(until)
            if (over := self._what_is_over(command.parsed, entered)) is not None:
                command.answer.set_result(CommandResult(over=over))
                continue
            self._taken = entered, command.answer
            yield entered

    def _what_is_over(self, parsed: ParsedCommand, entered: Input) -> Message | None:
        over = self._turn_names.what_is_over(parsed.meant, self.now) or parsed.command.missed(self.match)
        if over is None and is_second_press(self.match, entered):
            return say("stale.press", "Another press had just come, so this one counts as the same.")
        return over

    # Called on the page's thread --------------------------------------------------------------------------------------

    def on_change(self, wake: Callable[[], None]) -> None:
        """Call `wake` on the match's thread whenever there is a new step."""
        self._wake = wake

    @property
    def now(self) -> Moment:
        """The match now, with its id."""
        return self.at(self.match)

    def at(self, match: Match) -> Moment:
        """Return a match of this journal with its id."""
        begun = match.seated
        return Moment(match, None if begun is None else f"{self._journal}/{begun.start.at:.3f}")

    def result_of(self, said: JsonObject) -> Future[CommandResult] | None:
        """Return the result of this command if it came before under its id, and was not dropped.

        Raises InvalidCommandError if the id was another command's.
        """
        before, answer = self._known.get(str(said.get("id")), (None, None))
        if answer is None or answer.cancelled():
            return None
        if before is not None and before != said:
            raise InvalidCommandError(say("command.id_used", "'id' was another command's; give each one a new id"))
        return answer

    def cancel(self, command_id: str) -> bool:
        """Drop the command with this id, also if it is still to come; return whether the match has not taken it."""
        _, answer = self._known.get(command_id, (None, None))
        if answer is not None and not answer.cancel():
            return answer.done() and not answer.result().changed
        cancelled: Future[CommandResult] = Future()
        cancelled.set_result(CommandResult(over=say("stale.cancelled", "This was cancelled.")))
        self._remember(command_id, None, cancelled)
        return True

    def submit(self, parsed: ParsedCommand) -> Future[CommandResult]:
        """Queue a command; the future resolves after the match's step. TooManyCommandsError if the queue is full."""
        if (known := self.result_of(parsed.said)) is not None:
            return known
        if len(self._commands) >= MAX_WAITING_COMMANDS:
            raise TooManyCommandsError
        queued = _QueuedCommand(parsed, Future())
        self._commands.append(queued)
        if parsed.command.id is not None:
            self._remember(parsed.command.id, parsed.said, queued.answer)
        return queued.answer

    def _remember(self, command_id: str, said: JsonObject | None, answer: Future[CommandResult]) -> None:
        self._known[command_id] = said, answer
        if len(self._known) > MAX_KNOWN_IDS:
            del self._known[next(iter(self._known))]

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
