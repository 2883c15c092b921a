"""PDF sheets: the seating, a score sheet to sign for each table, and the standings."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from referee.errors import ConfigError, check_installed
from referee.language.catalogue import ENGLISH, catalogue
from referee.rules.wording import Message, say

if TYPE_CHECKING:
    from fpdf import FPDF

Translate = Callable[[Message], str]
FONTS: Final = Path("/usr/share/fonts/truetype/dejavu")
_HEIGHT_MM, _LINE_MM, _GAP_MM = 277.0, 8.0, 12.0
_COLUMN_WIDTHS_MM: Final = (8, 52, 18, 18, 18, 18, 58)
_PLAYER: Final = say("hall.sheet.player", "player")
_TOTAL: Final = say("hall.sheet.total", "total")
_COLUMN_HEADINGS: Final = (
    _PLAYER,
    say("hall.sheet.games_won", "games won"),
    say("hall.sheet.told", "told"),
    say("hall.sheet.penalty", "penalty"),
    say("hall.sheet.score", "score"),
    say("hall.sheet.signature", "signature"),
)
_STANDINGS_COLUMNS: Final[Mapping[str, Message]] = {
    "rank": say("hall.sheet.rank", "place"),
    "name": _PLAYER,
    "points": say("hall.sheet.wins", "wins"),
    "opponents": say("hall.sheet.opponents", "opponents' wins"),
    "games_won": say("hall.sheet.games_won", "games won"),
    "total": _TOTAL,
    "played": say("hall.sheet.played", "played"),
}


def round_sheets(tournament: dict[str, Any], number: int, language: str = ENGLISH) -> bytes:
    """Return seating and score sheets of a round, counted from 1, as a PDF; ConfigError if it is not seated."""
    if not 1 <= number <= len(tournament["rounds"]):
        raise ConfigError(
            say(
                "round.unseated",
                "round {round} of {name} is not seated yet; seat it first",
                round=number,
                name=tournament["name"],
            )
        )
    found, translate = tournament["rounds"][number - 1], catalogue(language).say
    pdf = _pdf()
    heading = f"{tournament['name']} · {translate(_round(number))}"
    _title(pdf, heading)
    for board in found["boards"]:
        _line(pdf, f"{translate(_board_place(board))}: {', '.join(board['players'])}")
    if found["byes"]:
        _line(pdf, translate(say("hall.sheet.bye", "bye: {players}", players=tuple(found["byes"]))))
    pdf.add_page()
    for board in found["boards"]:
        _board(pdf, heading, board, translate)
    return bytes(pdf.output())


def standings_sheet(tournament: dict[str, Any], language: str = ENGLISH) -> bytes:
    """Return the standings as a PDF."""
    translate, is_duel = catalogue(language).say, tournament["seats"] == 2
    pdf = _pdf()
    after = say("hall.sheet.after", "after round {round}", round=len(tournament["rounds"]))
    _title(pdf, f"{tournament['name']} · {translate(after)}")
    order = tournament["ranked_by"]
    _line(pdf, translate(Message(order["message_id"], order["message"])), size=9)
    keys = ("rank", "name", *(("points", "opponents") if is_duel else ("games_won",)), "total", "played")
    widths = (14, 80, *((22, 26) if is_duel else (28,)), 22, 22)
    _row(pdf, widths, [translate(_STANDINGS_COLUMNS[key]) for key in keys], is_head=True)
    for line in tournament["standings"]:
        _row(pdf, widths, [f"{line[key]:g}" if isinstance(line[key], float) else str(line[key]) for key in keys])
    return bytes(pdf.output())


def _board(pdf: "FPDF", heading: str, board: dict[str, Any], translate: Translate) -> None:
    needed = (len(board["players"]) + 4) * _LINE_MM
    if pdf.get_y() + needed > _HEIGHT_MM:
        pdf.add_page()
    _line(pdf, f"{heading} · {translate(_board_place(board))}", size=12, is_bold=True)
    _row(pdf, _COLUMN_WIDTHS_MM, ("", *map(translate, _COLUMN_HEADINGS)), is_head=True)
    result = board["result"]
    for seat, player in enumerate(board["players"]):
        cells = ["", "", "", ""]
        if result is not None:
            reported = "" if result["told"] is None else str(result["told"][seat])
            penalty = str(result["penalties"][seat] or "")
            cells = [str(result["games_won"][seat]), reported, penalty, str(result["scores"][seat])]
        _row(pdf, _COLUMN_WIDTHS_MM, [str(seat + 1), player, *cells, ""])
    by = ""
    if result is not None and result["by_hand"]:
        by = translate(say("hall.sheet.by_hand", "(by hand: {who})", who=result["by_hand"]))
    arbiter = translate(say("hall.sheet.arbiter", "arbiter: {line} {by}", line=30 * "_", by=by))
    _line(pdf, arbiter, size=9)
    pdf.ln(_GAP_MM)


def _round(number: int) -> Message:
    return say("hall.sheet.round", "round {round}", round=number)


def _board_place(board: dict[str, Any]) -> Message:
    if not board["table"]:
        return say("hall.sheet.board", "board {board}", board=board["board"])
    return say("hall.sheet.board_at", "board {board}, table {table}", board=board["board"], table=board["table"])


def _pdf() -> "FPDF":
    check_installed("sheets need", "wall", fpdf="fpdf2")
    from fpdf import FPDF  # noqa: PLC0415 - of the extra

    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(auto=True, margin=12)
    if (FONTS / "DejaVuSans.ttf").exists() and (FONTS / "DejaVuSans-Bold.ttf").exists():
        pdf.add_font("sheet", "", FONTS / "DejaVuSans.ttf")
        pdf.add_font("sheet", "B", FONTS / "DejaVuSans-Bold.ttf")
    pdf.add_page()
    return pdf


def _title(pdf: "FPDF", text: str) -> None:
    _line(pdf, text, size=16, is_bold=True)


def _line(pdf: "FPDF", text: str, *, size: int = 11, is_bold: bool = False) -> None:
    _font(pdf, text, size, is_bold=is_bold)
    pdf.multi_cell(0, _LINE_MM, text, new_x="LMARGIN", new_y="NEXT")


def _row(pdf: "FPDF", widths: Sequence[float], cells: Sequence[str], *, is_head: bool = False) -> None:
    for width, cell in zip(widths, cells, strict=True):
        size = 9 if is_head else 10
        _font(pdf, cell, size, is_bold=is_head)
        while size > 5 and pdf.get_string_width(cell) > width - 2:  # a long name is written smaller
            size -= 1
            _font(pdf, cell, size, is_bold=is_head)
        pdf.cell(width, _LINE_MM, cell, border=1)
    pdf.ln(_LINE_MM)


def _font(pdf: "FPDF", text: str, size: int, *, is_bold: bool) -> None:
    """Set a font that has this text's letters; ConfigError where none is installed."""
    family = "sheet" if "sheet" in pdf.fonts else "helvetica"
    if family == "helvetica" and any(ord(letter) > 255 for letter in text):
        raise ConfigError(
            say("sheet.font", "the sheet needs a font for its letters: sudo apt install fonts-dejavu-core")
        )
    pdf.set_font(family, "B" if is_bold else "", size)
