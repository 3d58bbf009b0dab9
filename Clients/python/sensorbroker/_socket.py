"""Where the broker's socket is, and how a connection to it is made."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import time
from typing import List, Optional, Sequence, Tuple, Union

from . import errors
from .values import Request

#: What names a socket.
Path = Union[str, "os.PathLike[str]"]

#: How long a call goes on looking, in seconds, while nothing listens: the broker may have been started a moment ago. Longer where a
#: socket was named, since then somebody says that there is one; a host without a broker is to be found out soon.
_NAMED_PATIENCE = 1.0
_USUAL_PATIENCE = 0.25
#: The time between two looks.
PAUSE = 0.01


class Connection(socket.socket):
    """A non-blocking socket that ends its connection when it is closed, whatever copies of it there are."""

    __slots__ = ("_owner",)

    def __init__(self) -> None:
        super().__init__(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        self._owner = os.getpid()

    @property
    def is_inherited(self) -> bool:
        """Whether it is the copy of a child of fork()."""
        return os.getpid() != self._owner

    def close(self) -> None:
        """Ends the connection for all who hold the socket, and closes it.

        The copy of a child of fork() would keep the stream or the provision alive at the broker. In that child itself the connection is
        the parent's, which goes on with it. The broker still reads what was sent.
        """
        if not self.is_inherited:
            # It may be closed already.
            with contextlib.suppress(OSError):
                self.shutdown(socket.SHUT_RDWR)
        super().close()


def wake_pipe() -> Tuple[int, int]:
    """The ends of a pipe that wakes who waits."""
    try:
        return os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise errors.SystemRefused(f"pipe: {error.strerror}") from None


def paths(given: Optional[Path], instance: Optional[str]) -> List[str]:
    """The candidates for the broker's socket, in order."""
    if given is not None:
        path = os.fspath(given)
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise errors.InvalidRequest(f"{path!r} is not the path of a socket: it has half of a character") from None
        return [path]
    named = os.environ.get("SENSORBROKER_SOCKET")
    if named and instance is None:
        return [named]
    if instance is not None and not re.fullmatch("[a-z0-9-]{1,32}", instance):
        raise errors.InvalidRequest(f"the instance {instance!r} is not valid; it has 1 to 32 of a-z, 0-9 and '-'")
    directories = ["/run"] + [path for path in (os.environ.get("XDG_RUNTIME_DIR"),) if path]
    suffix = f".{instance}" if instance else ""
    return [f"{directory}/sensorbroker/io.sensorbroker.Broker{suffix}" for directory in directories]


def feed_paths(candidates: Sequence[str]) -> List[str]:
    """The sockets of providers beside those of a broker, which have the names that a broker gives them."""
    found = []
    for path in candidates:
        match = re.fullmatch(r"((?:.*/)?)io\.sensorbroker\.(?:Broker|Feed)((?:\..*)?)", path, re.S)
        if match is None:
            raise errors.InvalidRequest(
                f"the socket {path} is not named as a broker names it (io.sensorbroker.Broker), so that of providers beside it "
                "cannot be found"
            )
        found.append(f"{match[1]}io.sensorbroker.Feed{match[2]}")
    return found


def patience(given: Optional[Path], instance: Optional[str]) -> float:
    """How long a call goes on looking while nothing listens, in seconds."""
    is_named = given is not None or (instance is None and os.environ.get("SENSORBROKER_SOCKET"))
    return _NAMED_PATIENCE if is_named else _USUAL_PATIENCE


def await_connection(candidates: Sequence[str], message: bytes, seconds: float) -> Connection:
    """The same as `connect`, but looks again for so many seconds while nothing listens."""
    until = time.monotonic() + seconds
    while True:
        try:
            return connect(candidates, message)
        except (errors.BrokerMissing, errors.BrokerStopped):
            if time.monotonic() >= until:
                raise
        time.sleep(PAUSE)


def connect(candidates: Sequence[str], message: bytes) -> Connection:
    """A non-blocking connection to the first candidate that accepts, with a call on its way."""
    refusal: Optional[errors.SensorError] = None
    for path in candidates:
        try:
            connection = Connection()
        except OSError as error:
            raise _refusal(path, error) from None
        try:
            connection.connect(path)
            if connection.send(message) != len(message):
                raise BrokenPipeError
            return connection
        except OSError as error:
            connection.close()
            if error.errno != errno.ENOENT:
                refusal = refusal or _refusal(path, error)
    raise refusal or errors.BrokerMissing(candidates)


def _refusal(path: str, error: OSError) -> errors.SensorError:
    if error.errno in (errno.EACCES, errno.EPERM):
        return errors.NotPermitted(path)
    if error.errno == errno.ECONNREFUSED:
        return errors.BrokerStopped(path)
    if isinstance(error, (BrokenPipeError, ConnectionResetError)):
        return errors.Disconnected()
    if error.errno == errno.EAGAIN:
        return errors.Disconnected(f"the broker at {path} does not answer")
    return errors.SystemRefused(f"connect {path}: {error.strerror or error}")


def requests(
    wanted: Sequence[Union[str, Request]],
    interval: Optional[float] = None,
    rate: Optional[float] = None,
    batch: Optional[float] = None,
    filter: Optional[str] = None,
    minimum_change: Optional[float] = None,
    satellites: bool = False,
    packed: Optional[bool] = None,
) -> Tuple[Request, ...]:
    """The requests of names, with these options, and of requests."""
    return tuple(
        one
        if isinstance(one, Request)
        else Request(one, interval, batch, filter, minimum_change, satellites, packed, rate=rate)
        for one in wanted
    )
