"""The asyncio interface of a program that is a sensor."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any, AsyncIterator, List, Optional, Sequence, Type

from . import _feed, _samples, _socket, _waits
from ._endpoint import FINISH_NS, Endpoint, note
from ._leash import Leash, within
from .values import Demand, FeedEvent, now_ns

_LONGEST_WAIT = 3600.0


class Provider(Endpoint):
    """Resources that this program provides; they end with the ``async with`` block.

    `push` is no coroutine: it never waits, but hands samples to the broker, or drops what the socket has no room for. Iterating over it
    gives each `Demand`; `events` gives everything. Only one task may iterate; all is to be called in one loop.
    """

    def __init__(self, paths: List[str], provision: _feed.Provision, encoder: _samples.Encoder) -> None:
        super().__init__(paths, provision, encoder)
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._waiter: Optional[asyncio.Future[None]] = None
        # Of one who waits until the rest of a batch is sent.
        self._room: Optional[asyncio.Future[None]] = None
        self._leash = Leash()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._timer_at = 0

    def __del__(self) -> None:
        if hasattr(self, "_timer_at"):
            self.close()

    async def __aenter__(self) -> "Provider":
        self._begin()
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        # Other tasks go on meanwhile.
        if self._rest is not None:
            self._room = asyncio.get_running_loop().create_future()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._room, FINISH_NS / 1e9)
        self._close()

    def push(self, *measured: Any, timestamp_ns: Optional[int] = None) -> bool:
        """Hands over what was measured at one time; see `sensorbroker.Provider.push`."""
        self._begin()
        try:
            return self._push(measured, timestamp_ns)
        finally:
            self._wake()

    def push_batch(
        self,
        *batches: _samples.Batch,
        timestamp_ns: Optional[int] = None,
        period_ns: Optional[int] = None,
        timestamps_ns: Optional[Sequence[int]] = None,
    ) -> bool:
        """Hands over what was measured at several times; see `sensorbroker.Provider.push_batch`."""
        self._begin()
        try:
            return self._push_batch(batches, timestamp_ns, period_ns, timestamps_ns)
        finally:
            self._wake()

    async def __aiter__(self) -> AsyncIterator[Demand]:
        async for event in self.events():
            if isinstance(event, Demand):
                yield event
            else:
                note(event)

    async def events(self) -> AsyncIterator[FeedEvent]:
        """Everything that happens: what is wanted, refused samples, interruptions."""
        while True:
            event = await self._next()
            if event is None:
                return
            yield event

    async def next_event(self, timeout: Optional[float] = None) -> Optional[FeedEvent]:
        """The next event; None if none came in so many seconds, or if the provider was closed."""
        limit = _waits.limit("timeout", timeout)
        return await within(limit, self._next())

    async def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until samples are wanted; False if they are not, after so many seconds or when it was closed."""
        limit = _waits.limit_ns("timeout", timeout)
        until = None if limit is None else now_ns() + limit
        while not self.wanted:
            event = await self.next_event(None if until is None else max(0.0, (until - now_ns()) / 1e9))
            if event is None:
                break
            note(event)
        return self.wanted

    def close(self) -> None:
        """Ends the provision; an iteration ends. If the rest of a batch waits for room, this waits as well, for two seconds at most; the end
        of an ``async with`` block waits without holding up other tasks."""
        self._finish()
        self._close()

    def _close(self) -> None:
        self._end()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._wake()

    async def _next(self) -> Optional[FeedEvent]:
        self._is_followed = True
        self._begin()
        while True:
            event = self._provision.take_news()
            if event is not None or self._is_closed:
                return event
            if self._provision.failure is not None:
                raise self._provision.failure
            self._waiter = asyncio.get_running_loop().create_future()
            self._leash.held = self
            try:
                await self._waiter
            finally:
                self._waiter = self._leash.held = None

    def _begin(self) -> None:
        if self._loop is None and not self._is_closed:
            self._loop = asyncio.get_running_loop()
            self._do_due()

    def _do_due(self) -> None:
        """Does what is due, and comes back when something else is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_closed:
            return
        self._work()
        self._arm()
        self._wake()

    def _arm(self) -> None:
        """Comes back when something is due."""
        deadline = self._provision.deadline
        if self._loop is None or self._is_closed or (self._timer is not None and deadline >= self._timer_at):
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wait = max(0.0, (deadline - now_ns()) / 1e9)
        if wait < _LONGEST_WAIT:
            self._timer = self._loop.call_later(wait + 0.001, self._leash.method(self._do_due))
            self._timer_at = deadline

    def _wake(self) -> None:
        is_news = self._provision.has_news or self._provision.failure is not None or self._is_closed
        if is_news and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _watch(self, connection: _socket.Connection) -> None:
        if self._loop is not None:
            self._loop.add_reader(connection, self._leash.method(self._readable))

    def _readable(self) -> None:
        self._receive()
        self._wake()

    def _unwatch(self, connection: _socket.Connection) -> None:
        # In a child of fork() the loop's epoll is the parent's.
        if self._loop is not None and not self._loop.is_closed() and not connection.is_inherited:
            self._loop.remove_reader(connection)
            self._loop.remove_writer(connection)
        self._tell_room()
        # When to connect again.
        self._arm()

    def _await_room(self, connection: _socket.Connection, is_waiting: bool) -> None:
        if self._loop is None:
            return
        if is_waiting:
            self._loop.add_writer(connection, self._leash.method(self._flush))
        else:
            self._loop.remove_writer(connection)
            self._tell_room()

    def _tell_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
