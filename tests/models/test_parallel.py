"""Banks are rendered by several processes as by one."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")

from models.training.data.crops import build_bank
from models.training.train.parallel import done_by


@pytest.mark.slow
def test_two_processes_render_what_one_renders(tmp_path: Path) -> None:
    for workers in (1, 2):
        done_by(workers, [partial(build_bank, tmp_path / f"{workers}-{seed}", 6, seed) for seed in (3, 4)])
    for seed in (3, 4):
        one, two = (np.load(tmp_path / f"{workers}-{seed}" / "crops.npy") for workers in (1, 2))
        np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, np.load(tmp_path / "1-3" / "crops.npy")), "each seed renders its own"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_job_raises_is_told(tmp_path: Path, workers: int) -> None:
    (tmp_path / "file").write_text("")
    jobs = [partial(build_bank, tmp_path / name, 1, 1) for name in ("fine", "file/below")]
    with pytest.raises(NotADirectoryError, match="below"):
        done_by(workers, jobs)
