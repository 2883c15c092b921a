"""Tuning of change detection, the background model, occlusion and pushes."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Measure another value by `python -m benchmarks.changes` (changes and light) or `make season` (all others)."""

    # Changes other than light (change, motion)
    tile_samples: int = 12  # across a tile: the stroke that distinguishes 6 and 8 is one sample wide
    tile_height: float = 1.4  # times its width
    tile_areas: tuple[float, float] = (0.4, 2.2)  # of a change, in tiles: a tile's side and shadow change too
    same_width: float = 0.1  # relative difference of tile widths that counts as equal
    tiles_across: float = 40.0  # assumed until a tile is seen
    motion_samples: int = 160  # across a picture: a hand covers hundreds of samples, a tile a few
    motion_share: float = 0.002  # of the picture, about one tile: less change is no motion
    noise_window: int = 3  # samples: averages out noise and camera shake, but not a stroke
    row_samples: int = 160  # of a row, whose medians tell the light of a flickering lamp
    row_parts: int = 4  # of which an arm covers three at most
    light_window: int = 25  # samples, two tiles: smoother changes are light
    noise_levels: int = 11  # grey levels: twice the residual noise, half the difference of the two most similar faces
    min_relative_change: float = 0.1  # of the brightness
    brightness_floor: float = 12.0  # grey levels, added to dampen dark samples

    # The likeness of places (likeness)
    samples_across: float = 36.0  # steps across a tile by which the best shift is searched
    fine_window: int = 7  # pixels of a crop, an eighth of a tile: smoother differences are light
    min_fine_texture: float = 0.015  # of the brightness: rendered wood has 0.044, cloth 0.022, paint and stone 0.006
    edge_spreads: float = 3.0  # standard deviations of the fine structure to which a step is clipped
    min_fine_correlation: float = 0.7  # of a bare place: cloth has 0.75 and more, a tile or a hand at most 0.16
    max_unlike_fine: float = 0.4  # below it a place shows something else
    min_rim_correlation: float = 0.5  # from which the rim of a tile is still there: bare places have at most 0.2
    max_colour_ratio: float = 1.15  # between the channels' factors in a shadow, once the colour of the light is fitted
    min_shift_response: float = 0.15  # of the phase correlation; pictures of one table have 0.6
    max_sag_share: float = 0.0025  # of the picture's width by which it sags between two looks: more is a push

    # Background model
    min_correlation: float = 0.85  # for a match; 0.95 and more on rendered wood and stone
    max_unlike_correlation: float = 0.5  # above it a place does not differ; with a tile it is less
    grid_points: int = 16  # per side of the grid over a place
    min_share_seen: float = 0.05  # of a place, out of shadow or not overlaid: holes in photographed rows show 7 to 11 %
    min_strong_contrast: float = 12.0  # grey levels (standard deviation): a coaster's edge, that noise hides nowhere
    min_texture: float = 3.0  # grey levels (standard deviation), below which a place is plain
    max_light_change: float = 26.0  # grey levels per channel by which a place may differ once the light is fitted
    light_columns: int = 48  # of the grid of points on which the light is fitted
    shadow_widths: float = 0.4  # tile widths around a tile that its shadow may reach
    near_tiles: float = 2.0  # tile diagonals beyond a place; farther tiles cast no shadow on it
    about_scale: float = 3.0  # times a tile: the surroundings in which light is compared
    mask_scale: float = 1.8  # times a tile: the area of its side and shadow

    # Occlusion
    min_background_share: float = 0.85  # of a place; wood grain has dark lines of its own
    ring_scale: float = 2.0  # times the tile: outside mask_scale
    max_table_contrast: float = 65.0  # grey levels about a place: of rendered wood up to 57, at a coaster's edge 75
    min_points_around: int = 8  # of 40 around a place, needed to know how the table looks there
    compared_tiles: int = 2  # next to a place, which tell how a tile would look there: a shadow falls on them too
    side_widths: float = 0.2  # tile widths around a tile within which its side may be visible
    min_shadow_light: float = 0.35  # of the light remains in a shadow
    min_share_overlaid: float = 0.25  # of a place under other tiles: its own tile has gone or moved slightly
    turned_over_widths: float = 0.5  # tile widths within which a back is the same tile, turned over
    min_no_face_chance: float = 0.3  # no-face probability from which a detection on a matching background is dropped
    likely_no_face: float = 0.5  # no-face probability above which a doubtful detection, once not found again, is gone

    # The edge of the picture (picture_edge, table_region)
    min_changed_samples: int = 18  # connected: a quarter of half a tile
    unseen_chance: float = 0.5  # confidence of an assumed tile beyond the edge
    neighbour_widths: float = 1.05  # tile widths between neighbouring centres
    mask_columns: int = 144  # across the picture
    margin_squares: int = 9  # four on each side cover the overhanging half of a tile

    # An arm over the table (reach)
    min_arm_samples: int = 5  # across: rows half off the table cause narrower changes
    min_reach_samples: int = 24  # two tiles from the table's edge: a hand nearer than that covers no sets
    max_light_spread: float = 0.05  # of the logarithm of the light on one side of a shadow's edge
    furniture_seconds: float = 60.0  # after which what reaches in and stays as it is, is no hand

    # A push of camera or table (camera_shift)
    min_shift_px: float = 6.0  # of a table corner, by the markers
    inlier_widths: float = 0.25  # tile widths from the common motion
    min_share_moved: float = 0.8  # of the tiles
    min_moved_sets: int = 3
    shrunk_columns: int = 480  # of the pictures compared to see whether the table stayed
    reach_widths: float = 1.5  # tile widths around a tile that are ignored in that comparison
    max_difference: float = 0.7  # ratio of the differences without and with motion; below it, the tiles slid


TUNING: Final = Tuning()
