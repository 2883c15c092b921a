"""A match to score, from JSON and back: every error names its path."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from referee.errors import NotationError
from referee.game.player_names import tidy_name, wrong_with_name
from referee.rules.editions import RuleSet
from referee.rules.formats import wrong_with_players
from referee.rules.json_input import check_keys, expect_list, expect_object, expect_text, short_json
from referee.rules.notation import parse_tiles
from referee.rules.scoring import GameResult, HoldsMeld, MatchScore, Rack, rack_value, score_match
from referee.rules.tiles import Tile
from referee.rules.wording import way_out

_GAME_KEYS = ("winner", "racks", "unopened", "could_open", "announced")


def score(match: Mapping[str, Any], rules: RuleSet) -> dict[str, Any]:
    """Return the scores and ranks of a match, both as `referee score` takes and gives them.

    Raise NotationError for a match that cannot be.
    """
    return scores_to_json(score_from_json(match, rules)[1])


def score_from_json(value: object, rules: RuleSet) -> tuple[tuple[str, ...], MatchScore]:
    """Return players and scores of a match given as JSON values; NotationError if it is invalid."""
    players, games = _parse_match(value, rules)
    return players, score_match(players, games, rules, _holds_meld(rules))


def scores_to_json(score: MatchScore) -> dict[str, object]:
    """Return the scores as JSON values."""
    return {
        "games": [dict(game) for game in score.games],
        "totals": dict(score.totals),
        "games_won": dict(score.games_won),
        "ranking": list(score.ranking),
        "ranks": dict(score.ranks),
    }


def _holds_meld(rules: RuleSet) -> HoldsMeld:
    """Return the function that searches a rack for an initial meld; it imports the solver on its first call."""

    def holds_meld(rack: tuple[Tile, ...]) -> bool:
        from referee.solver import has_initial_meld  # noqa: PLC0415

        return has_initial_meld(rack, rules)

    return holds_meld


def _parse_match(value: object, rules: RuleSet) -> tuple[tuple[str, ...], tuple[GameResult, ...]]:
    match = expect_object(value, "the input")
    check_keys(match, ("players", "games"), ("players", "games"), "the input")
    players = tuple(
        expect_text(name, f"players[{place}]") for place, name in enumerate(expect_list(match["players"], "players"))
    )
    if (wrong_number := wrong_with_players(rules, len(players))) is not None:
        raise NotationError(wrong_number)
    for place, name in enumerate(players):
        if (wrong := wrong_with_name(tidy_name(name))) is not None:
            raise NotationError(f"players[{place}] is {short_json(name)}, which {wrong}")
    twice = [name for name, count in Counter(players).items() if count > 1]
    if twice:
        raise NotationError(f"players lists {short_json(twice[0])} twice; give each player a different name")
    games = expect_list(match["games"], "games")
    return players, tuple(_parse_game(game, players, rules, f"games[{place}]") for place, game in enumerate(games))


def _parse_game(value: object, players: tuple[str, ...], rules: RuleSet, path: str) -> GameResult:
    game = expect_object(value, path)
    check_keys(game, _GAME_KEYS, ("winner", "racks"), path)
    winner = None if game["winner"] is None else _parse_player(game["winner"], players, f"{path}.winner")
    racks = _parse_racks(expect_object(game["racks"], f"{path}.racks"), players, rules, f"{path}.racks")
    if winner is not None and rack_value(racks.pop(winner, 0), rules):
        raise NotationError(f"{path}.racks has tiles for the winner {short_json(winner)}; leave the winner's rack out")
    for player in players:
        if player != winner and not racks.get(player):
            state = "is empty" if player in racks else "is missing"
            raise NotationError(
                f"{path}.racks.{player} {state}; write the tiles left for each player except the winner"
            )
    unopened = _parse_players(game, "unopened", players, path)
    if winner in unopened:
        raise NotationError(
            f"{path}.unopened lists the winner {short_json(winner)}; a winner has opened, so remove the name"
        )
    named = {name: _parse_players(game, name, players, path) for name in ("could_open", "announced")}
    for name, group in named.items():
        for player in players:
            if player in group and player not in unopened:
                raise NotationError(
                    f"{path}.{name} lists {short_json(player)}, who is not in unopened; add the name there"
                )
    return GameResult(winner=winner, racks=racks, unopened=unopened, **named)


def _parse_players(game: Mapping[str, object], key: str, players: tuple[str, ...], path: str) -> frozenset[str]:
    names = expect_list(game.get(key, []), f"{path}.{key}")
    return frozenset(_parse_player(name, players, f"{path}.{key}[{place}]") for place, name in enumerate(names))


def _parse_player(value: object, players: tuple[str, ...], path: str) -> str:
    name = expect_text(value, path)
    if name not in players:
        raise NotationError(f"{path} is {short_json(name)}, who is not a player; {way_out(name, players)}")
    return name


def _parse_racks(value: Mapping[str, object], players: tuple[str, ...], rules: RuleSet, path: str) -> dict[str, Rack]:
    racks = {
        _parse_player(name, players, f"{path}: a player"): _parse_rack(rack, rules, f"{path}.{name}")
        for name, rack in value.items()
    }
    together = Counter(tile for rack in racks.values() if isinstance(rack, tuple) for tile in rack)
    _check_box(together, rules, path)
    return racks


def _parse_rack(value: object, rules: RuleSet, path: str) -> Rack:
    if isinstance(value, str):
        try:
            tiles = parse_tiles(value)
        except NotationError as error:
            raise NotationError(f"{path}: {error}") from None
        _check_box(Counter(tiles), rules, path)
        return tiles
    most = rack_value(tuple(tile for tile, count in rules.box.items() for _ in range(count)), rules)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise NotationError(
            f"{path} is {short_json(value)}; write the tiles as a text, or their value from 0 to {most}"
        )
    return value


def _check_box(tiles: Counter[Tile], rules: RuleSet, path: str) -> None:
    for tile, count in tiles.items():
        if count > rules.box.get(tile, 0):
            held = rules.box.get(tile, 0)
            raise NotationError(
                f"{path} has {count} × {tile}, and the box of {rules.edition} holds {held}; count again"
            )
