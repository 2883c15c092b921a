"""Other prints and shadows that training lays over a crop."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

from models.training.data.augment import barred, glared, hollowed, thinned  # noqa: E402  PyTorch may be missing

LIGHT, DARK = 0.9, 0.2


def struck(count: int = 8) -> torch.Tensor:
    """Light bodies with a dark stroke 11 pixels wide."""
    pictures = torch.full((count, 3, 64, 48), LIGHT)
    pictures[:, :, 10:54, 18:29] = DARK
    return pictures


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def test_thinned_strokes_lose_their_sides_alone() -> None:
    changed = thinned(struck(), rng())
    assert (changed[:, :, 20:44, 18] > DARK + 0.1).all(), "the side of the stroke is paler"
    assert torch.equal(changed[:, :, 20:44, 20:27], struck()[:, :, 20:44, 20:27]), "its middle is as it was"
    assert torch.equal(changed[:, :, :9], struck()[:, :, :9]), "so is the body"


def test_hollowed_strokes_keep_their_sides_alone() -> None:
    changed = hollowed(struck(), rng())
    assert torch.equal(changed[:, :, 20:44, 18], struck()[:, :, 20:44, 18]), "the outline stays"
    assert (changed[:, :, 20:44, 21:26] > (LIGHT + DARK) / 2).all(), "within it the body shows"
    assert changed.max() <= LIGHT + 1e-6


def test_bars_of_shadow_only_darken_and_leave_light_between_them() -> None:
    plain = torch.full((64, 3, 64, 48), LIGHT)
    share = barred(plain, rng()) / plain
    assert share.max() <= 1 + 1e-6
    assert share.min() >= 0.25 - 1e-6
    striped = (share.amin((1, 2, 3)) < 0.8) & (share.amax((1, 2, 3)) > 0.95)
    assert striped.float().mean() > 0.6, "most crops show both; some lie wholly within a bar or between two"
    assert (share == share[:, :1]).all(), "a shadow has no colour"


def test_a_mirrored_lamp_only_brightens_and_leaves_some_of_the_print() -> None:
    plain = struck(64)
    changed = glared(plain, rng())
    assert (changed >= plain - 1e-6).all()
    assert changed.max() <= 1
    stroke, body = changed[:, 0, 10:54, 18:29], changed[:, 0, 10:54, 30:41]
    assert (stroke < body).float().mean() > 0.95, "the stroke stays darker than what is beside it"
    pale = (stroke > DARK + 0.2).float().mean((1, 2))
    assert (pale > 0.1).float().mean() > 0.3, "of many tiles part of the stroke is pale"
    assert (pale < 0.9).float().mean() > 0.8, "seldom all of it"
