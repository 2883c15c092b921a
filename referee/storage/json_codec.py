"""Codec of the journal: inputs to JSON objects and back, and turn events to JSON objects."""

import types
from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from referee.errors import StorageError
from referee.game import inputs
from referee.game.correction_events import ProposalMade
from referee.game.events import Judged, TableWatched, TurnEvent
from referee.reading import inputs as reading_inputs
from referee.reading.inputs import Input
from referee.rules.verdict_json import verdict_to_json
from referee.storage.dataclass_codec import JsonValue, from_json_value, to_json_value

INPUT_TYPES: Final[Mapping[str, type]] = types.MappingProxyType(
    {
        name: kind
        for name, kind in (vars(inputs) | vars(reading_inputs)).items()
        if isinstance(kind, type) and issubclass(kind, Input) and kind is not Input
    }
)


def input_to_json(entered: Input) -> JsonValue:
    """Return an input as a JSON object with its type's name under `input`."""
    value = {"input": type(entered).__name__, **to_json_value(entered)}
    return value if entered.voice else {key: item for key, item in value.items() if key != "voice"}


def input_from_json(value: JsonValue) -> Input:
    """Build an input from its JSON object; raise StorageError if it is unknown or invalid."""
    try:
        if value["input"] == "TileCorrected":  # older versions wrote the correction of one tile so
            correction = {"index": value["index"], "tile": value["tile"]}
            value = {**value, "input": "TableCorrected", "said": correction}
        entered: Input = from_json_value(INPUT_TYPES[value["input"]], value)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"this input is unknown ({error!s:.80}); was it written by another version?") from None
    return entered


# Events -----------------------------------------------------------------------------------------------------------


def event_to_json(event: TurnEvent) -> JsonValue:
    """Return a turn event as a JSON object; that of a judged turn includes the answer of `referee judge`."""
    head = {"event": event.name, "at": round(event.at, 3)}
    rest = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in {"at", "verdict"}}
    shown = {**head, **to_json_value(rest)}
    if isinstance(event, Judged):
        shown["frame_at"] = round(event.frame_at, 3)
    if isinstance(event, Judged | TableWatched):
        shown |= verdict_to_json(event.verdict)
    if isinstance(event, ProposalMade):
        shown["says"] = event_to_json(event.says)
    return shown
