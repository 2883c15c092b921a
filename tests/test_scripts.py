"""Every script beside the package finds what it imports: types are checked for the package and benchmarks alone."""

import importlib
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
