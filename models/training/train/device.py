"""Where training reckons: on a GPU where PyTorch finds one, else on the processor, with 16 bits where either can.

A processor that has no orders for numbers of 16 bits takes ten times as long with them.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import torch

_FLAGS: Final = {"avx512_bf16", "amx_bf16", "bf16"}  # as Linux calls what x86-64 and Arm processors can do

Made = TypeVar("Made")


@cache
def device() -> torch.device:
    """The GPU, or the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def reckon_there() -> None:
    """Let what this thread makes anew be made there; on the processor it reckons alone."""
    torch.set_num_threads(1)
    torch.set_default_device(device())


def batch_size(processor: int, gpu: int) -> int:
    """How many crops of one step suit it: a GPU takes hardly longer for many."""
    return gpu if device().type == "cuda" else processor


def generator(seed: int) -> torch.Generator:
    """Random numbers made there."""
    return torch.Generator(device()).manual_seed(seed)


def autocast() -> torch.autocast:
    """A context in which a net may use 16 bits."""
    can = device().type == "cuda" or bool(_FLAGS & processor_flags())
    return torch.autocast(device().type, torch.bfloat16, enabled=can)


@cache
def processor_flags(about: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """What this processor can do; nothing where the system does not tell."""
    try:
        lines = about.read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    told = [line for line in lines if line.lower().startswith(("flags", "features"))]
    return frozenset(flag for line in told for flag in line.partition(":")[2].split())


def made_ahead(makes: Iterator[Made]) -> Iterator[Made]:
    """What an iterator gives, in the same order: each thing is made while the one before it is used."""
    with ThreadPoolExecutor(1, initializer=reckon_there) as core:
        coming = core.submit(next, makes, None)
        while (made := coming.result()) is not None:
            coming = core.submit(next, makes, None)
            yield made
