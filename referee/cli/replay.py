"""`referee replay`: replay a match from its journal and compare the events."""

import argparse
import json
import sys
from pathlib import Path

from referee.cli.progress import Progress
from referee.errors import StorageError
from referee.game.texts.messages import text_of
from referee.history.export import export_match
from referee.history.record import format_record
from referee.language.catalogue import ENGLISH, catalogue, languages
from referee.rules.wording import listed
from referee.storage.files import refusal, write_whole
from referee.storage.journal import RecordedMatch, load_journal
from referee.storage.json_codec import event_name, event_to_json
from referee.storage.recovery import ReplayDifference, repeat_steps, replay_differences

_EXIT_DIFFERENT = 1
_MAX_DIFFERENCES = 5  # later ones mostly follow from the first
_MAX_CHARACTERS = 100


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help="the journal of a match")
    parser.add_argument("--events", metavar="FILE", help="write the events as JSON lines; '-': standard output")
    parser.add_argument("--record", metavar="FILE", help="write the match as a plain-text game record, '-' to show it")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write the whole match into one zip file")
    parser.add_argument(
        "--evidence",
        type=Path,
        metavar="DIR",
        help="folder that holds its folder of pictures (default: evidence/ beside JOURNAL)",
    )
    parser.add_argument(
        "--language",
        choices=tuple(languages()),
        default=ENGLISH,
        help="language of the output",
    )
    parser.add_argument("--quiet", action="store_true", help="print only whether the journal gives the same events")


def run(arguments: argparse.Namespace) -> int:
    """Replay the match; return 1 if its events differ from the journal's."""
    recorded = load_journal(arguments.journal)
    to_stdout = "-" in {arguments.events, arguments.record}
    if not arguments.quiet and not to_stdout:
        _print_texts(recorded, arguments.language)
    if arguments.events:
        _write(_event_lines(recorded), arguments.events)
    if arguments.record:
        _write(format_record(recorded), arguments.record)
    if arguments.export:
        evidence = arguments.evidence or arguments.journal.parent / "evidence"
        with Progress("writing the match into one file"):
            pictures = export_match(arguments.journal, evidence, arguments.export)
        print(f"{arguments.export}: the whole match with {pictures} pictures.", file=sys.stderr)
    with Progress("repeating the match"):
        changed = replay_differences(recorded)
    for difference in changed[:_MAX_DIFFERENCES]:
        print(f"step {difference.number}: {difference_text(difference)}", file=sys.stderr)
    if len(changed) > _MAX_DIFFERENCES:
        print(f"and {len(changed) - _MAX_DIFFERENCES} more, which may follow from these", file=sys.stderr)
    steps = f"{len(recorded.entries)} steps"
    torn = "; a torn last line was left out" if recorded.torn else ""
    summary = f"{len(changed)} of {steps} tell something else" if changed else f"{steps} tell the same again"
    print(f"{arguments.journal}: {summary}{torn}.", file=sys.stderr)
    return _EXIT_DIFFERENT if changed else 0


def difference_text(difference: ReplayDifference) -> str:
    """Return a description of a step's differing events."""
    recorded, repeated = difference.recorded, difference.repeated
    before, now = (list(map(event_name, events)) for events in (recorded, repeated))
    if before != now:
        return f"the journal has {listed(before or ['nothing'])}, repeated it is {listed(now or ['nothing'])}"
    return "; ".join(
        f"{event_name(event)}: {key} was {_short_text(event.get(key))}, is {_short_text(again.get(key))}"
        for event, again in zip(recorded, repeated, strict=True)
        for key in {**event, **again}
        if event.get(key) != again.get(key)
    )


def _short_text(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"


def _print_texts(recorded: RecordedMatch, language: str) -> None:
    spoken = catalogue(language)
    for match, events in repeat_steps(recorded.entries):
        for event in events:
            print(spoken.say(text_of(event, match.setup.names)))


def _event_lines(recorded: RecordedMatch) -> str:
    events = (event for _, events in repeat_steps(recorded.entries) for event in events)
    return "".join(json.dumps(event_to_json(event), ensure_ascii=False) + "\n" for event in events)


def _write(text: str, name: str) -> None:
    if name == "-":
        sys.stdout.write(text)
        return
    try:
        write_whole(Path(name), text)
    except OSError as error:
        raise StorageError(f"file {name} cannot be written {refusal(error, Path(name))}") from None
