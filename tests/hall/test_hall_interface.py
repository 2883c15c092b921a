"""The hall's OpenAPI document: it is valid, a body as it says is read whole, and any other is refused in one line."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate

from referee.hall import bodies as said
from referee.rules.declared_fields import read_fields
from tests.page.drawn import bodies, damaged

BODIES = {
    "ask": said.TableCommand,
    "penalty": said.PenaltyBody,
    "withdraw": said.WithdrawalBody,
    "correct": said.CorrectionBody,
    "forget": said.ForgetTable,
    "tournament/create": said.NewTournament,
    "tournament/seat": said.RoundBody,
    "tournament/start": said.RoundBody,
    "tournament/result": said.ResultBody,
    "tournament/sign": said.SignatureBody,
    "tournament/finals": said.FinalsBody,
    "tournament/join": said.LateEntrant,
    "tournament/leave": said.LeaverBody,
    "tournament/return": said.LeaverBody,
    "tournament/half-bye": said.ByeBody,
    "tournament/forfeit": said.ForfeitBody,
    "tournament/unseat": said.RoundBody,
    "tournament/swap": said.SwapBody,
}


@pytest.fixture
def document(hall: Any) -> Any:
    return hall.browser().get("/api/openapi.json")[1]


def drawn(document: Any) -> Any:
    return st.one_of(*(st.tuples(st.just(path), bodies(document, f"/api/{path}")) for path in BODIES))


def test_the_document_is_valid_and_its_bodies_are_read_whole(document: Any) -> None:
    validate(document)
    operations = [one for operations in document["paths"].values() for one in operations.values()]
    assert all(one["summary"] for one in operations)
    assert len({one["operationId"] for one in operations}) == len(operations)
    posted = {path.removeprefix("/api/") for path, one in document["paths"].items() if "post" in one}
    assert posted == {*BODIES, "login", "logout"}

    @given(asked=drawn(document))
    @settings(max_examples=60, deadline=None, database=None)
    def ask(asked: Any) -> None:
        path, body = asked
        read = read_fields(BODIES[path], body, "it")
        assert msgspec.convert(msgspec.to_builtins(read), BODIES[path]) == read

    ask()


def test_whatever_is_asked_is_answered_as_declared(hall: Any, document: Any) -> None:
    organiser, guest, lines = hall.browser("organiser"), hall.browser(), set()
    right = drawn(document)
    wrong = st.one_of(*(st.tuples(st.just(path), damaged(bodies(document, f"/api/{path}"))) for path in BODIES))

    @given(asked=right | wrong)
    @settings(max_examples=60, deadline=None, database=None)
    def ask(asked: Any) -> None:
        path, body = asked
        status, answer = organiser.post(f"/api/{path}", **body)
        assert status in {200, 400, 404, 409}, (path, body, answer)
        lines.add(answer.get("error", ""))

    ask()
    assert len(lines) > 3
    assert [line for line in lines if "\n" in line] == []
    assert guest.post("/api/penalty")[0] == 403
    assert organiser.get("/api/tournament/files/zz")[0] in {404, 409}
