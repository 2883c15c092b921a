"""What a Debian package of the referee holds and says, built from these sources without the wheels of others."""

import importlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb: apt install dpkg")


def script() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "packaging")
        return importlib.import_module("build_deb")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder, build = tmp_path_factory.mktemp("deb"), script()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1795000000")
        wheel = build.built_wheel(folder)
        release = build.RELEASES["trixie"]
        build.lay_out(folder / "root", release, "arm64", wheel, None)
        yield build.packed(folder / "root", release, "arm64", wheel, folder / "out", quick=True)


def told(*words: str) -> str:
    return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True, text=True).stdout


@needs_dpkg
def test_a_package_is_named_by_release_and_processor_and_wants_its_python(package: Path) -> None:
    assert package.name == "rummikub-referee_0.1.0-1~deb13u1_arm64.deb"
    depends = told("--field", str(package), "Depends")
    assert "python3 (>= 3.13), python3 (<< 3.14)" in depends
    assert told("--field", str(package), "Recommends").strip() == "python3-lgpio, python3-picamera2, fonts-dejavu-core"


@needs_dpkg
def test_it_holds_program_models_page_unit_rules_user_and_manual(package: Path) -> None:
    lines = [line.split(maxsplit=5) for line in told("--contents", str(package)).splitlines()]
    paths = {line[5].split(" -> ")[0].removeprefix(".") for line in lines}
    site = "/opt/referee/lib/python3.13/site-packages/referee"
    for wanted in (
        "/etc/referee/referee.toml",
        "/opt/referee/bin/referee",
        "/opt/referee/share/doc/operations.md",
        f"{site}/__main__.py",
        f"{site}/page/static/index.html",
        "/usr/bin/referee",
        "/usr/share/bash-completion/completions/referee",
        "/usr/share/fish/vendor_completions.d/referee.fish",
        "/usr/share/zsh/vendor-completions/_referee",
        "/usr/lib/sysusers.d/referee.conf",
        "/usr/lib/systemd/system/referee.service",
        "/usr/lib/udev/rules.d/60-referee.rules",
        "/usr/share/doc/rummikub-referee/copyright",
    ):
        assert wanted in paths, wanted
    assert sum(path.endswith(".onnx") for path in paths) >= 3
    assert not [path for path in paths if "/tests/" in path or path.endswith(".pyc")]
    assert {line[1] for line in lines} == {"root/root"}


@needs_dpkg
def test_two_builds_of_the_same_sources_are_equal_to_the_byte(package: Path, tmp_path: Path) -> None:
    build = script()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1795000000")
        wheel = build.built_wheel(tmp_path)
        build.lay_out(tmp_path / "elsewhere", build.RELEASES["trixie"], "arm64", wheel, None)
        again = build.packed(tmp_path / "elsewhere", build.RELEASES["trixie"], "arm64", wheel, tmp_path, quick=True)
    assert (package.parents[1] / wheel.name).read_bytes() == wheel.read_bytes()
    assert package.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_every_pin_has_the_hashes_of_its_wheels(release: str) -> None:
    text = script().RELEASES[release].pins.read_text("utf-8").replace("\\\n", "")
    pins = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    assert len(pins) > 20
    assert all(
        hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes) for _, *hashes in pins
    )


@pytest.mark.parametrize("name", ["preinst", "postinst", "prerm", "postrm"])
def test_a_script_of_the_package_can_be_run(name: str) -> None:
    subprocess.run(["sh", "-n", str(ROOT / "packaging/debian" / name)], check=True)
