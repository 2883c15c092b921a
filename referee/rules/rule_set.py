"""The rules of an edition as values, and what house rules may set them to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from msgspec import Meta

from referee.rules.choices import (
    BlockedScoring,
    ClockKind,
    ColourChangeEnds,
    FreedJoker,
    GroupJoker,
    JokerFrom,
    JokerSwaps,
    MirrorOrder,
    NextStarter,
    OutOfTime,
    Scoring,
    Standing,
)
from referee.rules.tiles import Colour, JokerKind, Tile

_IN_SECONDS: Final = {"unit": "s"}
_ZERO_IS_NONE: Final = {"zero_is_none": True}
_DrawCount = Annotated[int, Meta(ge=0, le=14)]
_Points = Annotated[int, Meta(ge=0, le=1000)]
_Penalty = Annotated[int | None, Meta(ge=0, le=1000, extra=_ZERO_IS_NONE)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """An edition's rules; `sources` names the clause, or our reading, of every field that booklets cover.

    Fields with a range or a description are those that house rules may change, in the order of a form.
    """

    edition: str
    name: str
    booklet: str
    sources: Mapping[str, str]
    box: Mapping[Tile, int]
    """How many there are of each tile; a tile that is missing here is not in the box."""
    colour_names: Mapping[Colour, str]
    players: tuple[int, int]
    """The fewest and the most players."""
    timed_in_friendly_games: bool
    turn_seconds: Annotated[
        int | None, Meta(ge=0, le=3600, description="time for a turn; 0: not timed", extra=_IN_SECONDS | _ZERO_IS_NONE)
    ]
    bank_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=3600,
            description="a player's time for a game, used when the turn's seconds are over; 0: none",
            extra=_IN_SECONDS,
        ),
    ] = 0
    clock: Annotated[ClockKind, Meta(description="unused seconds of a turn are lost, or go to the bank")] = (
        ClockKind.BRONSTEIN
    )
    out_of_time: Annotated[
        OutOfTime, Meta(description="an empty bank ends the turn, or loses the game (two players only)")
    ] = OutOfTime.END_TURN
    initial_meld: Annotated[int, Meta(ge=0, le=200, description="worth of the opening")]
    pass_draw: Annotated[_DrawCount, Meta(description="tiles drawn for no play")]
    overrun_draw: Annotated[_DrawCount, Meta(description="tiles drawn when the time is over and nothing was laid")]
    incomplete_draw: Annotated[
        _DrawCount, Meta(description="tiles drawn when the time is over and the table must be put back")
    ]
    drawn_tile_waits: Annotated[bool, Meta(description="a drawn tile may not be played in the same turn")]
    rack_tiles: Annotated[int, Meta(ge=1, le=20, description="tiles on a rack at the start")]
    dealt_jokers: Annotated[
        int, Meta(ge=0, le=8, description="jokers each player takes before drawing the rest of the rack")
    ] = 0
    strict_joker_release: Annotated[bool, Meta(description="a joker leaves only for the tile it stands for")]
    fixed_jokers: Annotated[
        frozenset[JokerKind],
        Meta(description="no tile may replace a colour-change or mirror joker", extra={"given": bool}),
    ]
    joker_may_replace_joker: Annotated[bool, Meta(description="a joker may replace another kind of joker")]
    freed_joker: Annotated[
        FreedJoker,
        Meta(description="a freed joker may go to any set that is new, or only to one without a whole old set"),
    ] = FreedJoker.ANY_SET
    joker_swaps: Annotated[
        JokerSwaps, Meta(description="another kind of joker in a joker's place is legal in a set laid anew, or never")
    ] = JokerSwaps.REBUILT
    joker_from: Annotated[JokerFrom, Meta(description="where the tile that replaces a joker comes from")] = (
        JokerFrom.ANYWHERE
    )
    group_joker: Annotated[
        GroupJoker,
        Meta(description="a joker that leaves only for its tile leaves a group of three for one colour or both"),
    ] = GroupJoker.ONE_COLOUR
    joker_sets_stay: Annotated[
        bool, Meta(description="no tile leaves a set with a joker until the joker is replaced")
    ] = False
    rearranging: Annotated[bool, Meta(description="sets may be broken up; false: only whole sets and additions")] = True
    table_in_meld_turn: Annotated[bool, Meta(description="the table may be used in the turn of the opening")] = False
    mirror_counts_middle: Annotated[bool, Meta(description="the mirror joker counts the number in the middle, else 0")]
    colour_change_ends: Annotated[
        ColourChangeEnds, Meta(description="a colour-change joker may end a run at either end, or only at its high end")
    ]
    mirror_order: Annotated[MirrorOrder, Meta(description="order of the tiles on both sides of a mirror group")]
    ties_draw_again: Annotated[
        bool,
        Meta(description="players tied for the highest tile draw again; false: the first of them clockwise begins"),
    ]
    next_starter: Annotated[NextStarter, Meta(description="who starts later games")]
    games_per_player: Annotated[int, Meta(ge=1, le=20, description="games in a round for each player")]
    round_games: Annotated[
        int | None,
        Meta(
            ge=0, le=100, description="games in a round, however many play; 0: `games_per_player`", extra=_ZERO_IS_NONE
        ),
    ] = None
    joker_penalty: Annotated[int, Meta(ge=0, le=200, description="a joker left on a rack")]
    unopened_penalty: Annotated[
        _Penalty, Meta(description="what a loser who has not opened loses; 0: the rack's value")
    ]
    could_open_penalty: Annotated[
        _Penalty, Meta(description="the same, if the rack held an opening; 0 only together with the key above")
    ]
    blocked_scoring: Annotated[BlockedScoring, Meta(description="what the losers of a blocked game lose")]
    scoring: Annotated[
        Scoring, Meta(description="the winner gets what the others lose, or all count their own racks")
    ] = Scoring.WINNER_TAKES
    winner_points: Annotated[_Points, Meta(description="extra points for the winner of a game")] = 0
    second_points: Annotated[_Points, Meta(description="extra points for the lowest rack after the winner's")] = 0
    loss_cap: Annotated[
        _Penalty, Meta(description="the most a rack costs its owner; the winner still gets all of it; 0: no cap")
    ] = None
    standing: Annotated[
        Standing, Meta(description="ranks a match by games won, then highest total; or by the total alone")
    ] = Standing.GAMES_WON

    @property
    def tile_count(self) -> int:
        """The number of tiles in the box."""
        return sum(self.box.values())

    def games_per_round(self, players: int) -> int:
        """Return the number of games in a round for this many players."""
        return self.round_games or self.games_per_player * players
