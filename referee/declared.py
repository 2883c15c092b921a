"""Values declared by a field: its title, type, range, unit and sentence, read from `Annotated[type, msgspec.Meta(…)]`.

`Meta.extra` may hold `unit`, `kind` (`time`: a text that is a time of day), `wanted` (what to give, where the type
cannot say it; `entry`: of an object's entries), `way_out` (a message where a pattern does not match), `check` (what no
type can say; it gives a message, else None) and `zero_is_none` (0 stands for "no such rule"). Both messages have a gap
for the `value`. Words known only at run time are `enum` in `Meta.extra_json_schema`.
"""

import dataclasses
from collections.abc import Mapping
from enum import EnumType
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, ClassVar, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

_KINDS: Final = {str: "text", int: "whole", float: "number", bool: "truth"}


@dataclasses.dataclass(frozen=True, slots=True)
class Declared:
    """A value that may be set or said; of a list, what each item may be."""

    annotation: Any
    type: Any
    """str, int, float or bool."""
    plain_type: Any
    """The type without its range; a tuple for a list."""
    is_list: bool
    default: Any
    title: str
    """What it is called in words; "" where nobody is asked for it."""
    description: str
    least: float | None
    most: float | None
    choices: tuple[str, ...]
    extra: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """What a form asks for: text, time, whole, number, truth or choice; texts, wholes or numbers of a list."""
        if "kind" in self.extra:
            return str(self.extra["kind"])
        return "choice" if self.choices else f"{_KINDS[self.type]}s" if self.is_list else _KINDS[self.type]

    @property
    def unit(self) -> str | None:
        """The unit of a number, as `s`."""
        return self.extra.get("unit")

    @property
    def form(self) -> dict[str, Any]:
        """What a form needs to know: kind, and unit, range or choices where there are any."""
        bounds = {} if self.least is None else {"least": self.least, "most": self.most}
        unit = {"unit": self.unit} if self.unit else {}
        return {"kind": self.kind, **unit, **bounds, **({"choices": list(self.choices)} if self.choices else {})}

    def read(self, value: object) -> Any:
        """Return the value as its type, a list as a tuple; raise ValueError where it is not as declared."""
        return msgspec.convert(value, self.annotation)


@cache
def declared(holder: type) -> Mapping[str, Declared]:
    """Return what the fields of a class declare, by their names."""
    defaults = (
        {field.name: field.default for field in dataclasses.fields(holder)} if dataclasses.is_dataclass(holder) else {}
    )
    hints, plain = get_type_hints(holder, include_extras=True), get_type_hints(holder)
    return MappingProxyType(
        {
            key: _declared(hint, plain[key], defaults.get(key))
            for key, hint in hints.items()
            if get_origin(hint) is not ClassVar
        }
    )


def but_none(hint: Any) -> Any:
    """Return what may be given beside None."""
    if get_origin(hint) not in {Union, UnionType}:
        return hint
    others = [option for option in get_args(hint) if option is not NoneType]
    return others[0] if len(others) == 1 else hint


def fits(value: object, annotation: Any) -> bool:
    """Return whether a value is as a type declares it."""
    try:
        msgspec.convert(value, annotation)
    except msgspec.ValidationError:
        return False
    return True


def whole_text(pattern: str) -> str:
    """Return a pattern that the whole of a text must match, as JSON Schema writes it."""
    return rf"^(?:{pattern})(?!\n)$"


def _declared(annotation: Any, plain: Any, default: Any) -> Declared:
    whole, one = annotation, but_none(annotation)
    if one is not annotation:
        annotation, plain = one, but_none(plain)
    metas: tuple[msgspec.Meta, ...] = getattr(annotation, "__metadata__", ())
    title = next((meta.title for meta in reversed(metas) if meta.title), "")
    description = next((meta.description for meta in reversed(metas) if meta.description), "")
    is_list = get_origin(plain) is tuple
    if is_list:
        metas += getattr(get_args(annotation.__origin__ if metas else annotation)[0], "__metadata__", ())
    words: tuple[str, ...] = tuple(word for meta in metas for word in (meta.extra_json_schema or {}).get("enum", ()))
    if get_origin(plain) is Literal:
        plain, words = str, get_args(plain)
    elif isinstance(plain, EnumType):
        plain, words = str, tuple(str(word) for word in plain)
    return Declared(
        annotation=whole,
        type=get_args(plain)[0] if is_list else plain,
        plain_type=plain,
        is_list=is_list,
        default=default,
        title=title,
        description=description,
        least=next((meta.ge for meta in metas if meta.ge is not None), None),
        most=next((meta.le for meta in metas if meta.le is not None), None),
        choices=words,
        extra=MappingProxyType({key: value for meta in metas for key, value in (meta.extra or {}).items()}),
    )
