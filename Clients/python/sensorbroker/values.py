"""What a broker tells: readings, gaps, states, grants; and what it is asked for. Times are nanoseconds of CLOCK_BOOTTIME."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Tuple, Union

from ._clock import now_ns, wall_clock_offset_ns
from ._location import Location, Satellite
from ._reading import Aligned, Gap, Reading, Sample
from ._requests import Offer, Request, encoded
from .errors import SensorError

__all__ = [
    "Aligned", "Channel", "Connected", "Demand", "Event", "FeedEvent", "Gap", "Grant", "Interrupted", "Location",
    "Offer", "Reading", "Refused", "RefusedSamples", "Request", "Resource", "Sample", "Satellite", "State", "encoded",
    "now_ns", "wall_clock_offset_ns",
]  # fmt: skip


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


#: What a stream tells, in order.
Event = Union[Reading, Gap, State, Grant, Connected, Interrupted, Refused]

#: What a provider is told.
FeedEvent = Union[Demand, RefusedSamples, Interrupted]
