"""The tuned numbers of watching a table between two readings."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m benchmarks.changes`, of changes and light, and `make season`, of all else."""

    # Changes beside light (change, motion)
    tile_samples: int = 12  # samples across a tile: the stroke in which 6 and 8 differ is one wide
    tile_height: float = 1.4  # times its width
    tile_areas: tuple[float, float] = (0.4, 2.2)  # tiles: its side and its shadow change, too
    same_width: float = 0.1  # by so much of it tiles may seem wider or narrower than before
    tiles_across: float = 40.0  # of a picture in which no tile has been seen yet
    motion_samples: int = 160  # across a picture: a hand covers hundreds of samples, a tile a few
    motion_share: float = 0.002  # of the picture must change for a motion: about one tile of a full table
    noise_window: int = 3  # samples: noise and the trembling of a camera vanish in it, a stroke does not
    light_window: int = 25  # samples, two tiles: what changes more slowly across the picture is light
    noise_levels: int = 11  # grey levels: twice what noise and JPEG leave, half of what the nearest two faces differ by
    min_relative_change: float = 0.1  # of the brightness, likewise
    brightness_floor: float = 12.0  # grey levels below which nothing can be said

    # The bare table (background_model)
    min_correlation: float = 0.85  # on rendered wood and stone 0.95 and more
    max_unlike_correlation: float = 0.5  # where a tile was laid there it is less
    grid_points: int = 16  # across and along a place
    min_share_seen: float = 0.05  # of a place, out of shadow or not overlaid: holes in photographed rows show 7 to 11 %
    min_texture: float = 3.0  # grey levels (standard deviation) below which a place is plain
    max_light_change: float = 26.0  # grey levels of any colour by which a place may have become lighter or darker
    shadow_widths: float = 0.4  # tile widths from a tile that lies there now: its shadow may lie there too
    near_tiles: float = 2.0  # tiles' diagonals beyond a place: what lies further off shades none of it
    about_scale: float = 3.0  # times a tile: so far about a place the light is compared
    mask_scale: float = 1.8  # times a tile: so much around it may be its side or its shadow

    # Tiles that are not seen any more (occlusion)
    min_background_share: float = 0.85  # of a place; a table's grain has its own dark lines
    ring_scale: float = 2.0  # times the tile: beyond what mask_scale leaves out
    max_table_contrast: float = 65.0  # grey levels about a place: of rendered wood up to 57, at a coaster's edge 75
    min_points_around: int = 8  # of 40 around a place, to tell how the table looks there
    side_widths: float = 0.2  # tile widths from a tile within which its side may be seen
    min_shadow_light: float = 0.35  # a shadow leaves more than this of the light
    min_share_overlaid: float = 0.25  # of a place under other tiles: its own tile is gone or has moved a little
    turned_over_widths: float = 0.5  # tile widths from where a tile lay, within which a back is the same one
    min_no_face_chance: float = 0.3  # from which a place that looks like the bare table is taken for bare

    # The edge of the picture (picture_edge, table_region)
    min_changed_samples: int = 18  # in one place: a quarter of half a tile's
    unseen_chance: float = 0.5  # of a tile that nobody sees
    neighbour_widths: float = 1.05  # tile widths from the middle of a tile to that of its neighbour
    mask_columns: int = 144  # squares across a picture, each of which is table or is not
    margin_squares: int = 9  # four on each side hold the half of a tile that lies beside the table

    # An arm over the table (reach)
    min_arm_samples: int = 5  # across: about rows half off the table narrower rims seem changed
    min_reach_samples: int = 24  # from the edge of the table, two tiles: nearer, a hand rests beside the sets

    # A push of camera or table (camera_shift)
    min_shift_px: float = 6.0  # of a corner of the table, where the markers tell
    inlier_widths: float = 0.25  # tile widths from where the common movement brings a tile
    min_share_moved: float = 0.8  # of the tiles
    min_moved_sets: int = 3
    shrunk_columns: int = 480  # of the small pictures that tell whether the table stayed
    reach_widths: float = 1.5  # tile widths from a tile's middle: beyond, its picture tells nothing
    max_difference: float = 0.7  # of what is about the tiles, by that if it had moved along: below, tiles slid


TUNING: Final = Tuning()
