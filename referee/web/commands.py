"""The organiser's words: from the JSON of `say` to an input of the match, every mistake in one line."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from referee.errors import ConfigError, NotationError, did_you_mean
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
from referee.game.state import Match
from referee.rules.editions import RuleSet, rule_set
from referee.rules.house_rules import with_house_rules
from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile
from referee.solver import has_initial_meld
from referee.web.correction_commands import ANSWERS, CORRECTIONS
from referee.web.words_said import Speaker, Words, WrongWordError, shown

LONGEST_NAME: Final = 40
MOST_GAMES: Final = 100
MOST_SECONDS: Final = 3600.0
MOST_RACK: Final = 10_000
MOST_RACK_TILES: Final = 106


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


def _for_a_seat(make: Callable[[Seat | None, str], Input], key: str = "seat") -> Callable[[Words], Input]:
    def meaning(words: Words) -> Input:
        words.check_keys(key)
        return make(words.seat_or_none(key), words.by)

    return meaning


def _clock(words: Words) -> Input:
    words.check_keys("seconds_left", needed=("seconds_left",))
    seconds = words.said["seconds_left"]
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= MOST_SECONDS:
        raise WrongWordError(f"'seconds_left' is {shown(seconds)}; give seconds from 0 to {MOST_SECONDS:g}")
    return ClockSet(NEVER, float(seconds), words.by)


def _player_left(words: Words) -> Input:
    words.check_keys("seat", needed=("seat",))
    return PlayerLeft(NEVER, words.seat("seat"), words.by)


def _starter(words: Words) -> Input:
    words.check_keys("first", needed=("first",))
    return NextGame(NEVER, words.seat("first"), words.by)


def _racks(words: Words) -> Input:
    words.check_keys("racks", "could_open", "announced", "game", needed=("racks",))
    listed = words.said["racks"]
    if not isinstance(listed, dict) or not 0 < len(listed) <= len(words.match.sitting.names):
        raise WrongWordError(f"'racks' is {shown(listed)}; give an object of seats and their tiles or values")
    racks = tuple((_rack_seat(key, words), _rack(key, rack, words.match.rules)) for key, rack in listed.items())
    if len({seat for seat, _ in racks}) < len(racks):
        raise WrongWordError("'racks' names a seat twice; give each seat once")
    found = tuple(seat for seat, rack in racks if not isinstance(rack, int) and _could_open(seat, rack, words.match))
    could_open = tuple(dict.fromkeys((*words.seats("could_open"), *found)))
    game = words.whole("game", 1, MOST_GAMES) if words.said.get("game") is not None else None
    return RacksTold(NEVER, racks, could_open, words.seats("announced"), by=words.by, game=game)


def _could_open(seat: Seat, rack: tuple[Tile, ...], match: Match) -> bool:
    """Search a rack for an initial meld only where the edition asks."""
    results = match.results
    unopened = bool(results) and seat in results[-1].unopened
    return unopened and match.rules.could_open_penalty is not None and has_initial_meld(rack, match.rules)


def _rack_seat(key: str, words: Words) -> Seat:
    if not key.isascii() or not key.isdecimal() or len(key) > 2 or int(key) >= len(words.match.sitting.names):
        raise WrongWordError(f"'racks' names seat {shown(key)}; seats are 0 to {len(words.match.sitting.names) - 1}")
    return Seat(int(key))


def _rack(key: str, rack: object, rules: RuleSet) -> tuple[Tile, ...] | int:
    if isinstance(rack, int) and not isinstance(rack, bool) and 0 <= rack <= MOST_RACK:
        return rack
    if not isinstance(rack, str) or len(rack) > 4 * MOST_RACK_TILES:
        raise WrongWordError(f"the rack of seat {key} is {shown(rack)}; give its tiles as text, or their value")
    try:
        tiles = parse_tiles(rack)
    except NotationError as error:
        raise WrongWordError(f"the rack of seat {key}: {error}") from None
    for tile in tiles:
        if tiles.count(tile) > rules.box.get(tile, 0):
            raise WrongWordError(f"the rack of seat {key} has more {tile} than the box of {rules.edition}; count again")
    return tiles


def _start(words: Words) -> Input:
    words.check_keys("names", "edition", "first", "games", "house_rules", needed=("names", "edition"))
    names, edition = _names(words.said["names"]), words.said["edition"]
    changes = words.said.get("house_rules", {})
    if not isinstance(edition, str) or not isinstance(changes, dict):
        raise WrongWordError("'edition' is a text and 'house_rules' an object; see /api/editions")
    try:
        rules = with_house_rules(rule_set(edition), changes)
    except ConfigError as error:
        raise WrongWordError(str(error)) from None
    least, most = rules.players
    if not least <= len(names) <= most:
        raise WrongWordError(f"{edition} is for {least} to {most} players, not {len(names)}; change 'names'")
    first = words.whole("first", 0, len(names) - 1) if words.said.get("first") is not None else FIRST_SEAT
    return MatchStarted(
        at=NEVER,
        names=names,
        edition=edition,
        house_rules=tuple(changes.items()),
        first=Seat(first),
        games=words.whole("games", 1, MOST_GAMES) if words.said.get("games") else None,
        limits=words.limits,
        by=words.by,
    )


def _names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not 2 <= len(names) <= 6:
        raise WrongWordError(f"'names' is {shown(names)}; give a list of two to six names")
    trimmed = tuple(" ".join(name.split()) for name in names)
    for name in trimmed:
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise WrongWordError(f"{shown(name)} is no name; give 1 to {LONGEST_NAME} printable characters")
    if len(set(trimmed)) < len(trimmed):
        raise WrongWordError(f"'names' has one name twice: {shown(list(trimmed))}; give different names")
    return trimmed


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
        "next_game": _for_a_seat(lambda first, by: NextGame(NEVER, first, by), "first"),
        "starter": _starter,
        "end_match": _alone(lambda by: MatchEnded(NEVER, by)),
        "start": _start,
    }
)
