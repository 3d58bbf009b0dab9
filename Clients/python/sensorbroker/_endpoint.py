"""What the two interfaces of providers have in common: a socket that nobody waits for."""

from __future__ import annotations

import logging
import select
from typing import Any, List, Optional, Sequence, Tuple

from . import _feed, _samples, _socket, errors
from .values import Demand, FeedEvent, now_ns

log = logging.getLogger("sensorbroker")
#: What a provider that ends has not sent yet may take so long.
FINISH_NS = 2_000_000_000


class Endpoint:
    """A provision and its connection."""

    def __init__(self, paths: List[str], provision: _feed.Provision, encoder: _samples.Encoder) -> None:
        self._paths = _socket.feed_paths(paths)
        self._provision = provision
        self._encoder = encoder
        self._connection: Optional[_socket.Connection] = None
        # Of calls that did not fit the socket as a whole, and how many times each of them has.
        self._rest: Optional[memoryview] = None
        self._counts: List[int] = []
        self._dropped = 0
        # How many of these the broker has not heard of.
        self._missing = 0
        self._is_closed = False
        # Whether somebody takes what is told; else it is logged.
        self._is_followed = False

    @property
    def demand(self) -> Demand:
        """What is wanted at present."""
        return self._provision.demand

    @property
    def wanted(self) -> bool:
        """Whether anybody wants samples at present."""
        return self._provision.demand.wanted

    @property
    def outage(self) -> Optional[errors.SensorError]:
        """Why nothing is provided at present; None if it is, or if the broker has not answered yet."""
        return self._provision.outage

    @property
    def dropped(self) -> int:
        """How many times of samples were dropped so far: the broker read too slowly, or went away while they waited for room."""
        return self._dropped

    # The interfaces watch the connection in their ways.

    def _watch(self, connection: _socket.Connection) -> None:
        raise NotImplementedError

    def _unwatch(self, connection: _socket.Connection) -> None:
        raise NotImplementedError

    def _await_room(self, connection: _socket.Connection, is_waiting: bool) -> None:
        raise NotImplementedError

    def _push(self, measured: Sequence[Any], timestamp_ns: Optional[int]) -> bool:
        if not self._may_push():
            return False
        if not self._provision.demand.wanted:
            return True
        return self._send([(self._encoder.one(tuple(measured), timestamp_ns), 1)])

    def _push_batch(
        self,
        batches: Sequence[_samples.Batch],
        timestamp_ns: Optional[int],
        period_ns: Optional[int],
        timestamps_ns: Optional[Sequence[int]],
    ) -> bool:
        if not self._may_push():
            return False
        if not self._provision.demand.wanted:
            return True
        calls = self._encoder.batch(batches, timestamp_ns, period_ns, timestamps_ns)
        return self._send(calls) if calls else True

    def _may_push(self) -> bool:
        if self._is_closed:
            raise errors.InvalidRequest("the provider is closed")
        self._work()
        if self._provision.failure is not None:
            raise self._provision.failure
        if not self._is_followed:
            while self._provision.has_news:
                note(self._provision.take_news())
        return self._provision.outage is None

    def _work(self) -> None:
        """Does what can be done without waiting."""
        provision = self._provision
        if self._connection is not None:
            self._receive()
        if provision.deadline < _feed.FOREVER:
            now = now_ns()
            if now >= provision.deadline:
                provision.expire(now)
                self._settle()
                if provision.is_connection_due and now >= provision.deadline:
                    self._connect(now)
        if self._rest is not None:
            self._flush()

    def _finish(self) -> None:
        """Waits until the rest is sent, as long as the broker may take for it; a child of fork() leaves that to its parent."""
        until = now_ns() + FINISH_NS
        room = select.poll()
        while self._rest is not None and self._connection is not None and not self._connection.is_inherited:
            left = until - now_ns()
            if left <= 0:
                return
            room.register(self._connection, select.POLLIN | select.POLLOUT)
            room.poll(left // 1_000_000 + 1)
            room.unregister(self._connection)
            self._receive()
            self._flush()

    def _end(self) -> None:
        """Provides nothing any more."""
        self._is_closed = True
        self._provision.end()
        self._settle()

    def _connect(self, now: int) -> None:
        try:
            connection = _socket.connect(self._paths, self._provision.call)
        except errors.SensorError as error:
            self._provision.lost(error, now)
            return
        self._connection = connection
        self._missing = 0
        self._provision.opened(now)
        self._watch(connection)

    def _receive(self) -> None:
        connection = self._connection
        if connection is None:
            return
        try:
            data = connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._provision.received(data, now_ns())
        else:
            self._provision.lost(errors.Disconnected(), now_ns())
        self._settle()

    def _settle(self) -> None:
        """Closes the connection if the provision is through with it."""
        connection = self._connection
        if connection is not None and (self._provision.is_connection_due or self._is_closed):
            if self._rest is not None and not connection.is_inherited:
                lost = sum(self._counts[-self._rest.tobytes().count(0) :])
                self._dropped += lost
                log.warning("the broker did not take the last %d samples before the connection ended", lost)
            self._connection = None
            self._rest = None
            self._unwatch(connection)
            connection.close()

    def _send(self, counted: Sequence[Tuple[bytes, int]]) -> bool:
        """Sends all of these calls, or nothing."""
        connection = self._connection
        counts = [count for _, count in counted]
        if connection is None:
            return False
        if self._rest is not None:
            return self._drop(sum(counts))
        calls = b"".join(call for call, _ in counted)
        if self._missing and self._provision.takes_missing:
            calls = _samples.with_missing(calls, self._missing)
        try:
            sent = connection.send(calls)
        except BlockingIOError:
            return self._drop(sum(counts))
        except OSError:
            # What the broker has said before it closed the connection tells why.
            self._receive()
            if self._connection is not None:
                self._provision.lost(errors.Disconnected(), now_ns())
                self._settle()
            return False
        self._missing = 0
        if sent < len(calls):
            self._rest, self._counts = memoryview(calls)[sent:], counts
            self._await_room(connection, True)
        return True

    def _drop(self, count: int) -> bool:
        self._dropped += count
        self._missing += count
        return False

    def _flush(self) -> None:
        connection, rest = self._connection, self._rest
        if connection is None or rest is None:
            return
        try:
            rest = rest[connection.send(rest) :]
        except OSError:
            # It has no room, or has ended, which is read.
            return
        self._rest = rest if len(rest) else None
        if self._rest is None:
            self._await_room(connection, False)


def note(event: Optional[FeedEvent]) -> None:
    """Logs what somebody who only pushes would not notice."""
    if event is not None and not isinstance(event, Demand):
        log.warning("%s", event)
