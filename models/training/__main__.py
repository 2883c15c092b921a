"""Rebuilds everything: renders the banks, trains the models, grades them, and writes all of it where it belongs.

    python -m models.training --data DATA --photos PHOTOS

What of the banks is there already is not rendered again. The readers come last: they learn from what the others find.
"""

import argparse
import subprocess
import sys
from pathlib import Path

READER = Path(__file__).resolve().parents[1] / "tiles-read.onnx"
WIDE = ("--wide", "--start", str(READER), "--epochs", "30", "--rate", "0.003", "--seed", "8")


def commands(data: Path, photos: Path, workers: int = 0) -> list[list[str]]:
    """What is run, in order; each step can be run alone as well."""
    python, real = [sys.executable, "-m"], ["--photos", str(photos)]
    many = ["--workers", str(workers)] if workers else []
    return [
        [*python, "models.training.train.locate", "--data", str(data / "locate"), *real, "--epochs", "90", *many],
        [*python, "models.training.train.corners", "--data", str(data / "corners"), *many],
        [*python, "models.training.train.read", "--data", str(data / "read"), *real, *many],
        [*python, "models.training.train.read", "--data", str(data / "read"), *real, *many, *WIDE],
        [*python, "models.training.train.likeness", *real],
        [*python, "models.training.evaluate", *real, "--sheets", str(data / "sheets")],
    ]


def main() -> int:
    """Run the steps; the first that fails ends it, with its exit status."""
    parser = argparse.ArgumentParser(description="rebuild the models from nothing")
    parser.add_argument("--data", type=Path, required=True, help="folder for banks and weights: some gigabytes")
    parser.add_argument("--photos", type=Path, required=True, help="folder with labels.jsonl and images/")
    parser.add_argument("--workers", type=int, default=0, help="processes that render and make crops side by side")
    arguments = parser.parse_args()
    for command in commands(arguments.data, arguments.photos, arguments.workers):
        print("$", *command, flush=True)
        status = subprocess.run(command, check=False).returncode  # noqa: S603  our own modules, no shell
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
