"""The models' files: found, checked against their sidecars, and opened."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import onnxruntime

import referee
from referee.errors import ModelError
from referee.rules.wording import Message, say

Shape = tuple[int | None, ...]
"""Sizes of an input or output; None for the picture's size or the number of crops."""
REINSTALL_HINT: Final = say("model.reinstall", "install the package again, or fetch the models of this version")


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
        missing = say("model.missing", "is missing")
        raise _model_error(name, path, missing) from None
    except msgspec.ValidationError as error:
        none = say("model.no_sidecar", "is no sidecar of a model ({why})", why=str(error))
        raise _model_error(name, path, none) from None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        unread = say("model.unread", "cannot be read ({why})", why=str(error))
        raise _model_error(name, path, unread) from None


def open_model(
    folder: Path, name: str, threads: int, *, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]
) -> tuple[Sidecar, onnxruntime.InferenceSession]:
    """Return a model's sidecar and session; raises ModelError if file, names or shapes differ from the contract."""
    sidecar, path = load_sidecar(folder, name), folder / f"{name}.onnx"
    try:
        content = path.read_bytes()
    except OSError as error:
        unread = say("model.unread", "cannot be read ({why})", why=str(error.strerror))
        raise _model_error(name, path, unread) from None
    if sidecar.model != name:
        other = say("model.other", "describes {model}", model=repr(sidecar.model))
        raise _model_error(name, folder / f"{name}.json", other)
    if hashlib.sha256(content).hexdigest() != sidecar.sha256:
        damaged = say(
            "model.damaged", "is damaged or not version {version} (its SHA-256 differs)", version=sidecar.version
        )
        raise _model_error(name, path, damaged)
    try:
        session = onnxruntime.InferenceSession(content, _options(threads), providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - ONNX Runtime raises its own exceptions, which share no base but this
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _model_error(name, path, say("model.unloadable", "cannot be loaded ({why})", why=why)) from None
    for kind, found, due in (("takes", session.get_inputs(), inputs), ("answers", session.get_outputs(), outputs)):
        shapes = {value.name: tuple(value.shape) for value in found}
        if not all(key in shapes and _are_compatible(shapes[key], shape) for key, shape in due.items()):
            differ = f"{kind} {_format_shapes(shapes)}, where {_format_shapes(due)} is the contract"
            raise contract_error(f"{name} {sidecar.version}", differ)
    return sidecar, session


def _model_error(name: str, path: Path, wrong: Message) -> ModelError:
    return ModelError(
        say(
            "model.wrong",
            "model {model}: {path} {wrong}; {way_out}",
            model=name,
            path=str(path),
            wrong=wrong,
            way_out=REINSTALL_HINT,
        )
    )


def contract_error(model: str, differs: str) -> ModelError:
    """Return the error for a model that takes or answers something else than this program expects."""
    return ModelError(
        say(
            "model.contract",
            "model {model}: {differs}; {way_out}",
            model=model,
            differs=differs,
            way_out=REINSTALL_HINT,
        )
    )


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
