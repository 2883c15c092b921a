"""Test `referee/rules` by mutation: count how many small changes the tests notice.

    nice python -m benchmarks.mutants --sample 300 --jobs 2 --report benchmarks/results/mutants.md

Mutants are sampled by a seed from all that are possible inside functions; a larger sample contains a smaller one. The
tests are collected once. Each mutant is a fork in which one function has changed code. It runs the unit and rulebook
tests, and if they notice nothing, the laws and the independent judge. A mutant that needs much more processor time than
the unchanged program counts as noticed. In the same run the unchanged program must pass both stages, and a judge that
answers nothing must fail the first.
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
ORACLE_TURNS = "200"  # of each edition for the independent judge, and 13 times as many sets
EXAMPLES_PER_LAW = 50  # of each property test
MESSAGE_CALLS = {"say", "say_count"}  # their ids are tested with the catalogues
NOT_INSTALLED = 77  # an exit status

COMPARISON_SWAPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
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
OPERATOR_SWAPS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
CALL_SWAPS = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A change: the index of a module's node in `ast.walk`, and the index of its replacement."""

    module: str
    node: int
    variant: int


Tests = Sequence[pytest.Item]


def replacements(node: ast.AST) -> list[ast.AST]:  # noqa: C901, PLR0911, PLR0912 - a table of cases
    """Return the possible replacements of a node."""
    match node:
        case ast.Compare():
            return [
                ast.Compare(node.left, [*node.ops[:at], new(), *node.ops[at + 1 :]], node.comparators)
                for at, old in enumerate(node.ops)
                for new in COMPARISON_SWAPS[type(old)]
            ]
        case ast.BoolOp():
            return [ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)]
        case ast.UnaryOp(op=ast.Not()):
            return [node.operand]
        case ast.BinOp() if type(node.op) in OPERATOR_SWAPS:
            return [ast.BinOp(node.left, OPERATOR_SWAPS[type(node.op)](), node.right)]
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
        case ast.Call(func=ast.Name(id=name)) if name in CALL_SWAPS:
            return [ast.Call(ast.Name(CALL_SWAPS[name], ast.Load()), node.args, node.keywords)]
    return []


@functools.cache
def source(module: str) -> str:
    """Return the text of a module, read once because it may change on disk while the tests run."""
    return (ROOT / RULES / module).read_text("utf-8")


def mutants(module: str) -> Iterator[Mutant]:
    tree = ast.parse(source(module))
    bodies = [part for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for part in node.body]
    inside_functions = {id(node) for part in bodies for node in ast.walk(part)}
    ignored = {id(node) for part in bodies for root in _ignored_nodes(part) for node in ast.walk(root)}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in inside_functions - ignored:
            yield from (Mutant(module, index, variant) for variant in range(len(replacements(node))))


def _ignored_nodes(part: ast.stmt) -> Iterator[ast.AST]:
    """Yield nodes without effect on behaviour: docstrings, annotations, message ids."""
    for node in ast.walk(part):
        match node:
            case ast.Expr(value=ast.Constant()):
                yield node
            case ast.FunctionDef(returns=ast.AST() as annotation) | ast.arg(annotation=ast.AST() as annotation):
                yield annotation
            case ast.AnnAssign():
                yield node.annotation
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant() as message_id, *_]) if name in MESSAGE_CALLS:
                yield message_id


def apply_mutant(mutant: Mutant) -> tuple[ast.Module, int, str]:
    """Return the changed module, the line of the change, and its description."""
    tree = ast.parse(source(mutant.module))
    old = list(ast.walk(tree))[mutant.node]
    new = replacements(old)[mutant.variant]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    old_text = ast.unparse(old).splitlines()[0]
    Swap().visit(tree)
    changed_tree = ast.fix_missing_locations(tree)
    line = next(node.lineno for node in (old, *ast.walk(old)) if hasattr(node, "lineno"))
    return changed_tree, line, f"`{old_text[:70]}` → `{ast.unparse(new).splitlines()[0][:70]}`"


# ---- one mutant ------------------------------------------------------------------------------------------------------


def install_mutant(module: str, changed_tree: ast.Module) -> None:
    """Replace the code of every function of a module by that of the changed one, wherever it is imported."""
    name = f"{RULES.replace('/', '.')}.{module.removesuffix('.py')}"
    codes = {code.co_qualname: code for code in _codes(compile(changed_tree, module, "exec"))}
    for cached in [
        value
        for key, imported in sys.modules.items()
        if key.startswith("referee.")
        for value in vars(imported).values()
    ]:
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
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
    """Run the tests; return the first stage that fails, or the number of stages."""
    for number, tests in enumerate(stages):
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            if test.session.testsfailed:
                return number
    return len(stages)


def fork(install: Callable[[], None], stages: Sequence[Tests], limit_s: int) -> int:
    """Fork a process that runs the tests on the installed mutant; its exit status is the stage that fails."""
    pid = os.fork()
    if pid:
        return pid
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    stages[0][0].config.pluginmanager.unregister(name="terminalreporter")
    code = NOT_INSTALLED
    try:
        install()
        code = 0  # a mutant may even raise an exception that ends the tests
        code = stage_that_fails(stages)
    finally:
        os._exit(code)


# ---- all of them -----------------------------------------------------------------------------------------------------


class Runner:
    """A pytest plugin that runs the collected tests on every mutant instead of once."""

    def __init__(self, drawn: Sequence[Mutant], jobs: int, limit_s: float) -> None:
        self.chosen, self.jobs, self.until = drawn, jobs, time.monotonic() + limit_s
        self.stage_by_mutant: dict[Mutant, int] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the controls, then the mutants, `jobs` at a time."""
        hypothesis = importlib.import_module("hypothesis")  # not before pytest, which rewrites its assertions
        profile = hypothesis.settings(deadline=None, max_examples=EXAMPLES_PER_LAW, derandomize=True, database=None)
        hypothesis.settings.register_profile("mutants", profile)
        hypothesis.settings.load_profile("mutants")
        stages = [
            [test for test in session.items if test.path.is_relative_to(ROOT / "tests/property") == is_property_test]
            for is_property_test in (False, True)
        ]
        _remember_answers(next(test for test in stages[1] if test.path.name == "test_oracle.py"))
        if stage_that_fails(stages) < len(stages):  # here, so that forks share the independent judge's answers
            raise SystemExit("the program as it is does not pass: run the tests and mend it first")
        limit_s = round(20 + 2 * time.process_time())
        if os.waitstatus_to_exitcode(os.waitpid(fork(_judge_nothing, stages, limit_s), 0)[1]) != 0:
            raise SystemExit("a judge that answers nothing passes: the tests do not run what is put in")
        running: dict[int, Mutant] = {}
        for mutant in self.chosen:
            if len(running) == self.jobs:
                self._await(running)
            if time.monotonic() > self.until:
                break
            changed_tree = apply_mutant(mutant)[0]
            running[fork(functools.partial(install_mutant, mutant.module, changed_tree), stages, limit_s)] = mutant
        while running:
            self._await(running)
        return True

    def _await(self, running: dict[int, Mutant]) -> None:
        pid, status = os.wait()
        mutant = running.pop(pid)
        code = os.waitstatus_to_exitcode(status)
        if code == NOT_INSTALLED:
            raise SystemExit(f"{mutant} could not be put in")
        self.stage_by_mutant[mutant] = max(0, code)  # negative: a signal, because it ran too long
        _, line, change = apply_mutant(mutant)
        noticed = NOTICED_BY[self.stage_by_mutant[mutant]]
        line_text = f"{len(self.stage_by_mutant)} {mutant.module}:{line} {change}: noticed by {noticed}"
        print(line_text, file=sys.stderr, flush=True)


def _judge_nothing() -> None:
    install_mutant("judge.py", ast.parse(source("judge.py").replace("    return ", "    return None and ")))


def _remember_answers(test: pytest.Item) -> None:
    """Cache the independent judge's answers about sets, which are the slow part."""
    oracle: Any = vars(test.module)  # type: ignore[attr-defined]
    original = oracle["readings"]
    cached = functools.cache(lambda tiles, **how: original(list(tiles), **how))
    oracle["readings"] = lambda tiles, **how: cached(tuple(tiles), **how)


def report(stage_by_mutant: dict[Mutant, int], possible: int, options: str) -> Iterator[str]:
    totals = Counter(stage_by_mutant.values())
    yield "# Mutants of the rules\n"
    yield f"`python -m benchmarks.mutants {options}`, {datetime.now(UTC):%Y-%m-%d}."
    count = len(stage_by_mutant)
    yield f"{count:,} drawn of {possible:,} small changes inside the functions of `{RULES}`. In the same run the"
    yield "program as it is passed both stages, and a judge that answers nothing failed the first.\n"
    yield f"| module | drawn | {' | '.join(f'noticed by {name}' for name in NOTICED_BY)} |\n|---|---|---|---|---|"
    for name in sorted({mutant.module for mutant in stage_by_mutant}):
        row = Counter(stage for mutant, stage in stage_by_mutant.items() if mutant.module == name)
        yield f"| {name} | {row.total()} | {row[0]} | {row[1]} | {row[2]} |"
    yield f"| **all** | {len(stage_by_mutant)} | {totals[0]} | {totals[1]} | {totals[2]} |"
    if totals[2]:
        yield "\nNoticed by nothing:\n"
    for mutant, stage in sorted(stage_by_mutant.items()):
        if stage == len(NOTICED_BY) - 1:
            _, line, change = apply_mutant(mutant)
            yield f"- {mutant.module}:{line} {change}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants to run at a time")
    parser.add_argument("--minutes", type=float, default=600, help="begin no mutant after so long")
    parser.add_argument("--report", type=Path, help="the page to write; without it, it is printed")
    arguments = parser.parse_args()
    modules = sorted(file.name for file in (ROOT / RULES).glob("*.py") if file.name != "__init__.py")
    possible = [mutant for module in modules for mutant in mutants(module)]
    random.Random(arguments.seed).shuffle(possible)
    runner = Runner(possible[: arguments.sample], arguments.jobs, 60 * arguments.minutes)
    os.environ["REFEREE_ORACLE"] = ORACLE_TURNS
    command = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--timeout=0", TOO_LONG]
    code = pytest.main([*command, *UNIT, *SECOND], plugins=[runner])
    if not runner.stage_by_mutant:
        raise SystemExit(int(code) or 1)
    page = (
        "\n".join(
            report(
                runner.stage_by_mutant, len(possible), f"--sample {len(runner.stage_by_mutant)} --seed {arguments.seed}"
            )
        )
        + "\n"
    )
    if arguments.report is None:
        print(page, end="")
    else:
        arguments.report.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
