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
"""Sizes of an input or output; None for the picture's size or the number of crops."""
REINSTALL_HINT = "install the package again, or fetch the models of this version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """The contents of a model's sidecar."""

    model: str
    version: int | str
    sha256: str
    temperature: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    likeness: Mapping[str, float] = field(default_factory=dict)
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def find_models() -> Path:
    """Return the models' folder: inside an installed package, or beside it in a checkout."""
    package = Path(referee.__file__).parent
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"


def load_sidecar(folder: Path, name: str) -> Sidecar:
    """Return the sidecar of a model; raises ModelError if it is missing or invalid."""
    path = folder / f"{name}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Sidecar)
    except FileNotFoundError:
        raise ModelError(f"model {name}: {path} is missing; {REINSTALL_HINT}") from None
    except msgspec.ValidationError as error:
        raise ModelError(f"model {name}: {path} is no sidecar of a model ({error}); {REINSTALL_HINT}") from None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise ModelError(f"model {name}: {path} cannot be read ({error}); {REINSTALL_HINT}") from None


def open_model(
    folder: Path, name: str, threads: int, *, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]
) -> tuple[Sidecar, onnxruntime.InferenceSession]:
    """Return a model's sidecar and session; raises ModelError if file, names or shapes differ from the contract."""
    sidecar, path = load_sidecar(folder, name), folder / f"{name}.onnx"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model {name}: {path} cannot be read ({error.strerror}); {REINSTALL_HINT}") from None
    if sidecar.model != name:
        raise ModelError(f"model {name}: {folder / name}.json describes {sidecar.model!r}; {REINSTALL_HINT}")
    if hashlib.sha256(content).hexdigest() != sidecar.sha256:
        raise ModelError(
            f"model {name}: {path} is damaged or not version {sidecar.version} (its SHA-256 differs); {REINSTALL_HINT}"
        )
    try:
        session = onnxruntime.InferenceSession(content, _options(threads), providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - ONNX Runtime raises its own exceptions, which share no base but this
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"model {name}: {path} cannot be loaded ({reason}); {REINSTALL_HINT}") from None
    for kind, found, due in (("takes", session.get_inputs(), inputs), ("answers", session.get_outputs(), outputs)):
        shapes = {value.name: tuple(value.shape) for value in found}
        if not all(key in shapes and _are_compatible(shapes[key], shape) for key, shape in due.items()):
            differ = f"{kind} {_format_shapes(shapes)}, where {_format_shapes(due)} is the contract"
            raise ModelError(f"model {name} {sidecar.version}: {differ}; {REINSTALL_HINT}")
    return sidecar, session


def _are_compatible(found: Sequence[object], due: Shape) -> bool:
    """Return whether a shape fits the contract; a symbolic size (not an integer) fits any."""
    pairs = zip(found, due, strict=False)
    return len(found) == len(due) and all(a == b for a, b in pairs if isinstance(a, int) and b is not None)


def _format_shapes(shapes: Mapping[str, Sequence[object]]) -> str:
    return ", ".join(
        f"{name} [{', '.join(str(size) if isinstance(size, int) else '?' for size in shape)}]"
        for name, shape in shapes.items()
    )


def _options(threads: int) -> onnxruntime.SessionOptions:
    """Return options for a small machine: no memory arena, which never shrinks, and no spinning threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
