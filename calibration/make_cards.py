"""Print what lies beside the table: an A5 card for players in each language, and a score sheet.

Run from the repository root with the `dev` extra and chromium installed: python calibration/make_cards.py [--page URL]
The card shows a QR code of the page where its address is given. No digit on it stands alone in a frame of a tile's
shape: the referee must not read the card when it lies on the table.
"""

import argparse
import html
import io
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import segno

HERE = Path(__file__).parent
LAMPS = {"green": "#2e9e4f", "amber": "#e09a1a", "red": "#d0443c"}
# Lamps in the order they shine, how they shine, and the notes: what docs/operations.md says in words.
CUES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("green",), "steady", "rise"),
    (("amber",), "steady", ""),
    (("red",), "three", "fall"),
    (("amber",), "swing", "twice"),
    (("red",), "steady", "long"),
    (("red",), "two", "twice"),
    (("red", "green"), "turn", "fall"),
    (("amber",), "three", "twice"),
    (("green",), "three", "fanfare"),
)
NOTES = {"rise": "♪ ♪↑", "fall": "♪ ♪↓", "twice": "♪ ♪", "long": "♪—", "fanfare": "♪♪♪↑", "": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The card and the sheet in one language."""

    title: str
    answers: tuple[tuple[str, str], ...]
    lights: str
    cues: tuple[str, ...]
    how: dict[str, str]
    button: str
    presses: tuple[tuple[str, str], ...]
    page: str
    sheet: str
    game: str
    total: str


TEXTS = {
    "en": Texts(
        title="The referee watches the table",
        answers=(
            ("Legal", "the next player's clock runs"),
            ("Illegal", "mend it and press again; your clock goes on"),
            ("Look again", "a tile cannot be read: straighten it, take your hand away"),
        ),
        lights="Lights and sounds",
        cues=(
            "The turn was legal. Steady light: the table is in order.",
            "The table is not legal now; there is still time.",
            "Illegal: mend it and press again.",
            "Not sure of a tile, or a break: the clock waits.",
            "Time is over.",
            "Put the table back as it was.",
            "The penalty is due; the next player's clock runs.",
            "The camera is lost.",
            "The game is won.",
        ),
        how={"steady": "steady", "three": "three beats", "two": "two beats", "swing": "slow swing", "turn": "in turn"},
        button="The button",
        presses=(
            ("short", "my turn is over"),
            ("held for a second and a half, just after a turn", "that was a mistake: the turn goes on"),
            ("held for a second and a half, later", "Rummikub! My rack is empty"),
            ("held for four seconds", "a break, and its end"),
        ),
        page="On your phone",
        sheet="Score sheet",
        game="game",
        total="total",
    ),
    "de": Texts(
        title="Der Schiedsrichter sieht zu",
        answers=(
            ("Gültig", "die Uhr des Nächsten läuft"),
            ("Ungültig", "in Ordnung bringen und wieder drücken; die Uhr läuft weiter"),
            ("Noch einmal hinsehen", "ein Stein ist nicht zu lesen: gerade rücken, Hand wegnehmen"),
        ),
        lights="Lichter und Töne",
        cues=(
            "Der Zug war gültig. Ruhiges Licht: der Tisch ist in Ordnung.",
            "Der Tisch ist gerade nicht gültig; noch ist Zeit.",
            "Ungültig: in Ordnung bringen und wieder drücken.",
            "Ein Stein ist unklar, oder Pause: die Uhr wartet.",
            "Die Zeit ist um.",
            "Den Tisch zurücklegen, wie er war.",
            "Strafsteine ziehen; die Uhr des Nächsten läuft.",
            "Die Kamera fehlt.",
            "Das Spiel ist gewonnen.",
        ),
        how={
            "steady": "ruhig",
            "three": "dreimal",
            "two": "zweimal",
            "swing": "langsam",
            "turn": "im Wechsel",
        },
        button="Der Knopf",
        presses=(
            ("kurz", "mein Zug ist zu Ende"),
            ("anderthalb Sekunden, gleich nach dem Zug", "das war ein Versehen: der Zug geht weiter"),
            ("anderthalb Sekunden, später", "Rummikub! Meine Bank ist leer"),
            ("vier Sekunden", "Pause, und ihr Ende"),
        ),
        page="Auf dem Telefon",
        sheet="Spielzettel",
        game="Spiel",
        total="Summe",
    ),
    "pl": Texts(
        title="Sędzia patrzy na stół",
        answers=(
            ("Poprawnie", "rusza zegar następnego gracza"),
            ("Niepoprawnie", "popraw i naciśnij jeszcze raz; zegar biegnie dalej"),
            ("Do sprawdzenia", "nie widać kostki: wyprostuj ją, zabierz rękę"),
        ),
        lights="Światła i dźwięki",
        cues=(
            "Ruch był poprawny. Stałe światło: stół jest w porządku.",
            "Stół nie jest teraz poprawny; jest jeszcze czas.",
            "Niepoprawnie: popraw i naciśnij jeszcze raz.",
            "Niepewna kostka albo przerwa: zegar czeka.",
            "Czas minął.",
            "Ułóż stół tak, jak był.",
            "Kara do dobrania; rusza zegar następnego gracza.",
            "Brak kamery.",
            "Gra wygrana.",
        ),
        how={"steady": "stale", "three": "trzy razy", "two": "dwa razy", "swing": "powoli", "turn": "na zmianę"},
        button="Przycisk",
        presses=(
            ("krótko", "koniec mojego ruchu"),
            ("półtorej sekundy, zaraz po ruchu", "pomyłka: ruch trwa dalej"),
            ("półtorej sekundy, później", "Rummikub! Mam pusty stojak"),
            ("cztery sekundy", "przerwa i jej koniec"),
        ),
        page="Na telefonie",
        sheet="Karta wyników",
        game="gra",
        total="razem",
    ),
}
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
.sheet td, .sheet th { border-bottom: .3mm solid #999; height: 10.5mm } .sheet th:first-child { width: 22mm }
.sheet th { border-bottom-width: .6mm } .sheet tr:last-child td { font-weight: bold }
"""


def card(language: str, page: str | None = None) -> str:
    """The players' card as HTML, with a QR code of the page where there is one."""
    said = TEXTS[language]
    answers = "".join(f"<tr><td>{_text(name)}</td><td>{_text(what)}</td></tr>" for name, what in said.answers)
    cues = "".join(
        f"<tr><td class=how>{_lamps(lamps)}</td><td class=how>{_text(said.how[how])}</td>"
        f"<td class=note>{NOTES[notes]}</td><td>{_text(meaning)}</td></tr>"
        for (lamps, how, notes), meaning in zip(CUES, said.cues, strict=True)
    )
    presses = "".join(f"<tr><td>{_text(how)}</td><td>{_text(what)}</td></tr>" for how, what in said.presses)
    code = f"<div class=qr>{_qr(page)}{_text(said.page)}</div>" if page else ""
    return _page(
        language,
        f"<h1>{_text(said.title)}</h1><table class=answers>{answers}</table><h2>{_text(said.lights)}</h2>"
        f"<table>{cues}</table><h2>{_text(said.button)}</h2><table class=presses>{presses}</table>{code}",
        "A5",
    )


def sheet(language: str) -> str:
    """A score sheet for four players and twelve games as HTML."""
    said = TEXTS[language]
    rows = "".join(f"<tr><td>{_text(name)}</td>{'<td></td>' * 4}</tr>" for name in (*[""] * 12, said.total))
    head = f"<tr><th>{_text(said.game)}</th>{'<th></th>' * 4}</tr>"
    return _page(language, f"<h1>{_text(said.sheet)}</h1><table class=sheet>{head}{rows}</table>", "A5")


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


def _text(text: str) -> str:
    return html.escape(text)


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
    for language in TEXTS:
        print_pdf(card(language, words.page), words.out.resolve() / f"card-{language}.pdf")
        print_pdf(sheet(language), words.out.resolve() / f"score-sheet-{language}.pdf")


if __name__ == "__main__":
    main()
