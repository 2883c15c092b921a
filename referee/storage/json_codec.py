"""Inputs as JSON objects and back, and turn events as JSON objects."""

import types
from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from referee.errors import StorageError
from referee.game import inputs
from referee.game.correction_events import ProposalMade
from referee.game.events import Judged, TableWatched, TurnEvent
from referee.game.inputs import Input
from referee.rules.answer import answer
from referee.storage.plain_values import Plain, from_plain, plain

INPUTS: Final[Mapping[str, type]] = types.MappingProxyType(
    {
        name: kind
        for name, kind in vars(inputs).items()
        if isinstance(kind, type) and issubclass(kind, Input) and kind is not Input
    }
)


def input_to_plain(entered: Input) -> Plain:
    """Return an input as a JSON object, its kind under `input`."""
    return {"input": type(entered).__name__, **plain(entered)}


def input_from_plain(value: Plain) -> Input:
    """Build the input again; raise StorageError where the object is none."""
    try:
        if value["input"] == "TileCorrected":  # as older programs wrote what is said of one tile
            correction = {"index": value["index"], "tile": value["tile"]}
            value = {**value, "input": "TableCorrected", "said": correction}
        entered: Input = from_plain(INPUTS[value["input"]], value)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"this input is unknown ({error!s:.80}); was it written by another version?") from None
    return entered


# Events -----------------------------------------------------------------------------------------------------------


def event_to_plain(event: TurnEvent) -> Plain:
    """Return a turn event as a JSON object; that of a judged turn holds the answer of `judge`, tables in notation."""
    head = {"event": event.name, "at": round(event.at, 3)}
    rest = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in {"at", "verdict"}}
    shown = {**head, **plain(rest)}
    if isinstance(event, Judged):
        shown["frame_at"] = round(event.frame_at, 3)
    if isinstance(event, Judged | TableWatched):
        shown |= answer(event.verdict)
    if isinstance(event, ProposalMade):
        shown["says"] = event_to_plain(event.says)
    return shown
