"""Print what lies beside the table, in each language: a card for players, a score sheet, the way to a first match.

Run from the repository root with the `dev` extra and chromium installed: python calibration/make_cards.py [--page URL]
The card shows a QR code of the page where its address is given. No digit on it stands alone in a frame of a tile's
shape: the referee must not read the card when it lies on the table.
"""

import argparse
import base64
import html
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import segno

from referee.language.catalogue import catalogue, languages
from referee.rules.wording import Message, say

HERE = Path(__file__).parent
LAMPS = {"green": "#2e9e4f", "amber": "#e09a1a", "red": "#d0443c"}
STEADY = say("card.steady", "steady")
THREE = say("card.three_beats", "three beats")
TWO = say("card.two_beats", "two beats")
SWING = say("card.slow_swing", "slow swing")
TURN = say("card.in_turn", "in turn")
# Lamps in the order they shine, how they shine, the notes, and what docs/operations.md says of them.
CUES: tuple[tuple[tuple[str, ...], Message, str, Message], ...] = (
    (("green",), STEADY, "rise", say("card.legal", "The turn was legal. Steady light: the table is in order.")),
    (("amber",), STEADY, "", say("card.not_legal_yet", "The table is not legal yet; there is still time.")),
    (("red",), THREE, "fall", say("card.illegal", "Illegal: mend it and press again.")),
    (("amber",), SWING, "twice", say("card.waits", "A tile is in doubt, or a break: the clock waits.")),
    (("red",), STEADY, "long", say("card.time_over", "Time is over.")),
    (("red",), TWO, "twice", say("card.put_back", "Put the table back as it was.")),
    (("red", "green"), TURN, "fall", say("card.penalty", "Draw the penalty; the next player's clock runs.")),
    (("amber",), THREE, "twice", say("card.camera", "The camera is lost.")),
    (("green",), THREE, "fanfare", say("card.won", "The game is won.")),
)
NOTES = {"rise": "♪ ♪↑", "fall": "♪ ♪↓", "twice": "♪ ♪", "long": "♪—", "fanfare": "♪♪♪↑", "": ""}
ANSWERS = (
    (say("card.answer_legal", "Legal"), say("card.then_legal", "the next player's clock runs")),
    (say("card.answer_illegal", "Illegal"), say("card.then_illegal", "mend it and press again; your clock goes on")),
    (
        say("card.answer_doubt", "Look again"),
        say("card.then_doubt", "a tile cannot be read: straighten it, take your hand away"),
    ),
)
PRESSES = (
    (say("card.press", "short"), say("card.press_means", "my turn is over")),
    (
        say("card.hold_after", "held for a second and a half, just after a turn"),
        say("card.hold_after_means", "that was a mistake: the turn goes on"),
    ),
    (
        say("card.hold", "held for a second and a half, later"),
        say("card.hold_means", "Rummikub! My rack is empty"),
    ),
    (say("card.hold_long", "held for four seconds"), say("card.hold_long_means", "a break, and its end")),
)
BUTTON = say("card.button", "The button")
# Steps of the page's guide, each with how it is done.
FIRST_STEPS = ("guide.camera", "guide.pin", "step.setup", "guide.tiles", "guide.signals", "guide.phones", "guide.match")
_STYLE = """
@page { margin: 0 }
* { box-sizing: border-box }
body { margin: 0; font-family: "Noto Sans", "DejaVu Sans", sans-serif; color: #222; }
main { padding: 9mm 10mm; height: 100vh; }
h1 { font-size: 17pt; margin: 0 0 3mm } h2 { font-size: 11pt; margin: 4mm 0 1.5mm; color: #555 }
table { border-collapse: collapse; width: 100% } td, th { padding: 1mm 2mm 1mm 0; font-size: 9pt; text-align: left }
.answers td:first-child { font-weight: bold; width: 34% }
.lamp { display: inline-block; width: 4.5mm; height: 4.5mm; border-radius: 50%; margin-right: 1mm;
  vertical-align: middle }
.how { color: #555; white-space: nowrap } .note { white-space: nowrap; width: 14mm }
.presses td:first-child { width: 48%; color: #555 }
.qr { position: absolute; right: 10mm; bottom: 9mm; text-align: center; font-size: 8pt }
.qr svg { width: 19mm; height: 19mm; display: block; margin: auto }
ol { font-size: 12pt; padding-left: 8mm } li { margin-bottom: 3mm } img { width: 90mm; display: block; margin: auto }
h1 + svg { width: 30mm; position: absolute; right: 10mm; top: 9mm }
.sheet td, .sheet th { border-bottom: .3mm solid #999; height: 10.5mm } .sheet th:first-child { width: 22mm }
.sheet th { border-bottom-width: .6mm } .sheet tr:last-child td { font-weight: bold }
"""


def card(language: str, page: str | None = None) -> str:
    """Return the players' card as HTML, with a QR code of the page where its address is given."""
    said = _speaker(language)
    answers = "".join(f"<tr><td>{said(name)}</td><td>{said(what)}</td></tr>" for name, what in ANSWERS)
    cues = "".join(
        f"<tr><td class=how>{_lamps(lamps)}</td><td class=how>{said(how)}</td>"
        f"<td class=note>{NOTES[notes]}</td><td>{said(meaning)}</td></tr>"
        for lamps, how, notes, meaning in CUES
    )
    presses = "".join(f"<tr><td>{said(how)}</td><td>{said(what)}</td></tr>" for how, what in PRESSES)
    phone, title = say("card.page", "On your phone"), say("card.title", "The referee watches the table")
    code = f"<div class=qr>{_qr(page)}{said(phone)}</div>" if page else ""
    lights = say("card.lights", "Lights and sounds")
    return _page(
        language,
        f"<h1>{said(title)}</h1><table class=answers>{answers}</table><h2>{said(lights)}</h2>"
        f"<table>{cues}</table><h2>{said(BUTTON)}</h2><table class=presses>{presses}</table>{code}",
        "A5",
    )


def sheet(language: str) -> str:
    """Return a score sheet for four players and twelve games as HTML."""
    said = _speaker(language)
    names = (*[""] * 12, said(say("card.total", "total")))
    rows = "".join(f"<tr><td>{name}</td>{'<td></td>' * 4}</tr>" for name in names)
    game, title = say("card.game", "game"), say("card.sheet", "Score sheet")
    head = f"<tr><th>{said(game)}</th>{'<th></th>' * 4}</tr>"
    return _page(language, f"<h1>{said(title)}</h1><table class=sheet>{head}{rows}</table>", "A5")


def quick_start(language: str, page: str | None = None) -> str:
    """Return one A4 page that leads to a first match, in the words of the page's guide and of the card."""
    said, texts = _speaker(language), catalogue(language).texts
    told = [[html.escape(texts[id_][0]) for id_ in (step, f"{step}_how")] for step in FIRST_STEPS]
    steps = "".join(f"<li><b>{name}</b><br>{how}" for name, how in told)
    short, over = PRESSES[0]
    answers = "".join(f"<tr><td>{said(name)}</td><td>{said(what)}</td></tr>" for name, what in ANSWERS)
    tiles = base64.b64encode((HERE.parent / "docs/images/calibrate-setup.png").read_bytes()).decode()
    return _page(
        language,
        f"<h1>{html.escape(texts['guide.title'][0])}</h1>{_qr(page) if page else ''}<ol>{steps}</ol>"
        f'<img src="data:image/png;base64,{tiles}"><h2>{said(BUTTON)}</h2>'
        f"<table class=presses><tr><td>{said(short)}</td><td>{said(over)}</td></tr></table>"
        f"<table class=answers>{answers}</table>",
        "A4",
    )


def _speaker(language: str) -> Callable[[Message], str]:
    spoken = catalogue(language)
    return lambda message: html.escape(spoken.say(message))


def _page(language: str, body: str, size: str) -> str:
    style = f"@page {{ size: {size} }}{_STYLE}"
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>referee</title>'
        f"<style>{style}</style><main>{body}</main></html>\n"
    )


def _lamps(lamps: tuple[str, ...]) -> str:
    return "".join(f'<span class=lamp style="background:{LAMPS[lamp]}"></span>' for lamp in lamps)


def _qr(address: str) -> str:
    drawn = io.BytesIO()
    segno.make(address, error="m", micro=False).save(drawn, kind="svg", border=2, xmldecl=False, omitsize=True)
    return drawn.getvalue().decode()


def print_pdf(page: str, out: Path) -> None:
    """Print HTML to a PDF by chromium; ends with a line that says what is missing without it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not installed: sudo apt install chromium")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, "utf-8")
        words = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser"]
        words += ["--no-pdf-header-footer", f"--print-to-pdf={out}", source.as_uri()]
        subprocess.run(words, check=True, capture_output=True)


def main() -> None:
    """Print all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--page", metavar="URL", help="the address of the page, for a QR code on the card")
    parser.add_argument("--out", type=Path, default=HERE, metavar="DIR")
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    for language in languages():
        print_pdf(card(language, words.page), words.out.resolve() / f"card-{language}.pdf")
        print_pdf(quick_start(language, words.page), words.out.resolve() / f"quick-start-{language}.pdf")
        print_pdf(sheet(language), words.out.resolve() / f"score-sheet-{language}.pdf")


if __name__ == "__main__":
    main()
