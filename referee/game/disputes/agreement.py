"""Corrections by agreement: one player proposes, another agrees, and only then is the turn judged again.

One other player is enough, as not everybody has a phone at hand; one refusal ends the proposal. The page only claims a
player's seat, so the second player must have another seat *and* another device (`voice`). The organiser may decide
alone.
"""

from dataclasses import replace

from referee.game.correction_events import ProposalEnded, ProposalMade
from referee.game.correction_types import SetMissed
from referee.game.disputes.rejudging import apply_correction, correction, observation_of, tiles_of
from referee.game.event_parts import Reason
from referee.game.inputs import CorrectionProposed, ProposalAnswered, Seat
from referee.game.state import Match, Phase, Proposal, Step, prepend
from referee.reading.inputs import Seconds
from referee.reading.tracks import same_faces

ORGANISER = "organiser"


def propose(match: Match, made: CorrectionProposed) -> Step:
    """Ask the other players to agree to a correction; one proposal at a time."""
    observation = observation_of(match, made.frame_id)
    if match.dispute.proposal is not None or made.seat not in match.present or observation is None:
        return match, ()
    changed = correction(match, observation, made.said, match.setup.names[made.seat])
    if changed is None or changed[0] == match.dispute.corrections:
        return match, ()
    event = ProposalMade(
        **match.event_header, proposer=made.seat, seconds=match.limits.agreement_seconds, says=changed[1]
    )
    until = Seconds(match.now + event.seconds)
    asked = replace(match, dispute=replace(match.dispute, proposal=Proposal(made, event, observation, until)))
    if match.phase is Phase.DOUBT and match.play.wait_until is not None:  # somebody is answering
        asked = replace(asked, play=replace(match.play, wait_until=max(match.play.wait_until, until)))
    return asked, (event,)


def answer(match: Match, answered: ProposalAnswered) -> Step:
    """Take an answer to the proposal: apply the correction, or drop it."""
    proposal = match.dispute.proposal
    if proposal is None or not may_answer(match, proposal, answered):
        return match, ()
    if not answered.agrees:
        return _end(match, Reason.REFUSED, answered.seat)
    names = match.setup.names
    who = dict.fromkeys(names[seat] for seat in (proposal.made.seat, answered.seat) if seat is not None)
    changed = correction(match, proposal.observation, proposal.made.said, ", ".join(who))
    if changed is None or not _lies_so(match, proposal):
        return _end(match, Reason.CHANGED)
    agreed, events = _end(match, Reason.AGREED, answered.seat)
    return prepend(apply_correction(agreed, *changed), *events)


def may_answer(match: Match, proposal: Proposal, answered: ProposalAnswered) -> bool:
    """Return whether an answer counts: proposers may withdraw, but not agree to their own proposal."""
    if answered.by == ORGANISER:
        return True
    if answered.seat not in match.present:
        return False
    same = not set(answered.voice).isdisjoint(proposal.made.voice)
    return not answered.agrees or (answered.seat != proposal.made.seat and not same)


def expire(match: Match) -> Step:
    """End a proposal that was not answered in time."""
    return _end(match, Reason.TIME_OVER)


def _end(match: Match, reason: Reason, answerer: Seat | None = None) -> Step:
    if match.dispute.proposal is None:
        return match, ()
    proposer = match.dispute.proposal.made.seat
    ended = ProposalEnded(**match.event_header, proposer=proposer, reason=reason, answerer=answerer)
    return replace(match, dispute=replace(match.dispute, proposal=None)), (ended,)


def _lies_so(match: Match, proposal: Proposal) -> bool:
    """Return whether the proposal's tiles still lie there, or its turn can still be judged again."""
    if observation_of(match, proposal.observation.reading.frame_id) is not None:
        return True
    if isinstance(proposal.made.said, SetMissed):  # nothing of it is seen: it is of the table as it lay then
        return match.table.shown is not None and same_faces(proposal.observation.read, match.table.shown.read)
    lying = set() if match.table.shown is None else {tile.placement for tile in match.table.shown.reading.tiles}
    return lying.issuperset(
        proposal.observation.reading.tiles[index].placement
        for index in tiles_of(proposal.made.said, proposal.observation.reading)
    )
