"""Mutation testing of `referee/rules`: how many small changes to the rules the tests notice.

    nice python -m benchmarks.mutants --sample 300 --jobs 2 --report benchmarks/results/mutants.md

Mutants are drawn by a seed from all that can be made inside functions; a larger sample holds a smaller one. The tests
are collected once. Each mutant is a fork in which one function has other code: it meets the unit and rulebook tests,
and if they notice nothing the laws and the independent judge. A mutant that needs much more processor time than the
program as it is counts as noticed. In the same run the program as it is must pass both stages, and a judge that answers
nothing must fail the first.
"""

import argparse
import ast
import functools
import importlib
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
RULES = "referee/rules"
UNIT = ("tests/unit/rules", "tests/rulebook")
LAWS = ("test_rules_laws.py", "test_blame.py", "test_oracle.py")
SECOND = ("tests/unit/game/test_formats.py", *(f"tests/property/{law}" for law in LAWS))
TOO_LONG = "--ignore=tests/unit/rules/test_counts.py"
NOTICED_BY = ("unit and rulebook tests", "laws and independent judge", "nothing")
TURNS = "200"  # the independent judge plays so many turns of each edition, and 13 times as many sets
EXAMPLES = 50  # of each law
SAYING = {"say", "say_count"}  # their ids are held by the tests of the catalogues
NOT_PUT_IN = 77  # an exit status

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


Tests = Sequence[pytest.Item]


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
        case ast.Return(value=ast.AST() as value) if ast.unparse(value) != "None":
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


@functools.cache
def source(module: str) -> str:
    """The text of a module, read once: it may change on disk while the tests run."""
    return (ROOT / RULES / module).read_text("utf-8")


def mutants(module: str) -> Iterator[Mutant]:
    tree = ast.parse(source(module))
    bodies = [part for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for part in node.body]
    heard = {id(node) for part in bodies for node in ast.walk(part)}
    unheard = {id(node) for part in bodies for told in _told(part) for node in ast.walk(told)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in heard - unheard:
            yield from (Mutant(module, place, variant) for variant in range(len(replacements(node))))


def _told(part: ast.stmt) -> Iterator[ast.AST]:
    """What only readers, type checkers and catalogues know: docstrings, annotations, ids of messages."""
    for node in ast.walk(part):
        match node:
            case ast.Expr(value=ast.Constant()):
                yield node
            case ast.FunctionDef(returns=ast.AST() as told) | ast.arg(annotation=ast.AST() as told):
                yield told
            case ast.AnnAssign():
                yield node.annotation
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant() as known, *_]) if name in SAYING:
                yield known


def mutated(mutant: Mutant) -> tuple[ast.Module, int, str]:
    """The module with the change, the line it is on, and what it is."""
    tree = ast.parse(source(mutant.module))
    old = list(ast.walk(tree))[mutant.node]
    new = replacements(old)[mutant.variant]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    was = ast.unparse(old).splitlines()[0]
    Swap().visit(tree)
    changed = ast.fix_missing_locations(tree)
    line = next(node.lineno for node in (old, *ast.walk(old)) if hasattr(node, "lineno"))
    return changed, line, f"`{was[:70]}` → `{ast.unparse(new).splitlines()[0][:70]}`"


# ---- one mutant ------------------------------------------------------------------------------------------------------


def put_in(module: str, changed: ast.Module) -> None:
    """Give every function of a module the code it has in the changed one, wherever it was imported to."""
    name = f"{RULES.replace('/', '.')}.{module.removesuffix('.py')}"
    codes = {code.co_qualname: code for code in _codes(compile(changed, module, "exec"))}
    for known in [
        value for key, one in sys.modules.items() if key.startswith("referee.") for value in vars(one).values()
    ]:
        if hasattr(known, "cache_clear"):
            known.cache_clear()
    for function in _functions(vars(importlib.import_module(name)), name):
        function.__code__ = codes[function.__code__.co_qualname]


def _codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            if "<" not in part.co_name:
                yield from _codes(part)


def _functions(named: dict[str, Any], module: str) -> Iterator[FunctionType]:
    for value in named.values():
        inner = getattr(value, "fget", None) or getattr(value, "__wrapped__", None) or getattr(value, "__func__", value)
        if isinstance(inner, FunctionType) and inner.__module__ == module and inner.__code__.co_filename != "<string>":
            yield inner
        elif isinstance(inner, type) and inner.__module__ == module:
            yield from _functions(dict(vars(inner)), module)


def stage_that_fails(stages: Sequence[Tests]) -> int:
    """Run the tests; the first stage with one that fails, or how many there are."""
    for number, tests in enumerate(stages):
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            if test.session.testsfailed:
                return number
    return len(stages)


def fork(put: Callable[[], None], stages: Sequence[Tests], limit_s: int) -> int:
    """Start a process in which the tests run on what is put in; it ends with the stage that fails."""
    pid = os.fork()
    if pid:
        return pid
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    stages[0][0].config.pluginmanager.unregister(name="terminalreporter")
    code = NOT_PUT_IN
    try:
        put()
        code = 0  # a mutant may even raise what ends the tests
        code = stage_that_fails(stages)
    finally:
        os._exit(code)


# ---- all of them -----------------------------------------------------------------------------------------------------


class Runner:
    """A plugin that runs the tests that pytest collected on every mutant instead of once."""

    def __init__(self, drawn: Sequence[Mutant], jobs: int, most_s: float) -> None:
        self.drawn, self.jobs, self.until = drawn, jobs, time.monotonic() + most_s
        self.found: dict[Mutant, int] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the controls, then the mutants, so many at a time."""
        hypothesis = importlib.import_module("hypothesis")  # not before pytest, which rewrites its assertions
        few = hypothesis.settings(deadline=None, max_examples=EXAMPLES, derandomize=True, database=None)
        hypothesis.settings.register_profile("mutants", few)
        hypothesis.settings.load_profile("mutants")
        stages = [
            [test for test in session.items if test.path.is_relative_to(ROOT / "tests/property") == late]
            for late in (False, True)
        ]
        _remember_answers(next(test for test in stages[1] if test.path.name == "test_oracle.py"))
        if stage_that_fails(stages) < len(stages):  # here, so that forks know what the independent judge answered
            raise SystemExit("the program as it is does not pass: run the tests and mend it first")
        limit_s = round(20 + 2 * time.process_time())
        if os.waitstatus_to_exitcode(os.waitpid(fork(_judge_nothing, stages, limit_s), 0)[1]) != 0:
            raise SystemExit("a judge that answers nothing passes: the tests do not run what is put in")
        running: dict[int, Mutant] = {}
        for mutant in self.drawn:
            if len(running) == self.jobs:
                self._await(running)
            if time.monotonic() > self.until:
                break
            changed = mutated(mutant)[0]
            running[fork(functools.partial(put_in, mutant.module, changed), stages, limit_s)] = mutant
        while running:
            self._await(running)
        return True

    def _await(self, running: dict[int, Mutant]) -> None:
        pid, status = os.wait()
        mutant = running.pop(pid)
        code = os.waitstatus_to_exitcode(status)
        if code == NOT_PUT_IN:
            raise SystemExit(f"{mutant} could not be put in")
        self.found[mutant] = max(0, code)  # negative: a signal, for it ran too long
        _, line, change = mutated(mutant)
        told = f"{len(self.found)} {mutant.module}:{line} {change}: noticed by {NOTICED_BY[self.found[mutant]]}"
        print(told, file=sys.stderr, flush=True)


def _judge_nothing() -> None:
    put_in("judge.py", ast.parse(source("judge.py").replace("    return ", "    return None and ")))


def _remember_answers(test: pytest.Item) -> None:
    """Let the independent judge answer each question about a set once: it is the slow part."""
    oracle: Any = vars(test.module)  # type: ignore[attr-defined]
    asked = oracle["readings"]
    known = functools.cache(lambda tiles, **how: asked(list(tiles), **how))
    oracle["readings"] = lambda tiles, **how: known(tuple(tiles), **how)


def report(found: dict[Mutant, int], possible: int, words: str) -> Iterator[str]:
    counted = Counter(found.values())
    yield "# Mutants of the rules\n"
    yield f"`python -m benchmarks.mutants {words}`, {datetime.now(UTC):%Y-%m-%d}."
    yield f"{len(found):,} drawn of {possible:,} small changes inside the functions of `{RULES}`. In the same run the"
    yield "program as it is passed both stages, and a judge that answers nothing failed the first.\n"
    yield f"| module | drawn | {' | '.join(f'noticed by {name}' for name in NOTICED_BY)} |\n|---|---|---|---|---|"
    for name in sorted({mutant.module for mutant in found}):
        row = Counter(stage for mutant, stage in found.items() if mutant.module == name)
        yield f"| {name} | {row.total()} | {row[0]} | {row[1]} | {row[2]} |"
    yield f"| **all** | {len(found)} | {counted[0]} | {counted[1]} | {counted[2]} |"
    if counted[2]:
        yield "\nNoticed by nothing:\n"
    for mutant, stage in sorted(found.items()):
        if stage == len(NOTICED_BY) - 1:
            _, line, change = mutated(mutant)
            yield f"- {mutant.module}:{line} {change}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants to run at a time")
    parser.add_argument("--minutes", type=float, default=600, help="begin no mutant after so long")
    parser.add_argument("--report", type=Path, help="the page to write; without it, it is printed")
    given = parser.parse_args()
    modules = sorted(file.name for file in (ROOT / RULES).glob("*.py") if file.name != "__init__.py")
    possible = [mutant for module in modules for mutant in mutants(module)]
    random.Random(given.seed).shuffle(possible)
    runner = Runner(possible[: given.sample], given.jobs, 60 * given.minutes)
    os.environ["REFEREE_ORACLE"] = TURNS
    words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--timeout=0", TOO_LONG]
    code = pytest.main([*words, *UNIT, *SECOND], plugins=[runner])
    if not runner.found:
        raise SystemExit(int(code) or 1)
    page = "\n".join(report(runner.found, len(possible), f"--sample {len(runner.found)} --seed {given.seed}")) + "\n"
    if given.report is None:
        print(page, end="")
    else:
        given.report.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
