"""Why there are no readings, and what to do about it: the text of each error ends with the remedy."""

from __future__ import annotations

import grp
import os
import stat
from typing import Any, Optional, Sequence, Tuple, Type


LATE = "no reading came in time; allow more time, or an older reading"


def _way_in(path: str) -> str:
    """How a user may become one who may use a socket."""
    try:
        status = os.stat(path)
    except OSError:
        return "its directory is closed to it; run the program as the user who owns that"
    # Nobody should become a member of root's group for this.
    if not status.st_mode & stat.S_IWGRP or status.st_gid == 0:
        return "it is its owner's alone; run the program as that user"
    try:
        group = grp.getgrgid(status.st_gid).gr_name
    except KeyError:
        group = str(status.st_gid)
    return f"add it to the socket's group with 'sudo usermod -aG {group} $USER', and log in again"


class SensorError(Exception):
    """The base of all errors of this package."""

    #: A word that is the same in the clients of all languages.
    word = "system"

    def __reduce__(self) -> Tuple[Any, ...]:
        # By default a pickled error is made again of its words, as if these were what its initialiser takes.
        return _made, (type(self), *self.args), self.__dict__


def _made(kind: Type[SensorError], *words: Any) -> SensorError:
    """An error of these words."""
    return kind.__new__(kind, *words)


class BrokerMissing(SensorError):
    """No broker runs on this host: none of these sockets exists."""

    word = "brokerMissing"

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(
            f"sensorbrokerd is not running: there is no socket {' nor '.join(paths)}. "
            "Start it with 'sudo systemctl start sensorbrokerd', or set SENSORBROKER_SOCKET to the path of its socket"
        )
        self.paths = tuple(paths)


class BrokerStopped(SensorError):
    """The socket exists, but nothing listens on it."""

    word = "brokerStopped"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"nothing listens at {path}: sensorbrokerd has stopped. Start it with 'sudo systemctl start sensorbrokerd'"
        )
        self.path = path


class NotPermitted(SensorError):
    """This user may not use the broker, or not read or provide a resource."""

    word = "notPermitted"

    def __init__(self, path: Optional[str] = None, *, provided: Optional[str] = None, reason: Optional[str] = None) -> None:
        if path:
            text = f"this user may not use {path}: {_way_in(path)}"
        elif provided:
            text = f"this user may not provide {provided}: {reason}"
        else:
            text = "this user may not read this resource; the administrator permits it with Groups= in sensorbrokerd.conf"
        super().__init__(text)
        self.path = path


class Disconnected(SensorError):
    """The connection broke."""

    word = "disconnected"

    def __init__(self, what: str = "the broker closed the connection") -> None:
        super().__init__(f"{what}; streams connect again by themselves")


class Ended(SensorError):
    """The broker ended the stream."""

    word = "ended"

    def __init__(self, reason: str) -> None:
        advice = {
            "shutdown": "the broker stops; the stream continues when it is back",
            "slowClient": "the broker ended the stream, because this program read too slowly; "
            "ask for fewer readings with interval=, or for several at once with batch=",
        }
        super().__init__(advice.get(reason, f"the broker ended the stream: {reason}"))
        #: ``shutdown``, ``slowClient``, or a word of a later broker.
        self.reason = reason


class NoSuchResource(SensorError):
    """The broker has no resource of that name."""

    word = "noSuchResource"

    def __init__(self, resource: str) -> None:
        super().__init__(f"the broker has no resource {resource!r}; Broker.list() returns those that it has")
        self.resource = resource


class ResourceUnavailable(SensorError):
    """The resource is missing or failing."""

    word = "resourceUnavailable"

    def __init__(self, resource: str, reason: Optional[str] = None) -> None:
        why = f" ({reason})" if reason else ""
        super().__init__(f"{resource} is not available{why}; a stream reports when it is available again")
        self.resource = resource
        self.reason = reason


class TimedOut(SensorError):
    """Nothing came in time."""

    word = "timedOut"

    def __init__(self, what: str = LATE) -> None:
        super().__init__(what)


class TooManySubscriptions(SensorError):
    """The user has reached a limit on subscriptions or connections."""

    word = "tooManySubscriptions"

    def __init__(self) -> None:
        super().__init__("this user has reached the limit on subscriptions or connections: end one of them")


class TooManyRequests(SensorError):
    """The subscription, or the user, has reached a limit on different requests."""

    word = "tooManyRequests"

    def __init__(self) -> None:
        super().__init__("the subscription or its user has as many requests as it may have: remove some of them")


class NameTaken(SensorError):
    """Another program or a sensor has the name that this program wants to provide."""

    word = "nameTaken"

    def __init__(self, resource: str, holder: str) -> None:
        super().__init__(
            f"{resource} is provided by {holder} already: end that one, or provide another name, such as '{resource}:2'"
        )
        self.resource = resource
        self.holder = holder


class NoSuchKind(SensorError):
    """The broker has no kind of sensor of that name."""

    word = "noSuchKind"

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"the broker has no kind {kind!r}; name a resource by one, such as 'accelerometer:arm', or give its kind"
        )
        self.kind = kind


class InvalidRequest(SensorError, ValueError):
    """The request is invalid."""

    word = "invalidRequest"


class Unintelligible(SensorError):
    """The peer is not a broker, or one of another version."""

    word = "unintelligible"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the peer is not a broker, or is one of another version: {what}. Is SENSORBROKER_SOCKET right?"
        )
        self.what = what


class SystemRefused(SensorError):
    """The system refused something that the package needs."""

    word = "system"

    def __init__(self, what: str) -> None:
        super().__init__(f"the system refused something that is needed: {what}")
