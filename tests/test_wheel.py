"""The built wheel, installed into a fresh virtual environment, referees the demo without the checkout."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it with its dependencies; the `bin` folder of its environment."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    pip = [str(folder / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    return folder / "venv" / "bin"


def _referee(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(installed / "referee"), *words]
    return subprocess.run(command, cwd=installed, capture_output=True, text=True, timeout=300, check=False)


def test_wheel_carries_models_defaults_and_types(installed: Path) -> None:
    (package,) = installed.parent.glob("lib/python3*/site-packages/referee")
    carried = {path.relative_to(package).as_posix() for path in package.rglob("*")}
    models = {
        f"models/tiles-{model}.{kind}" for model in ("locate", "corners", "read", "reread") for kind in ("onnx", "json")
    }
    page = {path.relative_to(ROOT / "referee").as_posix() for path in (ROOT / "referee/page/static").rglob("*.*")}
    assert "page/static/index.html" in page
    assert models | page | {"defaults.toml", "py.typed", "language/en.po", "language/pl.po"} <= carried


def test_wheel_brings_the_package_and_nothing_beside_it(installed: Path) -> None:
    (record,) = installed.parent.glob("lib/python3*/site-packages/rummikub_referee-*.dist-info/RECORD")
    paths = [Path(line.rpartition(",")[0].rpartition(",")[0]) for line in record.read_text("utf-8").splitlines()]
    brought = {path.parts[0] for path in paths if path.parts[0] != ".."}  # the commands lie in bin
    assert brought == {"referee", record.parent.name}


def test_installed_wheel_referees_the_demo(installed: Path) -> None:
    run = _referee(installed, "run", "--camera", "sim", "--until-end")
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
    assert "LEGAL" in run.stdout
    assert "wins game 1" in run.stdout


def test_a_page_without_its_extra_says_what_to_install(installed: Path) -> None:
    run = _referee(installed, "run", "--camera", "sim", "--web")
    line = "referee run: the page needs starlette; install it, in the checkout: .venv/bin/pip install -e '.[web]'\n"
    assert (run.returncode, run.stderr) == (2, line)


def test_installed_wheel_judges(installed: Path) -> None:
    run = _referee(installed, "judge", "--edition", "original", "--after", "R3 R4 R6")
    assert run.returncode == 1, run.stderr
    assert "R3 R4 R6" in run.stdout
