"""The OpenAPI document of the page's interface, generated from the routes."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from referee import __version__
from referee.protocol.answers import Error
from referee.server.requests import COOKIE, json_response

_SCHEMA_REFERENCE: Final = "#/components/schemas/{name}"
_PATH_PARAMETERS: Final[Mapping[str, Any]] = {
    "game": Annotated[int, msgspec.Meta(ge=0, le=10_000)],
    "turn": Annotated[int, msgspec.Meta(ge=0, le=10_000)],
    "index": Annotated[int, msgspec.Meta(ge=0, le=999)],
    "number": Annotated[int, msgspec.Meta(ge=0, le=1000)],
    "journal": Annotated[str, msgspec.Meta(pattern=r"^match-[0-9]{5,}\.jsonl$")],
}
_TOKEN_PARAMETER: Final = {
    "name": "X-CSRF-Token",
    "in": "header",
    "required": True,
    "schema": {"type": "string"},
    "description": "the `csrf` of /api/session",
}


class ApiRoute(Route):
    """An endpoint: its request body, its response, its query parameters, and whether it needs the organiser."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        returns: Any,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        organiser: bool = False,
    ) -> None:
        """Answer POST if `body` is given, else GET; `body` and `returns` are a type of JSON or a media type."""
        super().__init__(path, endpoint, methods=["GET" if body is None else "POST"])
        self.returns, self.body, self.query, self.organiser = returns, body, query or {}, organiser


def openapi(routes: Iterable[BaseRoute], about: str, *more: type) -> dict[str, Any]:
    """Return the document of all declared routes and of additional types."""
    declared = [route for route in routes if isinstance(route, ApiRoute)]
    types: list[Any] = [Error, *more]
    types += [
        type_ for route in declared for type_ in (route.body, route.returns) if type_ and not isinstance(type_, str)
    ]
    schemas, components = msgspec.json.schema_components(types, ref_template=_SCHEMA_REFERENCE)
    by_type = {id(type_): schema for type_, schema in zip(types, schemas, strict=True)}
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
    kind, schema = (route.returns, {"type": "string"}) if isinstance(route.returns, str) else ("application/json", None)
    answer = {"description": "done", "content": {kind: {"schema": schema or schemas[id(route.returns)]}}}
    refused = {"description": "refused", "content": {"application/json": {"schema": schemas[id(Error)]}}}
    names = re.findall(r"{(\w+)", route.path)
    parameters = [_parameter("path", name, _PATH_PARAMETERS.get(name, str)) for name in names]
    parameters += [_parameter("query", name, asked) for name, asked in route.query.items()]
    operation: dict[str, Any] = {
        "summary": (route.endpoint.__doc__ or "").partition("\n")[0],
        "operationId": route.endpoint.__name__,
        "parameters": parameters if route.body is None else [*parameters, _TOKEN_PARAMETER],
        "responses": {"200": answer, "default": refused},
    }
    if route.body is not None:
        media = {} if isinstance(route.body, str) else {"schema": schemas[id(route.body)]}
        taken = route.body if isinstance(route.body, str) else "application/json"
        operation["requestBody"] = {"required": True, "content": {taken: media}}
    if route.organiser or route.body is not None:
        operation["security"] = [{"session": []}]
    return operation


def _parameter(place: str, name: str, kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind])
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


class OpenApiDocument:
    """Serves the OpenAPI document, generated at the first request."""

    def __init__(self, routes: Iterable[Route], about: str, *more: type) -> None:
        """Describe these routes and additional types."""
        self._routes, self._about, self._more = routes, about, more

    async def document(self, _request: Request) -> Response:
        """Return this document."""
        return json_response(openapi(self._routes, self._about, *self._more))
