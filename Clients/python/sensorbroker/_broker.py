"""The synchronous interface."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import socket
import threading
import time
from collections import deque
from types import TracebackType
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _feed, _members, _message, _samples, _socket, _stream, _waits, _wire, errors
from ._provider import Provider
from .values import Event, Grant, Interrupted, Offer, Reading, Refused, Request, Resource, State, now_ns

log = logging.getLogger("sensorbroker")

_T = TypeVar("_T")
MUTE = "the broker did not answer; 'systemctl status sensorbrokerd' shows whether it is stopped"
_LONGEST_POLL_MS = 3_600_000
_Command = Tuple[Tuple[Request, ...], Tuple[str, ...]]


class Broker:
    """The sensors of this host.

    ``socket`` is the path of the broker's socket; without it, ``SENSORBROKER_SOCKET`` or the usual places are used.
    A broker has no connection of its own: each call and each stream opens one. It may be used from any thread.
    While nothing listens at the socket, a call looks again for a moment: the broker may have been started just before.
    """

    def __init__(self, socket: Optional[_socket.Path] = None, *, instance: Optional[str] = None) -> None:
        self._paths = _socket.paths(socket, instance)
        self._patience = _socket.patience(socket, instance)

    def __enter__(self) -> "Broker":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"Broker({self._paths[0]!r})"

    def list(self, timeout: float = 15.0) -> List[Resource]:
        """The resources of the host and their states."""
        return self._call("ListResources", {}, _wire.resources, timeout, MUTE)

    def read(
        self, resource: str, *, maximum_age: float = 0.0, timeout: float = 10.0, satellites: bool = False
    ) -> Reading:
        """One reading: the newest if it is no older than ``maximum_age`` seconds, else the next one.

        With ``timeout=0`` no next one is awaited; the broker's answer is, for a second at most.
        """
        return self._call(*read_call(resource, maximum_age, timeout, satellites), _wire.reading, timeout)

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
        """Resources that this program provides, given as names or as offers, as long as the ``with`` block lasts.

        All are one device, measured at the same times, such as ``provide("accelerometer:arm", "gyroscope:arm")``. ``description`` is
        for people. Times are in seconds: ``intervals`` are those that it can be asked for, or any from ``shortest`` to ``longest``;
        ``interval`` (or ``rate`` in Hz) is the one that it has anyway; for ``rest`` it may send nothing although it works. The
        administrator names who may provide what, in a section ``[Feed NAME]`` of sensorbrokerd.conf.
        """
        offers = _feed.offers(offered)
        parameters = _feed.parameters(offers, description, interval, rate, intervals, shortest, longest, rest, simulated)
        return Provider(self._paths, _feed.Provision(parameters, now_ns()), _samples.Encoder(offers))

    def _call(
        self, method: str, parameters: Mapping[str, Any], read: Callable[[Dict[str, Any]], _T], timeout: float, late: str = errors.LATE
    ) -> _T:
        """What is read from the parameters of the reply to a call."""
        message = _message.call(method, parameters)
        limit = _waits.limit("timeout", timeout)
        looks = self._patience if limit is None else min(self._patience, limit)
        deadline = float("inf") if limit is None else time.monotonic() + max(limit, _waits.REPLY)
        framer = _message.Framer()
        with _socket.await_connection(self._paths, message, looks) as connection:
            while True:
                connection.settimeout(None if limit is None else max(deadline - time.monotonic(), 0.001))
                try:
                    data = connection.recv(65536)
                except socket.timeout:
                    raise errors.TimedOut(late) from None
                except OSError:
                    data = b""
                if not data:
                    raise errors.Disconnected()
                messages = understand(lambda: framer.feed(data))
                if messages:
                    return understand(lambda: result(messages[0], read))
                if time.monotonic() >= deadline:
                    raise errors.TimedOut(late)


def read_call(resource: str, maximum_age: float, timeout: float, satellites: bool) -> Tuple[str, Dict[str, Any]]:
    """The method and the parameters of a call of Read."""
    if not maximum_age >= 0 or not timeout >= 0:
        raise errors.InvalidRequest("maximum_age and timeout are numbers of seconds from 0, or infinite")
    parameters: Dict[str, Any] = {
        "resource": resource,
        "maximumAgeNanoseconds": _waits.limit_ns("maximum_age", maximum_age),
        "timeoutNanoseconds": _waits.limit_ns("timeout", timeout),
    }
    for name, value in parameters.items():
        if value is None:
            parameters[name] = _waits.ENDLESS_NS
    if satellites:
        parameters["satellites"] = True
    return "Read", parameters


def result(message: bytes, read: Callable[[Dict[str, Any]], _T]) -> _T:
    """What is read from the parameters of a successful reply."""
    reply = _message.reply(message)
    if reply.error is not None:
        raise reply.error
    return read(reply.parameters)


def understand(read: Callable[[], _T]) -> _T:
    """The value of a function that reads what the peer sent."""
    try:
        return read()
    except _members.Malformed as fault:
        raise errors.Unintelligible(str(fault)) from None


def note(event: Event) -> None:
    """Logs what somebody who takes only readings would not notice."""
    if isinstance(event, (Interrupted, Refused)):
        log.warning("%s", event)
    elif isinstance(event, State) and event.state in ("unavailable", "released", "stale"):
        log.warning("%s", event)


class Subscription:
    """A stream of readings.

    Iterating over it gives each `Reading`; what is missing before a reading is in its ``gaps``, and an absence of the broker is logged
    (logger ``sensorbroker``). Iterating over `events` gives everything that happens, in order. `change`, `remove` and `close` may be called
    from any thread; they take effect while somebody iterates. Only one thread may iterate.
    """

    def __init__(self, paths: List[str], requests: Tuple[Request, ...], patience: Optional[float]) -> None:
        self._stream = _stream.Stream(requests, now_ns(), _waits.limit_ns("patience", patience))
        self._paths = paths
        self._sockets: Dict[str, _socket.Connection] = {}
        self._lines: Dict[int, str] = {}
        self._commands: Deque[_Command] = deque()
        # What the program has of the events: the handler of a signal may raise an exception after any step, so an event is removed
        # only when the next one is asked for.
        self._taken: Optional[Event] = None
        self._is_closed = False
        self._lock = threading.RLock()
        self._wake_end, self._ring_end = _socket.wake_pipe()
        self._poll = select.poll()
        self._poll.register(self._wake_end, select.POLLIN)

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
        self._release()

    def __del__(self) -> None:
        if hasattr(self, "_poll"):
            self._release()

    def __iter__(self) -> "Subscription":
        return self

    def __next__(self) -> Reading:
        while True:
            event = self._next()
            if event is None:
                if not self._wait(None):
                    raise StopIteration
                continue
            if type(event) is not Reading:
                note(event)
            self._taken = event
            if type(event) is Reading:
                return event

    def events(self) -> Iterator[Event]:
        """Everything that happens: readings, gaps, states, grants, interruptions, refused changes."""
        while True:
            event = self._next()
            if event is not None:
                self._taken = event
                yield event
            elif not self._wait(None):
                return

    def next_event(self, timeout: Optional[float] = None) -> Optional[Event]:
        """The next event; None if none came in so many seconds, or if the stream was closed."""
        limit = _waits.limit_ns("timeout", timeout)
        until = None if limit is None else now_ns() + limit
        while True:
            event = self._next()
            if event is not None:
                self._taken = event
                return event
            if not self._wait(until) or (until is not None and not self._stream.events and now_ns() >= until):
                return None

    def _next(self) -> Optional[Event]:
        """The oldest event that the program does not have; None if there is none."""
        events = self._stream.events
        if events and events[0] is self._taken:
            events.popleft()
        return events[0] if events else None

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
        self._command((requests, ()))

    def remove(self, *names: str) -> None:
        """Takes the requests of these names (labels, or else resources) out of the stream."""
        self._command(((), names))

    def close(self) -> None:
        """Ends the stream; an iteration ends."""
        self._is_closed = True
        self._ring()

    @property
    def grants(self) -> Mapping[str, Grant]:
        """What was granted last, by the names of the requests."""
        return dict(self._stream.grants)

    @property
    def resources(self) -> Mapping[str, Resource]:
        """The resources of the stream with their states, by their names; empty while the broker is away."""
        return dict(self._stream.resources)

    def _command(self, command: _Command) -> None:
        self._commands.append(command)
        self._ring()

    def _ring(self) -> None:
        with self._lock:
            if self._ring_end < 0:
                return
            try:
                os.write(self._ring_end, b"!")
            except BlockingIOError:
                # It is full, so it has been rung.
                pass

    def _wait(self, until: Optional[int]) -> bool:
        """Does what is to be done, and waits until something comes; False if the stream was closed."""
        stream = self._stream
        if self._is_closed:
            self._release()
            return False
        if stream.failure is not None:
            self._release()
            raise stream.failure
        while self._commands:
            requests, removed = self._commands.popleft()
            stream.change(requests, removed, now_ns())
        if stream.actions:
            self._act()
            return True
        now = now_ns()
        deadline = stream.deadline
        if until is not None and until < deadline:
            deadline = until
        ready = self._poll.poll(min(max(0, (deadline - now) // 1_000_000 + 1), _LONGEST_POLL_MS))
        if not ready:
            # What has come counts first: a program that was stopped here, or got no processor, must not take that for a silence.
            now = now_ns()
            ready = self._poll.poll(0)
            if not ready:
                stream.expire(now)
        for number, _ in ready:
            line = self._lines.get(number, "")
            connection = self._sockets.get(line)
            if connection is None:
                # It was rung, or another thread has closed everything.
                with self._lock:
                    if number == self._wake_end:
                        os.read(self._wake_end, 4096)
                continue
            with self._or_lost(line):
                self._receive(line, connection)
        return True

    def _receive(self, line: str, connection: _socket.Connection) -> None:
        try:
            data = connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._stream.received(line, data, now_ns())
        elif not self._is_closed:
            self._stream.lost(line, errors.Disconnected(), now_ns())

    @contextlib.contextmanager
    def _or_lost(self, line: str) -> Iterator[None]:
        """Renews a connection where the handler of a signal has raised an exception: nobody knows what was done by then."""
        try:
            yield
        except BaseException:
            self._stream.lost(line, errors.Disconnected("a signal interrupted the stream, which is renewed"), now_ns())
            raise

    def _act(self) -> None:
        while self._stream.actions:
            action = self._stream.actions.popleft()
            if isinstance(action, _stream.Close):
                self._drop(action.line)
                continue
            with self._or_lost(action.line):
                self._open(action)

    def _open(self, action: _stream.Open) -> None:
        try:
            connection = _socket.connect(self._paths, action.call)
        except errors.SensorError as error:
            self._stream.lost(action.line, error, now_ns())
            return
        self._sockets[action.line] = connection
        self._lines[connection.fileno()] = action.line
        self._poll.register(connection, select.POLLIN)

    def _drop(self, line: str) -> None:
        connection = self._sockets.pop(line, None)
        if connection is not None:
            self._poll.unregister(connection)
            del self._lines[connection.fileno()]
            connection.close()

    def _release(self) -> None:
        """Closes all descriptors."""
        self._is_closed = True
        for line in list(self._sockets):
            self._drop(line)
        with self._lock:
            for end in (self._wake_end, self._ring_end):
                if end >= 0:
                    os.close(end)
            self._wake_end = self._ring_end = -1
