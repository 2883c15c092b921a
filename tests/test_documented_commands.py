"""Every command in the documentation is run as it stands there, or left out for a reason that is written here.

What a reader has at home stands in for itself: photographs, the printed board, a Pi camera's pictures come from the
simulated table, under the names the pages use.
"""

import importlib.util
import io
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import cv2
import pytest

from referee.cli.main import main
from referee.game.inputs import MatchStarted, Paused
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds
from referee.rules.notation import parse_tiles
from referee.sim.faces import TILE_HEIGHT_MM, TILE_WIDTH_MM
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.storage.journal import FileJournal
from referee.storage.match_step import MatchStep
from referee.vision.networks.sidecar import find_models
from tests.conftest import PATIENCE_SECONDS
from tests.support.targets import render_sheet, table_sheet

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/RESULTS.md")),
    *(
        ROOT / name / "README.md"
        for name in ("calibration", "models", "packaging/card", "rig", "systemd", "tests/boot")
    ),
    *sorted((ROOT / "docs").glob("*.md")),
]
PROGRAMS = (
    *("referee ", "make ", "sudo ", "git ", "python ", "pip ", ".venv/bin/", ".ci/", "journalctl ", "systemctl "),
    *("cd ", "ls ", "ssh ", "scp ", "rpicam-hello "),
)
# Commands that are not run here, and why.
LEFT_OUT = {
    r"sudo apt .*": "changes the machine; .ci/bare-debian and .ci/arm64 install what is named",
    r"(\.venv/bin/)?pip .*|pre-commit .*": "changes the environment; .ci/bare-debian installs what is named",
    r"(ssh|scp|rpicam-hello|ls /dev/video|cd|sudo (nano|poweroff|mkdir|rm)).*": "the system's own, or a Pi's",
    r"make (docs|completion)": "tests/page/test_manual.py and tests/unit/cli/test_completion.py make both",
    r"make (demo|wheel)": "tests/test_wheel.py runs the demo from the built wheel; .ci/bare-debian runs it from make",
    r"make (test(-long)?|test-floors.*|coverage|lint|format)|\.ci/run": "they run this",
    r"make (bare-)?deb|make bare-debian|\.ci/.*": "they work an hour in a root",
    r"make rig": "tests/unit/test_rig.py holds its pages and prints the pieces",
    r"make boot.*": "hours in a virtual machine; what it taught are tests of their own",
    r"(sudo )?make (un)?install.*": "tests/service/test_unit.py tries DESTDIR, .ci/bare-install the real thing",
    r"git pull.*|git .*": "needs the network; .ci/bare-install tries update and rollback",
    r"(sudo )?(systemctl|journalctl) .*": "needs a running systemd; tests/service/test_unit.py checks the unit",
    r"python -m models\.training.*": "hours of training; tests/models try its parts",
    r"make (texts|settings|page-types|figures)": "they write files of the tree; tests hold what they write",
    r"make screens": "some 150 pictures, four minutes; tests/page/browser opens the same views",
    r"make release .*": "tests/test_release.py tries its parts; .github/workflows/release.yml makes one",
    r"make season.*|python (-m benchmarks\.|benchmarks/).*": "hours; tests/matches and tests/unit/sim try the parts",
    r"referee calibrate camera --camera picamera --light": "tests/unit/calibration/test_lens_step.py drives it",
    r"referee calibrate camera --delay .*": "needs a stream; tests/unit/calibration/test_delay.py measures one's delay",
    r"referee hall tournament sheets .*": "needs a tournament; tests/unit/cli/test_hall_tournament.py prints sheets",
    r"referee calibrate camera --list": "no camera need be attached here; tests/hardware/test_attached.py lists some",
    r"referee simulate .*--games 2.*": "README's smaller evening is simulated",
    r"referee run (--camera replay.* )?--events.*": "README's evening is played back without",
    r"(sudo -u referee )?referee (run --web|config pin).*": "tests/page drive the page and its PIN",
    r"sudo referee status --retry": "there is no service here in safe mode; tests/service/test_safe_mode.py asks one",
}
ENDLESS = {
    r"referee run( --new| --camera sim)?": "Turn 1",
    r"referee photos": "the page is at",
    r"referee hall --broker .*": "the hall's wall is at",
}
"""Commands that are stopped when they have said this."""
MAY_FAIL = ("calibrate check", "calibrate tiles", "status", "config check")  # 1: told that something is not well
FILLED_IN = {"JOURNAL": "match.jsonl", "FILE.zip": "match.zip", "FILE": "told.txt", "COMMAND": "read"}
NAME = re.compile(r"(\.venv/bin/)?referee( [a-z-]+){0,2}")  # of a command, where a text speaks of it
PICTURES = {
    "setup": "setup.png",
    "camera": "board-pictures",
    "colours": "numbers.png",
    "tiles": "jokers.png",
    "check": "numbers.png",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here"),
]


def commands(page: Path) -> Iterator[str]:
    """The commands of a page: lines of its fenced blocks, and those in the running text that say more than a name."""
    fenced = False
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced and line.startswith(PROGRAMS):
            yield from (part.strip() for part in re.sub(r"\s{2,}(#.*|[a-z].*)$", "", line).split("&&"))
        elif not fenced:
            found = [filled_in(said) for said in re.findall(r"`([^`]+)`", line) if said.startswith(PROGRAMS)]
            parts = [part.strip() for said in found for part in said.split("&&")]
            yield from (part for part in parts if "…" not in part and not NAME.fullmatch(part))


def filled_in(said: str) -> str:
    """The command with what a reader is to put there put there."""
    for word, filling in FILLED_IN.items():
        said = re.sub(rf"\b{re.escape(word)}\b", filling, said)
    return said


ALL = list(dict.fromkeys(command for page in PAGES for command in commands(page)))


def reason_to_leave_out(command: str) -> str | None:
    return next((reason for pattern, reason in LEFT_OUT.items() if re.fullmatch(pattern, command)), None)


def _example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_example", ROOT / "calibration" / "make_example.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages speak of."""
    home, example = tmp_path_factory.mktemp("home"), _example()
    (home / "board-pictures").mkdir()
    for number, picture in enumerate(example.board_pictures()):
        cv2.imwrite(str(home / "board-pictures" / f"{number:02d}.png"), picture)
    table = render_sheet(table_sheet((1200, 900), (3, -5, 12, 8)), example.TABLE, example.OPTICS)
    view = View(size=(1920, 1080), width_mm=1750)
    left, top = 275 + TILE_WIDTH_MM / 2, 42 + TILE_HEIGHT_MM / 2  # outer corners 1200 × 900 mm apart
    right, bottom = 1475 - TILE_WIDTH_MM / 2, 942 - TILE_HEIGHT_MM / 2
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    laid = [
        LaidTile(tile=tile, copy=0, x=x, y=y, angle=0.0)
        for tile, (x, y) in zip(parse_tiles("R5 B9 K7 O3"), corners, strict=True)
    ]
    for name, image in {
        "table.png": table,
        "setup.png": example.setup_picture(),
        "picture.jpg": table,
        "four.png": Painter(TableSetting(view=view, seats=())).paint(laid),
        "numbers.png": example.numbers_picture(),
        "photo.jpg": example.numbers_picture(),
        "jokers.png": example.jokers_picture(),
    }.items():
        cv2.imwrite(str(home / name), image)
    shutil.copy(ROOT / "calibration" / "example-profile.json", home / "profile.json")
    games = {"players": ["A", "B"], "games": [{"winner": "A", "racks": {"B": "R5 J"}}]}
    (home / "games.json").write_text(json.dumps(games), "utf-8")
    (home / "players.csv").write_text("name,rating\n" + "".join(f"{name},1500\n" for name in "ABCDEF"), "utf-8")
    inputs: list[Input] = [
        MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original"),
        Paused(Seconds(2.0)),
    ]
    match = Match()
    with FileJournal(home / "match.jsonl") as journal:
        for entered in inputs:
            taken = MatchStep.of(match, entered)
            match = taken.match
            journal.append(taken)
    return home


def from_files(command: str) -> str:
    """The command with a Pi camera's pictures taken from files."""
    kind = re.search(r"calibrate (\w+)", command)
    if kind is None or "--camera picamera" not in command:
        return command
    source = ("four.png" if "--tiles" in command else "table.png") if kind[1] == "table" else PICTURES[kind[1]]
    return command.replace("--camera picamera", f"--camera replay:{source} --name picamera")


def test_the_pages_hold_commands() -> None:
    assert len(ALL) > 40
    assert {"referee calibrate check --camera picamera", "sudo make install"} <= set(ALL)
    unused = [pattern for pattern in LEFT_OUT if not any(re.fullmatch(pattern, command) for command in ALL)]
    assert unused == [], "a reason that nothing needs any more"


@pytest.mark.parametrize("command", ALL)
def test_a_documented_command_does_what_it_says(
    command: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if why := reason_to_leave_out(command):
        pytest.skip(why)
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home))
    plain = command.removeprefix("sudo -u referee ").removeprefix("sudo ").replace("/tmp/", "")  # noqa: S108
    words = shlex.split(from_files(plain))
    if plain.startswith("python calibration/"):
        subprocess.run([sys.executable, str(ROOT / words[1]), *words[2:]], check=True)
        return
    assert words[0] == "referee", f"{command}: give a reason to leave it out, or a way to run it"
    if awaited := next((said for pattern, said in ENDLESS.items() if re.fullmatch(pattern, command)), None):
        _run_until(awaited, words)
        return
    if "<" in words:
        monkeypatch.setattr(
            "sys.stdin", io.TextIOWrapper(io.BytesIO((home / words[words.index("<") + 1]).read_bytes()))
        )
        words = words[: words.index("<")]
    if words[1:3] == ["calibrate", "signals"]:
        words += ["--seconds", "0", "--signals", "none"]
    try:
        code = main(words[1:])
    except SystemExit as wrong:
        code = int(wrong.code or 0)
    told = capsys.readouterr()
    allowed = {0, 1} if " ".join(words[1:3]).startswith(MAY_FAIL) else {0}
    assert code in allowed, told.err


def _run_until(awaited: str, words: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        said = list(until(awaited, process.stdout))
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert awaited in said[-1], said
        assert process.returncode == 0, rest
    finally:
        process.kill()
        process.wait(PATIENCE_SECONDS)


def until(awaited: str, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if awaited in line:
            return
