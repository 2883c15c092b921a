"""Asks the referee's page.

`page`: whether it answers; `log-in PIN`: who that makes one; `turns`: what was judged."""

import json
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

PAGE = "http://127.0.0.1:8080"
ASK = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))


def of(path: str) -> Any:
    """What the page answers."""
    with ASK.open(PAGE + path, timeout=60) as said:
        return json.load(said)


def log_in(pin: str) -> str:
    """Log in with a PIN: whether the page says "organiser", else which error."""
    head = {"x-csrf-token": of("/api/session")["csrf"], "content-type": "application/json", "origin": PAGE}
    asked = urllib.request.Request(f"{PAGE}/api/login", json.dumps({"pin": pin}).encode(), head)  # noqa: S310 - our page
    try:
        with ASK.open(asked, timeout=60) as said:
            return "organiser" if json.load(said)["organiser"] else "viewer"
    except urllib.error.HTTPError as refusal:
        return str(json.load(refusal)["error_id"])


match sys.argv[1:]:
    case ["page"]:
        ASK.open(PAGE, timeout=60).close()
    case ["log-in", pin]:
        print(log_in(pin))
    case ["turns"]:
        turns = of("/api/turns")["turns"]
        print(sum(turn["judgements"] for turn in turns), "judgements of", len(turns), "turns")
    case _:
        sys.exit(__doc__)
