"""Words that say how the table is otherwise than it was read, and the answers to what a player proposed.

The organiser's word holds at once. A player's holds at once, or is proposed to the others, as the settings say.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from referee.errors import NotationError
from referee.game.correction_types import RowParted, RowsJoined, Said, SetMissed, TileIs, TileMissed
from referee.game.inputs import (
    NEVER,
    CorrectionProposed,
    Input,
    ProposalAnswered,
    TableCorrected,
    TileCorrected,
)
from referee.rules.notation import parse_tile
from referee.rules.tiles import Tile
from referee.web.api.command import Words, WrongWordError, shown, tiles_in_the_box

LONGEST_FRAME_ID: Final = 200
MOST_INDEX: Final = 999
LONGEST_SET: Final = 120


def _correct(words: Words) -> Said:
    _check(words, "index", "tile")
    named = None if words.said["tile"] is None else _tile(words)
    return TileIs(words.whole("index", 0, MOST_INDEX), named)


def _add(words: Words) -> Said:
    _check(words, "beside", "tile", "side")
    side = words.said["side"]
    if side not in ("before", "after"):
        raise WrongWordError(f"'side' is {shown(side)}; give 'before' or 'after', as the set is read")
    return TileMissed(words.whole("beside", 0, MOST_INDEX), _tile(words), side == "after")


def _add_set(words: Words) -> Said:
    _check(words, "tiles")
    text = words.said["tiles"]
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_SET:
        raise WrongWordError(f"'tiles' is {shown(text)}; give the tiles of one set such as 'R7 B7 K7'")
    return SetMissed(tiles_in_the_box(text, "'tiles'", words.match.rules))


def _join(words: Words) -> Said:
    _check(words, "index", "other")
    return RowsJoined(words.whole("index", 0, MOST_INDEX), words.whole("other", 0, MOST_INDEX))


def _part(words: Words) -> Said:
    _check(words, "after")
    return RowParted(words.whole("after", 0, MOST_INDEX))


def _check(words: Words, *keys: str) -> None:
    own = ("seat",) if words.speaker.proposes else ()
    words.check_keys("frame_id", *keys, *own, needed=("frame_id", *keys, *own))


def _tile(words: Words) -> Tile:
    name, rules = words.said["tile"], words.match.rules
    if not isinstance(name, str):
        raise WrongWordError(f"'tile' is {shown(name)}; give a tile such as 'R7', or null where no face lies")
    try:
        tile = parse_tile(name)
    except NotationError as error:
        raise WrongWordError(f"'tile': {error}") from None
    if tile not in rules.box:
        raise WrongWordError(f"'tile' is {shown(name)}, which is not in the box of {rules.edition}; give one that is")
    return tile


def _frame_id(words: Words) -> str:
    frame_id = words.said["frame_id"]
    if not isinstance(frame_id, str) or not 0 < len(frame_id) <= LONGEST_FRAME_ID:
        raise WrongWordError(f"'frame_id' is {shown(frame_id)}; give the one of the state the tile was seen in")
    return frame_id


def _correction(meaning: Callable[[Words], Said]) -> Callable[[Words], Input]:
    def entered(words: Words) -> Input:
        said, speaker = meaning(words), words.speaker
        frame_id = _frame_id(words)
        if speaker.proposes:
            seat = words.seat("seat")
            return CorrectionProposed(
                at=NEVER, said=said, seat=seat, voice=speaker.voice, by=speaker.by, frame_id=frame_id
            )
        if isinstance(said, TileIs):
            return TileCorrected(NEVER, said.index, said.tile, speaker.by, frame_id)
        return TableCorrected(NEVER, said, speaker.by, frame_id)

    return entered


def _answer(*, agrees: bool) -> Callable[[Words], Input]:
    def entered(words: Words) -> Input:
        speaker = words.speaker
        words.check_keys("seat", needed=("seat",) if speaker.proposes else ())
        seat = words.seat("seat") if speaker.proposes else None
        return ProposalAnswered(at=NEVER, agrees=agrees, seat=seat, voice=speaker.voice, by=speaker.by)

    return entered


CORRECTIONS: Final[Mapping[str, Callable[[Words], Input]]] = MappingProxyType(
    {
        "correct": _correction(_correct),
        "add": _correction(_add),
        "add_set": _correction(_add_set),
        "join": _correction(_join),
        "part": _correction(_part),
    }
)
ANSWERS: Final[Mapping[str, Callable[[Words], Input]]] = MappingProxyType(
    {"agree": _answer(agrees=True), "refuse": _answer(agrees=False)}
)
