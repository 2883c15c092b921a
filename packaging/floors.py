"""Print, as constraints for pip, the lowest versions that pyproject.toml allows."""

import re
import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
for requirement in sorted({*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())}):
    if floor := re.match(r"([\w.-]+)>=([\w.]+)", requirement):
        print(f"{floor[1]}=={floor[2]}")
