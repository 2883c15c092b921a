"""Random matches from an edition and a seed: players, table, lamp and camera."""

from collections.abc import Sequence
from random import Random

from referee.errors import ConfigError
from referee.rules.editions import RuleSet
from referee.sim.faces import STYLES
from referee.sim.hardship_kinds import Hardship
from referee.sim.hardships import MatchWithHardships
from referee.sim.lying_objects import furniture, lasting_objects
from referee.sim.render import TableSetting
from referee.sim.scene import Scene, play_area
from referee.sim.simulated_match import SimulatedMatch, SimulatedPlayers
from referee.sim.surfaces import SURFACES
from referee.sim.view import View

DEFAULT_SIZE = (1600, 1200)
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eli", "Fay")
_MIN_SIZE, _MAX_SIZE = (640, 480), (4608, 3456)
_MAX_WIDTH_MM = 1250.0
_MIN_PIXELS_PER_MM = 1.3  # the lowest resolution of a camera's place


def check_size(size: tuple[int, int]) -> None:
    """Raise ConfigError for a picture that is too small to read tiles, or larger than any camera's."""
    if not all(low <= side <= high for side, low, high in zip(size, _MIN_SIZE, _MAX_SIZE, strict=True)):
        width, height = size
        raise ConfigError(f"size {width}x{height} is out of range; use 640x480 to 4608x3456, as 1600x1200")


def view_of_play_area(size: tuple[int, int], tiles: int, rng: Random) -> View:
    """Return a camera as near as possible that sees the whole play area."""
    width, height = size
    min_height_mm = 620.0 if tiles <= 112 else 820.0
    width_mm = max(min(_MAX_WIDTH_MM, width / _MIN_PIXELS_PER_MM), min_height_mm * width / height)
    return View(size=size, width_mm=width_mm, tilt=(rng.gauss(0, 1.2), rng.gauss(0, 1.2)), turn=rng.gauss(0, 0.8))


def random_setting(rules: RuleSet, seed: int, size: tuple[int, int], seats: tuple[int, ...]) -> TableSetting:
    """Return a random table setting for this seed."""
    rng = Random(f"setting {seed}")
    coloured_by_kind = rules.edition.startswith("3in1")
    styles = [STYLES["yellow"]] if coloured_by_kind else [style for name, style in STYLES.items() if name != "yellow"]
    warmth = rng.choice(((236, 250, 256), (256, 254, 250), (206, 236, 256), (246, 252, 256)))
    return TableSetting(
        view=view_of_play_area(size, rules.tile_count, rng),
        style=rng.choice(styles),
        surface=rng.choice(list(SURFACES)),
        seed=seed,
        light=rng.uniform(-3.1, 3.1),
        warmth=warmth,
        grain=rng.uniform(1.2, 3.0),
        blur=rng.uniform(0.45, 0.75),
        seats=seats,
    )


def match_with_hardships(
    rules: RuleSet,
    *,
    seed: int,
    games: int,
    cheat_rate: float,
    size: tuple[int, int],
    hardships: Sequence[Hardship],
    is_outlined: bool = False,
) -> tuple[MatchWithHardships, TableSetting]:
    """Return a match of an edition with these random hardships, and its setting; `is_outlined`: calibrated."""
    plain, setting = simulated_match(rules, seed=seed, games=games, cheat_rate=cheat_rate, size=size)
    scene, view = plain.scene, setting.view
    if Hardship.FURNITURE in hardships:
        scene.objects = furniture(seed, view.width_mm, view.height_mm)
    scene.objects += lasting_objects(hardships, seed, play_area(view))
    match = MatchWithHardships(
        rules=rules,
        scene=scene,
        players=plain.players,
        rng=plain.rng,
        games=games,
        hardships=tuple(hardships),
        hardship_rng=Random(f"unkind {seed}"),
        is_outlined=is_outlined,
    )
    return match, setting


def simulated_match(
    rules: RuleSet,
    *,
    seed: int,
    games: int,
    cheat_rate: float,
    size: tuple[int, int] = DEFAULT_SIZE,
    seats: int | None = None,
    first: int = 0,
) -> tuple[SimulatedMatch, TableSetting]:
    """Return a match of an edition, ready to play, and its setting; equal arguments give equal matches.

    Without `seats`, their number is random; seat `first`, counted from 0, begins.
    """
    check_size(size)
    rng = Random(f"evening {rules.edition} {seed}")
    count = rng.randint(*rules.players)
    count = count if seats is None else seats
    strong = frozenset(seat for seat in range(count) if seat == 0 or rng.random() < 0.4)
    players = SimulatedPlayers(count=count, cheat_rate=cheat_rate, strong_seats=strong)
    setting = random_setting(rules, seed, size, players.sides)
    scene = Scene(view=setting.view, thickness=setting.style.thickness, rng=Random(f"places {seed}"))
    return SimulatedMatch(rules=rules, scene=scene, players=players, rng=rng, games=games, first=first), setting
