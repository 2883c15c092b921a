"""What training needs next, made on another core while it learns from what came before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from models.training.device import reckon_there

if TYPE_CHECKING:
    from collections.abc import Iterator

Made = TypeVar("Made")


def made_ahead(makes: Iterator[Made]) -> Iterator[Made]:
    """What an iterator gives, in the same order: each thing is made while the one before it is used."""
    with ThreadPoolExecutor(1, initializer=reckon_there) as core:
        coming = core.submit(next, makes, None)
        while (made := coming.result()) is not None:
            coming = core.submit(next, makes, None)
            yield made
