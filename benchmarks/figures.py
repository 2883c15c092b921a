"""The figures that pages quote, filled in from the recorded results.

    python -m benchmarks.figures

rewrites every `<!-- figure NAME -->…<!-- end -->` in the Markdown pages, and the table of benchmarks/RESULTS.md. The
figures come from models/scores.json, the facts beside the models, benchmarks/claims.json and the pages of
benchmarks/results. Run it after measuring anew; a test fails while a page differs.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from models.training.data.corruptions import CHANGES
from models.training.data.reprinted import REPRINTS

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGES_WITH_FIGURES = (
    "README.md",
    "models/README.md",
    "benchmarks/RESULTS.md",
    "docs/architecture.md",
)
MARKED = re.compile(r"(<!-- figure ([\w-]+) -->)(.*?)(<!-- end -->)", re.DOTALL)
Scores = Mapping[str, Mapping[str, Any]]


def main() -> int:
    known = figures()
    for name in PAGES_WITH_FIGURES:
        page = ROOT / name
        page.write_text(filled(page.read_text("utf-8"), known), encoding="utf-8")
    return 0


def filled(text: str, known: Mapping[str, str]) -> str:
    """Return the page with each marked figure replaced. Raises KeyError for a name that no result gives."""
    return MARKED.sub(lambda found: f"{found[1]}{known[found[2]]}{found[4]}", text)


def figures() -> dict[str, str]:
    """Return every figure by name, as pages quote it."""
    scores: Scores = json.loads((ROOT / "models/scores.json").read_text("utf-8"))["scores"]
    known = {**_photographs(scores), **_tables(scores), **_models(), **_presses(), **_season(), **_reading()}
    claims = json.loads((ROOT / "benchmarks/claims.json").read_text("utf-8"))
    known["claims"] = "\n" + "\n".join(_claims(claims, known)) + "\n"
    known |= {claim["name"]: claim["measured"].format_map(known) for claim in claims if "name" in claim}
    return known


def _outcome(worlds: Iterable[Mapping[str, Any]]) -> str:
    tiles, exact, wrong, unsure = _sums(worlds, "tiles", "exact", "sure_but_wrong", "unsure")
    right = f"all {tiles:,}" if exact == tiles else f"{exact:,} of {tiles:,}"
    return f"{right} right, {wrong} wrong without doubt, {unsure} in doubt"


def _sums(worlds: Iterable[Mapping[str, Any]], *keys: str) -> list[int]:
    kept = list(worlds)
    return [sum(world[key] for world in kept) for key in keys]


def _photographs(scores: Scores) -> dict[str, str]:
    plain = scores["all photographs"]
    single = {
        "under-a-blind": "under a blind",
        "lamps-mirrored": "lamps mirrored in the tiles",
        "hollow-digits": "hollow digits",
        "middle-digits": "digits in the middle, underlined",
        "several-changes": "several changes at once",
        "new-jokers": "jokers never seen",
    }
    known = {name: _outcome([scores[f"photographs, {world}"]]) for name, world in single.items()}
    for name, ways in (("spoiled", CHANGES), ("reprinted", REPRINTS)):
        known[name] = _outcome(scores[f"photographs, {way}"] for way in ways)
        known[f"{name}-ways"] = str(len(ways))
    changed = [score for world, score in scores.items() if world.startswith("photographs, ")]
    return {
        **known,
        "photographs": _outcome([plain]),
        "photograph-count": str(plain["pictures"]),
        "all-changed": _outcome(changed),
    }


def _tables(scores: Scores) -> dict[str, str]:
    known = {}
    for name, still in (("at-once", False), ("settled", True)):
        worlds = [one for world, one in scores.items() if "sets" in one and world.endswith(", settled") == still]
        sets, sets_exact, tables, tables_exact = _sums(worlds, "sets", "sets_exact", "pictures", "tables_exact")
        known[f"tables-{name}"] = _outcome(worlds)
        known[f"sets-{name}"] = f"{sets_exact:,} of {sets:,}"
        known[f"tables-exact-{name}"] = f"{tables_exact} of {tables}"
    return known


def _models() -> dict[str, str]:
    weights = {}
    for name in ("corners", "read", "reread"):
        card = json.loads((ROOT / f"models/tiles-{name}.json").read_text("utf-8"))
        weights[name] = card["trained"]["parameters"]
    return {"reread-weights": f"{weights['reread'] / weights['read']:.1f}"}


def _presses() -> dict[str, str]:
    page = (RESULTS / "press.md").read_text("utf-8")
    rows = re.findall(r"^\| (legal|illegal) \| (\d+) \| (\d+) \| \d+ \| (\d+) \|$", page, re.MULTILINE)
    presses, most = sum(int(row[1]) for row in rows), max(int(row[3]) for row in rows)
    median = {verdict: middle for verdict, _, middle, _ in rows}
    spoken = f"{median['legal']} ms (median) for a legal table, {median['illegal']} ms for an illegal one"
    return {"press": f"{spoken}; {most} ms the slowest of {presses}"}


def _season() -> dict[str, str]:
    page = (RESULTS / "season.md").read_text("utf-8").splitlines()
    (names,) = (line for line in page if line.startswith("| edition | games |"))
    (sums,) = (line for line in page if line.startswith("| **all** |"))
    told = dict(zip(names.strip("| ").split(" | ")[1:], map(int, re.findall(r"\d+", sums)), strict=True))
    return {
        "season-turns": f"{told['turns']:,}",
        "season-faults": f"{told['with a fault']:,}",
        "season": f"{told['wrong accusation']} wrong accusations, {told['wrong pass']} wrong passes, "
        f"{told['undecided']} of {told['judgements']:,} judgements undecided",
    }


def _reading() -> dict[str, str]:
    """The time of a reading in that of a YOLO11n, one thread, 2304 × 1296."""
    lines = [line.strip("| ").split(" | ") for line in (RESULTS / "read.md").read_text("utf-8").splitlines()]
    (header,) = (cells for cells in lines if cells[0] == "frame")
    rows = {cells[1]: cells for cells in lines if cells[0] == "2304 × 1296" and cells[2] == "1"}
    known = {}
    for tiles, cells in rows.items():
        known[f"reading-{tiles}"] = cells[header.index("table / peer at 640")].replace("–", " to ")
    return known


def _claims(claims: Iterable[Mapping[str, str]], known: Mapping[str, str]) -> Iterable[str]:
    yield "| claim | measured | with | date |"
    yield "|---|---|---|---|"
    for one in claims:
        yield f"| {one['claim']} | {one['measured'].format_map(known)} | {one['with']} | {one['date']} |"


if __name__ == "__main__":
    sys.exit(main())
