"""What a stream knows of one request: its grant, its newest sample, and when it is silent."""

from __future__ import annotations

from typing import Optional, Tuple

from .values import Gap, Grant, Request, Resource

#: So many intervals and so much time without a reading are a silence.
_SILENT_INTERVALS = 5
_SILENCE_REACH_NS = 1_000_000_000


class Lane:
    """What is known of one request of the stream."""

    __slots__ = ("request", "grant", "is_interrupted", "is_silent", "since", "newest", "covered", "spacing", "gaps")

    def __init__(self, request: Request, now: int) -> None:
        self.request = request
        self.grant: Optional[Grant] = None
        # True from the loss of the connection to the next reading.
        self.is_interrupted = False
        self.is_silent = False
        # When the last reading was received, or could first be expected.
        self.since = now
        # The timestamp of the last sample, and the time from the one before to it.
        self.newest: Optional[int] = None
        # Until when the program knows what there was: the end of the last sample or gap; None before the first sample.
        self.covered: Optional[int] = None
        self.spacing = 0
        # Those that the next reading is to carry.
        self.gaps: Tuple[Gap, ...] = ()

    def silent_at(self, resource: Optional[Resource]) -> Optional[int]:
        """When no reading will have come for longer than the interval explains; None if a silence means nothing."""
        if self.is_silent or self.grant is None or resource is None or self.request.minimum_change:
            return None
        # It has no readings of its own.
        if self.request.align_to is not None:
            return None
        if resource.state != "active" or resource.reporting != "continuous":
            return None
        interval = max(self.grant.interval_ns, self.grant.device_interval_ns or 0, self.spacing)
        return self.since + _SILENT_INTERVALS * interval + self.grant.batch_ns + _SILENCE_REACH_NS
