"""Training code lives beside the models, outside the package: put the repository's root on the path."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # PyTorch's threads wait for each other where tests run side by side
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
