"""The page's pure modules by node, where it is: the plane geometry of a drawn table, and which tiles moved."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "referee" / "page" / "static"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_pages_pure_modules(tmp_path: Path) -> None:
    shutil.copytree(PAGE, tmp_path / "page")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    tests = [shutil.copy(file, tmp_path) for file in sorted((HERE / "modules").glob("*.test.mjs"))]
    run = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    assert len(tests) >= 2
