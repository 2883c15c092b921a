"""Examples of every command, shown below its help."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "run": (
            "run",
            "run --camera usb:0 --edition twist --players Ann,Ben,Cem --games 1",
            "run --camera url:http://192.168.1.23:8080/video --web 0.0.0.0:8080",
            "run --camera sim --until-end",
        ),
        "read": ("read photo.jpg --annotate out/", "read photo.jpg --edition original --json"),
        "photos": ("photos", "photos --web 127.0.0.1:8080"),
        "judge": ("judge --edition twist --before 'K3 K4 K5' --after 'K3 K4 K5 K6'", "judge --jsonl < turns.jsonl"),
        "score": ("score --edition original < games.json",),
        "solve": ("solve --edition original --table 'R3 R4 R5' --rack 'R6 K1 B9'",),
        "simulate": ("simulate --edition original --seed 1 --games 1 --out evening/",),
        "replay": ("replay match-00001.jsonl", "replay match-00001.jsonl --export match.zip"),
        "calibrate setup": ("calibrate setup --camera usb:0", "calibrate setup --camera picamera --size 1200x900"),
        "calibrate camera": (
            "calibrate camera --list",
            "calibrate camera --camera usb:0",
            "calibrate camera --camera picamera --light",
        ),
        "calibrate table": ("calibrate table --camera usb:0 --size 1200x900", "calibrate table --camera usb:0 --tiles"),
        "calibrate colours": ("calibrate colours --camera usb:0",),
        "calibrate tiles": ("calibrate tiles --camera usb:0 --order 'J JD JC JM'",),
        "calibrate signals": ("calibrate signals", "calibrate signals --cue illegal"),
        "calibrate check": ("calibrate check --camera usb:0",),
        "config check": ("config check", "config check referee.toml"),
        "config show": ("config show --json",),
        "config pin": ("config pin",),
        "hall": ("hall --broker mqtt://broker.club --web 0.0.0.0:8080",),
        "hall tournament create": ("hall tournament create 'Spring Open' players.csv --rounds 5 --format two-player",),
        "hall tournament seat": ("hall tournament seat 1", "hall tournament seat 2 --tables t1,t2,t3"),
        "hall tournament result": ("hall tournament result 1 3 --scores 40,-40 --reason 'the camera was covered'",),
        "hall tournament sign": ("hall tournament sign 1 3",),
        "hall tournament finals": ("hall tournament finals Semifinals", "hall tournament finals Final --per-board 2"),
        "hall tournament join": ("hall tournament join Eve --rating 1500", "hall tournament join Eve --missed bye"),
        "hall tournament leave": ("hall tournament leave Ann",),
        "hall tournament return": ("hall tournament return Ann",),
        "hall tournament half-bye": ("hall tournament half-bye 3 Ann",),
        "hall tournament forfeit": ("hall tournament forfeit 2 1 Ann --reason 'did not come'",),
        "hall tournament unseat": ("hall tournament unseat 2",),
        "hall tournament swap": ("hall tournament swap 2 Ann Ben",),
        "hall tournament show": ("hall tournament show", "hall tournament show --json"),
        "hall tournament sheets": ("hall tournament sheets round-1.pdf --round 1",),
        "hall tournament export": ("hall tournament export spring-open",),
        "stats": ("stats", "stats --csv evenings.csv", "stats --delete Ann"),
        "status": ("status",),
        "report": ("report", "report --pictures 5"),
    }
)
