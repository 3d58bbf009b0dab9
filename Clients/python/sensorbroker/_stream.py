"""A stream that lasts: what to open, send and close, and what to tell, decided without a socket and without a clock.

The synchronous and the asyncio interface carry out what is in `actions`, report what happened with the present time, and hand on
what is in `events`. The rules are those of the Swift library; Clients/conformance/README.md has them.
"""

from __future__ import annotations

import random
from collections import deque
from typing import Deque, Dict, List, NamedTuple, Optional, Sequence, Union

from . import _members, _message, _wire, errors
from ._backoff import Backoff
from ._change import Unit, portions
from ._lane import Lane
from .values import Connected, Event, Gap, Grant, Interrupted, Reading, Refused, Request, Resource, State

SECOND = 1_000_000_000
#: The broker sends a sign of life every 30 s: a stream without one for so long is in doubt,
_SILENT_NS = 90 * SECOND
#: and has so long to send something, since a host that slept could not receive anything.
_DOUBT_NS = 5 * SECOND
#: How long the broker may take to answer a call that it need not wait for.
ANSWER_NS = 15 * SECOND

STREAM, CHANGE = "stream", "change"


class Open(NamedTuple):
    """Connect, and send a call."""

    line: str
    call: bytes


class Close(NamedTuple):
    """Close a connection."""

    line: str


class Stream:
    """The state of one stream."""

    def __init__(
        self, requests: Sequence[Request], now: int, patience_ns: Optional[int] = None, seed: Optional[int] = None
    ) -> None:
        self.events: Deque[Event] = deque()
        self.actions: Deque[Union[Open, Close]] = deque()
        #: Why the stream is over; None while it is not.
        self.failure: Optional[errors.SensorError] = None
        #: The newest grants by the names of requests, and the resources by their names.
        self.grants: Dict[str, Grant] = {}
        self.resources: Dict[str, Resource] = {}

        self._carried: Dict[str, Request] = {}
        for request in requests:
            if request.name in self._carried:
                raise errors.InvalidRequest(f"there are two requests named {request.name!r}: give them different labels")
            self._carried[request.name] = request
        if not self._carried:
            raise errors.InvalidRequest("a stream has at least one request, such as 'accelerometer'")
        self._lanes = {name: Lane(request, now) for name, request in self._carried.items()}
        self._units: Deque[Unit] = deque()
        self._patience_ns = patience_ns
        self._backoff = Backoff(random.Random(seed))

        self._framers: Dict[str, _message.Framer] = {}
        self._subscription: Optional[str] = None
        self._is_answered = False
        self._is_interruption_told = False
        self._is_change_open = False
        self._answer_by: Optional[int] = None
        self._retry_at: Optional[int] = None
        self._away_since: int = now
        self._last_error: errors.SensorError = errors.Disconnected()
        self._last_received = now
        self._doubted_until: Optional[int] = None
        # When something may be due; None if it has to be worked out.
        self._check_at: Optional[int] = None
        self._settle(now)

    # What the user wants

    def change(self, requests: Sequence[Request], removed: Sequence[str], now: int) -> None:
        """Replaces or adds requests, and removes others."""
        units = [Unit((), tuple(removed))] if removed else []
        for unit in units + [Unit(portion, ()) for portion in portions(requests)]:
            waiting = list(self._units)[1 if self._is_change_open else 0 :]
            if waiting and waiting[-1].names == unit.names and waiting[-1].removed == unit.removed:
                self._units.pop()
            self._units.append(unit)
        self._settle(now)

    # What happened

    def received(self, line: str, data: bytes, now: int) -> None:
        """Bytes came through a connection."""
        framer = self._framers.get(line)
        if framer is None:
            return
        try:
            for message in framer.feed(data):
                reply = _message.reply(message)
                if line == STREAM:
                    self._replied(reply, now)
                else:
                    self._answered_change(reply.error, now)
                if line not in self._framers:
                    return
        except _members.Malformed as fault:
            self._lose(line, errors.Unintelligible(str(fault)), now)

    def lost(self, line: str, error: errors.SensorError, now: int) -> None:
        """A connection broke, or could not be made."""
        if line in self._framers:
            self._lose(line, error, now)

    def expire(self, now: int) -> None:
        """Does what is due."""
        if self._check_at is not None and now < self._check_at:
            return
        self._check_at = None
        if STREAM in self._framers:
            self._doubt(now)
            self._note_silence(now)
        if self._answer_by is not None and now >= self._answer_by:
            self._lose(CHANGE, errors.TimedOut("the broker did not answer a change of the stream"), now)
        if self._impatient_at is not None and now >= self._impatient_at:
            return self._fail(self._last_error)
        if self._retry_at is not None and now >= self._retry_at:
            self._retry_at = None
            self._settle(now)

    @property
    def deadline(self) -> int:
        """When `expire` is to be called at the latest."""
        if self._check_at is None:
            self._check_at = self._next_check()
        return self._check_at

    @property
    def _impatient_at(self) -> Optional[int]:
        """When the broker has been away for too long; None: it is there, or nobody waits for it."""
        if self._is_answered or self._patience_ns is None or not self._carried:
            return None
        return self._away_since + self._patience_ns

    # Connections

    def _settle(self, now: int) -> None:
        """Opens what is needed."""
        self._check_at = None
        if self.failure is not None:
            return
        if STREAM not in self._framers:
            if not self._carried:
                # Nobody has waited for the broker so far.
                self._away_since = now
            for unit in self._units:
                self._carried = unit.applied(self._carried)
            self._units.clear()
            self._keep_lanes(self._carried, now)
            if self._retry_at is None and self._carried:
                self._last_received = now
                first, *others = portions(self._carried.values())
                self._carried = {request.name: request for request in first}
                self._units.extend(Unit(portion, (), True) for portion in others)
                self._open(STREAM, _message.call("Subscribe", {"requests": [one.wire() for one in first]}, more=True))
        elif self._units and not self._is_change_open and self._subscription is not None:
            unit = self._units[0]
            for request in unit.requests:
                if request.name not in self._lanes:
                    self._lanes[request.name] = Lane(request, now)
            self._is_change_open = True
            self._answer_by = now + ANSWER_NS
            parameters: Dict[str, object] = {"subscription": self._subscription}
            if unit.requests:
                parameters["requests"] = [request.wire() for request in unit.requests]
            if unit.removed:
                parameters["remove"] = list(unit.removed)
            self._open(CHANGE, _message.call("Modify", parameters))

    def _open(self, line: str, call: bytes) -> None:
        self._framers[line] = _message.Framer()
        self.actions.append(Open(line, call))

    def _close(self, line: str) -> None:
        if self._framers.pop(line, None) is not None:
            self.actions.append(Close(line))
        if line == CHANGE:
            self._is_change_open = False
            self._answer_by = None

    def _lose(self, line: str, error: errors.SensorError, now: int) -> None:
        """The stream is interrupted: a change that failed leaves it in doubt what the broker carries out."""
        self._check_at = None
        self._close(CHANGE)
        self._close(STREAM)
        self._last_error = error
        if self._is_answered:
            self._away_since = now
        self._is_answered = False
        self._subscription = None
        self._doubted_until = None
        self.resources.clear()
        for lane in self._lanes.values():
            lane.grant = None
            lane.is_silent = False
            lane.is_interrupted = True
        if not self._is_interruption_told:
            self._is_interruption_told = True
            self.events.append(Interrupted(error))
        self._retry_at = now + self._backoff.next_ns()
        self._settle(now)

    def _fail(self, error: errors.SensorError) -> None:
        self._close(CHANGE)
        self._close(STREAM)
        self.failure = error

    # Replies

    def _answered_change(self, error: Optional[errors.SensorError], now: int) -> None:
        """The reply to Modify."""
        if error is None or isinstance(
            error, (errors.InvalidRequest, errors.NoSuchResource, errors.NotPermitted, errors.TooManyRequests)
        ):
            self._close(CHANGE)
            unit = self._units.popleft()
            if error is None:
                self._carried = unit.applied(self._carried)
            elif unit.is_beginning and isinstance(error, (errors.InvalidRequest, errors.NoSuchResource)):
                return self._fail(error)
            else:
                self.events.append(Refused(error, unit.names))
            self._keep_lanes(self._carried, now)
            self._settle(now)
        else:
            self._lose(CHANGE, error, now)

    def _keep_lanes(self, requests: Dict[str, Request], now: int) -> None:
        former = self._lanes
        self._lanes = {}
        for name, request in requests.items():
            lane = former.get(name)
            if lane is None or lane.request.resource != request.resource:
                lane = Lane(request, now)
            lane.request = request
            self._lanes[name] = lane
        # What is to be asked for goes on as well.
        for name in (request.name for unit in self._units for request in unit.requests):
            if name in former:
                self._lanes.setdefault(name, former[name])

    def _replied(self, reply: _message.Reply, now: int) -> None:
        """A reply to Subscribe."""
        error = reply.error
        if error is not None:
            if isinstance(error, (errors.NoSuchResource, errors.InvalidRequest)):
                return self._fail(error)
            return self._lose(STREAM, error, now)
        update = _wire.update(reply.parameters)
        self._last_received = now
        self._doubted_until = None
        if not self._is_answered:
            self._is_answered = True
            self._is_interruption_told = False
            self._backoff.reset()
            self._check_at = None
            self.events.append(Connected())
        for resource in update.resources:
            self._learn(resource, now)
        for grant in update.grants:
            self._granted(grant, now)
        for gap in update.gaps:
            lane = self._lanes.get(gap.label or gap.resource)
            if lane is not None:
                self._tell_gap(lane, gap)
        for reading in update.readings:
            lane = self._lanes.get(reading.label or reading.resource)
            if lane is not None:
                self._deliver(lane, reading, now)
        if not reply.continues:
            self._lose(STREAM, self._end(update.ended), now)
        elif update.subscription is not None:
            self._subscription = update.subscription
            self._settle(now)

    @staticmethod
    def _end(reason: Optional[str]) -> errors.SensorError:
        if reason is None:
            return errors.Disconnected("the broker ended the stream")
        return errors.NotPermitted() if reason == "permissionDenied" else errors.Ended(reason)

    def _learn(self, resource: Resource, now: int) -> None:
        concerned = [lane for lane in self._lanes.values() if lane.request.resource == resource.name]
        former = self.resources.get(resource.name)
        if not concerned:
            return
        self.resources[resource.name] = resource
        self._check_at = None
        was_silent = any(lane.is_silent for lane in concerned)
        for lane in concerned:
            lane.since = max(lane.since, now)
            lane.is_silent = False
        if was_silent or former is None or (former.state, former.reason) != (resource.state, resource.reason):
            self.events.append(State(resource.name, resource.state, resource.reason, resource))

    def _granted(self, grant: Grant, now: int) -> None:
        lane = self._lanes.get(grant.name)
        if lane is None:
            return
        lane.grant = grant
        lane.since = max(lane.since, now)
        self._check_at = None
        self.grants[grant.name] = grant
        self.events.append(grant)

    def _tell_gap(self, lane: Lane, gap: Gap) -> None:
        # A program that takes only readings gets all gaps with the next one; one that gets no reading for a year keeps few.
        lane.gaps = (*lane.gaps[-99:], gap)
        if lane.covered is not None:
            lane.covered = max(lane.covered, gap.until_ns)
        self.events.append(gap)

    def _deliver(self, lane: Lane, reading: Reading, now: int) -> None:
        first, last = reading.timestamp_ns, reading.last_timestamp_ns
        newest, covered = lane.newest, lane.covered
        if lane.is_interrupted:
            # A stream begins with the newest reading, also where the broker was there all the time.
            if covered is not None and last <= covered:
                return
            lane.is_interrupted = False
            interval = lane.grant.interval_ns if lane.grant is not None else 0
            if covered is not None and first - covered > max(interval + interval // 2, 1):
                resource, label = lane.request.resource, lane.request.label
                self._tell_gap(lane, Gap(resource, label, "disconnected", None, covered, first))
        if newest is not None:
            # Of a batch, the time between its last two samples.
            count = len(reading)
            lane.spacing = max(0, (last - first) // (count - 1) if count > 1 else last - newest)
        newest = last if newest is None else max(newest, last)
        covered = last if lane.covered is None else max(lane.covered, last)
        lane.since = now
        if lane.is_silent:
            lane.is_silent = False
            self._check_at = None
            resource_now = self.resources.get(lane.request.resource)
            if resource_now is not None:
                self.events.append(State(resource_now.name, resource_now.state, resource_now.reason, resource_now))
        if lane.gaps:
            reading.gaps = lane.gaps
            lane.gaps = ()
        # At last and together: the exception of a signal's handler must leave no reading that counts as told and is not.
        lane.newest, lane.covered = newest, covered
        self.events.append(reading)

    # Deadlines

    def _next_check(self) -> int:
        if self.failure is not None:
            return 1 << 62
        times: List[Optional[int]] = [self._retry_at, self._answer_by, self._impatient_at]
        if STREAM in self._framers:
            times.append(self._doubted_until or self._last_received + _SILENT_NS)
            times += [lane.silent_at(self.resources.get(lane.request.resource)) for lane in self._lanes.values()]
        return min((time for time in times if time is not None), default=1 << 62)

    def _doubt(self, now: int) -> None:
        """Gives the stream up if it has been mute for too long, unless it sends something in the time of doubt."""
        if self._doubted_until is None:
            if now - self._last_received >= _SILENT_NS:
                self._doubted_until = now + _DOUBT_NS
        elif now >= self._doubted_until:
            self._lose(STREAM, errors.Disconnected("the broker has sent nothing for too long"), now)

    def _note_silence(self, now: int) -> None:
        for lane in self._lanes.values():
            at = lane.silent_at(self.resources.get(lane.request.resource))
            if at is not None and now >= at:
                lane.is_silent = True
                reason = "no reading has come for a while; perhaps the broker is stopped"
                self.events.append(State(lane.request.resource, "stale", reason))
