"""From turn to turn and from game to game: who moves next, who won, and when the match is over."""

from dataclasses import replace

from referee.game.clock import TurnClock, time_control
from referee.game.corrections.corrections import Corrections
from referee.game.endgame.starter import may_begin_anew, next_starters, tiles_decide
from referee.game.event_parts import Doubt, Reason
from referee.game.events import (
    GameStarted,
    GameWon,
    LookingAgain,
    MatchOver,
    RacksMissing,
    StarterAssumed,
    StartTied,
    TurnStarted,
)
from referee.game.inputs import MatchEnded, MatchStarted, NextGame, Seat
from referee.game.openings import settle_openings
from referee.game.setup import MatchSetup, Result, seats_of
from referee.game.state import (
    Dispute,
    Match,
    ObservationState,
    Phase,
    Player,
    Showing,
    Step,
    TurnState,
    forget_judged,
    forget_undo,
    prepend,
    seat_after,
    with_clock_running,
    with_player,
)
from referee.game.table.tile_position import position_message
from referee.reading.inputs import SINCE_START, TableSettled
from referee.rules.formats import agreed_rules
from referee.rules.scoring import players_by_rank, rank_players, standing_key


def start_match(match: Match, begun: MatchStarted) -> Step:
    """Begin the first game of a match."""
    rules = agreed_rules(begun.edition, begun.format, dict(begun.house_rules))
    table = ObservationState(tracks=match.table.tracks, current=match.table.current)
    seated = MatchSetup(start=begun, rules=rules, clockwise=seats_of(begun))
    fresh = Match(seated=seated, now=match.now, table=table)
    started, events = start_game(fresh, begun.first)
    return (started, events) if is_table_clear(started) else ask_to_clear(started)


def start_game(match: Match, first: Seat) -> Step:
    """Begin a game; only scores, players and the table are kept from the game before."""
    seats = match.setup.seats
    results, missing = _racks_kept(match)
    fresh = Match(
        seated=match.seated,
        now=match.now,
        game=match.game + 1,
        turn=1,
        seat=first,
        starter=first,
        last_starter=match.last_starter,
        gone=match.gone,
        players=(Player(rack=match.rules.rack_tiles, bank=time_control(match.rules).bank_seconds),) * len(seats),
        results=results,
        table=replace(match.table, unseen=match.table.current is None),
        dispute=Dispute(corrections=_empty_places(match)),
    )
    begun = match.setup.start
    started = GameStarted(
        **fresh.event_header,
        names=begun.names,
        edition=begun.edition,
        house_rules=dict(begun.house_rules),
        format=begun.format,
        dealt_jokers=match.rules.dealt_jokers,
    )
    waits = (RacksMissing(**fresh.event_header, of_game=match.game, owners=missing),) if missing else ()
    return prepend(start_turn(fresh), started, *waits)


def _empty_places(match: Match) -> Corrections:
    """Return what people said of faces that still lie there and are no tiles, such as those of a printed sheet."""
    seen = match.table.shown
    lying = set() if seen is None else {tile.place for tile in seen.read.tiles}
    said = match.dispute.corrections.tiles
    return Corrections(tiles=tuple(one for one in said if one.tile is None and one.place in lying))


def _racks_kept(match: Match) -> tuple[tuple[Result, ...], tuple[Seat, ...]]:
    """Return the results with the racks shown so far after the last game, and the seats that were asked in vain."""
    if not match.results or match.results[-1].scores is not None or not (match.showing.racks or match.showing.asks):
        return match.results, ()
    shown = tuple((rack.seat, rack.tiles) for rack in match.showing.racks)
    last = replace(match.results[-1], shown=shown)
    return (*match.results[:-1], last), last.missing_racks


def is_table_clear(match: Match) -> bool:
    """Return whether the table is known to be empty."""
    return match.table.current is None or match.table.current.is_cleared


def has_leftover_tiles(match: Match) -> bool:
    """Return whether the first look of a game still shows the game before."""
    return match.table.unseen and not is_table_clear(match) and match.table.still_since == SINCE_START


def ask_to_clear(match: Match) -> Step:
    """Wait for leftover tiles to be cleared; the game that has just begun then starts again."""
    waiting = replace(
        forget_judged(forget_undo(match)),
        phase=Phase.CLEARING,
        play=_to_clear(match),
        table=replace(match.table, unseen=False),
    )
    return waiting, (faces_to_clear(waiting),)


def _to_clear(match: Match) -> TurnState:
    seen = match.table.current or match.table.shown
    return TurnState(lying=tuple(tile.place for tile in seen.read.tiles if tile.tile is not None) if seen else ())


def faces_to_clear(match: Match) -> LookingAgain:
    """Return the request to clear the table, which names each face that is seen, and where."""
    seen = None if match.table.current is None else match.table.current.reading
    faces = (
        ()
        if seen is None
        else tuple(
            Doubt(index, (tile.tile,), position_message(seen, index))
            for index, tile in enumerate(seen.tiles)
            if tile.tile is not None
        )
    )
    return LookingAgain(**match.event_header, reason=Reason.CLEAR, doubts=faces)


def start_turn(match: Match) -> Step:
    """Begin the turn of the player to move, with its full time."""
    match = settle_openings(match)
    limit = time_control(match.rules).limit(match.player.bank)
    warnings = tuple(sorted((w for w in match.limits.warn_seconds if limit is not None and w < limit), reverse=True))
    fresh = replace(match, phase=Phase.TURN, play=TurnState(clock=TurnClock(limit), warnings=warnings))
    fresh = replace(fresh, play=with_clock_running(fresh))
    banks = dict(zip(match.setup.names, fresh.banks_now, strict=True)) if fresh.banks_now else {}
    return fresh, (TurnStarted(**fresh.event_header, seconds=limit, opened=match.player.opened, banks=banks),)


def next_turn(match: Match) -> Step:
    """Return the turn to the next player; the press that ended the last one can be undone for a while."""
    over = with_player(match, replace(match.player, bank=match.bank_now))
    seat = seat_after(match, match.seat)
    return start_turn(replace(over, seat=seat, turn=match.turn + 1, undo=match.undo_from_now()))


def finish_game(match: Match, reason: Reason) -> Step:
    """End the game: the player to move has won, unless it is blocked or that player's time is over."""
    blocked, on_time = reason is Reason.BLOCKED, reason is Reason.TIME_OVER
    match = with_player(match, replace(match.player, bank=match.bank_now))
    if on_time:
        match = replace(match, seat=seat_after(match, match.seat))
    winners = () if blocked else (match.seat,)
    unopened = tuple(seat for seat in match.present if not match.players[seat].opened and seat not in winners)
    result = Result(blocked=blocked, winners=winners, unopened=unopened, present=match.present, on_time=on_time)
    over = replace(
        match,
        phase=Phase.GAME_OVER,
        results=(*match.results, result),
        play=TurnState(),
        pauses=replace(match.pauses, halted=frozenset()),
        undo=match.undo_from_now(),
    )
    return over, (GameWon(**over.event_header, reason=reason),)


def next_game(match: Match, wanted: NextGame) -> Step:
    """Begin the next game once the table is empty, or end the match after its last one."""
    if match.game > len(match.results):
        return _begin_cleared(match)
    if match.game >= match.setup.games:
        return end_match(match, None)
    named = wanted.first is not None or bool(wanted.drawn)
    if not named and match.named_starter in match.present:
        wanted, named = replace(wanted, first=match.named_starter), True
    starters = next_starters(match, match.starter, wanted)
    if len(starters) != 1:
        return match, _tied(match, starters, wanted)
    if not is_table_clear(match):
        named_starter = starters[0] if named else None
        waiting = replace(forget_undo(match), phase=Phase.CLEARING, named_starter=named_starter, play=_to_clear(match))
        return waiting, (faces_to_clear(waiting),)
    begun = start_game(replace(match, last_starter=match.starter), starters[0])
    return begun if named or not tiles_decide(match) else _assumed(begun)


def _begin_cleared(match: Match) -> Step:
    """Begin the game for which the table had to be cleared first."""
    if not is_table_clear(match):
        return ask_to_clear(match)
    first = match.starter if match.starter in match.present else seat_after(match, match.starter)
    return start_game(replace(match, game=match.game - 1), first)


def _assumed(begun: Step) -> Step:
    """Add an event to the step: nobody has named the starter."""
    match, (started, *events) = begun
    assumed = StarterAssumed(**match.event_header, ties_draw_again=match.rules.ties_draw_again)
    return match, (started, assumed, *events)


def _tied(match: Match, starters: tuple[Seat, ...], wanted: NextGame) -> tuple[StartTied, ...]:
    number = max((number for _, number in wanted.drawn), default=0)
    return (StartTied(**match.event_header, seats=starters, number=number),) if starters else ()


def other_starter(match: Match, wanted: NextGame) -> Step:
    """Restart a game with another starter, who drew the highest tile, before its first turn is judged."""
    if not may_begin_anew(match) or match.last_starter is None or (wanted.first is None and not wanted.drawn):
        return match, ()
    starters = next_starters(match, match.last_starter, wanted)
    if len(starters) != 1:
        return match, _tied(match, starters, wanted)
    if wanted.first == match.seat:
        return match, ()
    return start_game(replace(match, game=match.game - 1), starters[0])


def begin_when_cleared(match: Match, _settled: TableSettled | None = None) -> Step:
    """Begin the next game once the table is cleared and the last press can no longer be undone."""
    undoable = match.undo is not None and match.now < match.undo.until
    if match.table.current is None or not match.table.current.is_cleared or undoable:
        return match, ()
    return next_game(match, NextGame(match.now))


def end_match(match: Match, ended: MatchEnded | None) -> Step:
    """End the match and rank the players; no ranks if a recording stops in mid-game."""
    over = replace(
        forget_undo(match),
        phase=Phase.MATCH_OVER,
        results=_racks_kept(match)[0],
        cut=ended is not None and ended.cut and match.game > len(match.results),
        play=TurnState(),
        dispute=replace(match.dispute, judged=None, proposal=None),
        showing=Showing(racks=match.showing.racks),
        pauses=replace(match.pauses, halted=frozenset()),
    )
    return over, (match_over(over),)


def match_over(match: Match) -> MatchOver:
    """Return the event of the match's end; a match cut off in mid-game has no ranking."""
    names, places = match.setup.names, ranks(match)
    won = any(result.winners for result in match.results)
    ranked = {} if match.cut else {names[seat]: places[seat] for seat in players_by_rank(places)}
    scored = any(result.scores is not None for result in match.results)
    totals = {names[seat]: match.total(seat) for seat in players_by_rank(places)} if scored else {}
    return MatchOver(**match.event_header, ranking=tuple(ranked), ranks=ranked if won else {}, totals=totals)


def ranks(match: Match) -> dict[Seat, int]:
    """Return each seat's rank by the format; players who left come last, equal ones share a rank."""
    won = {seat: sum(seat in result.winners for result in match.results) for seat in match.setup.seats}
    stands = {seat: standing_key(won[seat], match.total(seat), match.rules) for seat in match.setup.seats}
    return rank_players({seat: (seat not in match.gone, *stand) for seat, stand in stands.items()})
