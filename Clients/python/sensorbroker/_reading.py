"""A reading, its samples, and what is missing before it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._clock import now_ns, wall_time
from ._location import Location

if TYPE_CHECKING:
    import numpy
    import numpy.typing


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
class Aligned:
    """What another resource measured at the times of a reading's samples."""

    resource: str
    label: Optional[str]
    #: ``exact``, ``interpolated`` or ``absent``.
    alignment: str
    #: By the names of channels, or of a location's numbers on the wire; None where nothing is known.
    columns: Mapping[str, Sequence[Optional[float]]]


class Sample(NamedTuple):
    """One row of a reading."""

    timestamp_ns: int
    #: By the names of the channels.
    values: Dict[str, float]

    @property
    def time(self) -> datetime.datetime:
        """When it was measured, by the host's wall clock, in UTC."""
        return wall_time(self.timestamp_ns)


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
        return wall_time(self.timestamp_ns)

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
