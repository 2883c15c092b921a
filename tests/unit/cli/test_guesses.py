"""What a newcomer types without having read anything is answered by what was meant, in one line."""

from pathlib import Path

import pytest

from referee.cli.main import main


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("start", "referee: argument COMMAND: 'start' is not known; use 'referee run'"),
        ("demo", "referee: argument COMMAND: 'demo' is not known; use 'referee run --camera sim --until-end'"),
        ("-v", "referee: there is no option -v; use 'referee --version'"),
        ("pin", "referee: argument COMMAND: 'pin' is not known; use 'referee config pin'"),
        ("calibrate board", "referee calibrate: argument STEP: 'board' is not known; use 'referee calibrate camera'"),
        ("run --port 8080", "referee run: there is no option --port; use 'referee run --web HOST:PORT'"),
        ("stat", "referee: argument COMMAND: 'stat' is not known; did you mean 'stats'? See 'referee --help'"),
        ("--camra run", "referee run: there is no option --camra; did you mean '--camera'? See 'referee run --help'"),
        (
            "run twist",
            "referee run: 'twist' is unexpected; options begin with --; see 'referee run --help'",
        ),
    ],
)
def test_a_guess_is_answered(typed: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    assert (ended.value.code, capsys.readouterr().err) == (2, f"{answer}\n")


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("--edition original read x.jpg", "referee read --edition"),
        ("--camera usb:0 calibrate setup", "referee calibrate setup --camera"),
        ("calibrate --camera usb:0 setup", "referee calibrate setup --camera"),
        ("--json status", "referee status --json"),
    ],
)
def test_an_option_before_its_command_is_put_behind_it(
    typed: str, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    option = right.rsplit(maxsplit=1)[-1]
    assert ended.value.code == 2
    assert f": option {option} comes after its command: {right} …; see 'referee" in capsys.readouterr().err


def test_players_are_parted_by_commas(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--camera", "sim", "--players", "Ann Ben"]) == 2
    assert capsys.readouterr().err.endswith("; separate names by commas, as in Ann,Ben\n")


def test_a_film_as_a_camera_is_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (film := tmp_path / "film.mp4").touch()
    assert main(["run", "--camera", str(film)]) == 2
    assert capsys.readouterr().err.endswith(f" is a recording; write replay:{film}\n")
    assert main(["run", "--camera", "film" * 1000]) == 2


def test_a_value_of_an_option_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--signals", "test"])
    assert "'test' is not known; use one of console, gpio, none;" in capsys.readouterr().err
