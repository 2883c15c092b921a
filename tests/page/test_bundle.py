"""The page's scripts as one file: in the order in which they need each other, or refused."""

import pytest

from referee.language.catalogue import languages
from referee.page.bundle import bundle_assets
from referee.server.page_files import Asset, load_assets, make_asset
from referee.server.page_texts import page_text

INDEX = """
    <link rel="stylesheet" href="/page/one.css">
    <link rel="stylesheet" href="/page/two.css">
    <link rel="stylesheet" href="/page/dark.css" media="(prefers-color-scheme: dark)">
    <script type="module" src="/page/main.js"></script>
"""


def page(**scripts: str) -> dict[str, Asset]:
    files = {"index.html": INDEX, "one.css": "/* one */\na {}\n", "two.css": "b {}\n", "dark.css": "c {}\n"}
    files |= {f"{name}.js": text for name, text in scripts.items()}
    return {path: make_asset("text/plain", text.encode()) for path, text in files.items()}


def script(assets: dict[str, Asset]) -> str:
    return bundle_assets(assets)["main.js"].content.decode()


def test_a_module_stands_after_those_it_needs() -> None:
    text = script(page(main='import { a as b } from "./low.js";\nb();\n', low="// a note\nexport const a = () => 1;\n"))
    assert text == (
        "const $low = (() => {\nconst a = () => 1;\nreturn { a };\n})();\n"
        "const $main = (() => {\nconst { a: b } = $low;\nb();\nreturn {  };\n})();"
    )


def test_what_the_main_module_exports_the_whole_exports() -> None:
    text = script(page(main='import { a } from "./low.js";\nexport { a };\n', low="export const a = 1;\n"))
    assert text.endswith("return { a };\n})();\nexport const { a } = $main;")


def test_styles_without_a_condition_are_one_file() -> None:
    served = bundle_assets(page(main="go();\n"))
    assert served["one.css"].content == b"a {}\nb {}"
    assert "two.css" not in served
    assert "two.css" not in served["index.html"].content.decode()
    assert "dark.css" in served["index.html"].content.decode()


@pytest.mark.parametrize(
    ("scripts", "refused"),
    [
        (
            {"main": 'import { a } from "./low.js";\n', "low": 'import { b } from "./main.js";\n'},
            "main.js > low.js > main",
        ),
        ({"main": "export default 1;\n"}, "export default 1"),
        ({"main": 'import * as low from "./low.js";\n', "low": ""}, r"import \* as low"),
        ({"main": "export let count = 0;\n"}, "export let count"),
    ],
)
def test_what_cannot_be_put_together_is_refused(scripts: dict[str, str], refused: str) -> None:
    with pytest.raises(ValueError, match=refused):
        script(page(**scripts))


def test_a_line_that_only_looks_like_a_comment_stays() -> None:
    line = 'const address = "http://here"; // a note\nconst rest = 2 /* of */ * 3;'
    assert line in script(page(main=f"{line}\n"))


def test_the_page_weighs_less_than_120_kilobytes_in_any_language() -> None:
    served = bundle_assets(load_assets())
    compressed = {path: len(asset.compressed or asset.content) for path, asset in served.items()}
    texts = [page_text(f"text/{code}.json") for code in languages()]
    assert len(texts) == 8
    assert sum(compressed.values()) + max(len(text.compressed or text.content) for text in texts if text) < 100_000
    assert not any(path.endswith(".js") for path in served if path not in {"main.js", "boot.js"})
