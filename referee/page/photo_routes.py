"""Endpoints for photographs from a phone: read one, judge what people say lies there, and find a play."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from referee.errors import ConfigError, ImageError, NotationError
from referee.game.state import Phase
from referee.page.command_routes import CommandRoutes
from referee.page.dependencies import Dependencies
from referee.plain_json import JsonObject
from referee.reading.observation import TableReading, TileReading
from referee.rules.editions import RuleSet, rule_set
from referee.rules.judge import judge_set
from referee.rules.notation import parse_tile
from referee.rules.reasons import why_no_set
from referee.rules.scoring import rack_value
from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import message_of, say
from referee.server.executors import Executors
from referee.server.request_checks import NO_JPEG, Refusal, refusal_of
from referee.server.requests import json_response, read_body, read_bytes
from referee.solver import best_play
from referee.vision.image.frame import Image
from referee.vision.image.picture_file import decode_image, jpeg_size

MAX_PIXELS: Final = 8_000_000
"""24 MB in memory; the page itself sends at most 2,560 pixels along the longer side."""
MAX_TILES: Final = 200
PLAY_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 10.0  # the longest that a photograph waits for the match's own look
_Names = Annotated[list[str], Meta(max_length=MAX_TILES, description="tiles in notation, as R7 or J")]


class Laid(Struct, frozen=True, forbid_unknown_fields=True):
    """Sets that lie on a table, or one rack, under an edition."""

    edition: str
    sets: Annotated[list[_Names], Meta(max_length=MAX_TILES)]


class Held(Struct, frozen=True, forbid_unknown_fields=True):
    """A table and a rack under an edition; `opened`: whether the player has laid the initial meld."""

    edition: str
    sets: Annotated[list[_Names], Meta(max_length=MAX_TILES)]
    rack: _Names
    opened: bool = True


class PhotoRoutes:
    """The request handlers of photographs; every visitor may send one."""

    def __init__(
        self,
        parts: Dependencies,
        commands: CommandRoutes,
        executors: Executors,
        read_photo: Callable[[Image, RuleSet], TableReading],
    ) -> None:
        """Read beside the match of these parts."""
        self._parts, self._commands, self._executors, self._read_photo = parts, commands, executors, read_photo

    async def read(self, request: Request) -> Response:
        """Read a photograph: its tiles with corners and doubts, and the sets they lie in."""
        self._commands.authorise(request)
        rules = _rules(request.query_params.get("edition", ""))
        content = await read_bytes(request)
        size = jpeg_size(content)
        if size is None:
            raise Refusal(415, "request", NO_JPEG)
        if size[0] * size[1] > MAX_PIXELS:
            most = MAX_PIXELS // 1_000_000
            message = say("photo.pixels", "this picture has too many pixels; send at most {most} million", most=most)
            raise Refusal(413, "request", message)
        await self._wait_for_the_match()
        return json_response(await self._executors.photo(lambda: self._reading(content, rules)))

    def _reading(self, content: bytes, rules: RuleSet) -> JsonObject:
        try:
            image = decode_image(content, "photograph")
        except ImageError:
            message = say("photo.damaged", "this picture is damaged; take it again, or choose another")
            raise Refusal(400, "request", message) from None
        return reading_to_json(self._read_photo(image, rules), (image.shape[1], image.shape[0]))

    async def _wait_for_the_match(self) -> None:
        """Let the match look first: players wait for its verdict."""
        end = asyncio.get_running_loop().time() + _LOOK_SECONDS
        while self._parts.bridge.match.phase is Phase.LOOKING and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.1)

    async def judge(self, request: Request) -> Response:
        """Judge sets by an edition, and count what their tiles are worth on a rack."""
        self._commands.authorise(request)
        laid = await read_body(request, Laid)
        rules = _rules(laid.edition)
        sets = [_tiles(names) for names in laid.sets]
        judged = [_judged(tiles, rules) for tiles in sets]
        points = rack_value(tuple(tile for tiles in sets for tile in tiles), rules)
        return json_response({"sets": judged, "points": points})

    async def play(self, request: Request) -> Response:
        """Find the play with the most tiles; refused while a match is played."""
        self._commands.authorise(request)
        held = await read_body(request, Held)
        if self._parts.bridge.match.phase not in {Phase.IDLE, Phase.MATCH_OVER}:
            message = say("photo.match_on", "while a match is played nobody is told what to play; ask after it")
            raise Refusal(409, "now", message)
        rules, table = _rules(held.edition), Table(tuple(_tiles(names) for names in held.sets))
        rack = _tiles(held.rack)
        try:
            play = await self._executors.other(
                lambda: best_play(table, rack, rules, opened=held.opened, seconds=PLAY_SECONDS)
            )
        except NotationError as error:
            raise refusal_of(error, 400, "request") from None
        sets = [[str(tile) for tile in tiles] for tiles in play.table.sets]
        return json_response({"tiles": [str(tile) for tile in play.tiles], "sets": sets, "worth": play.worth})


def reading_to_json(reading: TableReading, size: tuple[int, int]) -> JsonObject:
    """Return a reading as `PhotoReading` declares it."""
    layout, unsure = reading.layouts[0], set(reading.unsure)
    return {
        "size": list(size),
        "tiles": [_tile_to_json(tile, is_unsure=index in unsure) for index, tile in enumerate(reading.tiles)],
        "sets": [list(row) for row in (*layout.sets, *((index,) for index in layout.loose))],
    }


def _tile_to_json(tile: TileReading, *, is_unsure: bool) -> JsonObject:
    return {
        "tile": None if tile.tile is None else str(tile.tile),
        "quad": [[round(x, 1), round(y, 1)] for x, y in tile.quad],
        "unsure": is_unsure,
        "alternatives": [str(other) for other, _ in tile.alternatives],
    }


def _judged(tiles: tuple[Tile, ...], rules: RuleSet) -> JsonObject:
    reason = why_no_set(tiles, rules)
    if reason is not None:
        return {"legal": False, "kind": None, "worth": None, "why": message_to_json(reason.wording)}
    judged = judge_set(tiles, rules)
    return {"legal": True, "kind": judged.kind and judged.kind.value, "worth": judged.worth, "why": None}


def _rules(edition: str) -> RuleSet:
    try:
        return rule_set(edition)
    except ConfigError as error:
        raise refusal_of(error, 400, "request") from None


def _tiles(names: Sequence[str]) -> tuple[Tile, ...]:
    try:
        return tuple(parse_tile(name) for name in names)
    except NotationError as error:
        raise Refusal(400, "request", message_of(error)) from None
