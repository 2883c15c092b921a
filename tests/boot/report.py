"""What came of a trial: kept from run to run, as JUnit XML for programs and as one page for people."""

import json
import os
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from machine import Machine


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one case."""

    name: str
    seconds: float
    notes: tuple[str, ...]
    failure: str = ""


class Report:
    """All results so far; each is on the disk as soon as it is known."""

    def __init__(self, folder: Path, arch: str, *, again: bool = False) -> None:
        self._folder, self._arch = folder, arch
        self._file = folder / "results.json"
        self._about = ""
        if again:
            self._file.unlink(missing_ok=True)
        known = json.loads(self._file.read_text("utf-8")) if self._file.exists() else []
        self.results = [Result(**{**each, "notes": tuple(each["notes"])}) for each in known]

    def about(self, machine: Machine) -> None:
        """Say what was on trial."""
        built = (self._folder / "built").read_text("utf-8").strip()  # the checkout may have gone on since
        models = "inside the guest" if machine.accel == "kvm" else "outside the guest"
        chip = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
        host = f"{os.cpu_count()} shared cores" + (f" of {chip[1]}" if chip else "")
        on = f"Debian 13 on {self._arch}, {machine.memory} MB, {machine.accel} on {host}"
        self._about = f"{on}, models {models}; the program of {built}"

    def knows(self, name: str) -> bool:
        """Whether this case is already known to pass."""
        return any(result.name == name and not result.failure for result in self.results)

    def add(self, result: Result) -> None:
        """Keep a result, in place of an earlier one of the same case."""
        self.results = [*(each for each in self.results if each.name != result.name), result]
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(each) for each in self.results], indent=1), "utf-8")
        fresh.replace(self._file)
        self.write()

    def page(self) -> str:
        """One page; the cuts that passed are in the JUnit report alone."""
        failed = [each for each in self.results if each.failure]
        cuts = [each for each in self.results if each.name.startswith("cut ")]
        cut = f"{len(cuts)} power cut{'s' * (len(cuts) != 1)} tried, {sum(not each.failure for each in cuts)} passed"
        lines = [
            "# The boot trial",
            "",
            f"{datetime.now(UTC):%Y-%m-%d}; `make boot`. {self._about}.",
            "",
            f"**{len(self.results) - len(failed)} of {len(self.results)} cases passed; {cut}.**",
            "",
            "| case | seconds | what was seen |",
            "|---|---|---|",
        ]
        for each in [each for each in self.results if each.failure or each not in cuts]:
            said = "; ".join(each.notes) if not each.failure else f"**{each.failure}**"
            lines.append(f"| {each.name} | {each.seconds:.0f} | {' '.join(said.replace('|', '/').split())} |")
        return "\n".join(lines) + "\n"

    def write(self) -> int:
        """Write both reports; 1 where a case failed, else 0."""
        failed = [each for each in self.results if each.failure]
        suite = ET.Element(
            "testsuite", name=f"boot-{self._arch}", tests=str(len(self.results)), failures=str(len(failed))
        )
        for each in self.results:
            case = ET.SubElement(suite, "testcase", classname="boot", name=each.name, time=f"{each.seconds:.1f}")
            if each.failure:
                ET.SubElement(case, "failure", message=each.failure[:200]).text = each.failure
            ET.SubElement(case, "system-out").text = "\n".join(each.notes)
        ET.ElementTree(suite).write(self._folder / "boot.xml", "utf-8", xml_declaration=True)
        (self._folder / "boot.md").write_text(self.page(), "utf-8")
        return 1 if failed else 0
