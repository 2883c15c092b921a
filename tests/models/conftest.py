"""Training code lives beside the models, outside the package: put the repository's root on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
