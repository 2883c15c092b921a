"""Run a hall on this machine until Ctrl-C: Mosquitto, six tables and the wall.

    make hall-demo

As many tables as the machine has processors are refereed through rendered frames; the others play recorded matches.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

TABLES = 6
WALL_PORT = 8090
PINS = {"organiser": "135790", "arbiter": "246801", "display": "975310"}


def start_broker(folder: Path, port: int, *addresses: str) -> "subprocess.Popen[bytes]":
    """Start Mosquitto at these addresses, by default at this machine's own; SystemExit if it is not installed."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        sys.exit("Mosquitto is not installed: sudo apt install mosquitto")
    settings = folder / "mosquitto.conf"
    settings.write_text(
        "".join(f"listener {port} {address}\n" for address in addresses or ("127.0.0.1",))
        + f"allow_anonymous true\npersistence true\npersistence_location {folder}/\n"
        "autosave_interval 5\nmax_queued_messages 10000\n" + ("user root\n" if os.geteuid() == 0 else "")
    )
    running = subprocess.Popen([program, "-c", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while running.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return running
    sys.exit(f"Mosquitto does not start on port {port}; try: {program} -c {settings}")


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def set_pins(folder: Path) -> None:
    """Set the PIN of each role of the hall whose state folder this is."""
    for role, pin in PINS.items():
        command = [sys.executable, "-m", "referee", "config", "pin", "--state", str(folder), "--hall", role]
        subprocess.run(command, input=f"{pin}\n", text=True, check=True, capture_output=True)


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--eyes", type=int, default=min(TABLES, os.cpu_count() or 1), help="tables that read rendered frames"
    )
    parser.add_argument("--web", default=f"127.0.0.1:{WALL_PORT}", metavar="HOST:PORT")
    arguments = parser.parse_args()
    stop = threading.Event()
    for signalled in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signalled, lambda *_: stop.set())
    with tempfile.TemporaryDirectory(prefix="referee-hall-") as name:
        folder, port = Path(name), free_port()
        broker = f"mqtt://127.0.0.1:{port}"
        running = [start_broker(folder, port)]
        set_pins(folder / "wall")
        referee = [sys.executable, "-m", "referee"]
        for number in range(1, arguments.eyes + 1):
            settings = folder / f"t{number}.toml"
            settings.write_text(f'[hall]\nbroker = "{broker}"\nhall = "hall"\ntable = "t{number}"\n')
            command = ["run", "--camera", "sim", "--signals", "none", "--config", str(settings)]
            command += ["--state", str(folder / f"eyes-{number}")]
            running.append(subprocess.Popen([*referee, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        others = ["--tables", str(TABLES - arguments.eyes), "--first", str(arguments.eyes + 1)]
        if arguments.eyes < TABLES:
            command = ["-m", "benchmarks.hall_tables", "--broker", broker, "--state", str(folder / "tables"), *others]
            running.append(subprocess.Popen([sys.executable, *command]))
        wall = ["hall", "--broker", broker, "--web", arguments.web, "--state", str(folder / "wall")]
        settings = folder / "wall.toml"
        settings.write_text("[hall]\npublic_delay_seconds = 60.0\n")
        running.append(subprocess.Popen([*referee, *wall, "--config", str(settings)]))
        print(f"The wall: http://{arguments.web}/  PINs: {PINS}. Ctrl-C ends it.", flush=True)
        while not stop.wait(1) and running[-1].poll() is None:
            pass
        for process in reversed(running):
            process.terminate()
        for process in reversed(running):
            process.wait()


if __name__ == "__main__":
    main()
