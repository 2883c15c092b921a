"""Make a release: check sources and version, run all checks, and lay down everything that is published.

    python packaging/release.py 1.0.0 [--checked] [--out dist/1.0.0]

`--checked`: `.ci/run` has passed on this commit. The same commit gives the same files to the byte: the source archive
and the wheel are built twice and compared. Needs git, and the tools of the extras dev, docs and release.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
VERSION: Final = re.compile(r"\d+\.\d+\.\d+(?:rc\d+)?")
BESIDE: Final = ("packaging/card", "systemd", "rig", "calibration")
"""Folders whose files a maker needs beside the package."""


class ReleaseError(Exception):
    """What stands in the way of a release, and the way out."""


def main() -> None:
    """Make the release and name its files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version", help="as 1.0.0, or 1.0.0rc1 to try it first")
    parser.add_argument("--checked", action="store_true", help="all checks have passed on this commit")
    parser.add_argument("--out", type=Path, help="where the files go (dist/VERSION)")
    arguments = parser.parse_args()
    out = (arguments.out or ROOT / "dist" / arguments.version).resolve()
    try:
        notes = release_notes(ROOT, arguments.version)
        if not arguments.checked:
            _run(str(ROOT / ".ci/run"))
        build(out, notes)
    except ReleaseError as error:
        sys.exit(f"no release: {error}")
    print("\n".join(str(path) for path in sorted(out.iterdir())))


def release_notes(root: Path, version: str) -> str:
    """Return what is new in this version; ReleaseError if the sources are not that version's."""
    if VERSION.fullmatch(version) is None:
        raise ReleaseError(f"{version!r} is no version; write it as 1.0.0 or 1.0.0rc1")
    changed = _said("git", "-C", str(root), "status", "--porcelain")
    if changed:
        raise ReleaseError(f"{changed.splitlines()[0].strip()!r} is not committed; commit or remove it")
    source = (root / "referee/__init__.py").read_text("utf-8")
    (own,) = re.findall(r'^__version__ = "(.*)"$', source, re.MULTILINE)
    if own != version:
        raise ReleaseError(f"referee/__init__.py says {own}, not {version}; change and commit it")
    log = (root / "CHANGELOG.md").read_text("utf-8")
    parts = re.split(r"^## ", log, flags=re.MULTILINE)[1:]
    mine = next((part for part in parts if part.split()[0] == version), None)
    if mine is None:
        raise ReleaseError(f"CHANGELOG.md has no part '## {version}'; write what is new")
    title, _, notes = mine.partition("\n")
    if re.search(r"\d{4}-\d{2}-\d{2}$", title) is None:
        raise ReleaseError(f"CHANGELOG.md gives {version} no date; end its title as '## {version} — 2027-01-31'")
    return notes.strip() + "\n"


def build(out: Path, notes: str) -> None:
    """Lay down the archives, packages, manual, makers' files, components and checksums in an empty folder."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    os.environ["SOURCE_DATE_EPOCH"] = _said("git", "-C", str(ROOT), "log", "-1", "--format=%ct")
    _run(sys.executable, str(ROOT / "packaging/manual/build.py"))
    with tempfile.TemporaryDirectory() as again:
        for folder in (out, Path(again)):
            _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
        require_equal(out, Path(again))
    (wheel,) = out.glob("*.whl")
    _run(sys.executable, str(ROOT / "packaging/build_deb.py"), "--wheel", str(wheel), "--out", str(out))
    shutil.copyfile(ROOT / "referee/page/manual.zip", out / "manual.zip")
    kept = ["git", "-C", str(ROOT), "archive", "--format=zip", f"--output={out / 'makers-files.zip'}", "HEAD", *BESIDE]
    _run(*kept)
    for pins in sorted((ROOT / "systemd").glob("pins-*.txt")):
        name = out / f"components-python{pins.stem.removeprefix('pins-')}.cdx.json"
        listed = ["requirements", str(pins), "--output-reproducible", "--of", "JSON", "-o", str(name)]
        _run(sys.executable, "-m", "cyclonedx_py", *listed)
    (out / "NOTES.md").write_text(notes, "utf-8")
    (out / "SHA256SUMS").write_text("".join(checksums(out)), "utf-8")


def require_equal(first: Path, second: Path) -> None:
    """Raise ReleaseError if two builds differ in a byte."""
    for path in sorted(first.iterdir()):
        if path.read_bytes() != (second / path.name).read_bytes():
            raise ReleaseError(f"two builds of {path.name} differ; compare them with diffoscope")


def checksums(folder: Path) -> Iterator[str]:
    """Yield a line for each file, as `sha256sum --check` reads it."""
    for path in sorted(folder.iterdir()):
        yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def _run(*words: str) -> None:
    if subprocess.run(words, check=False, stdout=sys.stderr).returncode:
        raise ReleaseError(f"{' '.join(words)!r} failed")


def _said(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
