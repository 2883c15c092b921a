"""The organiser's words: from the JSON of `say` to an input of the match, every mistake in one line."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from referee.errors import ConfigError, did_you_mean
from referee.game.endgame.starter import highest, next_starters, tiles_decide
from referee.game.inputs import (
    FIRST_SEAT,
    NEVER,
    ClockSet,
    GameEnded,
    Input,
    LetStand,
    MatchEnded,
    MatchStarted,
    NextGame,
    Paused,
    PlayerLeft,
    RackShown,
    RacksTold,
    Resumed,
    RummikubCalled,
    Seat,
    TurnEnded,
    Undone,
)
from referee.game.limits import Limits
from referee.game.player_names import tidy_name, wrong_with_names
from referee.game.state import Match, Phase
from referee.rules.editions import RuleSet
from referee.rules.formats import BOOKLET, agreed_rules, wrong_with_players
from referee.rules.tiles import Tile
from referee.solver import has_initial_meld
from referee.web.api.command import Speaker, Words, WrongWordError, shown, tiles_in_the_box
from referee.web.api.correction_commands import ANSWERS, CORRECTIONS

MOST_GAMES: Final = 100
MOST_SECONDS: Final = 3600.0
MOST_RACK: Final = 10_000
MOST_RACK_TILES: Final = 106
MOST_DRAWN: Final = 13
BETWEEN_GAMES: Final = frozenset({Phase.GAME_OVER, Phase.CLEARING})


def understand(said: object, match: Match, speaker: Speaker, limits: Limits) -> Input:
    """Give the input that was said, its time still to be filled in; WrongWordError where it is none."""
    if not isinstance(said, dict) or not isinstance(said.get("say"), str):
        raise WrongWordError('say something: {"say": "pause"}')
    meaning = _MEANINGS.get(said["say"])
    if meaning is None:
        raise WrongWordError(f"{shown(said['say'])} is no word; {did_you_mean(said['say'], _MEANINGS)}")
    if match.seated is None and said["say"] != "start":
        raise WrongWordError(f"no match has begun; say 'start' before {said['say']!r}")
    return meaning(Words(said, match, speaker, limits))


def _alone(make: Callable[[str], Input]) -> Callable[[Words], Input]:
    def meaning(words: Words) -> Input:
        words.check_keys()
        return make(words.by)

    return meaning


def _for_a_seat(make: Callable[[Seat | None, str], Input]) -> Callable[[Words], Input]:
    def meaning(words: Words) -> Input:
        words.check_keys("seat")
        return make(words.seat_or_none("seat"), words.by)

    return meaning


def _clock(words: Words) -> Input:
    words.check_keys("seconds_left", "add", needed=() if "add" in words.said else ("seconds_left",))
    if "add" in words.said:
        return _clock_moved(words)
    seconds = words.said["seconds_left"]
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= MOST_SECONDS:
        raise WrongWordError(f"'seconds_left' is {shown(seconds)}; give seconds from 0 to {MOST_SECONDS:g}")
    return ClockSet(NEVER, float(seconds), words.by)


def _clock_moved(words: Words) -> Input:
    added, clock = words.said["add"], words.match.play.clock
    if not isinstance(added, int | float) or isinstance(added, bool) or not -MOST_SECONDS <= added <= MOST_SECONDS:
        raise WrongWordError(f"'add' is {shown(added)}; give seconds from -{MOST_SECONDS:g} to {MOST_SECONDS:g}")
    left = clock.left_at(words.match.now)
    if left is None:
        raise WrongWordError("turns are not timed here, so there is no time to add to")
    return ClockSet(NEVER, min(MOST_SECONDS, max(0.0, left + added)), words.by)


def _player_left(words: Words) -> Input:
    words.check_keys("seat", needed=("seat",))
    return PlayerLeft(NEVER, words.seat("seat"), words.by)


def _next_game(words: Words) -> Input:
    words.check_keys("first", "drawn")
    return _begun_by(words)


def _starter(words: Words) -> Input:
    words.check_keys("first", "drawn", needed=() if "drawn" in words.said else ("first",))
    return _begun_by(words)


def _begun_by(words: Words) -> Input:
    first, match = words.seat_or_none("first"), words.match
    drawn = _drawn(words, match.sitting.names)
    if drawn and not any(seat in match.present for seat, _ in drawn):
        raise WrongWordError("'drawn' names only players who have left; give what those drew who still play")
    wanted = NextGame(NEVER, first, words.by, drawn)
    if (first is not None or drawn) and not tiles_decide(match):
        last = match.starter if match.last_starter is None or match.phase in BETWEEN_GAMES else match.last_starter
        (left,) = next_starters(match, last, NextGame(NEVER))
        if next_starters(match, last, wanted) != (left,):
            name = match.sitting.names[left]
            raise WrongWordError(f"{name} begins, to the left of the last starter: so says 'next_starter'; name nobody")
    return wanted


def _drawn(words: Words, names: Sequence[str]) -> tuple[tuple[Seat, int], ...]:
    """Give the numbers that the players drew for the start."""
    listed = words.said.get("drawn")
    if listed is None:
        return ()
    if words.said.get("first") is not None:
        raise WrongWordError("'first' and 'drawn' both say who begins; give one of them")
    drawn = _by_seat(listed, "drawn", "the numbers they drew", names)
    for seat, number in drawn.items():
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST_DRAWN:
            raise WrongWordError(f"'drawn' of seat {seat} is {shown(number)}; give a number from 1 to {MOST_DRAWN}")
    return tuple(drawn.items())


def _racks(words: Words) -> Input:
    words.check_keys("racks", "could_open", "announced", "game", needed=("racks",))
    said = _by_seat(words.said["racks"], "racks", "their tiles or values", words.match.sitting.names)
    racks = tuple((seat, _rack(seat, rack, words.match.rules)) for seat, rack in said.items())
    game = words.whole("game", 1, MOST_GAMES) if words.said.get("game") is not None else None
    unopened = _unopened(words.match, game)
    tiles = {seat: rack for seat, rack in racks if not isinstance(rack, int) and seat in unopened}
    found = (seat for seat, rack in tiles.items() if _could_open(rack, words.match.rules))
    could_open = tuple(dict.fromkeys((*words.seats("could_open"), *found)))
    return RacksTold(NEVER, racks, could_open, words.seats("announced"), by=words.by, game=game)


def _unopened(match: Match, game: int | None) -> tuple[Seat, ...]:
    """Give who never opened in a game that is over, the last one if none is named."""
    over = match.results if game is None else match.results[game - 1 : game]
    return over[-1].unopened if over else ()


def _could_open(rack: tuple[Tile, ...], rules: RuleSet) -> bool:
    """Search a rack for an initial meld only where the edition asks."""
    return rules.could_open_penalty is not None and has_initial_meld(rack, rules)


def _by_seat(listed: object, key: str, what: str, names: Sequence[str]) -> Mapping[Seat, Any]:
    """Give what is said of some seats, each of them named once."""
    if not isinstance(listed, dict) or not 0 < len(listed) <= len(names):
        raise WrongWordError(f"{key!r} is {shown(listed)}; give an object of seats and {what}")
    for seat in listed:
        if not seat.isascii() or not seat.isdecimal() or len(seat) > 2 or int(seat) >= len(names):
            raise WrongWordError(f"{key!r} names seat {shown(seat)}; seats are 0 to {len(names) - 1}")
    said = {Seat(int(seat)): value for seat, value in listed.items()}
    if len(said) < len(listed):
        raise WrongWordError(f"{key!r} names a seat twice; give each seat once")
    return said


def _rack(seat: Seat, rack: object, rules: RuleSet) -> tuple[Tile, ...] | int:
    if isinstance(rack, int) and not isinstance(rack, bool) and 0 <= rack <= MOST_RACK:
        return rack
    if not isinstance(rack, str) or len(rack) > 4 * MOST_RACK_TILES:
        raise WrongWordError(f"the rack of seat {seat} is {shown(rack)}; give its tiles as text, or their value")
    return tiles_in_the_box(rack, f"the rack of seat {seat}", rules)


def _start(words: Words) -> Input:
    words.check_keys(
        "names", "edition", "format", "first", "drawn", "games", "house_rules", needed=("names", "edition")
    )
    names, edition = _names(words.said["names"]), words.said["edition"]
    changes, played = words.said.get("house_rules", {}), words.said.get("format", BOOKLET)
    if not isinstance(edition, str) or not isinstance(played, str) or not isinstance(changes, dict):
        raise WrongWordError("'edition' and 'format' are texts and 'house_rules' an object; see /api/editions")
    try:
        rules = agreed_rules(edition, played, changes)
    except ConfigError as error:
        raise WrongWordError(str(error)) from None
    if wrong := wrong_with_players(rules, len(names)):
        raise WrongWordError(wrong)
    return MatchStarted(
        at=NEVER,
        names=names,
        edition=edition,
        format=played,
        house_rules=tuple(changes.items()),
        first=_first(words, names, rules),
        games=words.whole("games", 1, MOST_GAMES) if words.said.get("games") else None,
        limits=words.limits,
        by=words.by,
    )


def _first(words: Words, names: tuple[str, ...], rules: RuleSet) -> Seat:
    """Give who begins the first game: who is named, or who drew the highest number."""
    drawn = _drawn(words, names)
    if not drawn:
        return Seat(words.whole("first", 0, len(names) - 1)) if words.said.get("first") is not None else FIRST_SEAT
    seats = tuple(Seat(seat) for seat in range(len(names)))
    first, *tied = highest(drawn, seats, draw_again=rules.ties_draw_again)
    if tied:
        who = " and ".join(names[seat] for seat in (first, *tied))
        raise WrongWordError(f"'drawn': {who} drew the same; they draw again, so give what these drew then")
    return first


def _names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WrongWordError(f"'names' is {shown(names)}; give a list of two to six names")
    tidy = tuple(map(tidy_name, names))
    wrong = wrong_with_names(tidy)
    if wrong is not None:
        raise WrongWordError(f"'names' {wrong}")
    return tidy


_MEANINGS: Final[Mapping[str, Callable[[Words], Input]]] = MappingProxyType(
    {
        "press": _for_a_seat(lambda seat, by: TurnEnded(NEVER, seat, by)),
        "rummikub": _for_a_seat(lambda seat, by: RummikubCalled(NEVER, seat, by)),
        "undo": _alone(lambda by: Undone(NEVER, by)),
        "pause": _alone(lambda by: Paused(NEVER, by)),
        "resume": _alone(lambda by: Resumed(NEVER, by)),
        **CORRECTIONS,
        **ANSWERS,
        "let_stand": _alone(lambda by: LetStand(NEVER, by)),
        "clock": _clock,
        "blocked": _alone(lambda by: GameEnded(NEVER, by)),
        "player_left": _player_left,
        "racks": _racks,
        "show_rack": _for_a_seat(lambda seat, by: RackShown(NEVER, seat, by)),
        "next_game": _next_game,
        "starter": _starter,
        "end_match": _alone(lambda by: MatchEnded(NEVER, by)),
        "start": _start,
    }
)
