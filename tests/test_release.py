"""A release is made only of committed sources whose version and change log say so, and its sums are right."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

from release import ReleaseError, checksums, release_notes, require_equal  # noqa: E402 - a script run by hand

LOG = """# What is new

## 1.2.0 — 2027-01-31

### At the table

- Sees more.

## 1.1.0 — 2026-12-01

- Sees.
"""


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Committed sources of version 1.2.0."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    (tmp_path / "referee").mkdir()
    (tmp_path / "referee/__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(LOG, "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Begin")
    return tmp_path


def test_the_notes_are_the_version_s_part_of_the_change_log(sources: Path) -> None:
    assert release_notes(sources, "1.2.0") == "### At the table\n\n- Sees more.\n"


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("1.2", "'1.2' is no version; write it as 1.0.0 or 1.0.0rc1"),
        ("1.1.0", "referee/__init__.py says 1.2.0, not 1.1.0; change and commit it"),
    ],
)
def test_another_version_is_refused(version: str, line: str, sources: Path) -> None:
    with pytest.raises(ReleaseError) as refused:
        release_notes(sources, version)
    assert str(refused.value) == line


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("# What is new\n", "CHANGELOG.md has no part '## 1.2.0'; write what is new"),
        (
            "## 1.2.0 — not yet released\n",
            "CHANGELOG.md gives 1.2.0 no date; end its title as '## 1.2.0 — 2027-01-31'",
        ),
    ],
)
def test_a_version_without_its_dated_part_is_refused(log: str, line: str, sources: Path) -> None:
    (sources / "CHANGELOG.md").write_text(log, "utf-8")
    git(sources, "commit", "-qam", "Change")
    with pytest.raises(ReleaseError) as refused:
        release_notes(sources, "1.2.0")
    assert str(refused.value) == line


def test_what_is_not_committed_is_named(sources: Path) -> None:
    (sources / "new.py").write_text("")
    with pytest.raises(ReleaseError, match=r"'\?\? new\.py' is not committed; commit or remove it"):
        release_notes(sources, "1.2.0")


def test_the_sums_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    for name in ("a.whl", "b.tar.gz"):
        (tmp_path / name).write_text(name)
    sums = tmp_path / "SHA256SUMS"
    sums.write_text("".join(checksums(tmp_path)))
    checked = subprocess.run(
        ["sha256sum", "--check", sums.name], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert checked.stdout == "a.whl: OK\nb.tar.gz: OK\n"


def test_two_builds_that_differ_are_no_release(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.whl").write_text(folder)
    with pytest.raises(ReleaseError, match=r"two builds of a\.whl differ"):
        require_equal(tmp_path / "one", tmp_path / "two")


@pytest.mark.slow
def test_the_source_archive_and_the_wheel_are_equal_when_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083200")
    for folder in ("one", "two"):
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / folder), str(ROOT)]
        subprocess.run(build, check=True, capture_output=True)
    require_equal(tmp_path / "one", tmp_path / "two")
    assert len(list((tmp_path / "one").iterdir())) == 2


@pytest.mark.parametrize("path", sorted(ROOT.glob(".github/**/*.yml")), ids=lambda path: path.name)
def test_every_workflow_and_form_can_be_read(path: Path) -> None:
    content = yaml.safe_load(path.read_text("utf-8"))
    if path.parent.name == "workflows":
        assert all({"runs-on", "steps"} <= job.keys() for job in content["jobs"].values())
    elif "body" in content:
        assert all(part["attributes"]["label"] for part in content["body"])
