"""Build the Debian packages: the wheel and the wheels it was tried with, laid out below /opt/referee with no compiler.

    python packaging/build_deb.py [--release bookworm|trixie] [--arch amd64|arm64] [--wheel FILE] [--out dist]

Wheels of the other processor are downloaded, never run, so both architectures are built on either. Needs pip and
dpkg-deb. The same sources and wheels give the same package to the byte.
"""

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Final

from completion import write_completions

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = "rummikub-referee"
REVISION: Final = "1"
MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
_PREFIX: Final = Path("opt/referee")
_SCRIPTS: Final = ("preinst", "postinst", "prerm", "postrm")
_GLIBC: Final = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_24", "manylinux_2_17", "manylinux2014")
_COMMAND: Final = """#!/opt/referee/bin/python
import sys

from referee.__main__ import main

sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Release:
    """A release of Debian: its name, the suffix of its packages' versions, and its Python."""

    name: str
    suffix: str
    python: str

    @property
    def pins(self) -> Path:
        """The versions that were tried on its Python."""
        return ROOT / "systemd" / f"pins-{self.python}.txt"


RELEASES: Final = {"bookworm": Release("bookworm", "deb12u1", "3.11"), "trixie": Release("trixie", "deb13u1", "3.13")}


def main() -> None:
    """Build the packages that are asked for and name each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--release", choices=RELEASES, action="append", help="of Debian (both)")
    parser.add_argument("--arch", choices=MACHINES, action="append", help="the processor (both)")
    parser.add_argument("--wheel", type=Path, help="the referee's wheel (built from these sources)")
    parser.add_argument("--wheels", type=Path, default=ROOT / "build" / "wheels", help="where wheels are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where packages go (dist)")
    parser.add_argument("--quick", action="store_true", help="pack in seconds instead of minutes, a third larger")
    arguments = parser.parse_args()
    if shutil.which("dpkg-deb") is None:
        sys.exit("dpkg-deb is not there; on Debian it is in the package dpkg")
    os.environ.setdefault("SOURCE_DATE_EPOCH", _date_of_sources())
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or built_wheel(Path(folder))
        for release in map(RELEASES.__getitem__, arguments.release or RELEASES):
            for arch in arguments.arch or MACHINES:
                root = Path(folder) / f"{release.name}-{arch}"
                wheels = fetched(release, arch, arguments.wheels)
                lay_out(root, release, arch, wheel, wheels)
                print(packed(root, release, arch, wheel, arguments.out, quick=arguments.quick), flush=True)


def built_wheel(folder: Path) -> Path:
    """The referee's own wheel of these sources."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def fetched(release: Release, arch: str, kept: Path) -> Path:
    """The folder with all wheels of the pins, downloaded where they are not kept there yet."""
    folder = kept / f"{release.name}-{arch}"
    _pip("download", "--dest", str(folder), "--requirement", str(release.pins), *target(release, arch))
    return folder


def lay_out(root: Path, release: Release, arch: str, wheel: Path, wheels: Path | None) -> None:
    """Lay the package's files out below `root`, as `make install` does; without `wheels` only the referee itself."""
    environment = root / _PREFIX
    site = environment / "lib" / f"python{release.python}" / "site-packages"
    # Which Python runs pip does not matter: nothing is run that is installed here.
    own = ["install", "--no-index", "--no-compile", "--no-deps", "--ignore-requires-python", "--target", str(site)]
    if wheels is not None:
        _pip(*own, "--find-links", str(wheels), "--requirement", str(release.pins), *target(release, arch))
        shutil.rmtree(site / "bin")  # commands of others, for the Python that laid them out
    name, version, *_ = wheel.name.split("-")  # named, or pip writes down where the file lay
    _pip(*own, "--find-links", str(wheel.parent), f"{name}=={version}")
    shutil.rmtree(site / "bin")
    own_python = f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {release.python}\n"
    _write(environment / "pyvenv.cfg", own_python)
    _write(environment / "bin/referee", _COMMAND, mode=0o755)
    (environment / "bin/python").symlink_to(f"/usr/bin/python{release.python}")
    (environment / "bin/python3").symlink_to("python")
    places = {"UNITS": "usr/lib/systemd/system", "SYSUSERS": "usr/lib/sysusers.d", "UDEV": "usr/lib/udev/rules.d"}
    where = [f"{name}={root / place}" for name, place in {**places, "COMMANDS": "usr/bin"}.items()]
    make = ["make", "--no-print-directory", "-C", str(ROOT), "files", f"DESTDIR={root}", *where]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    list(write_completions(root / "usr/share"))
    _documents(root / "usr/share", release, wheel)


def _documents(share: Path, release: Release, wheel: Path) -> None:
    """What Debian wants beside every package."""
    debian = ROOT / "packaging/debian"
    licence = "".join(f" {line or '.'}\n" for line in (ROOT / "LICENSE").read_text("utf-8").splitlines()[4:])
    copyright_ = (debian / "copyright").read_text("utf-8").replace("@LICENSE@\n", licence)
    _write(share / "doc" / PACKAGE / "copyright", copyright_)
    date = format_datetime(datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC))
    log = (
        f"{PACKAGE} ({version_of(wheel, release)}) {release.name}; urgency=medium\n\n"
        f"  * What is new stands in the change log of the sources.\n\n"
        f" -- The referee authors <referee@users.noreply.github.com>  {date}\n"
    )
    _write(share / "doc" / PACKAGE / "changelog.Debian.gz", gzip.compress(log.encode(), mtime=0))
    _write(share / "lintian/overrides" / PACKAGE, (debian / "lintian-overrides").read_text("utf-8"))


def version_of(wheel: Path, release: Release) -> str:
    """The package's version, as 0.1.0-1~deb13u1."""
    return f"{wheel.name.split('-')[1]}-{REVISION}~{release.suffix}"


def packed(root: Path, release: Release, arch: str, wheel: Path, out: Path, *, quick: bool = False) -> Path:
    """Pack what is laid out below `root` and return the package."""
    control = root / "DEBIAN"
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files)  # noqa: S324 - what dpkg --verify reads
    major, _, minor = release.python.partition(".")
    filled = {
        "VERSION": version_of(wheel, release),
        "ARCH": arch,
        "SIZE": str(sum(path.stat().st_size for path in files) // 1024),
        "PYTHON": release.python,
        "NEXT_PYTHON": f"{major}.{int(minor) + 1}",
    }
    text = (ROOT / "packaging/debian/control.in").read_text("utf-8")
    for name, value in filled.items():
        text = text.replace(f"@{name}@", value)
    _write(control / "control", text)
    _write(control / "md5sums", sums)
    _write(control / "conffiles", "/etc/referee/referee.toml\n")
    for script in _SCRIPTS:
        _write(control / script, (ROOT / "packaging/debian" / script).read_text("utf-8"), mode=0o755)
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            runs = path.parent.name in {"bin", "DEBIAN"} and path.read_bytes()[:2] == b"#!" if path.is_file() else True
            path.chmod(0o755 if runs else 0o644)  # wheels carry any modes
    out.mkdir(parents=True, exist_ok=True)
    package = out / f"{PACKAGE}_{filled['VERSION']}_{arch}.deb"
    pressed = ["-Zgzip", "-z1"] if quick else ["-Zxz"]
    pack = ["dpkg-deb", "--root-owner-group", *pressed, "--build", str(root), str(package)]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    return package


def target(release: Release, arch: str) -> Sequence[str]:
    """What makes pip take the wheels of another Python and processor."""
    platforms = [word for glibc in _GLIBC for word in ("--platform", f"{glibc}_{MACHINES[arch]}")]
    return ["--only-binary=:all:", "--implementation", "cp", "--python-version", release.python, *platforms]


def _pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words], check=True)


def _date_of_sources() -> str:
    """When the sources were last changed, in seconds since 1970; that of the licence where git knows nothing."""
    git = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    return git.stdout.strip() or str(int((ROOT / "LICENSE").stat().st_mtime))


def _write(path: Path, content: str | bytes, *, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)


if __name__ == "__main__":
    main()
