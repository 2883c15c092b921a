"""Mutation testing of `referee/rules`: how many small changes to the rules the tests notice.

    nice python -m benchmarks.mutants --jobs 2 --out build/mutants --report benchmarks/results/mutants.md

Mutants are drawn by a seed from all that can be made; a larger sample holds a smaller one. Each runs in a copy of the
tree: first the unit and rulebook tests, and if they notice nothing the independent judge and the laws. Whoever needs
much more processor time than the program as it is counts as noticed. In the same run the program as it is must pass
both stages, and a program that cannot be imported must fail. What is finished is not run again.
"""

import argparse
import ast
import json
import os
import queue
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
RULES = "referee/rules"
COPIED = ("referee", "docs", "tests/unit/rules", "tests/unit/game", "tests/rulebook", "tests/property")
FIRST = ("tests/unit/rules", "tests/rulebook", "--ignore=tests/unit/rules/test_counts.py")
LAWS = ("test_rules_laws.py", "test_blame.py", "test_oracle.py")
SECOND = (
    "tests/unit/game/test_formats.py",
    "tests/unit/game/test_clock.py",
    *(f"tests/property/{law}" for law in LAWS),
)
STAGES = (FIRST, SECOND)
NOTICED_BY = ("unit and rulebook tests", "independent judge and laws", "nothing")
MOST_S = 3600
TURNS = "200"  # the independent judge plays so many turns of each edition, and 13 times as many sets

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A change: the node of a module by its place in `ast.walk`, and which of its replacements."""

    module: str
    node: int
    variant: int


def replacements(node: ast.AST) -> list[ast.AST]:  # noqa: C901, PLR0911, PLR0912 - a table of cases
    """What a node is replaced by, one at a time."""
    match node:
        case ast.Compare():
            return [
                ast.Compare(node.left, [*node.ops[:at], new(), *node.ops[at + 1 :]], node.comparators)
                for at, old in enumerate(node.ops)
                for new in COMPARED[type(old)]
            ]
        case ast.BoolOp():
            return [ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)]
        case ast.UnaryOp(op=ast.Not()):
            return [node.operand]
        case ast.BinOp() if type(node.op) in RECKONED:
            return [ast.BinOp(node.left, RECKONED[type(node.op)](), node.right)]
        case ast.Constant(value=bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(value=int(value)):
            return [ast.Constant(value + 1), ast.Constant(value - 1)]
        case ast.Constant(value=str(value)) if value.strip():
            return [ast.Constant("XX" + value)]
        case ast.Return() if node.value is not None:
            return [ast.Return(ast.Constant(None))]
        case ast.If():
            return [ast.If(ast.Constant(False), node.body, node.orelse)]
        case ast.IfExp():
            return [ast.IfExp(node.test, node.orelse, node.body)]
        case ast.Continue():
            return [ast.Pass()]
        case ast.Slice():
            return [ast.Slice()]
        case ast.Call(func=ast.Name(id=name)) if name in CALLED:
            return [ast.Call(ast.Name(CALLED[name], ast.Load()), node.args, node.keywords)]
    return []


def mutants(module: str) -> Iterator[Mutant]:
    tree = ast.parse((ROOT / RULES / module).read_text("utf-8"))
    unheard = {id(part) for node in ast.walk(tree) for told in _told(node) for part in ast.walk(told)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) not in unheard:
            yield from (Mutant(module, place, variant) for variant in range(len(replacements(node))))


def _told(node: ast.AST) -> Iterator[ast.AST]:
    """What says something to readers and type checkers only: docstrings and annotations."""
    match node:
        case ast.Expr(value=ast.Constant()):
            yield node
        case ast.FunctionDef(returns=ast.AST() as told) | ast.arg(annotation=ast.AST() as told):
            yield told
        case ast.AnnAssign():
            yield node.annotation


def mutated(mutant: Mutant) -> tuple[str, int, str]:
    """The module with the change, the line it is on, and what it is."""
    tree = ast.parse((ROOT / RULES / mutant.module).read_text("utf-8"))
    old = list(ast.walk(tree))[mutant.node]
    new = replacements(old)[mutant.variant]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    was = ast.unparse(old).splitlines()[0]
    text = ast.unparse(ast.fix_missing_locations(Swap().visit(tree)))
    place = next(node for node in (old, *ast.walk(old)) if hasattr(node, "lineno"))
    return text, place.lineno, f"`{was[:70]}` → `{ast.unparse(new).splitlines()[0][:70]}`"


def copy_tree(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def passes(folder: Path, stage: Sequence[str], limit_s: int) -> bool:
    """Whether the tests pass in the copy of the tree, within so much processor time."""
    words = ["-x", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed=0", *stage]
    env = {**os.environ, "PYTHONPATH": str(folder), "REFEREE_ORACLE": TURNS}
    limited = ["sh", "-c", f'ulimit -t {limit_s}; exec "$@"', "sh", sys.executable, "-m", "pytest", *words]
    return subprocess.run(limited, cwd=folder, env=env, capture_output=True, check=False).returncode == 0


def controls(folder: Path) -> list[int]:
    """The processor time each stage may take, from the program as it is. Raises SystemExit if a stage is no test."""
    limits = []
    for stage in STAGES:
        began = os.times().children_user
        if not passes(folder, stage, MOST_S):
            raise SystemExit(f"the program as it is does not pass {stage[0]}: run those tests and mend them first")
        limits.append(round(20 + 5 * (os.times().children_user - began)))
    write(folder, "tiles.py", "raise ImportError\n")
    if any(passes(folder, stage, MOST_S) for stage in STAGES):
        raise SystemExit("a program that cannot be imported passes: the tests do not run the copy")
    write(folder, "tiles.py", (ROOT / RULES / "tiles.py").read_text("utf-8"))
    return limits


def write(folder: Path, module: str, text: str) -> None:
    """Write a module of the rules, and forget how it was compiled: a change may leave its size and second."""
    file = folder / RULES / module
    file.write_text(text, "utf-8")
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def notice(mutant: Mutant, folder: Path, limits: Sequence[int]) -> int:
    """The stage that notices a mutant, or how many there are if none does."""
    write(folder, mutant.module, mutated(mutant)[0])
    try:
        return next((at for at, stage in enumerate(STAGES) if not passes(folder, stage, limits[at])), len(STAGES))
    finally:
        write(folder, mutant.module, (ROOT / RULES / mutant.module).read_text("utf-8"))


def run_all(drawn: Sequence[Mutant], out: Path, jobs: int) -> dict[Mutant, int]:
    file = out / "noticed.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    known = {Mutant(*line["mutant"]): int(line["stage"]) for line in map(json.loads, lines)}
    folders: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for job in range(jobs):
        folders.put(copy_tree(out / f"tree-{job}"))
    limits = controls(out / "tree-0")

    def run(mutant: Mutant) -> tuple[Mutant, int]:
        folder = folders.get()
        try:
            return mutant, notice(mutant, folder, limits)
        finally:
            folders.put(folder)

    with ThreadPoolExecutor(jobs) as pool, file.open("a", encoding="utf-8") as kept:
        for done in as_completed([pool.submit(run, one) for one in drawn if one not in known]):
            mutant, stage = done.result()
            known[mutant] = stage
            kept.write(json.dumps({"mutant": mutant, "stage": stage}) + "\n")
            kept.flush()
    return {mutant: known[mutant] for mutant in drawn}


def report(found: dict[Mutant, int], possible: int, words: str) -> Iterator[str]:
    counted = Counter(found.values())
    yield "# Mutants of the rules\n"
    yield f"`python -m benchmarks.mutants {words}`, {datetime.now(UTC):%Y-%m-%d}."
    yield f"{len(found):,} drawn of {possible:,} small changes to `{RULES}`. In the same run the program as it is"
    yield "passed both stages, and one that cannot be imported failed both.\n"
    yield f"| module | drawn | {' | '.join(f'noticed by {name}' for name in NOTICED_BY)} |\n|---|---|---|---|---|"
    for name in sorted({mutant.module for mutant in found}):
        row = Counter(stage for mutant, stage in found.items() if mutant.module == name)
        yield f"| {name} | {row.total()} | {row[0]} | {row[1]} | {row[2]} |"
    yield f"| **all** | {len(found)} | {counted[0]} | {counted[1]} | {counted[2]} |"
    if counted[2]:
        yield "\nNoticed by nothing:\n"
    for mutant, stage in sorted(found.items()):
        if stage == len(STAGES):
            _, line, change = mutated(mutant)
            yield f"- {mutant.module}:{line} {change}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants to run at a time")
    parser.add_argument("--out", type=Path, default=ROOT / "build/mutants", help="where copies and results are kept")
    parser.add_argument("--report", type=Path, help="the page to write; without it, it is printed")
    given = parser.parse_args()
    modules = sorted(file.name for file in (ROOT / RULES).glob("*.py") if file.name != "__init__.py")
    possible = [mutant for module in modules for mutant in mutants(module)]
    random.Random(given.seed).shuffle(possible)
    drawn = possible[: given.sample]
    given.out.mkdir(parents=True, exist_ok=True)
    found = run_all(drawn, given.out, given.jobs)
    page = "\n".join(report(found, len(possible), f"--sample {given.sample} --seed {given.seed}")) + "\n"
    if given.report is None:
        print(page, end="")
    else:
        given.report.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
