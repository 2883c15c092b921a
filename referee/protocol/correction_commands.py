"""Commands that correct the reading of the table, and answers to a player's proposal.

The organiser's command takes effect at once; a player's too or as a proposal, depending on the settings.
"""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta

from referee.errors import NotationError
from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.inputs import NEVER, CorrectionProposed, ProposalAnswered, TableCorrected
from referee.game.state import Match
from referee.protocol.command import (
    Command,
    CommandContext,
    InvalidCommandError,
    SeatNumber,
    command_name,
    parse_box_tiles,
)
from referee.protocol.subject import Scope
from referee.reading.inputs import Input
from referee.rules.notation import parse_tile
from referee.rules.tiles import Tile
from referee.rules.wording import Message, message_of, only_english, say

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
_TileText = Annotated[
    str,
    Meta(
        max_length=100,
        description="a tile in notation",
        examples=["R7"],
        extra={"wanted": say("wanted.tile", "a tile such as 'R7', or null where no face lies")},
    ),
]


class CorrectionCommand(Command, frozen=True):
    """A correction of a reading; a player who proposes it gives the player's own seat."""

    refers_to: ClassVar = Scope.MATCH
    frame_id: _FrameId
    seat: SeatNumber | None = None

    def correction(self, context: CommandContext) -> StatedCorrection:
        """Return the stated correction."""
        raise NotImplementedError

    def to_input(self, context: CommandContext) -> Input:
        """Return the correction or its proposal as an input."""
        correction, speaker, seat = self.correction(context), context.sender, _own_seat(self, context)
        if seat is not None:
            return CorrectionProposed(
                at=NEVER,
                said=correction,
                seat=context.seat(seat),
                by=speaker.by,
                frame_id=self.frame_id,
            )
        return TableCorrected(NEVER, correction, speaker.by, self.frame_id)


class Correct(CorrectionCommand, frozen=True, kw_only=True, tag="correct"):
    """Correct a tile; null: it shows no face, or no tile lies there."""

    index: _Index
    tile: _TileText | None

    def correction(self, context: CommandContext) -> StatedCorrection:
        """Return the correction of the tile."""
        return TileIs(self.index, None if self.tile is None else _parse_tile(self.tile, context))


class Add(CorrectionCommand, frozen=True, kw_only=True, tag="add"):
    """Add a missed tile before or after the tile `beside`, in the set's reading order."""

    beside: _Index
    side: Annotated[Literal["before", "after"], Meta(extra={"wanted": "'before' or 'after', as the set is read"})]
    tile: _TileText

    def correction(self, context: CommandContext) -> StatedCorrection:
        """Return the correction of the tile."""
        return TileMissed(self.beside, _parse_tile(self.tile, context), self.side == "after")


class AddSet(CorrectionCommand, frozen=True, kw_only=True, tag="add_set"):
    """Add a set of which no tile was detected."""

    tiles: Annotated[
        str,
        Meta(
            pattern=r"\S",
            max_length=120,
            examples=["R7 B7 K7"],
            extra={"wanted": say("wanted.set", "the tiles of one set such as 'R7 B7 K7'")},
        ),
    ]

    def correction(self, context: CommandContext) -> StatedCorrection:
        """Return the correction of the set."""
        return SetMissed(parse_box_tiles(self.tiles, say("tiles.set", "the set"), context.match.rules))


class Join(CorrectionCommand, frozen=True, kw_only=True, tag="join"):
    """State that two tiles lie in one set; this also confirms a row."""

    index: _Index
    other: _Index

    def correction(self, context: CommandContext) -> StatedCorrection:
        """Return the correction of the row."""
        del context
        return RowsJoined(self.index, self.other)


class Part(CorrectionCommand, frozen=True, kw_only=True, tag="part"):
    """Split a row into two sets; the first one ends with this tile."""

    after: _Index

    def correction(self, context: CommandContext) -> StatedCorrection:
        """Return the correction of the row."""
        del context
        return RowParted(self.after)


class ProposalAnswer(Command, frozen=True):
    """The answer to a proposal; a player gives the player's own seat."""

    refers_to: ClassVar = Scope.MATCH
    agrees: ClassVar[bool]
    seat: SeatNumber | None = None
    ends_at: Annotated[float, Meta(description="the `ends_at` of the proposal that is meant")] | None = None

    def to_input(self, context: CommandContext) -> Input:
        """Return the answer."""
        own = _own_seat(self, context, refused=False)
        seat = None if own is None else context.seat(own)
        return ProposalAnswered(at=NEVER, agrees=self.agrees, seat=seat, by=context.by)

    def missed(self, match: Match) -> Message | None:
        """Say that the proposal is over."""
        proposal = match.dispute.proposal
        if self.ends_at is None or (proposal is not None and round(proposal.until, 3) == self.ends_at):
            return None
        return say("stale.proposal", "This was meant for a proposal that is over.")


class Agree(ProposalAnswer, frozen=True, tag="agree"):
    """Agree with the proposal."""

    agrees: ClassVar[bool] = True


class Refuse(ProposalAnswer, frozen=True, tag="refuse"):
    """Refuse the proposal; the proposer withdraws it with this command."""

    agrees: ClassVar[bool] = False


CORRECTIONS: Final = (Correct, Add, AddSet, Join, Part)
ANSWERS: Final = (Agree, Refuse)


def _own_seat(
    command: CorrectionCommand | ProposalAnswer, context: CommandContext, *, refused: bool = True
) -> int | None:
    """Return the sender's seat if the command needs one; None for a sender who decides alone."""
    if context.sender.must_propose:
        if command.seat is None:
            raise InvalidCommandError(only_english(f"{command_name(type(command))!r} needs 'seat'; give it"))
        return command.seat
    if refused and command.seat is not None:
        message = only_english(f"'seat' does not belong to {command_name(type(command))!r}; leave it out")
        raise InvalidCommandError(message)
    return None


def _parse_tile(name: str, context: CommandContext) -> Tile:
    rules = context.match.rules
    try:
        tile = parse_tile(name)
    except NotationError as error:
        raise InvalidCommandError(message_of(error), "tile") from None
    if tile not in rules.box:
        message = say(
            "tiles.not_in_box",
            "{tile} is not in the box of {edition}; give one that is",
            tile=(tile,),
            edition=rules.edition,
        )
        raise InvalidCommandError(message, "tile")
    return tile
