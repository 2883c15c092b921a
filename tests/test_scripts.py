"""Every script beside the package finds what it imports: types are checked for the package and benchmarks alone."""

import importlib
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = [
    path.relative_to(ROOT).with_suffix("")
    for folder in ("models/training", "calibration", "rig")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.stem not in {"__init__", "__main__"}
]


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_script_finds_what_it_imports(script: Path) -> None:
    try:
        importlib.import_module(".".join(script.parts))
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] in {"torch", "PIL", "onnx"}:
            pytest.skip(f"needs {missing.name}: make .venv/.train")
        raise


RUN_BY_HAND = [
    path.relative_to(ROOT)
    for folder in ("benchmarks", "calibration", "packaging", "rig")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if 'if __name__ == "__main__"' in path.read_text("utf-8")
]


@pytest.mark.parametrize("script", RUN_BY_HAND, ids=str)
def test_a_script_asked_for_help_gives_it_and_does_nothing_else(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ".parse_args(" in (ROOT / script).read_text("utf-8")  # or it would begin
    monkeypatch.setattr("sys.argv", [str(script), "--help"])
    monkeypatch.setattr("sys.path", [str((ROOT / script).parent), *sys.path])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / script), run_name="__main__")
    assert ended.value.code == 0
    assert "usage:" in capsys.readouterr().out
    assert not any(tmp_path.iterdir())
