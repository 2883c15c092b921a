"""The figures that pages quote, filled in from the recorded results.

    python -m benchmarks.figures

rewrites every `<!-- figure NAME -->…<!-- end -->` in the Markdown pages, and the table of benchmarks/RESULTS.md. The
figures come from models/scores.json, the facts beside the models, benchmarks/claims.json and the pages of
benchmarks/results. Run it after measuring anew; a test fails while a page differs.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
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
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0]).parse_args()
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
    known |= {**_judging(), **_solving(), **_pages(), **_changes(), **_memory(), **_rest()}
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
        "slanting-blur": "blurred slantwise by a quarter of a tile",
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
    rows = {row["verdict"]: row for row in _rows("press", "verdict")}
    armed = rows.pop("legal, beside an arm that has just come to rest")
    presses = sum(int(row["presses"]) for row in rows.values())
    longest = max(int(row["most ms"]) for row in rows.values())
    legal, illegal = (rows[verdict]["median ms"] for verdict in ("legal", "illegal"))
    spoken = f"{legal} ms (median) for a legal table, {illegal} ms for an illegal one"
    told = f"{spoken}; {longest} ms the slowest of {presses}"
    return {"press": told, "press-arm": f"{float(armed['median ms']) / 1000:.1f} s"}


def _season() -> dict[str, str]:
    (told,) = (row for row in _rows("season", "edition") if row["edition"] == "**all**")
    return {
        "season-games": told["games"],
        "season-date": _found("season", r"program \w+ \((\S+),")[0],
        "season-turns": f"{int(told['turns']):,}",
        "season-faults": f"{int(told['with a fault']):,}",
        "season": f"{told['wrong accusation']} wrong accusations, {told['wrong pass']} wrong passes, "
        f"{told['undecided']} of {int(told['judgements']):,} judgements undecided",
    }


def _reading() -> dict[str, str]:
    """The time of a reading in that of a YOLO11n, at 2304 × 1296; and the memory of a process that reads."""
    rows = _rows("read", "frame")
    known = {}
    for threads, name in (("1", "reading"), ("2", "reading-two-threads")):
        for row in rows:
            if (row["frame"], row["threads"]) == ("2304 × 1296", threads):
                known[f"{name}-{row['tiles']}"] = row["table / peer at 640"].replace("–", " to ")
    large = [int(row["peak MB"]) for row in rows if row["frame"].startswith("4608")]
    small = [int(row["peak MB"]) for row in rows if not row["frame"].startswith("4608")]
    for name, peaks in (("small", small), ("large", large)):
        known[f"reading-memory-{name}"] = f"{min(peaks)} to {max(peaks)} MB"
    return known


def _judging() -> dict[str, str]:
    rows = {row["turn"]: f"{float(row['median ms']):.2f} ms" for row in _rows("judge", "turn")}
    return {
        "judge-classic": rows["original, anew, cold"],
        "judge-twist": rows["3in1-twist, anew, cold"],
        "judge-twist-jokers": rows["3in1-twist, anew, every joker moved, cold"],
    }


def _solving() -> dict[str, str]:
    classic, _, _, few, many = _rows("solve", "solver")
    default, fastest = (
        _found("solve", rf"Ours takes ([\d.]+) of the time of [^,]*, {name}")[0] for name in ("SCIPY", "GLPK_MI")
    )
    known = {"solve-ratio": fastest, "solve-default-ratio": default}
    for name, row in (("classic", classic), ("few", few), ("many", many)):
        known[f"solve-{name}-median"] = f"{float(row['median ms']):.0f} ms"
        known[f"solve-{name}-late"] = f"{float(row['99th']) / 1000:.1f} s"
        known[f"solve-{name}-longest"] = f"{float(row['longest']) / 1000:.1f} s"
        known[f"solve-{name}-proven"] = row["tiles proven"]
    return known


def _pages() -> dict[str, str]:
    presses = [row for row in _rows("web", "") if "ratio of medians" in row]
    ratios = sorted(row["ratio of medians"] for row in presses[1:])
    median, most, arrivals = _found(
        "web", r"median (\d+) ms, 99th percentile \d+ ms, most\s(\d+) ms, over (\d+) arrivals"
    )
    return {
        "pages-ratio": " to ".join((ratios[0], ratios[-1])),
        "pages-presses": str(sum(int(row["presses"]) for row in presses)),
        "pages-event": f"{median} ms median, {most} ms at most over {int(arrivals):,} arrivals",
    }


def _changes() -> dict[str, str]:
    laid = [
        re.match(r"(\d+) of (\d+)", row[kind]) for row in _rows("changes", "pixels") for kind in row if "tile" in kind
    ]
    noticed, of = (sum(int(one[part]) for one in laid if one) for part in (1, 2))
    return {"changes": f"{noticed:,} of {of:,}"}


def _memory() -> dict[str, str]:
    most, early, late = _found("memory", r"\*\*(\d+) MB at most\*\*, (\d+) in the second .*?\s(\d+) in the last")
    return {
        "memory": f"{early} MB early, {late} MB at the end, {most} MB at most",
        "memory-turns": _found("memory", r"of (\d+) turns")[0],
    }


def _rest() -> dict[str, str]:
    (idle,) = _found("idle", r"\*\*([\d.]+) % of one core\*\*")
    busy = max(int(row["written to storage"]) for row in _rows("wear", "state"))
    still = max(int(row["written to storage"]) for row in _rows("wear", "state") if "clock" not in row["state"])
    full, empty = _found("long-life", r"processor time ([\d.]+) s against ([\d.]+)\)")
    days, turns = _found("long-life", r"## (\d+) evenings of (\d+) turns")
    (written,) = _found("long-life", r"written to the card, MB \| .*? \| (.*?) \|")
    most, ring = _found("long-life", r"evidence, MB of at most (\d+) \| (\d+)")
    first, last = _found("long-life", r"last evening, MB \| (\d+), (\d+)")
    good, cases, cuts, good_cuts = _found(
        "boot", r"\*\*(\d+) of (\d+) cases passed; (\d+) power cuts tried, (\d+) passed"
    )
    others = int(good) - int(good_cuts)
    return {
        "idle": f"{idle} %",
        "wear": f"{still} bytes an hour; {busy / 1000:.1f} MB an hour while a turn's clock runs",
        "long-life-start": f"{full} s of processor time against {empty} over an empty folder",
        "long-life-month": f"{days} evenings of {turns} turns: {written} MB written an evening, "
        f"evidence {ring} of at most {most} MB, memory {first} to {last} MB",
        "boot": f"{good_cuts} of {cuts} power cuts, {others} of {int(cases) - int(cuts)} other cases",
    }


def _rows(name: str, first: str) -> list[dict[str, str]]:
    """Return the rows of a recorded page's tables whose first column has this heading, by column."""
    rows: list[dict[str, str]] = []
    header: list[str] = []
    for line in (RESULTS / f"{name}.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            header = []
        elif not header:
            header = cells
        elif header[0] == first and set(cells[0]) != {"-"}:
            rows.append(dict(zip(header, cells, strict=True)))
    return rows


def _found(name: str, pattern: str) -> Sequence[str]:
    """Return what the pattern's groups hold in a recorded page. Raises ValueError where it is not there."""
    found = re.search(pattern, (RESULTS / f"{name}.md").read_text("utf-8"), re.DOTALL)
    if found is None:
        raise ValueError(f"benchmarks/results/{name}.md holds no {pattern!r}")
    return found.groups()


def _claims(claims: Iterable[Mapping[str, str]], known: Mapping[str, str]) -> Iterable[str]:
    yield "| claim | measured | with | date |"
    yield "|---|---|---|---|"
    for one in claims:
        claim, measured = (one[key].format_map(known) for key in ("claim", "measured"))
        yield f"| {claim} | {measured} | {one['with']} | {one['date']} |"


if __name__ == "__main__":
    sys.exit(main())
