"""The interface's OpenAPI document: it is valid, names every route, and says what is answered and taken."""

import http.client
import importlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from referee.protocol.allowed_commands import COMMAND_INPUTS
from referee.protocol.answers import PinSet
from referee.protocol.commands import COMMANDS
from referee.protocol.schema import State
from referee.rules.declared_fields import read_fields
from referee.server.request_checks import PHOTO_PATH
from tests.conftest import PATIENCE_SECONDS

from .conftest import as_declared
from .drawn import bodies, closed


@pytest.fixture
def document(page: Any) -> Any:
    return page.browser().get("/api/openapi.json").json


def test_the_document_is_valid_and_names_every_route(page: Any, document: Any) -> None:
    validate(document)
    routes = {(route.path, method) for route in page.routes for method in route.methods - {"HEAD"}}
    declared = {(path, method.upper()) for path, operations in document["paths"].items() for method in operations}
    assert {route for route in routes if route[0].startswith("/api/")} == declared | {("/api/openapi.json", "GET")}
    operations = [one for operations in document["paths"].values() for one in operations.values()]
    assert all(one["summary"] for one in operations)
    assert len({one["operationId"] for one in operations}) == len(operations)


def test_the_types_of_the_page_s_scripts_are_those_of_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "packaging"))
    types = importlib.import_module("page_types")
    assert types.state_types() == types.FILE.read_text("utf-8"), "run `make page-types`"
    assert types.scopes() == types.SCOPES_FILE.read_text("utf-8"), "run `make page-types`"


def test_every_word_of_say_is_declared() -> None:
    assert COMMANDS.keys() == COMMAND_INPUTS.keys()


def test_a_state_is_as_the_schema_says_to_a_validator_that_is_not_ours(page: Any, document: Any) -> None:
    page.start()
    page.settle("R10 R11 R12 / K1 K2 K4", doubts={1: "R1"})
    state = page.browser().state()
    assert state["match"]["asked"]
    schema = {"$ref": "#/components/schemas/State", "components": closed(document["components"])}
    Draft202012Validator(schema).validate(state)
    wrong = {**state, "table": {**state["table"], "more": 1}}
    assert not Draft202012Validator(schema).is_valid(wrong)


def test_the_state_sent_to_the_page_is_as_declared(page: Any) -> None:
    page.start()
    page.settle("R10 R11 R12")
    connection = http.client.HTTPConnection("127.0.0.1", page.server.port, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/api/events")
    following = connection.getresponse()
    while following.readline() != b"event: state\n":
        pass
    sent = following.readline().removeprefix(b"data: ")
    connection.close()
    assert as_declared(sent, State)
    assert json.loads(sent)["match"]["players"][0]["name"] == "Ann"


def test_what_is_not_as_declared_is_told() -> None:
    assert as_declared(b'{"set": true}', PinSet)
    assert not as_declared(b'{"set": true, "more": 1}', PinSet)
    with pytest.raises(msgspec.ValidationError):
        as_declared(b'{"rev": "x"}', State)


def test_a_body_as_declared_is_never_refused_for_its_shape(patient_page: Any) -> None:
    page = patient_page
    page.start()
    organiser, document = page.organiser(), page.browser().get("/api/openapi.json").json
    paths = [path for path, operations in document["paths"].items() if "post" in operations]
    assert len(paths) >= 10
    others = [path for path in paths if path not in {"/api/say", "/api/login", "/api/logout", "/api/pin", PHOTO_PATH}]
    right = st.one_of(*(st.tuples(st.just(path), bodies(document, path)) for path in others))

    @given(asked=right)
    @settings(max_examples=100, deadline=None, database=None)
    def ask(asked: Any) -> None:
        path, body = asked
        said = organiser.post(path, body).json.get("error", "")
        assert "leave it out" not in said
        assert "needs" not in said
        assert "; give" not in said

    ask()


def test_a_word_as_declared_is_read_whole(document: Any) -> None:
    @given(said=bodies(document, "/api/say"))
    @settings(max_examples=150, deadline=None, database=None)
    def say(said: Any) -> None:
        kind = COMMANDS[said["say"]]
        read = read_fields(kind, {key: one for key, one in said.items() if key != "say"}, "it")
        assert msgspec.convert(msgspec.to_builtins(read), kind) == read

    say()
