"""Numbers of 16 bits, where the processor reckons in them: elsewhere training with them takes ten times as long."""

from functools import cache
from pathlib import Path
from typing import Final

import torch

_FLAGS: Final = {"avx512_bf16", "amx_bf16", "bf16"}  # as Linux calls what x86-64 and Arm processors can do


def autocast() -> torch.autocast:
    """A context in which a net may use them."""
    return torch.autocast("cpu", torch.bfloat16, enabled=bool(_FLAGS & processor_flags()))


@cache
def processor_flags(about: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """What this processor can do; nothing where the system does not tell."""
    try:
        lines = about.read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    told = [line for line in lines if line.lower().startswith(("flags", "features"))]
    return frozenset(flag for line in told for flag in line.partition(":")[2].split())
