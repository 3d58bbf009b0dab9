"""The synchronous interface of a program that is a sensor."""

from __future__ import annotations

import os
import select
import threading
from types import TracebackType
from typing import Any, Iterator, List, Optional, Sequence, Type

from . import _feed, _samples, _socket, _waits
from ._endpoint import Endpoint, note
from .values import Demand, FeedEvent, now_ns

_LONGEST_POLL_MS = 3_600_000


def _until(timeout: Optional[float]) -> Optional[int]:
    wait = _waits.limit_ns("timeout", timeout)
    return None if wait is None else now_ns() + wait


class Provider(Endpoint):
    """Resources that this program provides; they end with the ``with`` block.

    `push` never waits: it hands samples to the broker, or drops what the socket has no room for. Whoever only pushes needs nothing
    else; what goes wrong is logged (logger ``sensorbroker``), and the connection is renewed. Iterating over it gives each `Demand`, to
    change the rate of a device or to rest; `events` gives everything. All may be called from any thread, but only one thread may iterate.
    """

    def __init__(self, paths: List[str], provision: _feed.Provision, encoder: _samples.Encoder) -> None:
        super().__init__(paths, provision, encoder)
        self._lock = threading.RLock()
        self._wake_end, self._ring_end = _socket.wake_pipe()
        self._poll = select.poll()
        self._poll.register(self._wake_end, select.POLLIN)
        # Whether somebody waits in `_poll`, who has to see what another thread has found.
        self._is_waiting = False

    def __enter__(self) -> "Provider":
        with self._lock:
            self._work()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
        self._release()

    def __del__(self) -> None:
        if hasattr(self, "_is_waiting"):
            self._release()

    def push(self, *measured: Any, timestamp_ns: Optional[int] = None) -> bool:
        """Hands over what was measured at one time, of CLOCK_BOOTTIME; None: when the broker receives it.

        The numbers of the resource, ``push(x, y, z)``, or a `Location`. If several resources are provided, what was measured of
        each: ``push((x, y, z), (gx, gy, gz))``. True: it is on its way, or nobody wants it. False: it was dropped, because the broker
        reads too slowly or is away. Raises what waiting cannot cure.
        """
        with self._lock:
            done = self._push(measured, timestamp_ns)
            if self._is_waiting and self._provision.has_news:
                self._ring()
            return done

    def push_batch(
        self,
        *batches: _samples.Batch,
        timestamp_ns: Optional[int] = None,
        period_ns: Optional[int] = None,
        timestamps_ns: Optional[Sequence[int]] = None,
    ) -> bool:
        """Hands over what was measured at several times: evenly spaced from ``timestamp_ns`` on, or at ``timestamps_ns``.

        Of each resource columns by the names of its channels, ``{"x": [...], "y": [...]}``, or rows; lists or NumPy's arrays. Arrays of
        32-bit numbers (float32) are much cheaper.
        """
        with self._lock:
            done = self._push_batch(batches, timestamp_ns, period_ns, timestamps_ns)
            if self._is_waiting and self._provision.has_news:
                self._ring()
            return done

    def __iter__(self) -> Iterator[Demand]:
        for event in self.events():
            if isinstance(event, Demand):
                yield event
            else:
                note(event)

    def events(self) -> Iterator[FeedEvent]:
        """Everything that happens: what is wanted, refused samples, interruptions."""
        while True:
            event = self.next_event()
            if event is None:
                return
            yield event

    def next_event(self, timeout: Optional[float] = None) -> Optional[FeedEvent]:
        """The next event; None if none came in so many seconds, or if the provider was closed."""
        until = _until(timeout)
        self._is_followed = True
        while True:
            with self._lock:
                if self._is_closed:
                    return None
                self._work()
                event = self._provision.take_news()
                if event is not None:
                    return event
                if self._provision.failure is not None:
                    raise self._provision.failure
                now = now_ns()
                deadline = self._provision.deadline
                if until is not None:
                    if now >= until:
                        return None
                    deadline = min(deadline, until)
                self._is_waiting = True
            ready = self._poll.poll(min(max(0, (deadline - now) // 1_000_000 + 1), _LONGEST_POLL_MS))
            with self._lock:
                self._is_waiting = False
                # Another thread may have closed it.
                if self._wake_end >= 0 and any(number == self._wake_end for number, _ in ready):
                    os.read(self._wake_end, 4096)

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until samples are wanted; False if they are not, after so many seconds or when it was closed."""
        until = _until(timeout)
        while not self.wanted:
            left = None if until is None else max(0.0, (until - now_ns()) / 1e9)
            event = self.next_event(left)
            if event is None:
                break
            note(event)
        return self.wanted

    def close(self) -> None:
        """Ends the provision; an iteration ends. The rest of a batch that waits for room is sent before, for two seconds at most."""
        with self._lock:
            self._finish()
            self._end()
            self._ring()

    def _watch(self, connection: _socket.Connection) -> None:
        self._poll.register(connection, select.POLLIN)
        if self._is_waiting:
            self._ring()

    def _unwatch(self, connection: _socket.Connection) -> None:
        self._poll.unregister(connection)

    def _await_room(self, connection: _socket.Connection, is_waiting: bool) -> None:
        self._poll.modify(connection, select.POLLIN | select.POLLOUT if is_waiting else select.POLLIN)
        if self._is_waiting:
            self._ring()

    def _ring(self) -> None:
        if self._ring_end >= 0:
            try:
                os.write(self._ring_end, b"!")
            except BlockingIOError:
                # It is full, so it has been rung.
                pass

    def _release(self) -> None:
        """Closes all descriptors."""
        with self._lock:
            self._finish()
            self._end()
            for end in (self._wake_end, self._ring_end):
                if end >= 0:
                    os.close(end)
            self._wake_end = self._ring_end = -1
