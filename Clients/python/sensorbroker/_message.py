"""Varlink's messages: bytes to replies, read strictly, since whoever listens at a socket may send anything; and calls to bytes."""

from __future__ import annotations

import json
import re
from typing import Any, List, Mapping, NamedTuple, NoReturn, Optional, Tuple

from . import errors
from ._members import Malformed, Object, improper, optional
from .values import encoded

INTERFACE = "io.sensorbroker.Broker."
#: The broker closes a connection with a longer call.
LONGEST_CALL = 64 << 10
FEED_INTERFACE = "io.sensorbroker.Feed."
#: The largest message that is accepted, as in other implementations of Varlink.
LARGEST_MESSAGE = 16 << 20


class Framer:
    """Splits a stream of bytes into messages, each ended by a NUL."""

    def __init__(self, largest: int = LARGEST_MESSAGE) -> None:
        self._largest = largest
        self._parts: List[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> List[bytes]:
        """The messages that are complete with these bytes."""
        # By far the most often, a piece is one message or several whole ones.
        *messages, rest = data.split(b"\0")
        if self._parts:
            if messages:
                self._parts.append(messages[0])
                messages[0] = b"".join(self._parts)
                self._parts.clear()
                self._length = 0
            elif not rest:
                return messages
        if rest:
            self._parts.append(rest)
            self._length += len(rest)
        if self._length > self._largest or any(len(message) > self._largest for message in messages):
            raise Malformed("a reply exceeds the largest possible size")
        return messages


def call(
    method: str, parameters: Mapping[str, Any], more: bool = False, oneway: bool = False, interface: str = INTERFACE
) -> bytes:
    """The bytes of a call."""
    message: Object = {"method": interface + method, "parameters": parameters}
    if more:
        message["more"] = True
    if oneway:
        message["oneway"] = True
    data = encoded(json.dumps(message, allow_nan=False, ensure_ascii=False, separators=(",", ":"))) + b"\0"
    if len(data) > LONGEST_CALL:
        raise errors.InvalidRequest(f"{method} of {len(data):,} bytes is too long: a call has {LONGEST_CALL:,} at most, so shorten its texts")
    return data


def _no_constant(word: str) -> NoReturn:
    raise Malformed(f"{word} is not a number of JSON")


def _object(pairs: List[Tuple[str, Any]]) -> Object:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Malformed("an object has a key twice")
    return members


def _integer(digits: str) -> float:
    # Some versions of Python take a time that grows with the square of the number of digits.
    return int(digits) if len(digits) <= 20 else float(digits)


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer).decode
_SURROGATE = re.compile("[\ud800-\udfff]")
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')
_DEEPEST = 64


def _has_many(message: bytes, bracket: bytes) -> bool:
    """Whether there are enough brackets to nest too deeply."""
    if len(message) < 1024:
        return message.count(bracket) > _DEEPEST // 2
    # Faster in a long message, which is long because of its numbers.
    count, place = 0, message.find(bracket)
    while place >= 0:
        count += 1
        if count > _DEEPEST // 2:
            return True
        place = message.find(bracket, place + 1)
    return False


def _is_too_deep(text: str) -> bool:
    depth = 0
    for match in _BRACKET.finditer(text):
        if match.group() in "[{":
            depth += 1
            if depth > _DEEPEST:
                return True
        elif match.group() in "]}":
            depth -= 1
    return False


class Reply(NamedTuple):
    """A reply to a call."""

    parameters: Object
    continues: bool
    #: The error of a failed call; None for success.
    error: Optional[errors.SensorError]


def reply(message: bytes) -> Reply:
    """The reply in a message."""
    try:
        text = message.decode()
        members = _decode(text)
        # What follows costs nothing in what a broker usually sends.
        if b"\\" in message and _SURROGATE.search(json.dumps(members, ensure_ascii=False)):
            raise Malformed("a string has half a surrogate pair")
        if (_has_many(message, b"{") or _has_many(message, b"[")) and _is_too_deep(text):
            raise RecursionError
    except Malformed:
        raise
    except RecursionError:
        raise Malformed("its reply nests too deeply") from None
    except ValueError as error:
        raise Malformed(f"its reply is not JSON ({error})") from None
    if type(members) is not dict:
        raise Malformed("its reply is not an object")
    name = optional(members, "error", str)
    parameters = members.get("parameters")
    if parameters is None:
        parameters = {}
    elif type(parameters) is not dict:
        raise improper("parameters")
    if name is not None:
        return Reply(parameters, False, _error(name, parameters))
    return Reply(parameters, bool(optional(members, "continues", bool)), None)


def _error(name: str, parameters: Object) -> errors.SensorError:
    """The error of an error reply."""

    def text(key: str) -> Optional[str]:
        value = parameters.get(key)
        return value if type(value) is str else None

    resource = text("resource")
    if name == "org.varlink.service.PermissionDenied":
        return errors.NotPermitted()
    if name == "org.varlink.service.InvalidParameter":
        return errors.InvalidRequest(f"the broker does not accept this value of {text('parameter') or 'a parameter'!r}")
    if name == INTERFACE + "NoSuchResource" and resource is not None:
        return errors.NoSuchResource(resource)
    if name == INTERFACE + "ResourceUnavailable" and resource is not None:
        return errors.ResourceUnavailable(resource, text("reason"))
    if name == INTERFACE + "TimedOut":
        return errors.TimedOut()
    if name == FEED_INTERFACE + "NotAllowed" and resource is not None:
        return errors.NotPermitted(provided=resource, reason=text("reason"))
    if name == FEED_INTERFACE + "NameTaken" and resource is not None:
        return errors.NameTaken(resource, text("holder") or "another program")
    if name == FEED_INTERFACE + "NoSuchKind":
        return errors.NoSuchKind(text("kind") or "")
    if name in (
        INTERFACE + "TooManySubscriptions", INTERFACE + "TooManyConnections", FEED_INTERFACE + "TooManyConnections"
    ):  # fmt: skip
        return errors.TooManySubscriptions()
    if name == INTERFACE + "TooManyRequests":
        return errors.TooManyRequests()
    if name == INTERFACE + "NoSuchSubscription":
        return errors.Disconnected("the broker does not know the stream any more")
    return errors.Unintelligible(name)
