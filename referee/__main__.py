"""The entry point of `referee` and `python -m referee`."""

import sys


def _tell(kind: type[BaseException], *error: object) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, *error)  # type: ignore[arg-type]  # handed on as they came


sys.excepthook = _tell  # a Ctrl-C while all else is still being loaded: Python ends by the signal, as a shell expects


def main() -> int:
    """Run the command and return its exit code."""
    from referee.cli import interrupts  # noqa: PLC0415 - after the hook above

    interrupts.start_recording()
    from referee.cli.main import main as command  # noqa: PLC0415

    code = command()
    interrupts.restore_defaults()
    return code


if __name__ == "__main__":
    sys.exit(main())
