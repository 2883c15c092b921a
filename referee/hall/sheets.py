"""Sheets to print: who sits where, a score sheet a table to sign, and the standings."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from referee.errors import ConfigError

if TYPE_CHECKING:
    from fpdf import FPDF

FONTS: Final = Path("/usr/share/fonts/truetype/dejavu")
_HEIGHT_MM, _LINE_MM, _GAP_MM = 277.0, 8.0, 12.0
_WIDTHS: Final = (8, 52, 18, 18, 18, 18, 58)
_HEADS: Final = ("", "player", "games", "told", "penalty", "score", "signature")


def round_sheets(plain: dict[str, Any], number: int) -> bytes:
    """Give the seating and the score sheets of a round, counted from 1, as a PDF; ConfigError where there is none."""
    if not 1 <= number <= len(plain["rounds"]):
        raise ConfigError(f"round {number} of {plain['name']} is not seated yet; seat it first")
    found, pdf = plain["rounds"][number - 1], _pdf(plain)
    _title(pdf, f"{plain['name']} · round {number}")
    for board in found["boards"]:
        where = f", table {board['table']}" if board["table"] else ""
        _line(pdf, f"board {board['board']}{where}: {', '.join(board['players'])}")
    if found["byes"]:
        _line(pdf, f"bye: {', '.join(found['byes'])}")
    pdf.add_page()
    for board in found["boards"]:
        _board(pdf, plain, number, board)
    return bytes(pdf.output())


def standings_sheet(plain: dict[str, Any]) -> bytes:
    """Give the standings as a PDF."""
    pdf, is_duel = _pdf(plain), plain["seats"] == 2
    _title(pdf, f"{plain['name']} · after round {len(plain['rounds'])}")
    _line(pdf, plain["tie_breaks"], size=9)
    keys = ("rank", "name", *(("points", "opponents") if is_duel else ("games_won",)), "total", "played")
    widths = (14, 80, *((22, 26) if is_duel else (28,)), 22, 22)
    _row(pdf, widths, [key.replace("_", " ") for key in keys], is_head=True)
    for line in plain["standings"]:
        _row(pdf, widths, [f"{line[key]:g}" if isinstance(line[key], float) else str(line[key]) for key in keys])
    return bytes(pdf.output())


def _board(pdf: "FPDF", plain: dict[str, Any], number: int, board: dict[str, Any]) -> None:
    needed = (len(board["players"]) + 4) * _LINE_MM
    if pdf.get_y() + needed > _HEIGHT_MM:
        pdf.add_page()
    where = f", table {board['table']}" if board["table"] else ""
    _line(pdf, f"{plain['name']} · round {number} · board {board['board']}{where}", size=12, is_bold=True)
    _row(pdf, _WIDTHS, _HEADS, is_head=True)
    result = board["result"]
    for seat, player in enumerate(board["players"]):
        said = ["", "", "", ""]
        if result is not None:
            told = "" if result["told"] is None else str(result["told"][seat])
            penalty = str(result["penalties"][seat] or "")
            said = [str(result["games_won"][seat]), told, penalty, str(result["scores"][seat])]
        _row(pdf, _WIDTHS, [str(seat + 1), player, *said, ""])
    by = f"  (by hand: {result['by_hand']})" if result is not None and result["by_hand"] else ""
    _line(pdf, f"arbiter: ______________________________{by}", size=9)
    pdf.ln(_GAP_MM)


def _pdf(plain: dict[str, Any]) -> "FPDF":
    if find_spec("fpdf") is None:
        raise ConfigError("sheets need fpdf2; install it, in the checkout: pip install -e '.[hall]'")
    from fpdf import FPDF  # noqa: PLC0415 - of the extra

    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(auto=True, margin=12)
    texts = (plain["name"], *(one["name"] for one in plain["entrants"]))
    if (FONTS / "DejaVuSans.ttf").exists() and (FONTS / "DejaVuSans-Bold.ttf").exists():
        pdf.add_font("sheet", "", FONTS / "DejaVuSans.ttf")
        pdf.add_font("sheet", "B", FONTS / "DejaVuSans-Bold.ttf")
    elif any(ord(character) > 255 for text in texts for character in text):
        raise ConfigError("names have letters that need a font of this machine: sudo apt install fonts-dejavu-core")
    pdf.add_page()
    return pdf


def _title(pdf: "FPDF", text: str) -> None:
    _line(pdf, text, size=16, is_bold=True)


def _line(pdf: "FPDF", text: str, *, size: int = 11, is_bold: bool = False) -> None:
    _font(pdf, size, is_bold=is_bold)
    pdf.multi_cell(0, _LINE_MM, text, new_x="LMARGIN", new_y="NEXT")


def _row(pdf: "FPDF", widths: Sequence[float], cells: Sequence[str], *, is_head: bool = False) -> None:
    for width, cell in zip(widths, cells, strict=True):
        size = 9 if is_head else 10
        _font(pdf, size, is_bold=is_head)
        while size > 5 and pdf.get_string_width(cell) > width - 2:  # a long name is written smaller
            size -= 1
            _font(pdf, size, is_bold=is_head)
        pdf.cell(width, _LINE_MM, cell, border=1)
    pdf.ln(_LINE_MM)


def _font(pdf: "FPDF", size: int, *, is_bold: bool) -> None:
    family = "sheet" if "sheet" in pdf.fonts else "helvetica"
    pdf.set_font(family, "B" if is_bold else "", size)
