"""Write what the page's scripts know of the referee: `state.d.ts`, the State's types, and `scopes.js`, the commands.

python packaging/page_types.py
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from msgspec import Meta, Struct, UnsetType
from msgspec.structs import fields

from referee.protocol.commands import COMMANDS
from referee.protocol.schema import State

_PAGE: Final = Path(__file__).resolve().parent.parent / "referee" / "page" / "static"
FILE: Final = _PAGE / "state.d.ts"
SCOPES_FILE: Final = _PAGE / "scopes.js"
_HEAD: Final = """\
// The State as `referee/protocol/schema.py` declares it, written from there by `make page-types`;
// for editors and `make lint` alone, no browser loads it.
"""
_SCOPES_HEAD: Final = """\
// Scopes: what each command refers to, as `referee/protocol/commands.py` declares it; `make page-types` writes it.

"""
_PLAIN: Final = MappingProxyType(
    {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}
)
_WRITTEN: Final[Mapping[Any, Callable[[list[str]], str]]] = MappingProxyType(
    {
        Annotated: lambda parts: parts[0],
        Union: " | ".join,
        UnionType: " | ".join,
        list: lambda parts: f"({parts[0]})[]" if " | " in parts[0] else f"{parts[0]}[]",
        tuple: lambda parts: f"[{', '.join(parts)}]",
        dict: lambda parts: f"Record<string, {parts[1]}>",
    }
)


def main() -> None:
    """Write them."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0]).parse_args()
    FILE.write_text(state_types(), encoding="utf-8")
    SCOPES_FILE.write_text(scopes(), encoding="utf-8")


def scopes() -> str:
    """Give what each command refers to, as a module."""
    lines = "".join(f'  {name}: "{kind.refers_to}",\n' for name, kind in COMMANDS.items())
    return f"{_SCOPES_HEAD}export const SCOPES = {{\n{lines}}};\n"


def state_types() -> str:
    """Give an interface for the State and each type in it, as TypeScript."""
    found: dict[str, str] = {}
    _declare(State, found)
    return "\n".join((_HEAD, *found.values()))


def _declare(kind: Any, found: dict[str, str]) -> str:
    """Give the name of a struct, which is found with those it is made of."""
    name = str(kind.__name__)
    if name not in found:
        found[name] = ""  # its place, before those it is made of
        lines = (
            f"  {field.encode_name}{'' if field.required else '?'}: {_typed(field.type, found)};\n"
            for field in fields(kind)
        )
        said = f"/** {(kind.__doc__ or '').partition(chr(10))[0]} */\n"
        found[name] = f"{said}export interface {name} {{\n{''.join(lines)}}}\n"
    return name


def _typed(hint: Any, found: dict[str, str]) -> str:
    """Give a type as TypeScript writes it."""
    origin, parts = get_origin(hint), [part for part in get_args(hint) if part is not UnsetType]
    if origin is Annotated and get_origin(parts[0]) is list and parts[1].min_length:
        return f"[{', '.join([_typed(get_args(parts[0])[0], found)] * parts[1].min_length)}]"
    if origin is Literal:
        return " | ".join(f'"{word}"' for word in parts)
    if origin is not None:
        return _WRITTEN[origin]([_typed(part, found) for part in parts if not isinstance(part, Meta)])
    return _declare(hint, found) if issubclass(hint, Struct) else _PLAIN[hint]


if __name__ == "__main__":
    main()
