"""The response types of the organiser's endpoints."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from referee.protocol.answers import Form
from referee.protocol.schema import Quad, Size, Values

SettingValue = bool | int | float | str | list[Any] | None


class Setting(Form):
    """A setting; `page` is false if read-only here; a house rule's value is null if the edition decides."""

    section: str
    value: SettingValue
    default: SettingValue
    origin: Annotated[str, Meta(description="default, page, or the file and line that says it")]
    comment: str
    page: bool


class Settings(TypedDict):
    """Every setting."""

    settings: list[Setting]
    file: Annotated[str | None, Meta(description="where changes go")]
    restart_needed: bool


class Check(TypedDict):
    """The result of one check before play."""

    check: str
    passed: bool
    value: float | str | bool | None
    limit: float | str | None
    message: str
    message_id: NotRequired[str]
    values: NotRequired[Values]


class Report(TypedDict):
    """The results of all checks before play."""

    checks: list[Check]
    at: float


class ProfileSummary(TypedDict):
    """A summary of the calibration profile."""

    file: Annotated[str | None, Meta(description="null: the state folder's")]
    camera: str
    size: Size
    light: bool
    lens: bool
    table: bool
    inks: bool
    tiles: int
    in_force: Annotated[bool, Meta(description="false: from the next start")]


class Calibration(TypedDict):
    """The profile and the last check."""

    profile: ProfileSummary | None
    report: Report | None


class StepTaken(TypedDict):
    """The result of a calibration step; it takes effect at the next start."""

    step: Literal["light", "setup", "table", "colours", "tiles"]
    not_set: NotRequired[Annotated[list[str], Meta(description="of focus, exposure, white: what cannot be set")]]
    tiles: NotRequired[Annotated[list[str], Meta(description="that were learnt")]]
    alike: NotRequired[Annotated[list[list[str]], Meta(description="pairs of them that may be confused")]]
    size_mm: NotRequired[Annotated[list[float], Meta(description="of the table")]]
    error_mm: NotRequired[float | None]
    inks_why: NotRequired[Annotated[str | None, Meta(description="why the inks were not learned")]]


class Ended(TypedDict):
    """What follows when the service has ended."""

    then: Literal["restart", "power_off"]


class GuideFinding(TypedDict):
    """A problem of the live picture; `seen` is null if it cannot be measured now."""

    symptom: str
    seen: bool | None
    value: float | None
    limit: float | None
    quads: list[Quad]


class Guide(TypedDict):
    """The problems of the live picture."""

    size: Size | None
    findings: list[GuideFinding]


class Cues(TypedDict):
    """The cues."""

    cues: list[str]


class Played(TypedDict):
    """A cue that was played."""

    played: str


class LogLine(TypedDict):
    """A line of the log."""

    wall: str
    level: str
    message: str


class LogLines(TypedDict):
    """The last lines of the log, oldest first."""

    lines: list[LogLine]


class Retried(TypedDict):
    """Confirmation that the service tries again."""

    retry: Literal[True]


Health = Annotated[dict[str, Any], Meta(description="as `referee status --json`, without `running`, `stale`, `age`")]
