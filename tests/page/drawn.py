"""Requests drawn from the interface's own OpenAPI document."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

SMALL = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["R7", "JD"])
VALUES = st.recursive(
    SMALL, lambda deeper: st.lists(deeper, max_size=4) | st.dictionaries(st.text(max_size=8), deeper, max_size=4)
)


def bodies(document: Any, path: str) -> Any:
    """Bodies that are as the document says."""
    body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return drawn(body, document["components"]["schemas"])


def damaged(body: Any) -> Any:
    """Bodies of which one key holds something else, is missing, or is one too many."""

    def damage(whole: dict[str, Any], key: str, value: Any, how: str) -> dict[str, Any]:
        key = key if how == "add" or not whole else sorted(whole)[len(key) % len(whole)]
        return {name: one for name, one in whole.items() if name != key} | ({} if how == "drop" else {key: value})

    return st.builds(damage, body, st.text(max_size=8), VALUES, st.sampled_from(["add", "drop", "change"]))


def closed(schema: Any) -> Any:
    """The schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(one) for key, one in schema.items()}
    return {**inner, "additionalProperties": False} if "properties" in inner and "type" in inner else inner


def drawn(schema: Any, components: Any) -> Any:
    """Values that a JSON Schema allows, as far as the document uses it."""
    if "$ref" in schema:
        return drawn(components[schema["$ref"].rpartition("/")[2]], components)
    if "anyOf" in schema:
        return st.one_of(*(drawn(one, components) for one in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    return _DRAWN[kind](schema, components) if kind in _DRAWN else VALUES


def _text(schema: Any, _components: Any) -> Any:
    longest = schema.get("maxLength", 20)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"]).filter(lambda text: len(text) <= longest)
    text = st.text(min_size=schema.get("minLength", 0), max_size=min(longest, 20))
    return text | st.sampled_from(schema.get("examples", ["R5 J"]))


def _array(schema: Any, components: Any) -> Any:
    if "prefixItems" in schema:
        return st.tuples(*(drawn(one, components) for one in schema["prefixItems"])).map(list)
    least, most = schema.get("minItems", 0), schema.get("maxItems", 5)
    return st.lists(drawn(schema["items"], components), min_size=least, max_size=most)


def _object(schema: Any, components: Any) -> Any:
    if "properties" in schema:
        fields = {key: drawn(one, components) for key, one in schema["properties"].items()}
        required = {key: fields.pop(key) for key in schema.get("required", ())}
        return st.fixed_dictionaries(required, optional=fields)
    keys = drawn({"type": "string", "maxLength": 8, **schema.get("propertyNames", {})}, components)
    values = drawn(schema.get("additionalProperties", {}), components)
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", 4)
    return st.dictionaries(keys, values, min_size=least, max_size=most)


_DRAWN: dict[str, Callable[[Any, Any], Any]] = {
    "null": lambda _schema, _components: st.none(),
    "boolean": lambda _schema, _components: st.booleans(),
    "integer": lambda schema, _components: st.integers(schema.get("minimum"), schema.get("maximum")),
    "number": lambda schema, _components: st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False),
    "string": _text,
    "array": _array,
    "object": _object,
}
