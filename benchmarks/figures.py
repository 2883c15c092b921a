"""Fill in the figures that pages quote from the recorded results.

    python -m benchmarks.figures

rewrites every `<!-- figure NAME -->…<!-- end -->` in the Markdown pages, and the table of benchmarks/RESULTS.md. The
figures come from models/scores.json, the facts beside the models, benchmarks/claims.json and the pages of
benchmarks/results. Run it after new measurements; a test fails while a page differs.
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
    values = figures()
    for name in PAGES_WITH_FIGURES:
        page = ROOT / name
        page.write_text(fill_in(page.read_text("utf-8"), values), encoding="utf-8")
    return 0


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """Return the page with each marked figure replaced. Raises KeyError for a name that no result gives."""
    return MARKED.sub(lambda found: f"{found[1]}{values[found[2]]}{found[4]}", text)


def figures() -> dict[str, str]:
    """Return every figure by name, as pages quote it."""
    scores: Scores = json.loads((ROOT / "models/scores.json").read_text("utf-8"))["scores"]
    values = {**_photographs(scores), **_tables(scores), **_models(), **_presses(), **_season(), **_reading()}
    values |= {**_judging(), **_solving(), **_pages(), **_changes(), **_memory(), **_operation()}
    claims = json.loads((ROOT / "benchmarks/claims.json").read_text("utf-8"))
    values["claims"] = "\n" + "\n".join(_claims(claims, values)) + "\n"
    values |= {claim["name"]: claim["measured"].format_map(values) for claim in claims if "name" in claim}
    return values


def _outcome(worlds: Iterable[Mapping[str, Any]]) -> str:
    tiles, exact, wrong, unsure = _sums(worlds, "tiles", "exact", "sure_but_wrong", "unsure")
    right = f"all {tiles:,}" if exact == tiles else f"{exact:,} of {tiles:,}"
    return f"{right} right, {wrong} wrong without doubt, {unsure} in doubt"


def _sums(worlds: Iterable[Mapping[str, Any]], *keys: str) -> list[int]:
    scores = list(worlds)
    return [sum(world[key] for world in scores) for key in keys]


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
    values = {name: _outcome([scores[f"photographs, {world}"]]) for name, world in single.items()}
    for name, variants in (("spoiled", CHANGES), ("reprinted", REPRINTS)):
        values[name] = _outcome(scores[f"photographs, {variant}"] for variant in variants)
        values[f"{name}-ways"] = str(len(variants))
    changed = [score for world, score in scores.items() if world.startswith("photographs, ")]
    return {
        **values,
        "photographs": _outcome([plain]),
        "photograph-count": str(plain["pictures"]),
        "all-changed": _outcome(changed),
    }


def _tables(scores: Scores) -> dict[str, str]:
    values = {}
    for name, is_settled in (("at-once", False), ("settled", True)):
        worlds = [
            world_scores
            for world, world_scores in scores.items()
            if "sets" in world_scores and world.endswith(", settled") == is_settled
        ]
        sets, sets_exact, tables, tables_exact = _sums(worlds, "sets", "sets_exact", "pictures", "tables_exact")
        values[f"tables-{name}"] = _outcome(worlds)
        values[f"sets-{name}"] = f"{sets_exact:,} of {sets:,}"
        values[f"tables-exact-{name}"] = f"{tables_exact} of {tables}"
    return values


def _models() -> dict[str, str]:
    weights = {}
    for name in ("corners", "read", "reread"):
        card = json.loads((ROOT / f"models/tiles-{name}.json").read_text("utf-8"))
        weights[name] = card["trained"]["parameters"]
    return {"reread-weights": f"{weights['reread'] / weights['read']:.1f}"}


def _presses() -> dict[str, str]:
    rows = {row["verdict"]: row for row in _rows("press", "verdict")}
    arm_row = rows.pop("legal, beside an arm that has just come to rest")
    presses = sum(int(row["presses"]) for row in rows.values())
    longest = max(int(row["most ms"]) for row in rows.values())
    legal, illegal = (rows[verdict]["median ms"] for verdict in ("legal", "illegal"))
    medians = f"{legal} ms (median) for a legal table, {illegal} ms for an illegal one"
    text = f"{medians}; {longest} ms the slowest of {presses}"
    return {"press": text, "press-arm": f"{float(arm_row['median ms']) / 1000:.1f} s"}


def _season() -> dict[str, str]:
    (total,) = (row for row in _rows("season", "edition") if row["edition"] == "**all**")
    return {
        "season-games": total["games"],
        "season-date": _match_groups("season", r"program \w+ \((\S+),")[0],
        "season-turns": f"{int(total['turns']):,}",
        "season-faults": f"{int(total['with a fault']):,}",
        "season": f"{total['wrong accusation']} wrong accusations, {total['wrong pass']} wrong passes, "
        f"{total['undecided']} of {int(total['judgements']):,} judgements undecided",
    }


def _reading() -> dict[str, str]:
    """Return a reading's time relative to YOLO11n's at 2304 × 1296, and the memory of a process that reads."""
    rows = _rows("read", "frame")
    values = {}
    for threads, name in (("1", "reading"), ("2", "reading-two-threads")):
        for row in rows:
            if (row["frame"], row["threads"]) == ("2304 × 1296", threads):
                least, middle, most = row["table / peer at 640"].split("–")
                values[f"{name}-{row['tiles']}"] = f"{middle} ({least} to {most})"
    large = [int(row["peak MB"]) for row in rows if row["frame"].startswith("4608")]
    small = [int(row["peak MB"]) for row in rows if not row["frame"].startswith("4608")]
    for name, peaks in (("small", small), ("large", large)):
        values[f"reading-memory-{name}"] = f"{min(peaks)} to {max(peaks)} MB"
    return values


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
        _match_groups("solve", rf"Ours takes ([\d.]+) of the time of [^,]*, {name}")[0] for name in ("SCIPY", "GLPK_MI")
    )
    values = {"solve-ratio": fastest, "solve-default-ratio": default}
    for name, row in (("classic", classic), ("few", few), ("many", many)):
        values[f"solve-{name}-median"] = f"{float(row['median ms']):.0f} ms"
        values[f"solve-{name}-late"] = f"{float(row['99th']) / 1000:.1f} s"
        values[f"solve-{name}-longest"] = f"{float(row['longest']) / 1000:.1f} s"
        values[f"solve-{name}-proven"] = row["tiles proven"]
    return values


def _pages() -> dict[str, str]:
    presses = [row for row in _rows("web", "") if "ratio of medians" in row]
    ratios = sorted(row["ratio of medians"] for row in presses[1:])
    median, most, arrivals = _match_groups(
        "web", r"median (\d+) ms, 99th percentile \d+ ms, most\s(\d+) ms, over (\d+) arrivals"
    )
    return {
        "pages-ratio": " to ".join((ratios[0], ratios[-1])),
        "pages-presses": str(sum(int(row["presses"]) for row in presses)),
        "pages-event": f"{median} ms median, {most} ms at most over {int(arrivals):,} arrivals",
    }


def _changes() -> dict[str, str]:
    matches = [
        re.match(r"(\d+) of (\d+)", row[kind]) for row in _rows("changes", "pixels") for kind in row if "tile" in kind
    ]
    noticed, total = (sum(int(match[part]) for match in matches if match) for part in (1, 2))
    return {"changes": f"{noticed:,} of {total:,}"}


def _memory() -> dict[str, str]:
    most, early, late = _match_groups("memory", r"\*\*(\d+) MB at most\*\*, (\d+) in the second .*?\s(\d+) in the last")
    return {
        "memory": f"{early} MB early, {late} MB at the end, {most} MB at most",
        "memory-turns": _match_groups("memory", r"of (\d+) turns")[0],
    }


def _operation() -> dict[str, str]:
    (idle,) = _match_groups("idle", r"\*\*([\d.]+) % of one core\*\*")
    busy = max(int(row["written to storage"]) for row in _rows("wear", "state"))
    still = max(int(row["written to storage"]) for row in _rows("wear", "state") if "clock" not in row["state"])
    full, empty = _match_groups("long-life", r"processor time ([\d.]+) s against ([\d.]+)\)")
    days, turns = _match_groups("long-life", r"## (\d+) evenings of (\d+) turns")
    (written,) = _match_groups("long-life", r"written to the card, MB \| .*? \| (.*?) \|")
    most, ring = _match_groups("long-life", r"evidence, MB of at most (\d+) \| (\d+)")
    first, last = _match_groups("long-life", r"last evening, MB \| (\d+), (\d+)")
    good, cases, cuts, good_cuts = _match_groups(
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


def _match_groups(name: str, pattern: str) -> Sequence[str]:
    """Return the pattern's groups in a recorded page. Raises ValueError if the page does not match."""
    found = re.search(pattern, (RESULTS / f"{name}.md").read_text("utf-8"), re.DOTALL)
    if found is None:
        raise ValueError(f"benchmarks/results/{name}.md holds no {pattern!r}")
    return found.groups()


def _claims(claims: Iterable[Mapping[str, str]], values: Mapping[str, str]) -> Iterable[str]:
    yield "| claim | measured | with | date |"
    yield "|---|---|---|---|"
    for claim_fields in claims:
        claim, measured = (claim_fields[key].format_map(values) for key in ("claim", "measured"))
        yield f"| {claim} | {measured} | {claim_fields['with']} | {claim_fields['date']} |"


if __name__ == "__main__":
    sys.exit(main())
