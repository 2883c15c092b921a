"""The tuned numbers of finding tiles."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m models.training.ablate --photos ../shared/photos --set detect.NAME=VALUE`."""

    # Scales at which a photograph is searched (scale_search)
    first_look: int = 640  # pixels of the picture's long side
    smaller: tuple[int, ...] = (1, 2, 4, 7)  # times; at the last a tile that fills the picture is not too large
    finer_looks: tuple[int, ...] = (1280, 2560)  # pixels, where those show nothing: tiles below 14 are not seen
    good_sides: tuple[float, float] = (
        28.0,
        60.0,
    )  # pixels of a tile's long side: what the locate model sees best
    aim: float = 32.0  # pixels of a tile's long side: smaller is quicker; below this quads become inexact
    better_looks: int = 2
    faint: float = 0.5  # of the threshold: the faintest of which some show a face
    surely_a_face: float = 0.9  # chance of one face
    of_one_size: float = 1.25  # times: what is longer or shorter in a place is another tile, a piece, or several in one
    max_sample: int = 96  # of what was found, that tells which way up tiles lie

    # One look (tiling)
    window: tuple[int, int] = (1280, 736)  # pixels: a larger look is made in parts, for it takes 100 bytes a pixel
    overlap: int = 160  # pixels
    seam_overlap: int = 8  # pixels by which two windows may place a tile's middle differently, so that neither drops it
    max_detections: int = 1000  # of a look, the clearest: no box has so many tiles, and all are held against each other

    # A camera that keeps still (detection_scale): `python -m benchmarks.read` tells what they save
    target_long_side: float = 19.8  # pixels of a tile: with its corners refined it is as exact as at 25.5
    min_long_side: float = 17.0  # pixels of small tiles: of 11 pixels they were overlooked, of 15 found
    small_percentile: float = 10  # of the long sides, which stands for the small tiles

    # Foreshortened pictures (foreshortening)
    min_stretch: float = 1.15  # times: where tiles look so much too short, the picture is made longer
    max_stretch: float = 3.0  # times: nobody reads a table from further aslant, and a longer picture takes more memory
    min_tiles_for_stretch: int = 3  # tell how short they look; of fewer one may be half hidden

    # How quads are drawn to corners (corner_refinement)
    max_move: float = 0.6  # half sides: further it is not to be trusted
    min_size_error: float = 0.15  # a side so much (logarithmic) longer or shorter than the others' was outlined wrongly
    max_size_error: float = 0.55  # and so much is another thing than a tile, such as a die
    max_error_left: float = 0.7  # of what a side differed before: what still differs more than that is no better

    # Edges about a face that lies alone (lone_faces): the limit on 535 photographed tiles
    edge_span: float = 1.5  # widths and heights of a quad that are looked at
    edge_inside: float = 0.1  # of its width and height: so far inside an edge is looked for, short of the digits
    edge_percentile: float = 20  # of an edge may be seen badly
    min_edges: float = 0.3  # of the light there, so weighed; 4 of 535 tiles have less, what is written 0.23
    faintest_edge: float = 3  # times it counts, beside the next one: about what is written some side has no edge at all


TUNING: Final = Tuning()
