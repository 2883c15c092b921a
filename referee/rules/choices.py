"""Rules whose value is one of a few choices."""

from enum import StrEnum, unique


@unique
class BlockedScoring(StrEnum):
    """What the losers of a blocked game score; `w` is the lowest rack."""

    DIFFERENCE = "difference"
    """Each loser w less the own rack; the winner the sum of these."""
    OWN_RACK = "own_rack"
    """Each loser less the own rack; the winner the sum of these less w."""


@unique
class NextStarter(StrEnum):
    """The first player of later games."""

    HIGHEST_TILE = "highest_tile"
    LEFT_OF_LAST_STARTER = "left_of_last_starter"


@unique
class ColourChangeEnds(StrEnum):
    """The ends of a run at which a colour-change joker may lie."""

    EITHER = "either"
    LAST = "last"
    """Only where the run ascends to, for before the first tile there is no colour to change from."""


@unique
class MirrorOrder(StrEnum):
    """The order of a mirror group's tiles on its two sides."""

    ANY = "any"
    """The same tiles on both, in any order."""
    REFLECTED = "reflected"
    """In reflected order."""


@unique
class FreedJoker(StrEnum):
    """The sets that may take a freed joker."""

    ANY_SET = "any_set"
    """Any set that was not on the table before the turn."""
    NEW_SET = "new_set"
    """Only a set that contains no whole set of the table before."""


@unique
class JokerSwaps(StrEnum):
    """What another kind of joker in a joker's place is, if other tiles came or left too."""

    REBUILT = "rebuilt"
    """The set was broken up and laid anew: legal."""
    STRICT = "strict"
    """A fault as long as the set's number tiles lie together."""


@unique
class JokerFrom(StrEnum):
    """Where a tile that replaces a joker comes from."""

    ANYWHERE = "anywhere"
    RACK = "rack"


@unique
class GroupJoker(StrEnum):
    """What frees the joker of a group of three, where a joker leaves only for its tile."""

    ONE_COLOUR = "one_colour"
    """Either missing colour."""
    BOTH_COLOURS = "both_colours"
    """Only both."""


@unique
class ClockKind(StrEnum):
    """The use of a turn's remaining seconds."""

    BRONSTEIN = "bronstein"
    """They are lost; the turn clock of the booklets is one without a bank."""
    FISCHER = "fischer"
    """They go to the player's bank."""


@unique
class OutOfTime(StrEnum):
    """The consequence when a player's time runs out."""

    END_TURN = "pass"
    """The turn is over: the table is judged, and tiles are drawn as the edition says."""
    LOSE = "lose"
    """The game is lost; of two players the other one wins it."""


@unique
class Scoring(StrEnum):
    """How a game is scored; `scoring.SCORE_WEIGHTS` has the table."""

    WINNER_TAKES = "winner_takes"
    """The losers lose, the winner gets the sum of it."""
    RACKS = "racks"
    """Everybody counts the own rack."""


@unique
class Standing(StrEnum):
    """The ranking criterion of a match."""

    GAMES_WON = "games_won"
    """Most games won, then the highest total."""
    HIGHEST_TOTAL = "highest_total"
    LOWEST_TOTAL = "lowest_total"
