"""What the documents promise is there: commands, settings, files and links."""

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest

from models.training.reprinted import REPRINTS
from models.training.spoilt import CHANGES
from referee.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)")


def _readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def _scores() -> dict[str, dict[str, int]]:
    """What the evaluation counted, by world."""
    scores: dict[str, dict[str, int]] = json.loads((ROOT / "models/scores.json").read_text(encoding="utf-8"))["scores"]
    return scores


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


def test_every_setting_is_explained_beside_its_default() -> None:
    text = (ROOT / "referee" / "defaults.toml").read_text(encoding="utf-8")
    settings = [line for line in text.splitlines() if re.match(r"(# )?\w+ = ", line)]
    assert len(settings) >= sum(len(section) for section in tomllib.loads(text).values())
    assert [line for line in settings if "#" not in line.removeprefix("# ")] == []


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


def _between(shares: Sequence[float]) -> str:
    """The least and the largest of some shares in percent, or both at once."""
    least, most = (f"{100 * share:.1f}" for share in (min(shares), max(shares)))
    return f"{least} %" if least == most else f"{least} to {most} %"


def test_the_readme_quotes_the_newest_scores() -> None:
    """Whoever grades the models anew has to mend the README's table in the same change."""
    scores = _scores()
    photographs = scores["all photographs"]
    rendered = {world: score for world, score in scores.items() if "sets" in score and not world.endswith("settled")}
    still = [scores[f"{world}, settled"] for world in rendered]
    tiles, tables = (sum(score[key] for score in rendered.values()) for key in ("tiles", "pictures"))
    worst = min(score["exact"] / score["tiles"] for score in (*rendered.values(), *still))
    drawn = [world for world in rendered if world != "second look"]
    at_once, known = (
        [scores[world + suffix]["sets_exact"] / scores[world + suffix]["sets"] for world in drawn]
        for suffix in ("", ", settled")
    )
    readme = _readme()
    assert f"tiles in {photographs['pictures']} photographs" in readme
    assert f"all {photographs['exact']} found, all right" in readme
    assert f"{tiles:,} tiles of {tables} rendered tables" in readme
    wrong = sum(score["sure_but_wrong"] for score in (*rendered.values(), *still))
    assert f"{100 * worst:.1f} to 100 % right, {wrong} wrong without doubt" in readme
    assert f"{_between(at_once)} of sets" in readme
    assert f"{_between(known)} where a camera that keeps still" in readme
    assert photographs["sure_but_wrong"] == 0
    assert photographs["exact"] == photographs["tiles"]


def test_the_readme_quotes_the_newest_scores_of_changed_photographs() -> None:
    """As above: whole ways by their sum, and each of those that fail by itself."""
    scores = _scores()
    readme = _readme()
    failing = {
        "under a blind": "under the shadows of a blind, {} wrong without doubt",
        "lamps mirrored in the tiles": "with a lamp mirrored in each tile, {} wrong without doubt",
        "hollow digits": "where digits are hollow, and a quarter of those are asked about, {} wrong without doubt",
        "digits in the middle, underlined": "with underlined digits in the middle, {} wrong without doubt",
        "jokers never seen": "with words and pictograms never seen for jokers, {} wrong without doubt",
    }
    for way, told in failing.items():
        score = scores[f"photographs, {way}"]
        assert f"{100 * score['exact'] / score['tiles']:.1f} % {told.format(score['sure_but_wrong'])}" in readme
    at_once = scores["photographs, several changes at once"]
    told = "{exact:,} of {tiles:,} right, {sure_but_wrong} wrong without doubt, {unsure} in doubt".format(**at_once)
    assert told in readme
    for ways, of_them, whole in ((CHANGES, "twenty of twenty-two", 20), (REPRINTS, "fifteen of seventeen", 15)):
        others = [scores[f"photographs, {way}"] for way in ways if way not in failing]
        right, wrong, tiles = (sum(score[key] for score in others) for key in ("exact", "sure_but_wrong", "tiles"))
        assert f"{right:,} of {tiles:,} right and {wrong} wrong without doubt in {of_them} ways" in readme
        assert len(others) == whole
        assert wrong == 0 or ways is REPRINTS


def test_the_readme_quotes_the_newest_presses() -> None:
    """As above, for whoever times presses anew."""
    page = (ROOT / "benchmarks" / "results" / "press.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (legal|illegal) \| (\d+) \| (\d+) \| \d+ \| (\d+) \|$", page, re.MULTILINE)
    presses, most = sum(int(row[1]) for row in rows), max(int(row[3]) for row in rows)
    median = {verdict: middle for verdict, _, middle, _ in rows}
    assert f"{median['legal']} ms at the median where it is legal, {median['illegal']} ms where not" in _readme()
    assert f"{most} ms the slowest of {presses}" in _readme()


def test_the_readme_quotes_the_newest_season() -> None:
    """As above, for whoever plays more games and writes benchmarks/results/season.md."""
    page = (ROOT / "benchmarks" / "results" / "season.md").read_text(encoding="utf-8").splitlines()
    (names,) = (line for line in page if line.startswith("| edition | games |"))
    (sums,) = (line for line in page if line.startswith("| **all** |"))
    told = dict(zip(names.strip("| ").split(" | ")[1:], map(int, re.findall(r"\d+", sums)), strict=True))
    readme = _readme()
    assert f"| {told['turns']:,} turns of simulated matches, about half of them with" in readme
    assert f"{told['undecided']} of {told['judgements']:,} judgements asked for help" in readme
    assert 0.45 < told["with a fault"] / told["turns"] < 0.55
    assert (told["wrong accusation"], told["wrong pass"]) == (0, 0)
