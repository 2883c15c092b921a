"""What may be given in a declared field, in words; objects that were given, read field by field."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args

import msgspec

from referee.declared import Declared, but_none, declared, fits
from referee.errors import FieldError
from referee.rules.wording import TRUE_OR_FALSE, Message, Value, either_of, only_english, say

_MAX_CHARACTERS: Final = 40
Kind = TypeVar("Kind", bound=msgspec.Struct)

VALUE_KINDS: Final[Mapping[type, Message]] = MappingProxyType(
    {
        str: say("value.text", "a text in quotes"),
        int: say("value.whole", "a whole number"),
        float: say("value.number", "a number"),
        bool: TRUE_OR_FALSE,
    }
)
"""What may be given for each type."""
SECONDS: Final = say("value.seconds", "seconds")


def wanted(field: Declared) -> Value:
    """Say what to give, as `a whole number from 1 to 6`."""
    if "wanted" in field.extra:
        return field.extra["wanted"]  # type: ignore[no-any-return]
    if field.choices:
        return either_of([*map(repr, field.choices)])
    if field.least is None:
        return VALUE_KINDS[field.type]
    what = SECONDS if field.unit == "s" and field.type is float else VALUE_KINDS[field.type]
    least, most = f"{field.least:.9g}", f"{field.most:.9g}"
    within = say("value.range", "{what} from {least} to {most}", what=what, least=least, most=most)
    return say("value.or_none", "{what}, 0 for none", what=within) if field.extra.get("zero_is_none") else within


def read_fields(kind: type[Kind], given: Mapping[str, Any], what: str) -> Kind:
    """Return a declared struct of the fields that were said; FieldError names the first mistake in `what`."""
    known = {info.encode_name: info.name for info in msgspec.structs.fields(kind)}
    for key in given:
        if key not in known:
            raise FieldError(only_english(f"{key[:40]!r} does not belong to {what}; leave it out"))
    for info in msgspec.structs.fields(kind):
        if info.required and info.encode_name not in given:
            raise FieldError(only_english(f"{what} needs {info.encode_name!r}; give it"))
    values = {}
    for key, value in given.items():
        field = declared(kind)[known[key]]
        try:
            values[known[key]] = field.read(value)
        except msgspec.ValidationError:
            raise _wrong_field(key, value, field) from None
    return kind(**values)


def _wrong_field(key: str, value: Any, field: Declared) -> FieldError:
    """Return the error of a field; of an object only the entry that is wrong is shown, where its key is right."""
    name, what_to_give = repr(key), wanted(field)
    if isinstance(value, dict) and "entry" in field.extra:
        keys, entries = get_args(but_none(field.annotation).__origin__)
        wrong = next((entry for entry in value if fits(entry, keys) and not fits(value[entry], entries)), None)
        if wrong is not None:
            name, value, what_to_give = f"{key!r} of {wrong!r}", value[wrong], field.extra["entry"]
    shown = repr(value)
    about = f"{name} is {shown if len(shown) <= _MAX_CHARACTERS else shown[:_MAX_CHARACTERS] + '…'}"
    return FieldError(say("field.give", "give {wanted}", wanted=what_to_give), key, about)
