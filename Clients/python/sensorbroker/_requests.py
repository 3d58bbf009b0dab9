"""What a program asks for, and what it offers; checked before it is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

from .errors import InvalidRequest

_LABEL = re.compile(r"[A-Za-z0-9._-]{1,32}")
#: Of a resource, in bytes.
_LONGEST_NAME = 255


def encoded(text: str) -> bytes:
    """The bytes of a text; one with half of a character, as from an undecodable file name, has none, and a broker reads none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        part = text[max(0, error.start - 20) : error.end]
        raise InvalidRequest(f"{part!r} ends with half of a character, which cannot be sent") from None


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
        for name in (self.resource, self.align_to or ""):
            if len(encoded(name)) > _LONGEST_NAME:
                raise InvalidRequest(f"the name {name[:20]}... is too long; a name has {_LONGEST_NAME} bytes at most")
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
