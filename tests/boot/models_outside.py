"""Runs the networks of an emulated guest at this machine's own speed; listens on 127.0.0.1 only."""

import contextlib
import importlib.util
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import onnxruntime

_WIRE = Path(__file__).parent / "guest/outside/onnxruntime/__init__.py"
_spec = importlib.util.spec_from_file_location("wire", _WIRE)
assert _spec is not None
assert _spec.loader is not None
wire = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(wire)


def _plain(values: list[Any]) -> list[dict[str, Any]]:
    return [{"name": value.name, "shape": value.shape, "type": value.type} for value in values]


def _serve(channel: socket.socket) -> None:
    with channel, contextlib.suppress(OSError):
        _, (content,) = wire.take(channel)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(content.tobytes(), options, providers=["CPUExecutionProvider"])
        wire.send(channel, {"inputs": _plain(session.get_inputs()), "outputs": _plain(session.get_outputs())})
        while True:
            head, arrays = wire.take(channel)
            wire.send(channel, {}, *session.run(head["names"], dict(zip(head["feeds"], arrays, strict=True))))


def main() -> None:
    """Serve for ever on the port that is named."""
    with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
        while True:
            channel, _ = server.accept()
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=_serve, args=(channel,), daemon=True).start()


if __name__ == "__main__":
    main()
