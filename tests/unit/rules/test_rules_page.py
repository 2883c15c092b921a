"""docs/rules.md says what the code does: the table of editions is compared cell by cell."""

from pathlib import Path

from referee.rules.editions import EDITIONS, RuleSet
from referee.rules.formats import FORMATS, Format
from referee.rules.tiles import Colour, Joker
from referee.rules.verdict import Fault

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"
BOOKLETS = {
    "original-and-xp-2025": "O",
    "classic-pressman-2015": "P",
    "twist-lemada-2015": "T",
    "twist-pressman-2017": "TP",
    "three-in-one-polish": "3",
}
NAMES = {
    "booklet": "booklet",
    "box": "tiles, jokers",
    "colour_names": "printed colours, `R` and `O`",
    "players": "players",
    "rack_tiles": "tiles on a rack",
    "initial_meld": "opening",
    "turn_seconds": "seconds for a turn",
    "timed_in_friendly_games": "timed in friendly games",
    "pass_draw": "drawn for no play",
    "overrun_draw": "drawn, time over, nothing laid",
    "incomplete_draw": "drawn, time over, move undone",
    "drawn_tile_waits": "a drawn tile waits a turn",
    "strict_joker_release": "a joker leaves only for its tile",
    "fixed_jokers": "jokers no tile may replace",
    "joker_may_replace_joker": "a joker may replace another kind",
    "mirror_counts_middle": "the mirror counts its middle",
    "colour_change_ends": "the colour change may end a run",
    "mirror_order": "tiles beside a mirror in a group",
    "ties_draw_again": "ties for the start draw again",
    "next_starter": "who starts later games",
    "games_per_player": "games in a round, a player",
    "joker_penalty": "a joker on a rack",
    "unopened_penalty": "loser who has not opened",
    "could_open_penalty": "the same, who could have",
    "blocked_scoring": "losers of a blocked game",
}


def cell(rules: RuleSet, field: str) -> str:  # noqa: PLR0911 - one for each way to write a value
    value = getattr(rules, field)
    match field:
        case "booklet":
            return BOOKLETS[value]
        case "box":
            jokers = " ".join(f"{count} {tile}" for tile, count in value.items() if isinstance(tile, Joker))
            return f"{rules.tile_count}: {jokers}"
        case "colour_names":
            return f"{value[Colour.RED]}, {value[Colour.ORANGE]}"
        case "players":
            return f"{value[0]} to {value[1]}"
        case "fixed_jokers":
            return " ".join(sorted(kind.value for kind in value)) or "none"
        case "unopened_penalty" | "could_open_penalty":
            return "rack" if value is None else str(value)
        case "colour_change_ends":
            return "at either end" if value.value == "either" else value.value
        case "mirror_order":
            return f"{value.value} order" if value.value == "any" else value.value
        case "next_starter" | "blocked_scoring":
            return str(value.value).replace("_", " ")
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def clause(field: str) -> str:
    """The clause of the twist edition, the fullest western one, and of the Polish twist edition."""
    western, polish = (EDITIONS[edition].sources[field].split(", ", 1)[1] for edition in ("twist", "3in1-twist"))
    return f"{western} \\| {polish}"


def tables() -> tuple[str, str]:
    """The rows in which editions differ, a column an edition; and the others, with the one value of all."""
    differing, shared = [], []
    for field, name in NAMES.items():
        values = [cell(rules, field) for rules in EDITIONS.values()]
        if len(set(values)) == 1:
            shared.append([name, values[0], clause(field)])
        else:
            differing.append([name, *values, clause(field)])
    return rows(differing), rows(shared)


def rows(cells: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def test_the_table_of_editions_is_what_the_code_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    editions = " | ".join(f"`{edition}`" for edition in EDITIONS)
    ruler = "|---" * len(EDITIONS)
    differing, shared = tables()
    assert f"| | {editions} | clause |\n|---{ruler}|---|\n{differing}\n\n" in page
    assert f"| in every edition | | clause |\n|---|---|---|\n{shared}\n\n" in page


def test_every_fault_is_explained() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for word in Fault:
        assert f"\n| `{word}` |" in page, word


def rows_of(played: Format) -> list[str]:
    """A row for each rule sheet, the one with most of the figures first."""
    sheets = dict.fromkeys(source for _, source in played.changes.values())
    least, most = played.players or (0, 0)
    players = "as the edition says" if not most else str(most) if least == most else f"{least} or {most}"
    rows = []
    for place, sheet in enumerate(sheets or [""]):
        own = {key: str(value).lower() for key, (value, source) in played.changes.items() if source == sheet}
        changes = (f"`{key} = {value}`" for key, value in own.items())
        head = ["", ""] if place else [f"`{played.id}`", players]
        rows.append(
            f"| {' | '.join([*head, ', '.join(changes), sheet])} |".replace("|  |", "| |").replace("|  |", "| |")
        )
    return rows


def test_the_table_of_formats_is_what_the_code_says() -> None:
    table = "\n".join(row for played in FORMATS.values() for row in rows_of(played))
    assert table in PAGE.read_text(encoding="utf-8")
