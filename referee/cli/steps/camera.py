"""`referee calibrate camera`: fit the camera's optics to pictures of the printed board."""

import argparse
import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic

import cv2
import numpy as np

from referee.cli.progress import Progress
from referee.cli.steps.common import (
    Picture,
    add_picture_arguments,
    add_profile_arguments,
    check_drawing_folder,
    fresh_profile,
    load_pictures,
    load_settings,
    next_command,
    number_in_range,
    open_camera,
    print_note,
    print_result,
    profile_for,
    profile_path,
    save,
    save_drawing,
)
from referee.cli.steps.delay import measure_delay
from referee.cli.steps.lens import lock_controls, require_live_camera
from referee.errors import CalibrationError, CameraError, ConfigError
from referee.hardware.attached import attached_cameras
from referee.hardware.live import LiveCamera
from referee.hardware.ports import EndOfFrames
from referee.vision.calibrate.lens import CameraFit, fit_camera, uncovered_parts
from referee.vision.calibrate.markers import BoardView, find_board
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls

_MIN_VIEW_CHANGE = 0.06  # of the picture's width; more similar views add no information
_LIVE_WAIT_SECONDS = 0.4


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    add_picture_arguments(parser, several=True)
    add_profile_arguments(parser)
    parser.add_argument(
        "--pictures",
        type=number_in_range(8, 100, int),
        default=15,
        metavar="N",
        help="with --camera: how many to take (15)",
    )
    parser.add_argument(
        "--limit",
        type=number_in_range(10, 3600),
        default=300.0,
        metavar="SECONDS",
        help="with --camera: time limit (300)",
    )
    parser.add_argument("--list", action="store_true", help="only list the attached cameras by name")
    parser.add_argument(
        "--light", action="store_true", help="only measure exposure and white balance again, for another lamp"
    )
    parser.add_argument(
        "--delay", action="store_true", help="only measure how late pictures arrive, by lamps or screen before the lens"
    )


def run(arguments: argparse.Namespace) -> int:
    """Lock focus and light, find the board in each picture, fit the optics, write the profile."""
    if arguments.list:
        return _list_cameras(as_json=arguments.json)
    if arguments.delay:
        return measure_delay(arguments)
    require_live_camera(arguments)
    check_drawing_folder(arguments.annotate, arguments.images or ())
    locked = lock_controls(arguments) if arguments.camera and not arguments.images else None
    if arguments.light and locked:
        return _save_light(arguments, locked)
    names, views = [], []
    for name, view in _views(arguments, locked):
        names.append(name)
        views.append(view)
    with Progress("fitting the optics"):
        fit = fit_camera(views)
    for index in fit.left_out:
        print_note(f"{names[index]}: left out, it fits the others badly")
    save_drawing(arguments.annotate, "lens", _lens_drawing(fit))
    profile, dropped = fresh_profile(arguments, fit.intrinsics.size)
    save(replace(profile, intrinsics=fit.intrinsics, locked=locked or profile.locked), arguments)
    if dropped:
        print_note("the table was calibrated with other optics and is forgotten; run 'referee calibrate table' again")
    _report(fit, names, locked, arguments)
    return 0


def _list_cameras(*, as_json: bool) -> int:
    """Print the attached cameras; return 2 if there is none."""
    found = attached_cameras()
    report = [
        {"camera": camera.camera, "model": camera.model, "path": camera.path and str(camera.path)} for camera in found
    ]
    lines = [f"{camera.camera:10}{camera.model}{f'  {camera.path}' if camera.path else ''}" for camera in found]
    if not found and not as_json:
        raise CameraError("no camera is attached; plug one in, or use a phone: --camera url:http://…")
    if any(camera.path for camera in found):
        lines.append('The path stays the camera\'s own, whatever number it gets: source = "/dev/…" under [camera].')
    print_result({"cameras": report}, lines, as_json=as_json)
    return 0


def _save_light(arguments: argparse.Namespace, locked: LockedControls) -> int:
    """Write focus, exposure and white balance into the profile; keep the rest."""
    settings = load_settings(arguments).camera
    profile = profile_for(arguments, (settings.width, settings.height))
    path = save(replace(profile, locked=locked), arguments)
    print_result({"profile": str(path), "locked": asdict(locked)}, [f"Written to {path}."], as_json=arguments.json)
    return 0


def _views(arguments: argparse.Namespace, locked: LockedControls | None) -> Iterator[tuple[str, BoardView]]:
    """Yield the usable views; print the reason for each unusable picture."""
    if arguments.images:
        with Progress("finding the board") as progress:
            for picture in load_pictures(arguments.images):
                progress.note = picture.name
                view = _view(picture, arguments.annotate)
                if view is not None:
                    yield picture.name, view
    elif arguments.camera:
        yield from _live_views(arguments, locked)
    else:
        raise ConfigError("no pictures of the board given; name files, a folder, or a camera with --camera")


def _view(picture: Picture, folder: Path | None) -> BoardView | None:
    try:
        view = find_board(picture.image)
    except CalibrationError as reason:
        print_note(f"{picture.name}: not used, {reason}")
        return None
    save_drawing(folder, picture.name, _corners_drawing(picture.image, view))
    print_note(f"{picture.name}: {len(view.pixels)} corners")
    return view


def _live_views(arguments: argparse.Namespace, locked: LockedControls | None) -> Iterator[tuple[str, BoardView]]:
    """Yield live views: wait until the board is still in a new place, and print where it is still missing."""
    views: list[BoardView] = []
    print_note("Hold the board before the camera; tilt and move it between pictures. Each good one is counted.")
    reason, waited, until = "", monotonic(), monotonic() + arguments.limit
    with open_camera(arguments, locked) as camera, Progress("taking pictures", arguments.pictures) as progress:
        if isinstance(camera, LiveCamera):
            camera.watches_table = False
        while len(views) < arguments.pictures and monotonic() < until:
            try:
                frame = camera.capture()
            except EndOfFrames:
                return
            try:
                view = find_board(frame.image)
            except CalibrationError as problem:
                if str(problem) != reason and monotonic() - waited > _LIVE_WAIT_SECONDS:
                    reason, waited = str(problem), monotonic()
                    print_note(f"  {reason}")
                continue
            if _is_new(view, views):
                views.append(view)
                progress.done = len(views)
                rest = ", ".join(uncovered_parts(views)[:3]) or "all parts are covered, tilt it more"
                print_note(f"  {len(views)} of {arguments.pictures}; not shown yet: {rest}")
                save_drawing(arguments.annotate, f"board-{len(views):02d}", _corners_drawing(frame.image, view))
                yield frame.frame_id, view


def _is_new(view: BoardView, views: list[BoardView]) -> bool:
    """Return whether the board has moved or turned enough since each earlier view."""
    places = {tuple(place): pixel for place, pixel in zip(view.places.tolist(), view.pixels, strict=True)}
    for other in views:
        both = [
            pixel - places[tuple(place)]
            for place, pixel in zip(other.places.tolist(), other.pixels, strict=True)
            if tuple(place) in places
        ]
        if both and float(np.mean(np.hypot(*np.array(both).T))) < _MIN_VIEW_CHANGE * view.size[0]:
            return False
    return True


def _corners_drawing(image: Image, view: BoardView) -> Image:
    """Return the picture with the detected corners drawn in."""
    drawing = image.copy()
    radius = max(3, image.shape[1] // 300)
    for x, y in view.pixels:
        cv2.circle(drawing, (round(x), round(y)), radius, (0, 170, 255), -1, cv2.LINE_AA)
        cv2.circle(drawing, (round(x), round(y)), radius, (40, 40, 40), 1, cv2.LINE_AA)
    return drawing


def _lens_drawing(fit: CameraFit) -> Image:
    """Return a drawing of a straight grid as the lens distorts it."""
    width, height = fit.intrinsics.size
    drawing = np.full((height, width, 3), 255, np.uint8)
    for part in np.linspace(0.02, 0.98, 13):
        for line in (
            np.column_stack([np.linspace(0, width, 60), np.full(60, part * height)]),
            np.column_stack([np.full(60, part * width), np.linspace(0, height, 60)]),
        ):
            cv2.polylines(drawing, [np.round(line).astype(np.int32)], False, (205, 205, 205), 1, cv2.LINE_AA)
            bent = np.round(fit.intrinsics.distort(line)).astype(np.int32)
            cv2.polylines(drawing, [bent], False, (30, 90, 200), 2, cv2.LINE_AA)
    return drawing


def _report(fit: CameraFit, names: list[str], locked: LockedControls | None, arguments: argparse.Namespace) -> None:
    path = profile_path(arguments)
    optics = fit.intrinsics
    report = {
        "profile": str(path),
        "error_px": round(optics.error_px, 4),
        "pictures": {
            name: round(error, 4) for name, error in zip(names, fit.errors_px, strict=True) if not math.isnan(error)
        },
        "left_out": [names[index] for index in fit.left_out],
        "focal": [round(value, 2) for value in optics.focal],
        "focal_doubt": round(fit.focal_uncertainty, 6),
        "centre": [round(value, 2) for value in optics.centre],
        "distortion": [round(value, 6) for value in optics.distortion],
        "locked": locked and asdict(locked),
    }
    words = [
        f"The camera is calibrated from {optics.pictures} pictures: {optics.error_px:.2f} px of error on average.",
        f"Focal length {optics.focal[0]:.0f} px, known to {fit.focal_uncertainty:.2%}.",
        f"Written to {path}. Next: {next_command(arguments, 'table')}",
    ]
    print_result(report, words, as_json=arguments.json)
