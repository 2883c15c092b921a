"""Evenings made from an edition and a seed: who sits down, at which table, under which lamp, before which camera."""

from collections.abc import Sequence
from random import Random

from referee.errors import ConfigError
from referee.rules.editions import RuleSet
from referee.sim.faces import STYLES
from referee.sim.render import Setting
from referee.sim.scene import Scene
from referee.sim.simulated_match import Players, SimulatedMatch
from referee.sim.surfaces import SURFACES
from referee.sim.unkind import Hardship, UnkindMatch, furniture
from referee.sim.view import View

DEFAULT_SIZE = (1600, 1200)
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eli", "Fay")
_SMALLEST, _LARGEST = (640, 480), (4608, 3456)
_WIDEST_MM = 1250.0
_FINENESS = 1.3  # pixels a millimetre that a camera is hung for


def check_size(size: tuple[int, int]) -> None:
    """Refuse a picture too small to read tiles in, or larger than any camera's."""
    if not all(low <= side <= high for side, low, high in zip(size, _SMALLEST, _LARGEST, strict=True)):
        width, height = size
        raise ConfigError(f"size {width}x{height} is out of range; use 640x480 to 4608x3456, as 1600x1200")


def view_for(size: tuple[int, int], tiles: int, rng: Random) -> View:
    """Return a camera hung so that the whole play area is seen, as near as it allows."""
    width, height = size
    least_height = 620.0 if tiles <= 112 else 820.0
    width_mm = max(min(_WIDEST_MM, width / _FINENESS), least_height * width / height)
    return View(size=size, width_mm=width_mm, tilt=(rng.gauss(0, 1.2), rng.gauss(0, 1.2)), turn=rng.gauss(0, 0.8))


def setting_for(rules: RuleSet, seed: int, size: tuple[int, int], seats: tuple[int, ...]) -> Setting:
    """Return a table, a box, a lamp and a camera, chosen by the seed."""
    rng = Random(f"setting {seed}")
    coloured_by_kind = rules.edition.startswith("3in1")
    styles = [STYLES["yellow"]] if coloured_by_kind else [style for name, style in STYLES.items() if name != "yellow"]
    warmth = rng.choice(((236, 250, 256), (256, 254, 250), (206, 236, 256), (246, 252, 256)))
    return Setting(
        view=view_for(size, rules.tile_count, rng),
        style=rng.choice(styles),
        surface=rng.choice(list(SURFACES)),
        seed=seed,
        light=rng.uniform(-3.1, 3.1),
        warmth=warmth,
        grain=rng.uniform(1.2, 3.0),
        blur=rng.uniform(0.45, 0.75),
        seats=seats,
    )


def unkind_match(
    rules: RuleSet,
    *,
    seed: int,
    games: int,
    cheats: float,
    size: tuple[int, int],
    hardships: Sequence[Hardship],
    outlined: bool = False,
) -> tuple[UnkindMatch, Setting]:
    """Return an unkind match of an edition, and its setting, with these random hardships; `outlined`: calibrated."""
    kind, setting = simulated_match(rules, seed=seed, games=games, cheats=cheats, size=size)
    scene, view = kind.scene, setting.view
    if Hardship.FURNITURE in hardships:
        scene.things = furniture(seed, view.width_mm, view.height_mm)
    unkind = UnkindMatch(
        rules=rules,
        scene=scene,
        company=kind.company,
        rng=kind.rng,
        games=games,
        hardships=tuple(hardships),
        hardship_rng=Random(f"unkind {seed}"),
        outlined=outlined,
    )
    return unkind, setting


def simulated_match(
    rules: RuleSet,
    *,
    seed: int,
    games: int,
    cheats: float,
    size: tuple[int, int] = DEFAULT_SIZE,
    seats: int | None = None,
    first: int = 0,
) -> tuple[SimulatedMatch, Setting]:
    """Return a match of an edition, ready to play, and its setting; equal arguments give equal matches.

    Without `seats`, their number is random; seat `first`, counted from 0, begins.
    """
    check_size(size)
    rng = Random(f"evening {rules.edition} {seed}")
    players = rng.randint(*rules.players)
    players = players if seats is None else seats
    strong = frozenset(seat for seat in range(players) if seat == 0 or rng.random() < 0.4)
    company = Players(players=players, cheats=cheats, strong=strong)
    setting = setting_for(rules, seed, size, company.sides)
    scene = Scene(view=setting.view, thickness=setting.style.thickness, rng=Random(f"places {seed}"))
    return SimulatedMatch(rules=rules, scene=scene, company=company, rng=rng, games=games, first=first), setting
