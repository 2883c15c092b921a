"""The crops that the reader is trained on: what is drawn, what is hidden, and when photographs come in."""

from argparse import Namespace

import numpy as np
import pytest

pytest.importorskip("PIL", reason="rendering needs the train extra")
torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

from models.training import read  # noqa: E402  PyTorch may be missing
from models.training.crops import HIDDEN, SYMBOLS, UNKNOWN, WIDE_CROP, some_tiles  # noqa: E402
from models.training.read_score import Crops  # noqa: E402

JOKERS = {"J", "JD", "JC", "JM"}


def test_the_jokers_of_a_box_lie_side_by_side_now_and_then() -> None:
    rng = np.random.default_rng(5)
    tables = [some_tiles(rng, 6) for _ in range(400)]
    together = [tiles for tiles in tables if set(tiles) <= JOKERS]
    assert 10 <= len(together) <= 50
    assert set().union(*together) == JOKERS


def marked(symbols: list[str]) -> Crops:
    """Crops with a dark bar along the top."""
    pictures = torch.full((len(symbols), *WIDE_CROP, 3), 200, dtype=torch.uint8)
    pictures[:, :20] = 30
    names = torch.tensor([SYMBOLS.index(symbol) for symbol in symbols])
    return Crops(pictures, names, torch.zeros(len(symbols), dtype=torch.long))


def test_a_tile_that_lies_across_its_crop_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "SIDEWAYS", 1.0)
    plain = marked(["3", "JM", "back", "none"])
    crops = read.some_sideways(plain, torch.Generator().manual_seed(1))
    assert crops.symbol[:2].tolist() == [HIDDEN, HIDDEN]
    assert crops.ink[:2].tolist() == [UNKNOWN, UNKNOWN]
    dark = crops.pictures[0, ..., 0] < 100
    assert dark[:, :12].all(), "what was its top is its left side"
    assert not dark[:, 18:].any()
    assert torch.equal(crops.pictures[2], plain.pictures[2]), "a back looks the same from all sides"
    assert crops.symbol[2:].tolist() == plain.symbol[2:].tolist()
    assert torch.equal(plain.pictures, marked(["3", "JM", "back", "none"]).pictures), "the bank stays as it is"


@pytest.mark.parametrize(
    ("renders_only", "start", "alone"),
    [(True, None, 40), (True, "weights.pt", 40), (False, None, 14), (False, "w.pt", 0)],
)
def test_photographs_come_in_late_or_never(*, renders_only: bool, start: str | None, alone: int) -> None:
    arguments = Namespace(renders_only=renders_only, start=start, epochs=40)
    assert read.alone_for(arguments) == alone
