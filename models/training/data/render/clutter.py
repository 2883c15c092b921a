"""Things on a table that are not tiles: paper, cards, phones, cups, coins, dice, dominoes, keyboards, racks, hands."""

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render.canvas import Canvas, disc
from models.training.data.render.layout import Rack, Spot, outline
from models.training.data.render.lens import Floats, Image, Rng
from models.training.data.render.surfaces import any_colour

Thing = Callable[[Rng, Canvas, Spot], None]
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX)
_THICKEST = 5000  # pixels: nearer to a camera than that a hand hides everything


def paper(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A score sheet, a note, a booklet's page or an envelope."""
    size = rng.choice(np.array([[105, 148], [148, 210], [76, 76], [60, 90], [110, 220], [30, 120]]))
    texture = np.full(
        (int(size[1]) * 2, int(size[0]) * 2, 3), rng.uniform(200, 255, 3) if rng.random() < 0.3 else 240, np.uint8
    )
    ink = rng.uniform(0, 110, 3).tolist()
    line = int(rng.integers(8, 26))
    for row in range(line, texture.shape[0] - line, line):
        if rng.random() < 0.8:
            text = "".join(rng.choice(list("abc  defgh 0123456789 iklmn"), 40))
            cv2.putText(
                texture, text, (line, row), FONTS[int(rng.integers(0, 2))], line / 40, ink, 1 + line // 18, cv2.LINE_AA
            )
        elif rng.random() < 0.4:
            cv2.rectangle(texture, (line, row), (line + int(rng.uniform(20, 120)), row + line), ink, 1)
    canvas.print(texture, _lying(at, float(size[0]), float(size[1]), 0.3))


def card(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A playing card, its face or its back; sometimes a few fanned."""
    x, y, angle = at
    for place in range(int(rng.choice([1, 1, 2, 5]))):
        texture = np.full((176, 114, 4), 248, np.uint8)
        if rng.random() < 0.3:
            texture[8:-8, 8:-8, :3] = any_colour(rng).astype(np.uint8)
            texture[16:-16:8, 8:-8, :3] = 230
        else:
            ink = ((30, 20, 200), (20, 20, 20))[int(rng.integers(0, 2))]
            text = str(rng.choice(["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]))
            cv2.putText(texture, text, (6, 30), FONTS[1], 0.9, (*ink, 255), 2, cv2.LINE_AA)
            texture[:] = np.maximum(texture[::-1, ::-1] // 2 + texture // 2, np.minimum(texture, texture[::-1, ::-1]))
            for _ in range(int(rng.integers(1, 9))):
                cv2.circle(
                    texture, (int(rng.uniform(30, 84)), int(rng.uniform(20, 150))), 9, (*ink, 255), -1, cv2.LINE_AA
                )
        texture[..., 3] = _rounded(114, 176, 8)
        texture[..., :3] = (texture[..., :3] * (texture[..., 3:] / 255)).astype(np.uint8)
        canvas.print(
            texture, _lying(Spot(x + 14 * place, y + 3 * place, angle - 0.15 * place), 57, 88, 0.4 + 0.3 * place)
        )


def phone(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A telephone with a dark or a lit screen."""
    x, y, angle = at
    body = outline(x, y, angle, 72, 150)
    canvas.prism(body, 0, 8, any_colour(rng) * 0.5)
    texture = np.full((300, 144, 4), rng.uniform(5, 50), np.uint8)
    if rng.random() < 0.5:
        texture[10:-10, 6:-6, :3] = any_colour(rng).astype(np.uint8)
        for row in range(30, 270, 34):
            for column in range(16, 130, 32):
                cv2.rectangle(texture, (column, row), (column + 22, row + 22), (*any_colour(rng).tolist(), 255), -1)
    texture[..., 3] = _rounded(144, 300, 16)
    texture[..., :3] = (texture[..., :3] * (texture[..., 3:] / 255)).astype(np.uint8)
    canvas.print(texture, _lying(at, 72, 150, 8.0))


def cup(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A mug, a glass or a bowl with something in it."""
    x, y, _ = at
    radius, height = rng.uniform(25, 60), rng.uniform(25, 110)
    colour = any_colour(rng) if rng.random() < 0.5 else np.array([235, 238, 240]) * rng.uniform(0.7, 1)
    if rng.random() < 0.4:
        canvas.polygon(np.column_stack([disc(x, y, radius * 1.7), np.full(28, 2.0)]), colour * 0.95)
        canvas.polygon(np.column_stack([disc(x, y, radius * 1.1), np.full(28, 2.0)]), colour * 0.85)
    canvas.prism(disc(x, y, radius), 0, height, colour)
    canvas.polygon(np.column_stack([disc(x, y, radius * 0.9), np.full(28, height)]), colour * 0.55)
    fill = any_colour(rng) if rng.random() < 0.5 else np.array([20, 40, 70])
    canvas.polygon(np.column_stack([disc(x, y, radius * 0.86), np.full(28, height * 0.85)]), fill)


def coin(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """Some coins, chips or buttons."""
    x, y, _ = at
    for _ in range(int(rng.integers(1, 6))):
        colour = np.array([[60, 110, 160], [70, 160, 190], [180, 185, 185]])[int(rng.integers(0, 3))] * rng.uniform(
            0.7, 1.1
        )
        colour = any_colour(rng) if rng.random() < 0.3 else colour
        px, py, radius = x + rng.normal(0, 25), y + rng.normal(0, 25), rng.uniform(8, 14)
        canvas.prism(disc(px, py, radius), 0, 2, colour)
        canvas.polygon(np.column_stack([disc(px, py, radius * 0.75), np.full(28, 2.0)]), colour * rng.uniform(0.8, 1.2))


def dice(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A few dice with pips, or wooden cubes and counters."""
    x, y, _ = at
    colour = np.array([225, 240, 245]) if rng.random() < 0.6 else any_colour(rng)
    for place in range(int(rng.integers(1, 4))):
        px, py, turn, size = x + 30 * place, y + rng.normal(0, 12), rng.uniform(0, 2 * np.pi), rng.uniform(10, 22)
        canvas.prism(outline(px, py, turn, size, size), 0, size, colour)
        for _ in range(int(rng.integers(1, 7))):
            dx, dy = rng.uniform(-0.32, 0.32, 2) * size
            canvas.polygon(np.column_stack([disc(px + dx, py + dy, size * 0.09, 8), np.full(8, size)]), (20, 20, 20))


def domino(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """Dominoes: as pale and as thick as tiles, but twice as long as wide."""
    x, y, angle = at
    colour = np.array([215, 235, 240]) * rng.uniform(0.8, 1.05) if rng.random() < 0.8 else any_colour(rng)
    width = rng.uniform(18, 30)
    for place in range(int(rng.integers(1, 5))):
        turn = angle + rng.normal(0, 0.1)
        px, py = x + (width + 3) * place * np.sin(angle), y - (width + 3) * place * np.cos(angle)
        canvas.prism(outline(px, py, turn, width, 2.05 * width), 0, 8, colour)
        up, right = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
        bar = outline(px, py, turn, width * 0.85, 1.2)
        canvas.polygon(np.column_stack([bar, np.full(4, 8.1)]), colour * 0.4)
        for half in (-1, 1):
            for _ in range(int(rng.integers(0, 7))):
                spot = (
                    np.array([px, py])
                    + up * half * width * (0.5 + rng.uniform(-0.3, 0.3))
                    + right * width * rng.uniform(-0.32, 0.32)
                )
                canvas.polygon(
                    np.column_stack([disc(float(spot[0]), float(spot[1]), width * 0.08, 8), np.full(8, 8.1)]),
                    (25, 25, 25),
                )


def keyboard(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A keyboard, a calculator or a remote control: rows of lettered keys."""
    x, y, angle = at
    rows, columns = int(rng.integers(2, 7)), int(rng.integers(3, 15))
    frame, key = any_colour(rng) * 0.8, any_colour(rng) if rng.random() < 0.5 else np.array([230, 232, 232])
    texture = np.empty((rows * 36 + 8, columns * 36 + 8, 3), np.uint8)
    texture[:] = frame.astype(np.uint8)
    ink = (20, 20, 20) if key.mean() > 110 else (235, 235, 235)
    for row in range(rows):
        for column in range(columns):
            cv2.rectangle(texture, (column * 36 + 7, row * 36 + 7), (column * 36 + 36, row * 36 + 36), key.tolist(), -1)
            letter = str(rng.choice(list("QWERTZUIOPASDFGHJKLYXCVBNM0123456789")))
            cv2.putText(texture, letter, (column * 36 + 12, row * 36 + 28), FONTS[0], 0.6, ink, 2, cv2.LINE_AA)
    width, height = columns * rng.uniform(10, 19), rows * rng.uniform(10, 19)
    canvas.prism(outline(x, y, angle, width * 1.04, height * 1.08), 0, 9, frame * 0.8)
    canvas.print(texture, _lying(at, float(width), float(height), 9.0))


def blocks(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """Pale rectangles of the wrong shape: letter tiles, erasers, boxes, bars, labels."""
    x, y, angle = at
    colour = np.array([190, 225, 240]) * rng.uniform(0.7, 1.08) if rng.random() < 0.7 else any_colour(rng)
    square = rng.random() < 0.5
    side = rng.uniform(16, 26)
    width, height = (side, side * rng.uniform(0.95, 1.06)) if square else (rng.uniform(12, 60), rng.uniform(90, 190))
    for place in range(int(rng.integers(1, 7)) if square else 1):
        px, py = x + width * 1.04 * place * np.sin(angle), y - width * 1.04 * place * np.cos(angle)
        canvas.prism(outline(px, py, angle, width, height), 0, 5, colour)
        if rng.random() < 0.8:
            texture = np.empty((60, 60, 3), np.uint8)
            texture[:] = colour.clip(0, 255).astype(np.uint8)
            letter = str(rng.choice(list("ABCDEFGHIKLMNOPRSTUWZ")))
            cv2.putText(texture, letter, (12, 46), FONTS[int(rng.integers(0, 3))], 1.4, (30, 30, 30), 3, cv2.LINE_AA)
            canvas.print(texture, _lying(Spot(px, py, angle), width * 0.9, min(width, height) * 0.9, 5.1))


def pen(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """A pen, a ruler, a knife or a cable."""
    x, y, angle = at
    canvas.prism(outline(x, y, angle, rng.uniform(5, 25), rng.uniform(110, 300)), 0, rng.uniform(1, 9), any_colour(rng))


THINGS: tuple[tuple[Thing, float], ...] = (  # what, and about what radius in mm it takes
    (paper, 90), (card, 60), (phone, 80), (cup, 50), (coin, 40),
    (dice, 40), (domino, 60), (keyboard, 80), (blocks, 50), (pen, 60),
)  # fmt: skip


def rack_body(canvas: Canvas, rack: Rack, tile_height: float, colour: Floats) -> None:
    """A two-tier rack without its tiles: a base plate and two slanted shelves."""
    (x, y, angle), width, lean = rack.at, rack.width, rack.lean
    along = np.array([np.cos(angle), np.sin(angle), 0.0]) * width / 2
    back = np.array([-np.sin(angle), np.cos(angle), 0.0])
    rise = np.array([0.0, 0.0, 1.0])
    origin = np.array([x, y, 0.0])
    slope = back * np.cos(lean) + rise * np.sin(lean)
    deep = tile_height * (2 * np.cos(lean) + 0.5)
    base = [
        origin - back * 8 - along,
        origin - back * 8 + along,
        origin + back * deep + along,
        origin + back * deep - along,
    ]
    canvas.polygon(base, colour * 0.5)
    for tier in (1, 0):
        foot = origin + tier * (back * tile_height * np.cos(lean) * 0.9 + rise * tile_height * 0.75) + rise * 5
        top = foot + slope * tile_height * 0.97
        for low, high, light in ((foot - back * 9, foot, 0.7), (foot, top, 1.0)):
            canvas.polygon([low - along, low + along, high + along, high - along], colour * light)
        front = foot - back * 9
        canvas.polygon([front - along, front + along, front + along - rise * 8, front - along - rise * 8], colour * 0.8)
        end = top + back * 3
        canvas.polygon([top - along, top + along, end + along, end - along], colour * 1.15)


def hand(rng: Rng, canvas: Canvas, reach: npt.NDArray[np.float64], heading: float) -> npt.NDArray[np.float32]:
    """A hand and a sleeve from beyond the picture to `reach` (mm); gives where they cover the table (0..1)."""
    skin = np.array([[120, 160, 215], [95, 130, 185], [60, 85, 130], [35, 50, 80], [150, 180, 235]])[
        int(rng.integers(0, 5))
    ]
    skin = skin * rng.uniform(0.85, 1.1)
    layer = np.zeros_like(canvas.image)
    mask = np.zeros(canvas.owner.shape, np.uint8)
    way = np.array([np.cos(heading), np.sin(heading)])
    side = np.array([-way[1], way[0]])
    size, lift = rng.uniform(0.85, 1.15), rng.uniform(20, 60)
    per_mm = float(
        np.hypot(*(canvas.camera.project([[*reach, lift]]) - canvas.camera.project([[*(reach + way), lift]]))[0])
    )

    def limb(points: list[npt.NDArray[np.float64]], width: float, colour: npt.NDArray[np.float64]) -> None:
        pixels = np.round(canvas.camera.project([[*p, lift] for p in points])).astype(np.int32)
        thick = min(max(2, round(width * size * per_mm)), _THICKEST)
        cv2.polylines(mask, [pixels], False, 255, thick, cv2.LINE_AA)
        cv2.polylines(layer, [pixels], False, (colour * 0.72).clip(0, 255).tolist(), thick, cv2.LINE_AA)
        lit = pixels - np.round(canvas.sun[:2] * [-1, 1] * thick * 0.12).astype(np.int32)
        cv2.polylines(layer, [lit], False, colour.clip(0, 255).tolist(), max(1, round(thick * 0.6)), cv2.LINE_AA)

    palm = reach - way * 95 * size
    wrist = palm - way * 60 * size
    elbow = wrist - way * 400 + side * rng.normal(0, 80)
    bare = rng.random() < 0.35
    limb([wrist, elbow], 75, skin if bare else any_colour(rng).astype(np.float64))
    limb([palm + way * 10, wrist - way * 20], 62, skin)
    for spread in (-27, -9, 9, 27):
        if rng.random() < 0.9:
            knuckle = palm + side * spread + way * 25
            tip = reach + side * spread * rng.uniform(0.5, 1.5) - way * (rng.uniform(0, 45) + abs(spread) * 0.5)
            limb([palm + side * spread * 0.8, knuckle, tip], 17, skin)
    limb([palm - side * 30, palm - side * 55 + way * rng.uniform(10, 60)], 20, skin)
    soft = max(0.5, 2.0 * per_mm)
    layer = cv2.GaussianBlur(layer, (0, 0), soft).astype(np.uint8)
    cover = cv2.GaussianBlur(mask, (0, 0), soft).astype(np.float32) / 255
    tint = layer.astype(np.float32) / np.maximum(cover, 0.05)[..., None]
    alpha = (mask.astype(np.float32) / 255)[..., None]
    canvas.image = (canvas.image * (1 - alpha) + tint.clip(0, 255) * alpha).astype(np.uint8)
    canvas.owner[mask > 127] = -1
    return np.asarray(mask.astype(np.float32) / 255, np.float32)


def _lying(at: Spot, width: float, height: float, z: float) -> npt.NDArray[np.float64]:
    return np.column_stack([outline(at.x, at.y, at.angle, width, height), np.full(4, z)]).astype(np.float64)


def _rounded(width: int, height: int, radius: int) -> Image:
    mask = np.zeros((height, width), np.uint8)
    cv2.rectangle(mask, (radius, 0), (width - radius - 1, height - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (width - 1, height - radius - 1), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask
