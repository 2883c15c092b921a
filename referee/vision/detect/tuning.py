"""Tuning of detection."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m models.training.ablate --photos ../shared/photos --set detect.NAME=VALUE`."""

    # Scale search in photographs (scale_search)
    first_scale_px: int = 640  # pixels of the picture's long side
    downscales: tuple[int, ...] = (1, 2, 4, 7)  # at the last, a tile may fill the picture
    # Long sides, if those show nothing: tiles below 14 pixels are missed.
    fine_scales_px: tuple[int, ...] = (1280, 2560)
    # Pixels of a tile's long side: where the locate model works best.
    good_tile_sides: tuple[float, float] = (28.0, 60.0)
    target_search_side: float = 32.0  # pixels of a tile's long side: smaller is faster; below this quads become inexact
    max_rescales: int = 2
    faint_share: float = 0.5  # of the peak threshold: fainter detections never show a face
    min_face_probability: float = 0.9  # of the likeliest face
    max_size_ratio: float = 1.25  # of long sides in one place: beyond it, one is a piece, or several tiles in one
    max_sample: int = 96  # detections that decide orientation and plane

    # One pass (tiling)
    window: tuple[int, int] = (1280, 736)  # pixels: larger inputs are tiled, as the model needs 100 bytes per pixel
    overlap: int = 160  # pixels
    seam_overlap: int = 8  # pixels by which two windows may disagree on a tile's centre, so that neither drops it
    max_detections: int = (
        1000  # of a pass, best first: duplicates are found in quadratic time, and no box has so many tiles
    )

    # A fixed camera (detection_scale): `python -m benchmarks.read` measures the savings
    target_long_side: float = 19.8  # pixels of a tile: with refined corners as exact as at 25.5
    min_distortion: float = 1.15  # of the largest scale over the smallest: below this the picture is not flattened
    max_distortion: float = 6.0  # tables are not played from farther aslant, and flattened pictures need more memory
    min_tiles_for_flattening: int = 3  # of fewer, one may be half hidden
    least_weight_share: float = 0.6  # of the farthest tile's: beyond it tiles would be half as long

    # Corner refinement
    min_tiles_for_plane: int = 5  # from which on a fitted plane tells which quad is of an odd size
    min_share_on_plane: float = 0.7  # of these, or they are not all tiles
    max_move: float = 0.6  # half sides: larger moves are not trusted
    min_size_error: float = 0.15  # log residual of a side, above which a quad is refined again
    max_size_error: float = 0.69  # above which, with less than half its size, it is not a tile but, say, a die
    max_error_left: float = 0.7  # of the residual before: above this the second refinement is rejected

    # Edges around a face that lies alone (lone_faces), fitted to 535 photographed tiles
    edge_span: float = 1.5  # widths and heights of the quad that are examined
    edge_inside: float = 0.1  # of width and height: how far inside an edge is searched for, short of the digits
    edge_percentile: float = 20  # percentile along an edge: this share of it may be invisible
    min_edges: float = 0.3  # of the local brightness; 4 of 535 tiles have less, writing has 0.23
    faintest_edge: float = 3  # weight of the faintest side beside the second faintest: writing has no edge on some side


TUNING: Final = Tuning()
