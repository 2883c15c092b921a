"""The observed table, updated with every reading in every phase."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from referee.game.corrections.corrections import correct
from referee.game.events import TilesChanged
from referee.game.state import Match, TableObservation
from referee.game.table.differences import differences, same_sets
from referee.game.table.hypotheses import hypotheses
from referee.reading.inputs import Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import TableReading
from referee.reading.tracks import same_faces, update_tracks
from referee.rules.table import Table

_MAX_LOOKS: Final = 16  # a doubtful table is read about once a second, and people may correct an earlier look


def see(match: Match, seen: TableMoving | TableSettled | TableStill) -> Match:
    """Return the match with the table updated; motion discards the last reading."""
    match seen:
        case TableMoving(reached=reached):
            unseen = match.table.unseen and bool(match.pauses.halted)
            table = replace(match.table.moved(reached=reached), unseen=unseen)
            return replace(match, table=table, play=replace(match.play, first_look=None))
        case TableSettled(at=at, since=since, reading=reading):
            tracks, reading = update_tracks(match.table.tracks, reading, moved=match.table.still_since is None)
            known = None if match.table.shown is None else match.table.shown.reading
            corrections = match.dispute.corrections.at(at)
            corrected = correct(reading, corrections, known)
            still = _still_since(match, since, reading)
            earlier = None if match.table.current is None else match.table.current.hypotheses
            allowed = hypotheses(corrected, corrections.links, reading)
            observation = TableObservation(reading, corrected, still, at, allowed, earlier)
            looks = (observation, *(match.table.looks[: _MAX_LOOKS - 1] if still < since else ()))
            table = replace(
                match.table, tracks=tracks, current=observation, shown=observation, looks=looks, still_since=still
            )
            return replace(match, table=table)
        case TableStill():
            return match if match.table.current is None else _seen_again(match, match.table.current, seen)
        case _:
            assert_never(seen)


def _seen_again(match: Match, observation: TableObservation, still: TableStill) -> Match:
    """Return the match with the same table confirmed by a new frame, whose id now names it beside the old ones.

    Journals of older programs name no frame.
    """
    if not still.frame_id:
        return replace(match, table=replace(match.table, current=replace(observation, at=still.at)))
    read, reading = (
        replace(reading, frame_id=still.frame_id, at=still.at) for reading in (observation.read, observation.reading)
    )
    hypotheses_now = replace(observation.hypotheses, frame_id=still.frame_id, frame_at=still.at)
    observation = replace(observation, read=read, reading=reading, at=still.at, hypotheses=hypotheses_now)
    looks = (observation, *match.table.looks[: _MAX_LOOKS - 1])
    return replace(match, table=replace(match.table, current=observation, shown=observation, looks=looks))


def lies_as(match: Match, known: Sequence[Table]) -> bool:
    """Return whether the table seen may hold the same sets as one of these tables, wherever they lie."""
    observation = match.table.current
    return observation is not None and any(
        same_sets(known_table, seen) for known_table in known for seen in observation.hypotheses.tables
    )


def changes_since(match: Match, known: Sequence[Table]) -> tuple[TilesChanged, ...]:
    """Return how the table seen differs from the likeliest of these tables; empty if it may be one."""
    if match.table.current is None or lies_as(match, known):
        return ()
    missing, added = differences(known[0], match.table.current.hypotheses.best)
    frame_id = match.table.current.reading.frame_id
    return (TilesChanged(**match.event_header, missing=missing, added=added, frame_id=frame_id),)


def _still_since(match: Match, since: Seconds, reading: TableReading) -> Seconds:
    """Return the time at which the table came to rest; reading it again does not change that."""
    if match.table.still_since is None or match.table.shown is None or not same_faces(match.table.shown.read, reading):
        return since
    return min(match.table.still_since, since)
