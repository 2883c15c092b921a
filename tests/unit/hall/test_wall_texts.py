"""What the wall of a hall says: every text it asks for is there, and a table's own page carries none."""

import json
import re
from pathlib import Path

from referee.language.catalogue import catalogue
from referee.server.page_texts import page_text

ROOT = Path(__file__).parents[3]
SCRIPTS = "".join(file.read_text("utf-8") for file in (ROOT / "referee/hall/static").glob("*.js"))
OWN = json.loads((ROOT / "referee/language/hall.json").read_text("utf-8"))


def texts(path: str) -> set[str]:
    asset = page_text(path)
    assert asset is not None
    return set(json.loads(asset.content)["texts"])


def test_every_text_the_wall_asks_for_is_there_and_none_is_idle() -> None:
    asked = set(re.findall(r"\"([a-z]+\.[\w.]+)\"", SCRIPTS)) & (catalogue().texts.keys() | OWN.keys())
    built = tuple(set(re.findall(r"`(hall\.\w+\.)\$\{", SCRIPTS)))
    columns = {"hall.place", "hall.player", "hall.wins", "hall.opponents", "hall.games_won", "hall.total"}
    assert set(re.findall(r"\bt\(\"([^\"]+)\"", SCRIPTS)) <= texts("text/hall/en.json")
    assert {
        id_ for id_ in OWN if id_ not in asked | columns and not id_.startswith(tuple(set(built) - {"hall."}))
    } == set()


def test_the_page_of_one_table_carries_no_text_of_the_wall() -> None:
    assert not {id_ for id_ in texts("text/pl.json") if id_.startswith("hall.")}
    assert OWN.keys() <= texts("text/hall/pl.json")
