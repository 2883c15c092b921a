"""Files on a real file system that fills up, and files that root makes in somebody's folder."""

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from referee.storage.files import LineFile, make_folder, refusal, whole_file, write_whole

ROOM = 64 * 1024
SERVICE = 987  # a number no user has here
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
NOBODY = 65534


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(disk)], check=False)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_what_does_not_fit_leaves_what_was_there(small_disk: Path) -> None:
    file = small_disk / "a.bin"
    write_whole(file, b"old")
    with pytest.raises(OSError, match="No space left on device"):
        write_whole(file, bytes(2 * ROOM))
    assert file.read_bytes() == b"old"
    assert list(small_disk.iterdir()) == [file]
    with pytest.raises(OSError, match="No space left on device"):
        write_whole(small_disk / "new.bin", bytes(2 * ROOM))
    assert list(small_disk.iterdir()) == [file]


def test_a_line_that_does_not_fit_is_not_there(small_disk: Path) -> None:
    lines = LineFile(small_disk / "a.jsonl")
    line = "x" * 9_999 + "\n"
    for _ in range(ROOM // len(line)):
        lines.write(line)
    with pytest.raises(OSError, match="No space left on device"):
        lines.write(line)
    kept = (small_disk / "a.jsonl").read_text()
    assert kept == line * (ROOM // 10_000)
    lines.write("short\n")
    lines.close()
    assert (small_disk / "a.jsonl").read_text() == kept + "short\n"


def test_whatever_breaks_the_writing_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_whole(file, "old")
    with suppress(KeyboardInterrupt), whole_file(file) as half:
        half.write(b"half")
        raise KeyboardInterrupt
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a", "old")]


def test_links_devices_and_modes_are_kept(tmp_path: Path) -> None:
    file, link = tmp_path / "a", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, "new")
    assert (file.read_text(), file.stat().st_mode & 0o777, link.is_symlink()) == ("new", 0o640, True)
    write_whole(Path("/dev/null"), "nothing")
    assert Path("/dev/null").is_char_device()
    write_whole(tmp_path / "pin", "x", mode=0o600)
    assert (tmp_path / "pin").stat().st_mode & 0o777 == 0o600


def open_to_others(folder: Path) -> None:
    """Let every user into a temporary folder."""
    shared = Path(tempfile.gettempdir())
    for above in (one for one in (folder, *folder.parents) if one.is_relative_to(shared) and one != shared):
        above.chmod(0o755)


@AS_ROOT
def test_what_root_makes_belongs_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    make_folder(tmp_path / "a" / "b")
    write_whole(tmp_path / "a" / "b" / "c", "x")
    LineFile(tmp_path / "a" / "lines").close()
    assert {path.stat().st_uid for path in tmp_path.rglob("*")} == {NOBODY}


def test_a_refusal_names_the_way_out_that_helps() -> None:
    full, denied = OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EACCES, "Permission denied")
    assert str(refusal(full, Path("/x"))) == "(No space left on device); free some space or name another"
    assert str(refusal(denied, Path("/etc/x/y"), "name another folder")) == "(Permission denied); name another folder"


@AS_ROOT
def test_a_file_that_root_has_left_is_named_with_the_cure(tmp_path: Path) -> None:
    open_to_others(tmp_path)
    state = tmp_path / "state"
    state.mkdir()
    (state / "lock").write_text("")
    os.chown(state, NOBODY, NOBODY)
    script = (
        "import os; from pathlib import Path; from referee.errors import StorageError;"
        "from referee.storage.folder import FolderLock\n"
        f"os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        f"try: FolderLock(Path({str(state)!r}))\n"
        "except StorageError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert said.stdout == (
        f"folder {state} cannot be used: lock (Permission denied); it belongs to root: sudo chown -R nobody: {state}\n"
    ), said.stderr


@AS_ROOT
def test_what_belongs_to_the_service_is_told_with_its_user(tmp_path: Path) -> None:
    """A maker who is logged in runs a command as oneself; the service's folder is closed to others."""
    open_to_others(tmp_path)
    state = tmp_path / "state"
    state.mkdir(mode=0o750)
    os.chown(state, SERVICE, SERVICE)
    script = (
        "import os; from pathlib import Path; from referee.cli.streams import machine_fault\n"
        "from referee.storage.folder import FolderLock; from referee.storage.journal import load_journal\n"
        "from referee.storage.profile import load_profile\n"
        f"os.setgid({NOBODY}); os.setuid({NOBODY}); state = Path({str(state)!r})\n"
        "for use, name in ((FolderLock, ''), (load_journal, 'j'), (load_profile, 'p'), (open, 'x')):\n"
        "    try: use(state / name)\n"
        "    except OSError as error: print(machine_fault(error))\n"
        "    except Exception as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    lines = said.stdout.splitlines()
    assert len(lines) == 4, said.stderr
    for line in lines:
        assert "Permission denied" in line
        assert line.endswith(f"; it belongs to {SERVICE}: begin with sudo -u {SERVICE}")
