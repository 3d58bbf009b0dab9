"""The asyncio interface: the names are those of the synchronous one."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _broker, _feed, _message, _samples, _socket, _stream, _waits, _wire, errors
from ._aio_provider import Provider
from ._leash import Leash, within
from .values import Event, Grant, Offer, Reading, Request, Resource, now_ns

__all__ = ["Broker", "Provider", "Subscription"]

_T = TypeVar("_T")

#: If so many events wait for a slow program, the socket is not read any more: it is the queue, and the broker tells the loss.
_MOST_WAITING = 256
#: More than a socket holds, so that a peer that never ends does not keep the loop.
_MOST_LOOKS = 64
_LONGEST_WAIT = 3600.0


class Broker:
    """The sensors of this host, for asyncio: ``async for reading in broker.subscribe("accelerometer", rate=50)``.

    ``socket`` is the path of the broker's socket; without it, ``SENSORBROKER_SOCKET`` or the usual places are used.
    """

    def __init__(self, socket: Optional[_socket.Path] = None, *, instance: Optional[str] = None) -> None:
        self._paths = _socket.paths(socket, instance)
        self._patience = _socket.patience(socket, instance)

    async def __aenter__(self) -> "Broker":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"aio.Broker({self._paths[0]!r})"

    async def list(self, timeout: float = 15.0) -> List[Resource]:
        """The resources of the host and their states."""
        return await self._call("ListResources", {}, _wire.resources, timeout, _broker.MUTE)

    async def read(
        self, resource: str, *, maximum_age: float = 0.0, timeout: float = 10.0, satellites: bool = False
    ) -> Reading:
        """One reading: the newest if it is no older than ``maximum_age`` seconds, else the next one; see `sensorbroker.Broker.read`."""
        method, parameters = _broker.read_call(resource, maximum_age, timeout, satellites)
        return await self._call(method, parameters, _wire.reading, timeout)

    def subscribe(
        self,
        *wanted: Union[str, Request],
        interval: Optional[float] = None,
        rate: Optional[float] = None,
        batch: Optional[float] = None,
        filter: Optional[str] = None,
        minimum_change: Optional[float] = None,
        satellites: bool = False,
        packed: Optional[bool] = None,
        patience: Optional[float] = None,
    ) -> "Subscription":
        """A stream of readings of one or several resources, given as names or as requests.

        The options apply to those given as names; `Request` describes them. The stream lasts until it is closed: if the broker
        goes away, it is renewed. With ``patience`` it fails if the broker is away for so many seconds.
        """
        requests = _socket.requests(wanted, interval, rate, batch, filter, minimum_change, satellites, packed)
        return Subscription(self._paths, requests, patience)

    def provide(
        self,
        *offered: Union[str, Offer],
        description: Optional[str] = None,
        interval: Optional[float] = None,
        rate: Optional[float] = None,
        intervals: Optional[Sequence[float]] = None,
        shortest: Optional[float] = None,
        longest: Optional[float] = None,
        rest: Optional[float] = None,
        simulated: bool = False,
    ) -> "Provider":
        """Resources that this program provides, given as names or as offers, as long as the ``async with`` block lasts.

        All are one device, measured at the same times, such as ``provide("accelerometer:arm", "gyroscope:arm")``. ``description`` is
        for people. Times are in seconds: ``intervals`` are those that it can be asked for, or any from ``shortest`` to ``longest``;
        ``interval`` (or ``rate`` in Hz) is the one that it has anyway; for ``rest`` it may send nothing although it works. The
        administrator names who may provide what, in a section ``[Feed NAME]`` of sensorbrokerd.conf.
        """
        offers = _feed.offers(offered)
        parameters = _feed.parameters(offers, description, interval, rate, intervals, shortest, longest, rest, simulated)
        return Provider(self._paths, _feed.Provision(parameters, now_ns()), _samples.Encoder(offers))

    async def _call(
        self,
        method: str,
        parameters: Mapping[str, Any],
        read: Callable[[Dict[str, Any]], _T],
        timeout: float,
        late: str = errors.LATE,
    ) -> _T:
        """What is read from the parameters of the reply to a call."""
        loop = asyncio.get_running_loop()
        limit = _waits.limit("timeout", timeout)
        looks = self._patience if limit is None else min(self._patience, limit)
        deadline = None if limit is None else loop.time() + max(limit, _waits.REPLY)
        with await self._connect(_message.call(method, parameters), looks) as connection:
            try:
                left = None if deadline is None else max(deadline - loop.time(), 0.001)
                message = await asyncio.wait_for(_reply(connection), left)
            except asyncio.TimeoutError:
                raise errors.TimedOut(late) from None
            return _broker.understand(lambda: _broker.result(message, read))

    async def _connect(self, call: bytes, seconds: float) -> _socket.Connection:
        """A connection with a call on its way; looks again for so many seconds while nothing listens."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while True:
            try:
                return _socket.connect(self._paths, call)
            except (errors.BrokerMissing, errors.BrokerStopped):
                if loop.time() >= until:
                    raise
            await asyncio.sleep(_socket.PAUSE)


async def _reply(connection: _socket.Connection) -> bytes:
    """The first message."""
    loop = asyncio.get_running_loop()
    framer = _message.Framer()
    while True:
        try:
            data = await loop.sock_recv(connection, 65536)
        except OSError:
            data = b""
        if not data:
            raise errors.Disconnected()
        messages = _broker.understand(lambda: framer.feed(data))
        if messages:
            return messages[0]


class Subscription:
    """A stream of readings.

    Iterating over it gives each `Reading`; what is missing before a reading is in its ``gaps``, and an absence of the broker is logged
    (logger ``sensorbroker``). Iterating over `events` gives everything that happens, in order. Only one task may iterate. `change`, `remove` and
    `close` take effect at once; they may be called in any task of the same loop. A stream that nobody has any more ends.
    """

    def __init__(self, paths: List[str], requests: Tuple[Request, ...], patience: Optional[float]) -> None:
        self._stream = _stream.Stream(requests, now_ns(), _waits.limit_ns("patience", patience))
        self._paths = paths
        self._sockets: Dict[str, _socket.Connection] = {}
        self._waiter: Optional[asyncio.Future[None]] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._is_closed = False
        self._is_paused = False
        self._leash = Leash()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._timer_at = 0

    def __del__(self) -> None:
        if hasattr(self, "_timer_at"):
            self.close()

    async def __aenter__(self) -> "Subscription":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> Reading:
        events = self._stream.events
        while True:
            while events:
                event = events.popleft()
                if type(event) is Reading:
                    return event
                _broker.note(event)
            if not await self._wait():
                raise StopAsyncIteration

    async def events(self) -> AsyncIterator[Event]:
        """Everything that happens: readings, gaps, states, grants, interruptions, refused changes."""
        events = self._stream.events
        while True:
            while events:
                yield events.popleft()
            if not await self._wait():
                return

    async def next_event(self, timeout: Optional[float] = None) -> Optional[Event]:
        """The next event; None if none came in so many seconds, or if the stream was closed."""
        events = self._stream.events
        limit = _waits.limit("timeout", timeout)
        if not events:
            await within(limit, self._wait())
        return events.popleft() if events else None

    def change(
        self,
        *wanted: Union[str, Request],
        interval: Optional[float] = None,
        rate: Optional[float] = None,
        batch: Optional[float] = None,
        filter: Optional[str] = None,
        minimum_change: Optional[float] = None,
        satellites: bool = False,
        packed: Optional[bool] = None,
    ) -> None:
        """Replaces the requests of these names, or adds them, while the stream runs; nothing is lost or doubled."""
        requests = _socket.requests(wanted, interval, rate, batch, filter, minimum_change, satellites, packed)
        self._stream.change(requests, (), now_ns())
        self._act()

    def remove(self, *names: str) -> None:
        """Takes the requests of these names (labels, or else resources) out of the stream."""
        self._stream.change((), names, now_ns())
        self._act()

    def close(self) -> None:
        """Ends the stream; an iteration ends."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for line in list(self._sockets):
            self._drop(line)
        self._wake()

    @property
    def grants(self) -> Mapping[str, Grant]:
        """What was granted last, by the names of the requests."""
        return dict(self._stream.grants)

    @property
    def resources(self) -> Mapping[str, Resource]:
        """The resources of the stream with their states, by their names; empty while the broker is away."""
        return dict(self._stream.resources)

    async def _wait(self) -> bool:
        """Waits until something comes; False if the stream was closed."""
        stream = self._stream
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        while not stream.events:
            if self._is_closed:
                return False
            if stream.failure is not None:
                self.close()
                raise stream.failure
            self._act()
            self._resume()
            if stream.events or stream.failure is not None:
                continue
            self._waiter = self._loop.create_future()
            self._leash.held = self
            self._arm()
            try:
                await self._waiter
            finally:
                self._waiter = self._leash.held = None
        return True

    def _arm(self) -> None:
        """Sees to it that somebody looks when something is due: it may be due earlier than it was.

        A timer that comes too early costs less than a new one for each reading.
        """
        deadline = self._stream.deadline
        if self._loop is None or self._waiter is None or (self._timer is not None and deadline >= self._timer_at):
            return
        if self._timer is not None:
            self._timer.cancel()
        wait = max(0.0, (deadline - now_ns()) / 1e9)
        self._timer = self._loop.call_later(min(wait, _LONGEST_WAIT) + 0.001, self._leash.method(self._expire))
        self._timer_at = deadline

    def _expire(self) -> None:
        self._timer = None
        # The sockets are looked into first, as far as they go: a loop that was busy must not take that for a silence.
        now = now_ns()
        for line in list(self._sockets):
            for _ in range(_MOST_LOOKS):
                if self._is_paused or not self._readable(line):
                    break
        # A slow task looks again when it has taken what there is.
        if not self._is_paused:
            self._stream.expire(now)
            self._act()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _readable(self, line: str) -> bool:
        """Takes what has come; False if nothing has."""
        try:
            data = self._sockets[line].recv(65536)
        except (BlockingIOError, KeyError):
            return False
        except OSError:
            data = b""
        stream = self._stream
        if data:
            stream.received(line, data, now_ns())
        else:
            stream.lost(line, errors.Disconnected(), now_ns())
        if stream.actions:
            self._act()
        if stream.events or stream.failure is not None:
            self._wake()
        else:
            # What is due may be due earlier than it was.
            self._arm()
        if len(stream.events) > _MOST_WAITING and not self._is_paused and self._loop is not None:
            self._is_paused = True
            for connection in self._sockets.values():
                self._loop.remove_reader(connection)
        return bool(data)

    def _resume(self) -> None:
        if self._is_paused and self._loop is not None:
            self._is_paused = False
            for line, connection in self._sockets.items():
                self._loop.add_reader(connection, self._leash.method(self._readable), line)

    def _act(self) -> None:
        """Opens and closes what the stream wants; before the first iteration, nothing."""
        if self._loop is None or self._is_closed:
            return
        while self._stream.actions:
            action = self._stream.actions.popleft()
            if isinstance(action, _stream.Close):
                self._drop(action.line)
                continue
            try:
                connection = _socket.connect(self._paths, action.call)
            except errors.SensorError as error:
                self._stream.lost(action.line, error, now_ns())
                continue
            self._sockets[action.line] = connection
            if not self._is_paused:
                self._loop.add_reader(connection, self._leash.method(self._readable), action.line)
        if self._stream.events:
            self._wake()
        else:
            self._arm()

    def _drop(self, line: str) -> None:
        connection = self._sockets.pop(line, None)
        if connection is not None:
            # In a child of fork() the loop's epoll is the parent's.
            if self._loop is not None and not self._loop.is_closed() and not connection.is_inherited:
                self._loop.remove_reader(connection)
            connection.close()
