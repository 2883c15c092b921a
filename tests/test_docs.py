"""What the documents promise is there: commands, settings, files and links."""

import re
import tomllib
from pathlib import Path

import onnx
import pytest

from benchmarks.figures import MARKED, PAGES_WITH_FIGURES, figures, fill_in
from referee.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)")


def _readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"referee {command}" in _readme()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def anchors(page: Path) -> set[str]:
    """What GitHub makes of a page's headings: lower case, blanks to hyphens, what is no word left out."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_anchor_is_a_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    assert [(to, anchor) for to, anchor in links if anchor not in anchors(page.parent / to if to else page)] == []


def test_the_model_card_tells_crops_as_the_models_take_them() -> None:
    card = (ROOT / "models/README.md").read_text(encoding="utf-8")
    (row,) = [line for line in card.splitlines() if line.startswith("| input |")]
    for name in ("corners", "read", "reread"):
        model = onnx.load(str(ROOT / f"models/tiles-{name}.onnx"))
        rows, columns = (one.dim_value for one in model.graph.input[0].type.tensor_type.shape.dim[1:3])
        assert f"[N, {rows}, {columns}, 3]" in row, name


@pytest.mark.parametrize("setting", ["signals.green_pin", "signals.amber_pin", "signals.red_pin", "signals.buzzer_pin"])
def test_wiring_names_the_default_pins(setting: str) -> None:
    section, key = setting.split(".")
    defaults = tomllib.loads((ROOT / "referee" / "defaults.toml").read_text(encoding="utf-8"))
    (row,) = [
        line
        for line in (ROOT / "docs/wiring.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|") and f"`{setting}`" in line
    ]
    assert row.split("|")[2].split()[0] == str(defaults[section][key])


def test_pages_speak_of_the_project_alone() -> None:
    paths = re.compile(r"(^|[\s'\"(=])/(root|work)/")
    assert [page.name for page in PAGES if paths.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", PAGES_WITH_FIGURES)
def test_every_figure_is_the_recorded_one(name: str) -> None:
    """`make figures` fills them in from the recorded results."""
    page = (ROOT / name).read_text("utf-8")
    assert page == fill_in(page, figures()), (
        "run `make figures`; figures are kept in benchmarks/claims.json and results"
    )


def test_the_readme_is_short_and_marks_its_figures() -> None:
    readme = _readme()
    assert len(readme.splitlines()) <= 130
    rows = readme.partition("## How good is it?")[2].partition("**What it cannot do")[0]
    assert 0 < sum(line.startswith("| ") and "figure" in line for line in rows.splitlines()) <= 12
    assert re.findall(r"\d+", MARKED.sub("", rows)) == ["106", "86"], "a figure without its mark"


def test_nobody_was_accused_wrongly_in_the_season() -> None:
    """The list of results says so; a season that says otherwise needs other words there."""
    assert figures()["season"].startswith("0 wrong accusations, 0 wrong passes")


def test_the_map_answers_where_and_leads_to_what_is_there() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8").partition("## Where to change what")[2]
    rows = dict(re.findall(r"^\| (.*?) \| (.*) \|$", page, re.MULTILINE))
    paths = {path for cell in rows.values() for path in re.findall(r"`(\w+/[\w/.-]+)`", cell)}
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    for asked, path in {
        "how inks are told apart": "referee/vision/context/ink_clustering.py",
        "when a table counts as settled": "referee/reading/consensus.py",
        "a rule, a penalty, an edition": "referee/rules/editions.py",
        "lights and sounds, what is said in words": "referee/game/cues.py",
        "a sentence in another language, such as Dutch": "referee/language/nl.po",
    }.items():
        assert f"`{path}`" in rows[asked]
