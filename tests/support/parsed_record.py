"""A parser of game records: each line becomes a value; unknown lines are skipped."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from referee.errors import NotationError, StorageError
from referee.history.record import VERSION
from referee.rules.notation import parse_table, parse_tile, parse_tiles
from referee.rules.table import EMPTY_TABLE
from referee.rules.tiles import Tile
from tests.support.record_lines import (
    AddedLine,
    AddedSetLine,
    ClockLine,
    CorrectionLine,
    DrawLine,
    GameLine,
    LeaveLine,
    Line,
    NoteLine,
    ProposalLine,
    PutBackLine,
    RackLine,
    RankingLine,
    RanksLine,
    RowsLine,
    ScoresLine,
    SeatsLine,
    StandsLine,
    TurnId,
    TurnLine,
    WonLine,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRecord:
    """One match of a record: its tags and lines."""

    tags: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, in the order of their numbers."""
        named = dict(self.tags)
        numbers = range(1, 1 + sum(re.fullmatch(r"Player\d+", tag) is not None for tag in named))
        return tuple(named[f"Player{number}"] for number in numbers)


_TAG_PATTERN: Final = re.compile(r'\[(\w+) "([^"]*)"\]')
_AT_PATTERN: Final = r"(\d+)\.(\d+) (\d+) "


def _at(match: re.Match[str]) -> TurnId:
    return TurnId(int(match[1]), int(match[2]), int(match[3]))


def _tile(text: str) -> Tile | None:
    return None if text == "-" else parse_tile(text)


def _turn(match: re.Match[str]) -> Line:
    return TurnLine(
        at=_at(match),
        verdict=match[4],
        stands=not match[5],
        outcome=match[6],
        faults=() if match[7] == "-" else tuple(match[7].split(",")),
        meld=None if match[8] == "-" else int(match[8]),
        played=() if match[9] == "-" else parse_tiles(match[9]),
        table=EMPTY_TABLE if match[10] == "-" else parse_table(match[10]),
    )


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((int(player), int(number)) for player, number in (pair.split(":") for pair in text.split()))


_LINE_PATTERNS: Final[Mapping[re.Pattern[str], Callable[[re.Match[str]], Line]]] = MappingProxyType(
    {
        re.compile(pattern): build
        for pattern, build in (
            (_AT_PATTERN + r"(legal|illegal|undecided)(!?) (\w+) (\S+) (-|\d+) \| (.+) \| (.+)", _turn),
            (_AT_PATTERN + r"draws (\d+) (\w+)", lambda m: DrawLine(_at(m), int(m[4]), m[5])),
            (_AT_PATTERN + r"puts_back (\d+)", lambda m: PutBackLine(_at(m), int(m[4]))),
            (
                _AT_PATTERN + r"corrected (\S+) (\S+)(?: by (.+))?",
                lambda m: CorrectionLine(_at(m), _tile(m[4]), _tile(m[5]), m[6] or ""),
            ),
            (_AT_PATTERN + r"added (\S+)(?: by (.+))?", lambda m: AddedLine(_at(m), parse_tile(m[4]), m[5] or "")),
            (
                _AT_PATTERN + r"added_set ((?:[A-Z]+\d*)(?: [A-Z]+\d*)*)(?: by (.+))?",
                lambda m: AddedSetLine(_at(m), parse_tiles(m[4]), m[5] or ""),
            ),
            (
                _AT_PATTERN + r"rows(?: by ([^|]+))? \| (.+) \| (.+)",
                lambda m: RowsLine(_at(m), parse_table(m[5]), parse_table(m[6]), m[4] or ""),
            ),
            (
                _AT_PATTERN + r"proposal of (\d+) (\w+) (-|\d+)",
                lambda m: ProposalLine(_at(m), int(m[4]), m[5], None if m[6] == "-" else int(m[6])),
            ),
            (_AT_PATTERN + r"clock ([\d.]+)(?: by (.+))?", lambda m: ClockLine(_at(m), float(m[4]), m[5] or "")),
            (_AT_PATTERN + r"stands by (.+)", lambda m: StandsLine(_at(m), m[4])),
            (_AT_PATTERN + r"(time|restored|undo)", lambda m: NoteLine(_at(m), m[4])),
            (r"player (\d+) leaves", lambda m: LeaveLine(int(m[1]))),
            (
                r"seats (\d+(?: \d+)*)(?: by (.+))?",
                lambda m: SeatsLine(tuple(map(int, m[1].split())), m[2] or ""),
            ),
            (r"game (\d+) starts (\d+)", lambda m: GameLine(int(m[1]), int(m[2]))),
            (r"game (\d+) won (\d+) (\w+)", lambda m: WonLine(int(m[1]), int(m[2]), m[3])),
            (r"game (\d+) blocked", lambda m: WonLine(int(m[1]), None, "blocked")),
            (
                r"game (\d+) rack (\d+) (\d+) \| (.+)",
                lambda m: RackLine(int(m[1]), int(m[2]), int(m[3]), parse_tiles(m[4])),
            ),
            (r"game (\d+) scores ((?:\d+:[+-]\d+ ?)+)", lambda m: ScoresLine(int(m[1]), _pairs(m[2]))),
            (r"ranking ((?:\d+ ?)+)", lambda m: RankingLine(tuple(map(int, m[1].split())))),
            (r"ranks ((?:\d+:\d+ ?)+)", lambda m: RanksLine(_pairs(m[1]))),
        )
    }
)


def parse_record(text: str) -> tuple[ParsedRecord, ...]:
    """Parse the matches of a record; StorageError names the first invalid line."""
    records: list[tuple[list[tuple[str, str]], list[Line]]] = []
    for number, ended in enumerate(text.split("\n"), start=1):  # a name may contain other separators
        line = ended.removesuffix("\r")
        tag = _TAG_PATTERN.fullmatch(line)
        if tag is not None and tag[1] == "Record":
            if tag[2] != str(VERSION):
                raise StorageError(f"line {number}: record version {tag[2]:.20} is not known; update the referee")
            records.append(([], []))
        elif line and not records:
            raise StorageError(f'line {number}: a record begins with [Record "{VERSION}"], not {line[:40]!r}')
        elif tag is not None:
            records[-1][0].append((tag[1], tag[2]))
        else:
            records[-1][1].extend(_parsed(number, line) if line else ())
    return tuple(ParsedRecord(tags=tuple(tags), lines=tuple(lines)) for tags, lines in records)


def _parsed(number: int, line: str) -> tuple[Line, ...]:
    for pattern, build in _LINE_PATTERNS.items():
        found = pattern.fullmatch(line)
        if found is not None:
            try:
                return (build(found),)
            except NotationError as error:
                raise StorageError(f"line {number}: {error}") from None
    return ()
