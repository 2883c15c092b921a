"""Words that say how the table is otherwise than it was read, and the answers to what a player proposed.

The organiser's command holds at once. A player's holds at once, or is proposed to the others, as the settings say.
"""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta

from referee.errors import NotationError
from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.inputs import (
    NEVER,
    CorrectionProposed,
    Input,
    ProposalAnswered,
    TableCorrected,
)
from referee.rules.notation import parse_tile
from referee.rules.tiles import Tile
from referee.web.api.command import Command, Context, InvalidCommandError, SeatNumber, command_name, tiles_in_the_box

_FrameId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="the look that is meant: any of the last 16 at the table as it lies, or the last one judged",
        extra={"wanted": "the one of the state the tile was seen in"},
    ),
]
_Index = Annotated[int, Meta(ge=0, le=999, description="a tile's index in the state")]
_OneTile = Annotated[
    str,
    Meta(
        max_length=100,
        description="a tile in notation",
        examples=["R7"],
        extra={"wanted": "a tile such as 'R7', or null where no face lies"},
    ),
]


class Correction(Command, frozen=True):
    """A correction of a reading; a player who proposes it gives the own seat."""

    frame_id: _FrameId
    seat: SeatNumber | None = None

    def says(self, context: Context) -> StatedCorrection:
        """Return the stated correction."""
        raise NotImplementedError

    def to_input(self, context: Context) -> Input:
        """Return the correction, or the proposal of it."""
        correction, speaker, seat = self.says(context), context.speaker, _own_seat(self, context)
        if seat is not None:
            return CorrectionProposed(
                at=NEVER,
                said=correction,
                seat=context.seat(seat),
                voice=speaker.voice,
                by=speaker.by,
                frame_id=self.frame_id,
            )
        return TableCorrected(NEVER, correction, speaker.by, self.frame_id)


class Correct(Correction, frozen=True, kw_only=True, tag="correct"):
    """A tile is another than was read; null: it shows no face, or nothing lies there."""

    index: _Index
    tile: _OneTile | None

    def says(self, context: Context) -> StatedCorrection:
        """Return what is said of the tile."""
        return TileIs(self.index, None if self.tile is None else _tile(self.tile, context))


class Add(Correction, frozen=True, kw_only=True, tag="add"):
    """A tile was missed beside this one, after or before it as the set is read."""

    beside: _Index
    side: Annotated[Literal["before", "after"], Meta(extra={"wanted": "'before' or 'after', as the set is read"})]
    tile: _OneTile

    def says(self, context: Context) -> StatedCorrection:
        """Return what is said of the tile."""
        return TileMissed(self.beside, _tile(self.tile, context), self.side == "after")


class AddSet(Correction, frozen=True, kw_only=True, tag="add_set"):
    """Add a set of which nothing was seen."""

    tiles: Annotated[
        str,
        Meta(
            pattern=r"\S",
            max_length=120,
            examples=["R7 B7 K7"],
            extra={"wanted": "the tiles of one set such as 'R7 B7 K7'"},
        ),
    ]

    def says(self, context: Context) -> StatedCorrection:
        """Return what is said of the set."""
        return SetMissed(tiles_in_the_box(self.tiles, "'tiles'", context.match.rules))


class Join(Correction, frozen=True, kw_only=True, tag="join"):
    """These two tiles lie in one set; this also confirms a row."""

    index: _Index
    other: _Index

    def says(self, context: Context) -> StatedCorrection:
        """Return what is said of the row."""
        del context
        return RowsJoined(self.index, self.other)


class Part(Correction, frozen=True, kw_only=True, tag="part"):
    """The row is two sets, and the first of them ends with this tile."""

    after: _Index

    def says(self, context: Context) -> StatedCorrection:
        """Return what is said of the row."""
        del context
        return RowParted(self.after)


class Answer(Command, frozen=True):
    """The answer to a proposal; another player than the proposer names the own seat."""

    agrees: ClassVar[bool]
    seat: SeatNumber | None = None

    def to_input(self, context: Context) -> Input:
        """Return the answer."""
        speaker, own = context.speaker, _own_seat(self, context, refused=False)
        seat = None if own is None else context.seat(own)
        return ProposalAnswered(at=NEVER, agrees=self.agrees, seat=seat, voice=speaker.voice, by=speaker.by)


class Agree(Answer, frozen=True, tag="agree"):
    """Agree with the proposal."""

    agrees: ClassVar[bool] = True


class Refuse(Answer, frozen=True, tag="refuse"):
    """Refuse the proposal; its proposer withdraws it the same way."""

    agrees: ClassVar[bool] = False


CORRECTIONS: Final = (Correct, Add, AddSet, Join, Part)
ANSWERS: Final = (Agree, Refuse)


def _own_seat(command: Correction | Answer, context: Context, *, refused: bool = True) -> int | None:
    """Return the seat of a player whose command is only a proposal or an answer to one; None for who decides alone."""
    if context.speaker.proposes:
        if command.seat is None:
            raise InvalidCommandError(f"{command_name(type(command))!r} needs 'seat'; give it")
        return command.seat
    if refused and command.seat is not None:
        raise InvalidCommandError(f"'seat' does not belong to {command_name(type(command))!r}; leave it out")
    return None


def _tile(name: str, context: Context) -> Tile:
    rules = context.match.rules
    try:
        tile = parse_tile(name)
    except NotationError as error:
        raise InvalidCommandError(f"'tile': {error}") from None
    if tile not in rules.box:
        raise InvalidCommandError(
            f"'tile' is {name!r:.42}, which is not in the box of {rules.edition}; give one that is"
        )
    return tile
