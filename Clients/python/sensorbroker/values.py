"""What a broker tells: readings, gaps, states, grants; and what it is asked for. Times are nanoseconds of CLOCK_BOOTTIME."""

from __future__ import annotations

import datetime
import re
import time
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .errors import InvalidRequest, SensorError

if TYPE_CHECKING:
    import numpy
    import numpy.typing

_LABEL = re.compile(r"[A-Za-z0-9._-]{1,32}")
#: To read three clocks takes less than this, unless something comes between.
_QUICK_NS = 20_000
_CLOCK_BOOTTIME: int = getattr(time, "CLOCK_BOOTTIME", 7)


def now_ns() -> int:
    """The present instant of CLOCK_BOOTTIME, the clock of all timestamps."""
    return time.clock_gettime_ns(_CLOCK_BOOTTIME)


def wall_clock_offset_ns() -> int:
    """What to add to a timestamp for the nanoseconds since 1970 (UTC), by the host's wall clock as it is set now."""
    # Whoever interrupts this between two clocks makes the offset wrong: of some tries the quickest counts.
    offset, shortest = 0, 1 << 62
    for _ in range(5):
        before = now_ns()
        wall = time.time_ns()
        took = now_ns() - before
        if took < shortest:
            offset, shortest = wall - (before + took // 2), took
        if shortest < _QUICK_NS:
            break
    return offset


def encoded(text: str) -> bytes:
    """The bytes of a text; one with half of a character, as from an undecodable file name, has none, and a broker reads none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        part = text[max(0, error.start - 20) : error.end]
        raise InvalidRequest(f"{part!r} ends with half of a character, which cannot be sent") from None


@dataclass(frozen=True)
class Channel:
    """One of the numbers in a resource's readings."""

    name: str
    unit: str


@dataclass(frozen=True)
class Resource:
    """A sensor of the host."""

    name: str
    #: Such as ``acceleration``; a later broker may have kinds that this package does not know: their channels say what comes.
    kind: str
    channels: Tuple[Channel, ...]
    #: ``idle``, ``warm``, ``starting``, ``active``, ``stale``, ``unavailable``, ``released``, or a later broker's word.
    state: str
    #: Why it is stale or unavailable, for people.
    reason: Optional[str]
    #: Whether its readings come from a mock or a recording.
    simulated: bool
    minimum_interval_ns: int
    maximum_interval_ns: int
    default_interval_ns: int
    #: The present interval of the device; None while it is closed or unknown.
    device_interval_ns: Optional[int]
    description: Optional[str]
    #: When readings come: ``continuous``, one for each interval, or ``onChange``; a later broker's word; None if the broker does not say.
    reporting: Optional[str] = None


@dataclass(frozen=True)
class Request:
    """What is asked of one resource. What is None has the resource's default.

    Give ``rate`` (in Hz) or ``interval`` (in seconds; 0 is every sample of the device), not both.
    """

    resource: str
    interval: Optional[float] = None
    #: Readings may be gathered for so many seconds, which saves wake-ups.
    batch: Optional[float] = None
    #: ``newest`` sample of each interval (the default), or the ``mean`` of its samples.
    filter: Optional[str] = None
    #: Leave out readings that changed less than this, in metres for a location, else in the unit of the channels.
    minimum_change: Optional[float] = None
    #: Whether locations have each satellite in view.
    satellites: bool = False
    #: Whether batches come as 32-bit numbers instead of decimal ones; None: if there are a thousand samples a second or more.
    packed: Optional[bool] = None
    #: Tells requests of one stream for the same resource apart.
    label: Optional[str] = None
    #: The name of another request of the stream, whose readings shall carry what this one measured at their times.
    align_to: Optional[str] = None
    rate: Optional[float] = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.resource:
            raise InvalidRequest("a request names a resource, such as 'accelerometer'")
        encoded(self.resource + (self.align_to or ""))
        if self.rate is not None:
            if self.interval is not None:
                raise InvalidRequest("a request has a rate or an interval, not both")
            if not 0 < self.rate < float("inf"):
                raise InvalidRequest(f"the rate {self.rate} is not valid; it is in Hz, and interval=0 is every sample")
            object.__setattr__(self, "interval", 1 / self.rate)
            # A copy with another value, as by dataclasses.replace(), is not to have both.
            object.__setattr__(self, "rate", None)
        for name, value in (("interval", self.interval), ("batch", self.batch)):
            if value is not None and not 0 <= value < 9e9:
                raise InvalidRequest(f"{name}={value} is not valid; it is a number of seconds from 0")
        if self.minimum_change is not None and not 0 <= self.minimum_change < float("inf"):
            raise InvalidRequest(f"minimum_change={self.minimum_change} is not valid; it is a number from 0")
        if self.filter not in (None, "newest", "mean"):
            raise InvalidRequest(f"the filter {self.filter!r} is not valid; there are 'newest' and 'mean'")
        if self.label is not None and not _LABEL.fullmatch(self.label):
            raise InvalidRequest(f"the label {self.label!r} is not valid; it has 1 to 32 letters, digits, or any of '._-'")

    @property
    def name(self) -> str:
        """What the request is called in its stream: its label, or else its resource."""
        return self.label or self.resource

    @property
    def interval_ns(self) -> Optional[int]:
        """The interval in nanoseconds."""
        return None if self.interval is None else round(self.interval * 1e9)

    def wire(self) -> Dict[str, Any]:
        """The request as it is sent."""
        members = {
            "resource": self.resource,
            "label": self.label,
            "intervalNanoseconds": self.interval_ns,
            "batchNanoseconds": None if self.batch is None else round(self.batch * 1e9),
            "filter": self.filter,
            "minimumChange": None if self.minimum_change is None else float(self.minimum_change),
            "satellites": self.satellites or None,
            "packed": self._is_packed or None,
            "alignTo": self.align_to,
        }
        return {key: value for key, value in members.items() if value is not None}

    @property
    def _is_packed(self) -> bool:
        if self.packed is not None:
            return self.packed
        # From a thousand values a second on, what it costs to read decimal numbers counts; 24 bits hold all that is measured.
        return bool(self.batch) and self.interval is not None and self.interval <= 0.001


@dataclass(frozen=True)
class Grant:
    """The broker's grant for a request; one that is out of range is moved into range, never refused."""

    resource: str
    label: Optional[str]
    #: 0: every sample of the device.
    interval_ns: int
    batch_ns: int
    #: The interval of the device, which serves all clients.
    device_interval_ns: Optional[int] = None

    @property
    def name(self) -> str:
        """The name of its request."""
        return self.label or self.resource

    @property
    def rate(self) -> Optional[float]:
        """Readings a second; None for every sample."""
        return 1e9 / self.interval_ns if self.interval_ns else None

    def __str__(self) -> str:
        pace = f"every {self.interval_ns / 1e9:.6g} s" if self.interval_ns else "every sample"
        return f"{self.name}: {pace}" + (f", in batches of {self.batch_ns / 1e9:.6g} s" if self.batch_ns else "")


@dataclass(frozen=True)
class Gap:
    """Readings that the program should have received but did not."""

    resource: str
    label: Optional[str]
    #: ``slowClient``, ``deviceOverflow``, ``deviceLost``, ``reconfigured``, ``restarted``, ``released``; ``disconnected`` if the
    #: broker was away and the stream was renewed; or a later broker's word.
    cause: str
    #: How many readings are missing, if that is known.
    count: Optional[int]
    from_ns: int
    until_ns: int

    @property
    def seconds(self) -> float:
        """The length of the gap."""
        return (self.until_ns - self.from_ns) / 1e9

    def __str__(self) -> str:
        missing = "readings" if self.count is None else "1 reading" if self.count == 1 else f"{self.count} readings"
        return f"{self.label or self.resource}: {missing} missing in {self.seconds:.3g} s ({self.cause})"


@dataclass(frozen=True)
class State:
    """A resource is in this state from here on."""

    resource: str
    #: See `Resource.state`.
    state: str
    #: Why, for people.
    reason: Optional[str] = None
    #: All that the broker says of it; None if this package noticed the change itself, as with a silence.
    details: Optional[Resource] = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.resource} is {self.state}" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Connected:
    """The broker answered; also after a reconnect."""


@dataclass(frozen=True)
class Interrupted:
    """The stream is interrupted; it continues by itself, with a gap."""

    error: SensorError

    def __str__(self) -> str:
        return str(self.error)


@dataclass(frozen=True)
class Refused:
    """The broker refused a change of the stream; the former requests still hold."""

    error: SensorError
    names: Tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.names)}: {self.error}"


@dataclass(frozen=True)
class Satellite:
    """A satellite in view."""

    #: As in NMEA 0183 2.x to 4.0, unique among all systems.
    prn: int
    used: bool
    system: Optional[str] = None
    system_number: Optional[int] = None
    elevation_degrees: Optional[float] = None
    azimuth_degrees: Optional[float] = None
    signal_decibel_hertz: Optional[float] = None


@dataclass(frozen=True)
class Location:
    """A location; None means unknown. The names are those of the interface, and have their units."""

    #: ``none``, ``2d`` or ``3d``.
    fix: str
    #: UTC time of the fix, since 1970.
    utc_microseconds: Optional[int] = None
    latitude_degrees: Optional[float] = None
    longitude_degrees: Optional[float] = None
    #: Above mean sea level.
    altitude_meters: Optional[float] = None
    #: Above the WGS84 ellipsoid.
    ellipsoid_height_meters: Optional[float] = None
    #: With 95 % confidence, as are all errors.
    horizontal_error_meters: Optional[float] = None
    vertical_error_meters: Optional[float] = None
    speed_meters_per_second: Optional[float] = None
    #: Clockwise from true north.
    track_degrees: Optional[float] = None
    climb_meters_per_second: Optional[float] = None
    speed_error_meters_per_second: Optional[float] = None
    track_error_degrees: Optional[float] = None
    climb_error_meters_per_second: Optional[float] = None
    #: Mean sea level above the WGS84 ellipsoid.
    geoid_separation_meters: Optional[float] = None
    horizontal_dilution: Optional[float] = None
    vertical_dilution: Optional[float] = None
    position_dilution: Optional[float] = None
    velocity_north_meters_per_second: Optional[float] = None
    velocity_east_meters_per_second: Optional[float] = None
    velocity_down_meters_per_second: Optional[float] = None
    ecef_velocity_x_meters_per_second: Optional[float] = None
    ecef_velocity_y_meters_per_second: Optional[float] = None
    ecef_velocity_z_meters_per_second: Optional[float] = None
    time_error_seconds: Optional[float] = None
    #: How far GPS time is ahead of UTC.
    leap_seconds: Optional[int] = None
    satellites_used: Optional[int] = None
    satellites_visible: Optional[int] = None
    #: How the position was found: ``autonomous``, ``dgps``, ``rtkFixed``, ``rtkFloat``, ``deadReckoning``,
    #: ``gnssDeadReckoning``, ``timeOnly``, ``simulated`` or ``precise``; later versions may add others.
    status: Optional[str] = None
    correction_age_seconds: Optional[float] = None
    #: The number of the station that the corrections come from.
    correction_station: Optional[int] = None
    #: Where the antennas or the vehicle point, as a second antenna or a compass measures it: clockwise from true north.
    heading_degrees: Optional[float] = None
    pitch_degrees: Optional[float] = None
    roll_degrees: Optional[float] = None
    #: From the other antenna or the reference station to this antenna.
    baseline_north_meters: Optional[float] = None
    baseline_east_meters: Optional[float] = None
    baseline_down_meters: Optional[float] = None
    baseline_length_meters: Optional[float] = None
    baseline_heading_degrees: Optional[float] = None
    #: None unless the request asked for them.
    satellites: Optional[Tuple[Satellite, ...]] = None

    @property
    def utc(self) -> Optional[datetime.datetime]:
        """The time of the fix."""
        if self.utc_microseconds is None:
            return None
        return _EPOCH + datetime.timedelta(microseconds=self.utc_microseconds)


@dataclass(frozen=True)
class Aligned:
    """What another resource measured at the times of a reading's samples."""

    resource: str
    label: Optional[str]
    #: ``exact``, ``interpolated`` or ``absent``.
    alignment: str
    #: By the names of channels, or of a location's numbers on the wire; None where nothing is known.
    columns: Mapping[str, Sequence[Optional[float]]]


def _wall_time(timestamp_ns: int) -> datetime.datetime:
    return _EPOCH + datetime.timedelta(microseconds=(timestamp_ns + wall_clock_offset_ns()) // 1000)


class Sample(NamedTuple):
    """One row of a reading."""

    timestamp_ns: int
    #: By the names of the channels.
    values: Dict[str, float]

    @property
    def time(self) -> datetime.datetime:
        """When it was measured, by the host's wall clock, in UTC."""
        return _wall_time(self.timestamp_ns)


class _Words(NamedTuple):
    """A view of packed words, in a form that can be pickled and copied."""

    data: bytes
    form: str


def _stored(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _stored(column) for name, column in value.items()}
    return _Words(value.tobytes(), value.format) if isinstance(value, memoryview) else value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _restored(column) for name, column in value.items()}
    return memoryview(value.data).cast(value.form) if isinstance(value, _Words) else value  # type: ignore[call-overload]


# Made for each reading, so it has slots, and is not frozen, which would make it three times as slow to create. It is not to be
# changed all the same.
@dataclass(repr=False)
class Reading:
    """What one resource measured: a location, an orientation, or numbers, with several samples if it is a batch.

    ``reading["x"]`` is the number of a channel if there is one sample; `columns` and `samples` are there for any number.
    """

    __slots__ = (
        "resource", "label", "sequence", "timestamp_ns", "columns", "location", "orientation", "gaps", "aligned", "_count",
        "_period_ns", "_timestamps_ns", "_steps_ns",
    )  # fmt: skip

    resource: str
    label: Optional[str]
    #: Of the first sample, counted by the device since it was opened.
    sequence: int
    #: CLOCK_BOOTTIME of the first sample.
    timestamp_ns: int
    #: The numbers of each channel, oldest first; of a packed reading, views of the bytes received, of 32-bit numbers.
    columns: Mapping[str, Sequence[float]]
    location: Optional[Location]
    #: Which edge is up: ``normal``, ``bottom-up``, ``left-up``, ``right-up``, ``undefined``.
    orientation: Optional[str]
    #: What is missing before this reading: the gaps of its request since the last one. Almost always empty.
    gaps: Tuple[Gap, ...]
    #: One for each request that names this one in ``align_to``.
    aligned: Tuple[Aligned, ...]
    _count: int
    _period_ns: int
    _timestamps_ns: Optional[Sequence[int]]
    _steps_ns: Optional[Sequence[int]]

    @property
    def name(self) -> str:
        """The name of its request."""
        return self.label or self.resource

    def __repr__(self) -> str:
        what: Any = self.location or self.orientation
        if self._count > 1:
            what = f"{self._count} samples of {', '.join(self.columns)}"
        elif what is None:
            what = {name: column[0] for name, column in self.columns.items() if len(column)}
        more = "".join(f", {name}={value}" for name, value in (("gaps", self.gaps), ("aligned", self.aligned)) if value)
        return f"Reading({self.name}, {what}, sequence={self.sequence}, timestamp_ns={self.timestamp_ns}{more})"

    def __getstate__(self) -> Dict[str, Any]:
        return {name: _stored(getattr(self, name)) for name in self.__slots__}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, _restored(value))

    def __len__(self) -> int:
        """The number of samples."""
        return self._count

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, channel: str) -> float:
        """The number of a channel, in a reading of one sample."""
        column = self.columns[channel]
        if len(column) != 1:
            raise ValueError(f"this reading has {self._count} samples: use columns[{channel!r}], or samples()")
        return column[0]

    @property
    def timestamps_ns(self) -> Sequence[int]:
        """CLOCK_BOOTTIME of each sample."""
        if self._timestamps_ns is not None:
            return self._timestamps_ns
        first = self.timestamp_ns
        if self._steps_ns is not None:
            return list(accumulate(chain((first,), self._steps_ns)))
        if self._period_ns:
            return range(first, first + self._count * self._period_ns, self._period_ns)
        return [first] * self._count

    @property
    def last_timestamp_ns(self) -> int:
        """CLOCK_BOOTTIME of the last sample."""
        if self._timestamps_ns:
            return self._timestamps_ns[-1]
        if self._steps_ns is not None:
            return self.timestamp_ns + sum(self._steps_ns)
        return self.timestamp_ns + (self._count - 1) * self._period_ns

    def samples(self) -> Iterator[Sample]:
        """Each sample, oldest first."""
        names = tuple(self.columns)
        for stamp, row in zip(self.timestamps_ns, zip(*self.columns.values())):
            yield Sample(stamp, dict(zip(names, row)))

    @property
    def age(self) -> float:
        """How many seconds ago the first sample was measured."""
        return (now_ns() - self.timestamp_ns) / 1e9

    @property
    def time(self) -> datetime.datetime:
        """When the first sample was measured, by the host's wall clock, in UTC."""
        return _wall_time(self.timestamp_ns)

    def numpy(self) -> "Tuple[numpy.typing.NDArray[numpy.int64], Dict[str, numpy.typing.NDArray[Any]]]":
        """The times (nanoseconds, int64) and the columns as NumPy arrays.

        Packed columns are not copied: the arrays are read-only views of what was received, of 32-bit numbers. Others are of
        64-bit numbers.
        """
        import numpy

        if self._steps_ns is not None:
            times = numpy.empty(self._count, numpy.int64)
            times[0] = self.timestamp_ns
            numpy.cumsum(numpy.asarray(self._steps_ns), out=times[1:])
            times[1:] += self.timestamp_ns
        elif self._timestamps_ns is not None:
            times = numpy.array(self._timestamps_ns, numpy.int64)
        else:
            times = self.timestamp_ns + numpy.arange(self._count, dtype=numpy.int64) * self._period_ns
        columns = {
            name: numpy.frombuffer(column, numpy.float32)
            if isinstance(column, memoryview)
            else numpy.asarray(column, numpy.float64)
            for name, column in self.columns.items()
        }
        return times, columns


@dataclass(frozen=True)
class Offer:
    """A resource that a program provides."""

    #: As clients will know it: the name of its kind, or with a suffix, such as ``accelerometer:arm``.
    name: str
    #: Such as ``acceleration``; None: what the name says.
    kind: Optional[str] = None
    #: The names of its numbers in their order. None: by their number, ``value``, ``near`` and ``raw``, ``x`` to ``z``, ``x`` to ``w``.
    channels: Optional[Tuple[str, ...]] = None

    def __post_init__(self) -> None:
        if not self.name:
            raise InvalidRequest("an offer has a name, such as 'accelerometer:arm'")
        encoded("".join((self.name, self.kind or "", *(self.channels or ()))))
        if self.channels is not None and (not self.channels or len(set(self.channels)) != len(self.channels)):
            raise InvalidRequest(f"the channels {self.channels} of {self.name} are none, or not different")

    def wire(self) -> Dict[str, Any]:
        """The offer as it is sent."""
        return {"name": self.name} if self.kind is None else {"name": self.name, "kind": self.kind}


@dataclass(frozen=True)
class Demand:
    """What all clients together want of a provider from here on."""

    #: Whether any client wants samples; while none does, they are dropped, and the program may rest.
    wanted: bool
    #: The longest interval that is enough for all clients, one of those offered; None: as the program likes.
    interval_ns: Optional[int] = None
    #: Samples may be gathered for so long before they are pushed; 0: not at all.
    latency_ns: int = 0

    @property
    def interval(self) -> Optional[float]:
        """The interval in seconds."""
        return None if self.interval_ns is None else self.interval_ns / 1e9

    @property
    def rate(self) -> Optional[float]:
        """Samples a second; None: as the program likes."""
        return 1e9 / self.interval_ns if self.interval_ns else None

    def __str__(self) -> str:
        if not self.wanted:
            return "nobody wants samples"
        pace = f"wanted every {self.interval_ns / 1e9:.6g} s" if self.interval_ns else "wanted"
        return pace + (f", gathered for {self.latency_ns / 1e9:.6g} s" if self.latency_ns else "")


@dataclass(frozen=True)
class RefusedSamples:
    """Samples that the broker refused, so that clients do not get them."""

    count: int
    #: Why the last of them was refused, for people.
    reason: str

    def __str__(self) -> str:
        return f"the broker refused {self.count} sample{'' if self.count == 1 else 's'}: {self.reason}"


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

#: What a stream tells, in order.
Event = Union[Reading, Gap, State, Grant, Connected, Interrupted, Refused]

#: What a provider is told.
FeedEvent = Union[Demand, RefusedSamples, Interrupted]
