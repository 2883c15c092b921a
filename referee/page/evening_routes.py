"""Endpoints of stories: this match's for everybody, earlier matches and statistics for the organiser."""

import re
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace
from starlette.requests import Request
from starlette.responses import Response

from referee.errors import RefereeError
from referee.history.evidence_pictures import EvidencePictures
from referee.history.story import Story, StoryTurn
from referee.page.command_routes import CommandRoutes
from referee.page.dependencies import Dependencies
from referee.page.event_stream import EventStream
from referee.page.public_routes import no_match
from referee.protocol import answers
from referee.rules.wording import only_english, say
from referee.server.executors import Executors
from referee.server.request_checks import Refusal, refusal_of
from referee.server.requests import file_response, json_response, path_number, read_body

_JOURNAL: Final = re.compile(r"match-\d{5,}\.jsonl", re.ASCII)


class Forget(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to remove from the statistics."""

    player: Annotated[
        str, Meta(min_length=1, max_length=200, extra={"wanted": "the name of a player; see /api/evenings"})
    ]


class EveningRoutes:
    """The request handlers of stories, evenings and statistics."""

    def __init__(self, parts: Dependencies, stream: EventStream, sessions: CommandRoutes, executors: Executors) -> None:
        """Answer from this stream's match and from the archive."""
        self._album, self._archive, self._missed = parts.album, parts.archive, parts.missed_plays
        self._stream, self._sessions, self._executors = stream, sessions, executors

    async def story(self, _request: Request) -> Response:
        """Return the story of this match so far."""
        story = self._stream.history.story()
        if story is None:
            raise no_match()
        told = await self._executors.other(lambda: told_story(story, self._album))
        found, searching = self._missed()
        turns = tuple(replace(turn, missed=found.get((turn.game, turn.turn))) for turn in told.turns)
        return json_response(replace(told, turns=turns, searching=searching))

    async def evenings(self, request: Request) -> Response:
        """Return the archive's finished matches and each player's statistics."""
        self._sessions.organiser(request)
        return json_response(await self._run(self._archive.evenings))

    async def evening(self, request: Request) -> Response:
        """Return the story of an earlier match."""
        self._sessions.organiser(request)
        journal, number = request.path_params["journal"], path_number(request, "number", 1000)
        if not _JOURNAL.fullmatch(journal):
            raise Refusal(404, "unknown", only_english("unknown evening; see /api/evenings"))
        story = await self._run(lambda: self._archive.story(journal, number))
        if story is None:
            message = say("refused.no_evening", "this evening no longer exists; see the list")
            raise Refusal(404, "unknown", message)
        return json_response(await self._executors.other(lambda: told_story(story, self._album)))

    async def statistics_csv(self, request: Request) -> Response:
        """Return the statistics as CSV."""
        self._sessions.organiser(request)
        text = await self._run(self._archive.csv)
        return file_response(text.encode("utf-8-sig"), "text/csv; charset=utf-8", "statistics.csv")

    async def delete_player(self, request: Request) -> Response:
        """Remove a player's name from the statistics."""
        self._sessions.organiser(request)
        name = (await read_body(request, Forget)).player
        if not await self._run(lambda: self._archive.delete(name)):
            message = say("refused.no_player", "{name} is not in the statistics; see the list", name=repr(name[:40]))
            raise Refusal(404, "unknown", message)
        return json_response(await self._run(self._archive.evenings))

    async def _run(self, work: Any) -> Any:
        try:
            return await self._executors.other(work)
        except RefereeError as error:
            raise refusal_of(error, 503, "busy", seconds=60) from None


def told_story(story: Story, album: EvidencePictures) -> answers.Story:
    """Return a story with the URLs of each turn's pictures."""
    turns = tuple(_told_turn(turn, album) for turn in story.turns)
    return answers.Story(**{**asdict(story), "turns": turns})


def _told_turn(turn: StoryTurn, album: EvidencePictures) -> answers.ToldTurn:
    pictures = album.find(turn.game, turn.turn, turn.frame_id, turn.judged_at)
    return answers.ToldTurn(**asdict(turn), pictures=pictures.urls())
