"""Leaving steps out: each name still stands for something, and the pipeline is whole again afterwards."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="rendering needs the train extra")

from models.training.ablate import BEGINS, ENDS, STEPS_TABLE, Remembered, Variant, as_markdown, main, worlds_of
from models.training.evaluate.ablation_steps import STEPS
from referee.vision.detect.tuning import TUNING


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_left_out_within_and_there_afterwards(step: str) -> None:
    before = [getattr(owner, name) for owner, name, _ in STEPS[step]]
    with Variant(step, (step,)).left_out():
        within = [getattr(owner, name) for owner, name, _ in STEPS[step]]
    assert within == [instead for _, _, instead in STEPS[step]]
    assert [getattr(owner, name) for owner, name, _ in STEPS[step]] == before


def test_another_value_of_a_tuned_number_is_tried_within() -> None:
    usual = TUNING.target_search_side
    with Variant("larger", ("detect.target_search_side=36.0",)).left_out():
        assert TUNING.target_search_side == 36.0
    assert usual == TUNING.target_search_side
    with pytest.raises(AttributeError, match="no_such"), Variant("unknown", ("detect.no_such=1",)).left_out():
        pass


def test_a_model_is_asked_once_about_the_same_pixels() -> None:
    asked = []
    model = Remembered(lambda pixels: asked.append(1) or int(pixels.sum()))
    one, other = np.ones((1, 4, 4, 3), np.uint8), np.zeros((1, 4, 4, 3), np.uint8)
    assert [model(pixels) for pixels in (one, other, one)] == [48, 0, 48]
    assert len(asked) == 2
    assert model.saved > 0


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, page = tmp_path / "kept.json", tmp_path / "page.md"
    begins = BEGINS.format(STEPS_TABLE)
    page.write_text(f"before\n{begins}\nold\n{ENDS}\nafter\n", "utf-8")
    words = ["--tables", "1", "--worlds", "second", "--out", str(kept), "--page", str(page)]
    main([*words, "--only", "copies"])
    counts = json.loads(kept.read_text("utf-8"))["counts"]
    assert counts["nothing"]["second look"]["tiles"] == counts["copies"]["second look"]["tiles"] > 50
    monkeypatch.setattr("models.training.ablate._read", lambda *_: pytest.fail("was read before"))
    main([*words, "--only"])
    assert page.read_text("utf-8").startswith(f"before\n{begins}\n\n| left out: time | mission, ")
    assert page.read_text("utf-8").endswith(f"{ENDS}\nafter\n")


def test_worlds_that_are_not_the_missions_are_counted_apart() -> None:
    here = dict.fromkeys(("pictures", "tiles", "wrong", "sure", "doubt", "sets", "sets_wrong", "ms"), 1)
    others = {"other: seat": dict.fromkeys(here, 20), "strange: pages": dict.fromkeys(here, 3)}
    text = as_markdown({"nothing": {"full tables": here, **others}})
    assert text.splitlines()[0].endswith(" others, 20 tiles | strange, 3 pictures, 3 tiles |")
    assert text.splitlines()[-1] == "| nothing: 1.00 | 1/1/1 | 1 of 1 | 20/20/20 | 3/3/3 |"
    only = as_markdown({"nothing": {"strange: pages": dict.fromkeys(here, 3)}})
    assert only.splitlines()[1:] == ["|---|---|", "| nothing: 1.00 | 3/3/3 |"]
    for kind in ("other: ", "strange: "):
        assert any(name.startswith(kind) for name in worlds_of(None, 1, 1))
