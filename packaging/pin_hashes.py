"""Write the hashes of the pins: python packaging/pin_hashes.py, after a version in systemd/pins-*.txt was changed.

Each pin gets those of the wheels that its Debian takes on either processor, as pip finds them; nothing is installed.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from build_deb import MACHINES, RELEASES, Release, target

PIN: Final = re.compile(r"^[A-Za-z0-9._-]+==[^\s\\]+", re.MULTILINE)
_HASH: Final = re.compile(r" *\\\n +--hash=sha256:[0-9a-f]{64}")
_SEPARATORS: Final = re.compile(r"[-_.]+")


def main() -> None:
    """Write every file of pins anew."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    for release in RELEASES.values():
        text = _HASH.sub("", release.pins.read_text("utf-8"))
        pins = PIN.findall(text)
        found = [hashes(release, arch, pins) for arch in MACHINES]
        release.pins.write_text(PIN.sub(partial(_with_hashes, found), text), "utf-8")


def hashes(release: Release, arch: str, pins: list[str]) -> dict[str, str]:
    """Return the SHA-256 of the wheel that pip takes for each pin."""
    ask = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--dry-run", "--no-deps"]
    # Which Python runs pip does not matter: nothing is installed.
    ask += ["--ignore-requires-python", "--ignore-installed", "--target", "none", "--report", "-"]
    ask += [*target(release, arch), *pins]
    answer = subprocess.run(ask, check=True, capture_output=True, text=True).stdout
    return {
        _name(wheel["metadata"]["name"]): wheel["download_info"]["archive_info"]["hashes"]["sha256"]
        for wheel in json.loads(answer)["install"]
    }


def _name(pin: str) -> str:
    """Return the name of a pin as every index writes it."""
    return _SEPARATORS.sub("-", pin.partition("==")[0]).lower()


def _with_hashes(found: Sequence[Mapping[str, str]], match: re.Match[str]) -> str:
    pin = match[0]
    return " \\\n".join([pin, *(f"    --hash=sha256:{one}" for one in sorted({each[_name(pin)] for each in found}))])


if __name__ == "__main__":
    main()
