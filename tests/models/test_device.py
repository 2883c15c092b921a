"""Training reckons in 16 bits only where the processor can."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

from models.training.train import device  # noqa: E402  PyTorch may be missing


def about(folder: Path, line: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(f"processor\t: 0\n{line}\nbogomips\t: 4890.81\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "can"),
    [
        ("flags\t\t: fpu avx2 avx512_bf16 amx_tile", True),
        ("Features\t: fp asimd bf16", True),
        ("flags\t\t: fpu avx2 avx512f", False),
        ("Features\t: fp asimd asimddp", False),
    ],
)
def test_what_the_processor_can_do_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, *, can: bool
) -> None:
    flags = device.processor_flags(about(tmp_path, line))
    monkeypatch.setattr(device, "processor_flags", lambda: flags)
    with device.autocast():
        said = torch.nn.Linear(4, 4)(torch.ones(2, 4))
    assert said.dtype == (torch.bfloat16 if can else torch.float32)


def test_where_the_system_does_not_tell_all_bits_are_used(tmp_path: Path) -> None:
    assert device.processor_flags(tmp_path / "cpuinfo") == set()


def test_without_a_gpu_the_processor_reckons_and_takes_few_crops_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "device", lambda: torch.device("cpu"))
    assert device.batch_size(6, 48) == 6
    assert torch.equal(*(torch.rand(3, generator=device.generator(5)) for _ in range(2)))
    monkeypatch.setattr(device, "device", lambda: torch.device("cuda"))
    assert device.batch_size(6, 48) == 48
