"""The page's interface as an OpenAPI document, made of what each route declares."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final

import msgspec
from starlette.routing import BaseRoute, Route

from referee import __version__
from referee.web.security.requests import COOKIE
from referee.web.view.schema import Error

_NAMES: Final = "#/components/schemas/{name}"
_IN_PATH: Final[Mapping[str, Any]] = {
    "game": Annotated[int, msgspec.Meta(ge=0, le=10_000)],
    "turn": Annotated[int, msgspec.Meta(ge=0, le=10_000)],
    "index": Annotated[int, msgspec.Meta(ge=0, le=999)],
    "number": Annotated[int, msgspec.Meta(ge=0, le=1000)],
    "journal": Annotated[str, msgspec.Meta(pattern=r"^match-[0-9]{5}\.jsonl$")],
}
_TOKEN: Final = {
    "name": "X-CSRF-Token",
    "in": "header",
    "required": True,
    "schema": {"type": "string"},
    "description": "the `csrf` of /api/session",
}


class ApiRoute(Route):
    """An address of the interface: what it takes and gives, and who may ask."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        gives: Any,
        *,
        takes: Any = None,
        asks: Mapping[str, Any] | None = None,
        organiser: bool = False,
    ) -> None:
        """Answer GET, or POST where a body is taken; `gives` is a type of JSON or the name of a media type."""
        super().__init__(path, endpoint, methods=["GET" if takes is None else "POST"])
        self.gives, self.takes, self.asks, self.organiser = gives, takes, asks or {}, organiser


def openapi(routes: Iterable[BaseRoute], about: str, *more: type) -> dict[str, Any]:
    """Return the document of all routes that are declared, and of more types."""
    declared = [route for route in routes if isinstance(route, ApiRoute)]
    types: list[Any] = [Error, *more]
    types += [one for route in declared for one in (route.takes, route.gives) if one and not isinstance(one, str)]
    schemas, components = msgspec.json.schema_components(types, ref_template=_NAMES)
    by_type = {id(one): schema for one, schema in zip(types, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for route in declared:
        (method,) = (route.methods or set()) - {"HEAD"}
        paths.setdefault(route.path, {})[method.lower()] = _operation(route, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "referee", "version": __version__, "description": about},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": COOKIE}},
        },
    }


def _operation(route: ApiRoute, schemas: Mapping[int, Any]) -> dict[str, Any]:
    kind, schema = (route.gives, {"type": "string"}) if isinstance(route.gives, str) else ("application/json", None)
    answer = {"description": "done", "content": {kind: {"schema": schema or schemas[id(route.gives)]}}}
    refused = {"description": "refused", "content": {"application/json": {"schema": schemas[id(Error)]}}}
    names = re.findall(r"{(\w+)", route.path)
    parameters = [_parameter("path", name, _IN_PATH.get(name, str)) for name in names]
    parameters += [_parameter("query", name, asked) for name, asked in route.asks.items()]
    operation: dict[str, Any] = {
        "summary": (route.endpoint.__doc__ or "").partition("\n")[0],
        "operationId": route.endpoint.__name__,
        "parameters": parameters if route.takes is None else [*parameters, _TOKEN],
        "responses": {"200": answer, "default": refused},
    }
    if route.takes is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas[id(route.takes)]}},
        }
    if route.organiser or route.takes is not None:
        operation["security"] = [{"session": []}]
    return operation


def _parameter(place: str, name: str, kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind])
    return {"name": name, "in": place, "required": place == "path", "schema": schema}
