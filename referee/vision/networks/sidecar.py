"""The models' files: found, checked against their sidecars, and opened."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import onnxruntime

import referee
from referee.errors import ModelError

Shape = tuple[int | None, ...]
"""Sizes of an input or output; None where a picture or the number of crops gives it."""
WAY_OUT = "install the package again, or fetch the models of this version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """The contents of a model's sidecar."""

    model: str
    version: int | str
    sha256: str
    temperature: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def find_models() -> Path:
    """Return the folder with the models: inside an installed package, or beside it in a checkout."""
    package = Path(referee.__file__).parent
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"


def load_sidecar(folder: Path, name: str) -> Sidecar:
    """Return the checked sidecar of a model; raises ModelError where it is missing or not one."""
    path = folder / f"{name}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Sidecar)
    except FileNotFoundError:
        raise ModelError(f"model {name}: {path} is missing; {WAY_OUT}") from None
    except msgspec.ValidationError as error:
        raise ModelError(f"model {name}: {path} is no sidecar of a model ({error}); {WAY_OUT}") from None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise ModelError(f"model {name}: {path} cannot be read ({error}); {WAY_OUT}") from None


def open_model(
    folder: Path, name: str, threads: int, *, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]
) -> tuple[Sidecar, onnxruntime.InferenceSession]:
    """Return a session of the model its sidecar describes, which keeps the contract (names and shapes)."""
    sidecar, path = load_sidecar(folder, name), folder / f"{name}.onnx"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model {name}: {path} cannot be read ({error.strerror}); {WAY_OUT}") from None
    if sidecar.model != name:
        raise ModelError(f"model {name}: {folder / name}.json describes {sidecar.model!r}; {WAY_OUT}")
    if hashlib.sha256(content).hexdigest() != sidecar.sha256:
        raise ModelError(
            f"model {name}: {path} is damaged or not version {sidecar.version} (its SHA-256 differs); {WAY_OUT}"
        )
    try:
        session = onnxruntime.InferenceSession(content, _options(threads), providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - ONNX Runtime raises its own exceptions, which share no base but this
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"model {name}: {path} cannot be loaded ({reason}); {WAY_OUT}") from None
    for kind, found, due in (("takes", session.get_inputs(), inputs), ("answers", session.get_outputs(), outputs)):
        shapes = {value.name: tuple(value.shape) for value in found}
        if not all(key in shapes and _agree(shapes[key], shape) for key, shape in due.items()):
            differ = f"{kind} {_told(shapes)}, where {_told(due)} is the contract"
            raise ModelError(f"model {name} {sidecar.version}: {differ}; {WAY_OUT}")
    return sidecar, session


def _agree(found: Sequence[object], due: Shape) -> bool:
    """Return whether two shapes may be one; a size that is no number, as a model names its open ones, may be any."""
    pairs = zip(found, due, strict=False)
    return len(found) == len(due) and all(a == b for a, b in pairs if isinstance(a, int) and b is not None)


def _told(shapes: Mapping[str, Sequence[object]]) -> str:
    return ", ".join(
        f"{name} [{', '.join(str(size) if isinstance(size, int) else '?' for size in shape)}]"
        for name, shape in shapes.items()
    )


def _options(threads: int) -> onnxruntime.SessionOptions:
    """For a small machine: no memory arena that never shrinks, no thread that burns a core while it waits."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
