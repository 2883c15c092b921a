"""An independent judge, written from the rules in another style, must agree with the engine on random sets and turns.

It knows tiles only as text, tries every choice (what each joker stands for, every colouring, every order) and never
reasons about holes or widths as the engine does. It is slow and plain on purpose.

REFEREE_ORACLE=2500 asks for as many other turns an edition, and 13 times as many sets.
"""

import itertools
import os
import random
from collections import Counter

import pytest

from referee.rules.editions import EDITIONS, RuleSet
from referee.rules.house_rules import with_house_rules
from referee.rules.judge import judge_set, judge_turn
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.verdict_json import verdict_to_json

TURNS_AN_EDITION = int(os.environ.get("REFEREE_ORACLE", "1000"))
SETS_AN_EDITION = 13 * TURNS_AN_EDITION  # more than 100,000 over all eight
Reading = tuple[bool, int, str, bool]  # ascends as laid, worth, kind, untidy

# ---- what a set is -------------------------------------------------------------------------------------------------


def is_number(tile: str) -> bool:
    return tile[-1].isdigit()


def readings(tiles: list[str], *, middle_counts: bool, strict: bool = False) -> list[Reading]:
    """Every way to read the tiles; strict: no JC at the low end of a run, mirror groups in reflected order."""
    if len(tiles) < 3 or not any(map(is_number, tiles)) or tiles.count("JM") > 1:
        return []
    if "JM" in tiles:
        found = mirror_groups(tiles, middle_counts, strict) + mirror_runs(tiles, middle_counts, strict)
        return [(True, worth, kind, untidy) for _, worth, kind, untidy in found]  # the one worth most counts
    if "JC" in tiles:
        return colour_change_runs(tiles, strict)
    return groups(tiles) + runs(tiles)


def groups(tiles: list[str]) -> list[Reading]:
    found = []
    for number in range(1, 14):
        for colours in colourings(tiles, number):
            if len(colours) == len(set(colours)):
                found.append((True, number * len(colours), "group", False))
                break
    return found


def colourings(tiles: list[str], number: int) -> list[tuple[str, ...]]:
    """Every way to give each tile a colour (a double joker two) in a group of the number."""
    choices = []
    for tile in tiles:
        if is_number(tile):
            choices.append([(tile[0],)] if int(tile[1:]) == number else [])
        elif tile == "J":
            choices.append([(colour,) for colour in "KRBO"])
        elif tile == "JD":
            choices.append(list(itertools.combinations("KRBO", 2)))
        elif tile in {"JK", "JR", "JB", "JO"}:
            choices.append([(tile[1],)])
        else:
            choices.append([])
    return [tuple("".join("".join(part) for part in choice)) for choice in itertools.product(*choices)]


def runs(tiles: list[str]) -> list[Reading]:
    found = set()
    for colour in "KRBO":
        if any(
            tile[0] != colour if is_number(tile) else tile in {"JK", "JR", "JB", "JO"} and tile[1] != colour
            for tile in tiles
        ):
            continue
        for low in range(1, 14):
            for order, high in fillings(tiles, low):
                worth = sum(range(low, high))
                rises, falls = order == sorted(order), order == sorted(order, reverse=True)
                found.add((rises, worth, "run", not rises and not falls))
    return list(found)


def fillings(tiles: list[str], low: int) -> list[tuple[list[int], int]]:
    """Every order in which the tiles fill a stretch from low upwards without a gap, with its end."""
    whole = []
    open_ends: list[tuple[list[int], int]] = [([], low)]
    while open_ends:
        order, number = open_ends.pop()
        if len(order) == len(tiles):
            whole.append((order, number))
        for place, tile in enumerate(tiles):
            if place in order:
                continue
            width = 2 if tile == "JD" else 1
            if number + width - 1 <= 13 and (not is_number(tile) or int(tile[1:]) == number):
                open_ends.append(([*order, place], number + width))
    return whole


def colour_change_runs(tiles: list[str], strict: bool) -> list[Reading]:  # noqa: FBT001
    found = []
    for rises in (True, False):
        row = tiles if rises else tiles[::-1]
        if row[0] == "JC" and strict:
            continue
        for low in range(1, 14):
            numbers = numbered(row, low, 1)
            if numbers and any(
                coloured(row, row, colouring) for colouring in itertools.product("KRBO", repeat=row.count("JC") + 1)
            ):
                found.append((rises, sum(itertools.chain(*numbers)), "run", False))
    return found


def numbered(row: list[str], first: int, step: int) -> list[list[int]]:
    """The numbers of each tile of a row that goes on from first by step, or nothing where a tile does not fit."""
    numbers = []
    for tile in row:
        own = [first, first + step] if tile == "JD" else [first]
        if not all(1 <= number <= 13 for number in own) or (is_number(tile) and int(tile[1:]) != first):
            return []
        numbers.append(own)
        first += step * len(own)
    return numbers


def coloured(row: list[str], facing: list[str], colouring: tuple[str, ...]) -> bool:
    """Tell whether the stretches of a row between its JC can have these colours, jokers being what faces them."""
    if any(one == other for one, other in itertools.pairwise(colouring)):
        # Only two stretches that both show a colour can be told apart; but then their colours do differ in some choice.
        return False
    stretch = 0
    for tile, other in zip(row, facing, strict=True):
        if tile == "JC":
            stretch += 1
        else:
            shown = tile if is_number(tile) else other
            if is_number(shown) and shown[0] != colouring[stretch]:
                return False
    return True


def sides(tiles: list[str]) -> tuple[list[str], list[str]]:
    middle = tiles.index("JM")
    return tiles[:middle], tiles[middle + 1 :][::-1]


def mirror_groups(tiles: list[str], middle_counts: bool, strict: bool) -> list[Reading]:  # noqa: FBT001
    left, right = sides(tiles)
    if not left or not right:
        return []
    for number in range(1, 14):
        choices = [
            {
                in_order if strict else frozenset(colours)
                for colours in colourings(side, number)
                if len(colours) == len(set(colours))
                for in_order in orders_of_doubles(side, colours)
            }
            for side in (left, right)
        ]
        for colours in choices[0] & choices[1]:
            return [(True, number * (2 * len(colours) + middle_counts), "mirror", False)]
    return []


def orders_of_doubles(side: list[str], colours: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The colours with the two of every double joker also the other way round."""
    orders: list[tuple[str, ...]] = [()]
    at = 0
    for tile in side:
        own = colours[at : at + (2 if tile == "JD" else 1)]
        orders = [(*order, *turned) for order in orders for turned in {own, own[::-1]}]
        at += len(own)
    return orders


def mirror_runs(tiles: list[str], middle_counts: bool, strict: bool) -> list[Reading]:  # noqa: FBT001
    left, right = sides(tiles)
    slots = [[slot for tile in side for slot in (["J", "J"] if tile == "JD" else [tile])] for side in (left, right)]
    if len(slots[0]) != len(slots[1]) or len(slots[0]) < 2:
        return []
    if any(is_number(one) and is_number(other) and one[0] != other[0] for one, other in zip(*slots, strict=True)):
        return []
    found = []
    for step, outer in itertools.product((1, -1), range(1, 14)):
        numbers = [numbered(side, outer, step) for side in slots]
        if all(numbers) and any(is_stretch(side, other, step, strict) for side, other in (slots, slots[::-1])):
            middle = outer + step * len(slots[0])
            mirror = middle if middle_counts and 1 <= middle <= 13 else 0
            found.append((step > 0, 2 * sum(itertools.chain(*numbers[0])) + mirror, "mirror", False))
    return found


def is_stretch(side: list[str], facing: list[str], step: int, strict: bool) -> bool:  # noqa: FBT001
    rising = side[::step]
    others = facing[::step]
    return not (strict and rising[0] == "JC") and any(
        coloured(rising, others, colouring) for colouring in itertools.product("KRBO", repeat=rising.count("JC") + 1)
    )


def preferred(found: list[Reading]) -> tuple[str, int, bool] | tuple[None, None, bool]:
    """Ascending as laid first, then worth; of equals a group, and a run that does not lie untidily."""
    if not found:
        return None, None, False
    _, worth, kind, untidy = min(found, key=lambda reading: (not reading[0], -reading[1], reading[2], reading[3]))
    return kind, worth, untidy


# ---- random sets, legal ones and near misses -----------------------------------------------------------------------


def a_legal_row(rng: random.Random, jokers: list[str]) -> list[str]:
    number, colours = rng.randint(1, 13), rng.sample("KRBO", 4)
    if rng.random() < 0.35:
        row = [f"{colour}{number}" for colour in colours[: rng.randint(1, 4)]]
    else:
        high = min(13, number + rng.randint(1, 6))
        change = rng.choice([0, 0, rng.randint(number, high)])
        row = [f"{colours[change > 0 and step > change]}{step}" for step in range(number, high + 1)]
        if change and "JC" in jokers:
            row[change - number] = "JC"
        if rng.random() < 0.2:
            row.reverse()
    if "JM" in jokers and rng.random() < 0.4:
        row = [*row, "JM", *row[::-1]]
    for place in rng.sample(range(len(row)), min(len(row), rng.choice([0, 0, 1, 1, 2, 3]))):
        if row[place] not in {"JC", "JM"}:
            row[place] = rng.choice([joker for joker in jokers if joker not in {"JC", "JM"}])
    doubled = [place for place in range(len(row) - 1) if row[place : place + 2] == ["J", "J"]]
    if doubled and "JD" in jokers:
        row[doubled[0] : doubled[0] + 2] = ["JD"]
    return row


def a_row(rng: random.Random, tiles: list[str], jokers: list[str]) -> list[str]:
    row = a_legal_row(rng, jokers)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        place = rng.randrange(len(row))
        match rng.randrange(7):
            case 0:
                row[place] = rng.choice(tiles)
            case 1:
                row[place] = rng.choice(jokers)
            case 2:
                row.insert(place, rng.choice(tiles + 6 * jokers))
            case 3:
                del row[place]
            case 4:
                rng.shuffle(row)
            case 5:
                other = rng.randrange(len(row))
                row[place], row[other] = row[other], row[place]
            case _ if is_number(row[place]):
                row[place] = rng.choice("KRBO") + row[place][1:]
            case _:
                row.reverse()
        if not row:
            return [rng.choice(tiles)]
    return row[:13]


STRICT = with_house_rules(EDITIONS["twist"], {"colour_change_ends": "last", "mirror_order": "reflected"})


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*EDITIONS.values(), STRICT], ids=[*EDITIONS, "twist, strict"])
def test_engine_and_oracle_agree_on_random_sets(rules: RuleSet) -> None:
    rng = random.Random(f"sets of {rules.edition}")
    tiles = [str(tile) for tile in rules.box]
    jokers = [tile for tile in tiles if not is_number(tile)]
    kinds: Counter[str | None] = Counter()
    while kinds.total() < SETS_AN_EDITION:
        row = a_row(rng, tiles, jokers)
        if sum(not is_number(tile) for tile in row) > 5:  # trying every order of six jokers takes too long
            continue
        text = " ".join(row)
        expected = preferred(readings(row, middle_counts=rules.mirror_counts_middle, strict=rules is STRICT))
        judged = judge_set(parse_tiles(text), rules)
        assert (judged.kind and judged.kind.value, judged.worth, judged.untidy) == expected, text
        kinds[expected[0]] += 1
    assert min(kinds["run"], kinds["group"], kinds[None]) > SETS_AN_EDITION // 40, kinds
    assert ("JM" not in jokers) or kinds["mirror"] > SETS_AN_EDITION // 40, kinds


# ---- what a turn is ------------------------------------------------------------------------------------------------

Rows = list[list[str]]


def same(row: list[str]) -> tuple[str, ...]:
    """What two rows have in common if they are the same set."""
    return tuple(min(row, row[::-1])) if {"JC", "JM"} & set(row) else tuple(sorted(row))


def unmatched(rows: Rows, others: Rows) -> Rows:
    left = Counter(map(same, others))
    kept = []
    for row in rows:
        if left[same(row)] > 0:
            left[same(row)] -= 1
        else:
            kept.append(row)
    return kept


def low_end(row: list[str]) -> int:
    """The first number of the run a row of one colour is preferably read as."""
    ends = [(order == sorted(order), low) for low in range(1, 14) for order, _ in fillings(row, low)]
    return max(ends)[1]


def stood_for(row: list[str]) -> list[set[str]]:
    """For each regular joker of a row the tiles it may be, by the preferred reading."""
    kind, _, _ = preferred(readings(row, middle_counts=False))
    numbers = [tile for tile in row if is_number(tile)]
    if kind == "group":
        missing = set("KRBO") - {tile[0] for tile in numbers}
        return [{f"{colour}{numbers[0][1:]}" for colour in missing}] * row.count("J")
    if kind == "run":
        low = low_end(row)
        return [
            {f"{numbers[0][0]}{number}"}
            for number in range(low, low + len(row))
            if f"{numbers[0][0]}{number}" not in numbers
        ]
    return []


def ways_to_stand(row: list[str]) -> list[list[set[str]]]:
    """The same in every reading, if the row has one number tile and several jokers."""
    numbers = [tile for tile in row if is_number(tile)]
    if len(numbers) != 1 or len(row) < 3 or row.count("J") != len(row) - 1:
        return [stood_for(row)]
    colour, number = numbers[0][0], int(numbers[0][1:])
    group = [[{f"{other}{number}" for other in "KRBO" if other != colour}] * row.count("J")] * (len(row) < 5)
    starts = range(max(1, number - len(row) + 1), min(number, 14 - len(row)) + 1)
    return group + [[{f"{colour}{other}"} for other in range(low, low + len(row)) if other != number] for low in starts]


def straightened(row: list[str]) -> list[str]:
    """A group, or a run without JC, with its tiles in order."""
    kind, _, _ = preferred(readings(row, middle_counts=False))
    if kind == "group":
        return sorted(row, key=lambda tile: (not is_number(tile), tile))
    if kind == "run" and "JC" not in row:
        low = low_end(row)
        orders = [order for order, _ in fillings(row, low)]
        order = min(orders, key=lambda order: (order != sorted(order), order != sorted(order)[::-1]))
        return [row[place] for place in order]
    return row


def swaps(gone: Rows, new: Rows, edition: str) -> list[str]:
    """The faults of sets that stand as before but for one joker, no set taken for two."""
    found: list[str] = []
    left = list(new)
    for row in gone:
        for other in left:
            names = swap_faults(row, other, edition)
            if names:
                found += names
                left.remove(other)
                break
    return found


def one_number(row: list[str]) -> bool:
    return len({tile[1:] for tile in row if is_number(tile)}) == 1


def swap_faults(row: list[str], other: list[str], edition: str) -> list[str]:
    if len(row) != len(other):
        return []
    ways = list(itertools.product((row, straightened(row)), (other, other[::-1], straightened(other))))
    if {"JC", "JM"}.isdisjoint(row) and one_number(row):  # any order is as good as another
        ways = [(list(order), other) for order in itertools.permutations(row)]
    for one, two in ways:
        differing = [(before, after) for before, after in zip(one, two, strict=True) if before != after]
        if len(differing) == 1 and not is_number(differing[0][0]):
            joker, tile = differing[0]
            fixed = edition == "3in1-twist" and joker in {"JC", "JM"} and (is_number(tile) or tile in {"J", "JD"})
            swapped = "twist" in edition and not is_number(tile)
            return ["joker_not_replaceable"] * fixed + ["joker_for_joker"] * swapped
    return []


def worth_of_own(new: Rows, played: Counter[str], rules: RuleSet) -> int:
    """The most that sets of the played tiles alone are worth together, every choice of sets tried."""
    worths = [(row, preferred(readings(row, middle_counts=rules.mirror_counts_middle))[1]) for row in new]
    own = [(row, worth) for row, worth in worths if worth and not Counter(row) - played]
    return max(
        sum(worth for _, worth in chosen)
        for count in range(len(own) + 1)
        for chosen in itertools.combinations(own, count)
        if not Counter(itertools.chain(*(row for row, _ in chosen))) - played
    )


def has_moved(tile: str, joker_row: list[str], gone: Rows, new: Rows) -> bool:
    """A tile of the table lies in a new row: beside number tiles of the joker's row, or away from most of its own."""
    for row in new:
        if tile in row:
            if any(other in joker_row and is_number(other) for other in row):
                return True
            kept = [sum((Counter(row) & Counter(was)).values()) / len(was) for was in gone if tile in was]
            if max(kept, default=0) <= 0.5:
                return True
    return False


def has_stayed(tiles: set[str], joker_row: list[str], new: Rows) -> bool:
    """The joker lies in a row that is no set, with a tile of its row that has its number or one beside it."""
    near = {int(tile[1:]) + step for tile in tiles for step in (-1, 0, 1)}
    beside = {tile for tile in joker_row if is_number(tile) and int(tile[1:]) in near}
    return any("J" in row and beside & {*row} for row in new if not readings(row, middle_counts=False))


def expected_faults(before: Rows, after: Rows, *, opened: bool, rules: RuleSet) -> tuple[Counter[str], int | None]:
    faults: Counter[str] = Counter()
    tiles_before, tiles_after = Counter(itertools.chain(*before)), Counter(itertools.chain(*after))
    judged = [preferred(readings(row, middle_counts=rules.mirror_counts_middle)) for row in after]
    gone, new = unmatched(before, after), unmatched(after, before)
    played = tiles_after - tiles_before
    faults["tile_taken"] += bool(tiles_before - tiles_after)
    faults["loose_tile"] += sum(len(row) == 1 for row in after)
    faults["not_a_set"] += sum(len(row) > 1 and kind is None for row, (kind, _, _) in zip(after, judged, strict=True))
    faults["nothing_played"] += not played and bool(gone or new)
    meld = None
    if not opened:
        meld = worth_of_own(new, played, rules)
        faults["table_used_before_opening"] += len(gone)
        faults["initial_meld_too_low"] += bool(played) and meld < 30
    if rules.edition == "pressman":
        now = set(played).union(*itertools.chain(*map(stood_for, after)))
        faults["joker_not_replaced"] += sum(
            min(
                sum(
                    not any(tile in now or has_moved(tile, row, gone, new) for tile in tiles)
                    and not has_stayed(tiles, row, new)
                    for tiles in way
                )
                for way in ways_to_stand(row)
            )
            for row in gone
        )
    faults.update(swaps(gone, new, rules.edition))
    box = {str(tile): count for tile, count in rules.box.items()}
    faults["impossible_tiles"] += any(count > box.get(tile, 0) for tile, count in tiles_after.items())
    return +faults, meld


def a_table(rng: random.Random, rules: RuleSet, jokers: list[str]) -> Rows:
    left = Counter({str(tile): count for tile, count in rules.box.items()})
    rows: Rows = []
    for _ in range(rng.randint(0, 9)):
        row = a_legal_row(rng, jokers)
        fits = not Counter(row) - left and sum(not is_number(tile) for tile in row) < 5
        if fits and (readings(row, middle_counts=False) or rng.random() < 0.02):
            left -= Counter(row)
            rows.append(row)
    return rows


def swap_a_joker(rng: random.Random, row: list[str], after: Rows, tiles: list[str]) -> None:
    places = [place for place, tile in enumerate(row) if not is_number(tile)]
    if not places:
        return
    freed, row[rng.choice(places)] = row[places[0]], rng.choice(tiles)
    if rng.random() < 0.7:
        after.append([f"{colour}{rng.randint(1, 13)}" for colour in rng.sample("KRBO", 2)] + [freed])


def a_turn(rng: random.Random, before: Rows, tiles: list[str], jokers: list[str]) -> Rows:
    after = [list(row) for row in before]
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
        row = rng.choice(after) if after else []
        match rng.randrange(9):
            case 0 | 1:
                after.append(a_legal_row(rng, jokers))
            case 2 if row:
                row.insert(rng.randint(0, len(row)), rng.choice(tiles))
            case 3 if row and is_number(row[-1]):
                row.append(f"{row[-1][0]}{min(13, int(row[-1][1:]) + 1)}")
            case 4 if len(row) > 1:
                moved = row.pop(rng.randrange(len(row)))
                rng.choice([*after, after[0]] if rng.random() < 0.7 else [[]]).append(moved)
            case 5 if len(row) > 4:
                cut = rng.randint(2, len(row) - 2)
                after.append(row[cut:])
                del row[cut:]
            case 6:
                swap_a_joker(rng, row, after, tiles + 5 * jokers)
            case 7 if row:
                rng.shuffle(row)
            case _:
                rng.shuffle(after)
    return [row for row in after if row]


@pytest.mark.slow
@pytest.mark.parametrize("rules", EDITIONS.values(), ids=EDITIONS.keys())
def test_engine_and_oracle_agree_on_random_turns(rules: RuleSet) -> None:
    rng = random.Random(f"{TURNS_AN_EDITION} turns of {rules.edition}")
    tiles = [str(tile) for tile in rules.box]
    jokers = [tile for tile in tiles if not is_number(tile)]
    seen: Counter[str] = Counter()
    for _ in range(TURNS_AN_EDITION):
        before = a_table(rng, rules, jokers)
        after = a_turn(rng, before, tiles, jokers)
        if any(sum(not is_number(tile) for tile in row) > 5 for row in after):
            continue
        opened = rng.random() < 0.6
        faults, meld = expected_faults(before, after, opened=opened, rules=rules)
        texts = [" / ".join(" ".join(row) for row in rows) for rows in (before, after)]
        verdict = judge_turn(parse_table(texts[0]), parse_table(texts[1]), opened=opened, rules=rules)
        found = verdict_to_json(verdict)
        assert Counter(fault["fault"] for fault in found["faults"]) == faults, texts
        assert found["verdict"] == ("undecided" if faults["impossible_tiles"] else "illegal" if faults else "legal")
        played = Counter(itertools.chain(*after)) - Counter(itertools.chain(*before))
        assert (Counter(found["played"]), found["meld"]) == (played, meld), texts
        assert found["outcome"] == ("played" if played else "no_play")
        seen[found["verdict"]] += 1
        seen.update(faults)
    assert {"legal", "illegal", "undecided", "tile_taken", "loose_tile", "not_a_set", "nothing_played"} <= set(seen)
    assert {"table_used_before_opening", "initial_meld_too_low"} <= set(seen)
    assert ("joker_not_replaced" in seen) == (rules.edition == "pressman")
    assert ("joker_not_replaceable" in seen) == (rules.edition == "3in1-twist")
    assert ("joker_for_joker" in seen) == ("twist" in rules.edition)
