"""Bytes to values: Varlink's messages, read strictly, since whoever listens at a socket may send anything."""

from __future__ import annotations

import binascii
import json
import re
import sys
from array import array
from dataclasses import fields
from math import isfinite
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple, Type, TypeVar

from . import errors
from .values import Aligned, Channel, Demand, Gap, Grant, Location, Reading, RefusedSamples, Resource, Satellite, encoded

INTERFACE = "io.sensorbroker.Broker."
FEED_INTERFACE = "io.sensorbroker.Feed."
#: The largest message that is accepted, as in other implementations of Varlink.
LARGEST_MESSAGE = 16 << 20

_LEAST, _LARGEST = -(1 << 63), (1 << 63) - 1
_NUMBERS = frozenset((float, int))
_FLOATS = frozenset((float,))
_INTEGERS = frozenset((int,))
_Object = Dict[str, Any]
_T = TypeVar("_T")


class Malformed(Exception):
    """Bytes that no broker sends; the text says what is wrong with them."""


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
    message: _Object = {"method": interface + method, "parameters": parameters}
    if more:
        message["more"] = True
    if oneway:
        message["oneway"] = True
    return encoded(json.dumps(message, allow_nan=False, ensure_ascii=False, separators=(",", ":"))) + b"\0"


def _no_constant(word: str) -> NoReturn:
    raise Malformed(f"{word} is not a number of JSON")


def _object(pairs: List[Tuple[str, Any]]) -> _Object:
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

    parameters: _Object
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
    name = _optional(members, "error", str)
    parameters = members.get("parameters")
    if parameters is None:
        parameters = {}
    elif type(parameters) is not dict:
        raise _improper("parameters")
    if name is not None:
        return Reply(parameters, False, _error(name, parameters))
    return Reply(parameters, bool(_optional(members, "continues", bool)), None)


class Update(NamedTuple):
    """A reply to Subscribe."""

    subscription: Optional[str]
    grants: Sequence[Grant]
    resources: Sequence[Resource]
    gaps: Sequence[Gap]
    readings: Sequence[Reading]
    ended: Optional[str]


def update(parameters: _Object) -> Update:
    """The update in the parameters of a reply."""
    if len(parameters) == 1 and "readings" in parameters:
        return Update(None, (), (), (), _list(parameters, "readings", _reading), None)
    _optional_integer(parameters, "revision")
    return Update(
        _optional(parameters, "subscription", str),
        _list(parameters, "grants", _grant),
        _list(parameters, "resources", _resource),
        _list(parameters, "gaps", _gap),
        _list(parameters, "readings", _reading),
        _optional(parameters, "ended", str),
    )


def resources(parameters: _Object) -> List[Resource]:
    """The resources in a reply to ListResources."""
    if type(parameters.get("resources")) is not list:
        raise _improper("resources")
    return _list(parameters, "resources", _resource)


def reading(parameters: _Object) -> Reading:
    """The reading in a reply to Read."""
    return _reading(_required(parameters, "reading", dict))


class Demanded(NamedTuple):
    """A reply to Provide."""

    demand: Demand
    refused: Optional[RefusedSamples]


def demanded(parameters: _Object) -> Demanded:
    """What the parameters of a reply to Provide tell."""
    interval = _optional_integer(parameters, "intervalNanoseconds")
    latency = _optional_integer(parameters, "latencyNanoseconds") or 0
    if latency < 0 or (interval is not None and interval < 0):
        raise _improper("intervalNanoseconds")
    demand = Demand(_required(parameters, "wanted", bool), interval, latency)
    refused = _optional(parameters, "refused", dict)
    if refused is None:
        return Demanded(demand, None)
    count = _integer_of(refused, "count")
    if count < 0:
        raise _improper("count")
    return Demanded(demand, RefusedSamples(count, _required(refused, "reason", str)))


def _improper(name: str) -> Malformed:
    return Malformed(f"its reply has no valid {name!r}")


def _required(members: _Object, name: str, form: Type[_T]) -> _T:
    value = members.get(name)
    # Not isinstance: a boolean is an int.
    if type(value) is not form:
        raise _improper(name)
    return value


def _optional(members: _Object, name: str, form: Type[_T]) -> Optional[_T]:
    value = members.get(name)
    if value is not None and type(value) is not form:
        raise _improper(name)
    return value


def _integer_of(members: _Object, name: str) -> int:
    value = members.get(name)
    if type(value) is not int or not _LEAST <= value <= _LARGEST:
        raise _improper(name)
    return value


def _optional_integer(members: _Object, name: str) -> Optional[int]:
    return None if members.get(name) is None else _integer_of(members, name)


def _number(value: Any, name: str) -> float:
    if type(value) not in _NUMBERS:
        raise _improper(name)
    number = float(value)
    if not isfinite(number):
        raise _improper(name)
    return number


def _list(members: _Object, name: str, read: Callable[[_Object], _T]) -> List[_T]:
    elements = members.get(name)
    if elements is None:
        return []
    if type(elements) is not list:
        raise _improper(name)
    for element in elements:
        if type(element) is not dict:
            raise _improper(name)
    return [read(element) for element in elements]


def _channel(members: _Object) -> Channel:
    return Channel(_required(members, "name", str), _required(members, "unit", str))


def _resource(members: _Object) -> Resource:
    return Resource(
        name=_required(members, "name", str),
        kind=_required(members, "kind", str),
        channels=tuple(_list(members, "channels", _channel)),
        state=_required(members, "state", str),
        reason=_optional(members, "reason", str),
        simulated=_required(members, "simulated", bool),
        minimum_interval_ns=_integer_of(members, "minimumIntervalNanoseconds"),
        maximum_interval_ns=_integer_of(members, "maximumIntervalNanoseconds"),
        default_interval_ns=_integer_of(members, "defaultIntervalNanoseconds"),
        device_interval_ns=_optional_integer(members, "deviceIntervalNanoseconds"),
        description=_optional(members, "description", str),
        reporting=_optional(members, "reporting", str),
    )


def _grant(members: _Object) -> Grant:
    return Grant(
        resource=_required(members, "resource", str),
        label=_optional(members, "label", str),
        interval_ns=_integer_of(members, "intervalNanoseconds"),
        batch_ns=_integer_of(members, "batchNanoseconds"),
        device_interval_ns=_optional_integer(members, "deviceIntervalNanoseconds"),
    )


def _gap(members: _Object) -> Gap:
    return Gap(
        resource=_required(members, "resource", str),
        label=_optional(members, "label", str),
        cause=_required(members, "cause", str),
        count=_optional_integer(members, "count"),
        from_ns=_integer_of(members, "fromNanoseconds"),
        until_ns=_integer_of(members, "untilNanoseconds"),
    )


def _reading(members: _Object) -> Reading:
    get = members.get
    resource, label, sequence, stamp = get("resource"), get("label"), get("sequence"), get("timestampNanoseconds")
    if type(resource) is not str:
        raise _improper("resource")
    if label is not None and type(label) is not str:
        raise _improper("label")
    if type(sequence) is not int or not _LEAST <= sequence <= _LARGEST:
        raise _improper("sequence")
    if type(stamp) is not int or not _LEAST <= stamp <= _LARGEST:
        raise _improper("timestampNanoseconds")
    aligned = tuple(_list(members, "aligned", _aligned)) if "aligned" in members else ()
    location = get("location")
    if location is not None:
        if type(location) is not dict:
            raise _improper("location")
        return Reading(
            resource, label, sequence, stamp, {}, _location(location), None, (), aligned, 1, 0, None, None
        )  # fmt: skip
    values = get("values")
    if values is None:
        word = _optional(members, "orientation", str)
        return Reading(resource, label, sequence, stamp, {}, None, word, (), aligned, 1, 0, None, None)
    if type(values) is not dict:
        raise _improper("values")
    columns, count = _columns(values)
    if len(values) == 1 and count == 1:
        return Reading(resource, label, sequence, stamp, columns, None, None, (), aligned, 1, 0, None, None)
    period, given, steps = _times(values, count, stamp)
    return Reading(resource, label, sequence, stamp, columns, None, None, (), aligned, count, period, given, steps)


def _columns(values: _Object) -> Tuple[Mapping[str, Sequence[float]], int]:
    packed = values.get("packed")
    if packed is not None:
        if type(packed) is not dict:
            raise _improper("packed")
        columns: Dict[str, Sequence[float]] = {}
        for name, text in packed.items():
            data = _base64(text, name)
            high = data[3::4]
            # With these high bytes a number is infinite, none, or beyond 10^38.
            if (0x7F in high or 0xFF in high) and not all(map(isfinite, array("f", _native(data)))):
                raise _improper(name)
            columns[name] = _view(data, "f")
    else:
        plain = values.get("columns")
        if type(plain) is not dict:
            raise _improper("columns")
        columns = plain
        for name, column in plain.items():
            if type(column) is not list:
                raise _improper(name)
            if len(column) == 1 and type(column[0]) is float and isfinite(column[0]):
                # By far the most often.
                continue
            types = set(map(type, column))
            if types != _FLOATS:
                if not types <= _NUMBERS:
                    raise _improper(name)
                column = plain[name] = [_number(value, name) for value in column]
            if not all(map(isfinite, column)):
                raise _improper(name)
    count = -1
    for column in columns.values():
        if len(column) != count:
            if count >= 0:
                raise _improper("columns")
            count = len(column)
    return columns, max(count, 0)


def _times(values: _Object, count: int, first: int) -> Tuple[int, Optional[Sequence[int]], Optional[Sequence[int]]]:
    """The period, or the time of each sample, or the step to each from the one before."""
    period = _optional_integer(values, "periodNanoseconds") or 0
    given = values.get("timestampsNanoseconds")
    if given is not None:
        if type(given) is not list or len(given) != count or not set(map(type, given)) <= _INTEGERS:
            raise _improper("timestampsNanoseconds")
        if given and not _LEAST <= min(given) <= max(given) <= _LARGEST:
            raise _improper("timestampsNanoseconds")
        return 0, given, None
    text = values.get("packedStepsNanoseconds")
    if text is not None:
        steps = _view(_base64(text, "packedStepsNanoseconds"), "I")
        if len(steps) != count - 1 or first + sum(steps) > _LARGEST:
            raise _improper("packedStepsNanoseconds")
        return 0, None, steps
    if not _LEAST <= first + max(count - 1, 0) * period <= _LARGEST:
        raise _improper("periodNanoseconds")
    return period, None, None


_BASE64 = re.compile("[A-Za-z0-9+/]*={0,2}")


def _base64(text: Any, name: str) -> bytes:
    """The bytes of 32-bit words in base64."""
    if type(text) is not str or len(text) % 4:
        raise _improper(name)
    try:
        if sys.version_info >= (3, 11):
            data = binascii.a2b_base64(text, strict_mode=True)
        elif _BASE64.fullmatch(text):
            data = binascii.a2b_base64(text)
        else:
            raise _improper(name)
    except ValueError:
        raise _improper(name) from None
    if len(data) % 4:
        raise _improper(name)
    return data


def _native(data: bytes) -> bytes:
    """Words in the order of this machine's bytes."""
    if sys.byteorder == "little":
        return data
    words = array("I", data)
    words.byteswap()
    return words.tobytes()


def _view(data: bytes, form: str) -> Any:
    """A view of 32-bit words: `f` are numbers, `I` integers."""
    return memoryview(_native(data)).cast(form)  # type: ignore[call-overload]


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match.group(1).upper(), name)


#: The members of a location on the wire: the name of the field, and whether it is an integer.
_LOCATION = {
    _camel(member.name): (member.name, "int" in member.type)
    for member in fields(Location)
    if member.name not in ("fix", "status", "satellites")
}
_SATELLITE = {
    _camel(member.name): (member.name, "int" in member.type)
    for member in fields(Satellite)
    if member.name not in ("prn", "used", "system")
}


def _numbers(members: _Object, names: Mapping[str, Tuple[str, bool]]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for wire, value in members.items():
        name = names.get(wire)
        if name is not None and value is not None:
            if type(value) is float and not name[1] and isfinite(value):
                found[name[0]] = value
            else:
                found[name[0]] = _integer_of(members, wire) if name[1] else _number(value, wire)
    return found


def _location(members: _Object) -> Location:
    found = _numbers(members, _LOCATION)
    found["fix"] = _required(members, "fix", str)
    if members.get("status") is not None:
        found["status"] = _required(members, "status", str)
    if members.get("satellites") is not None:
        found["satellites"] = tuple(_list(members, "satellites", _satellite))
    # The fields that are not known are None in the class: a frozen class takes a third of a microsecond for each one that is set.
    location = Location.__new__(Location)
    location.__dict__.update(found)
    return location


def _satellite(members: _Object) -> Satellite:
    return Satellite(
        prn=_integer_of(members, "prn"),
        used=_required(members, "used", bool),
        system=_optional(members, "system", str),
        **_numbers(members, _SATELLITE),
    )


def location_members(location: Location) -> _Object:
    """A location as it is sent; what is not known is left out."""
    found: _Object = {"fix": location.fix}
    for wire, (name, _) in _LOCATION.items():
        value = getattr(location, name)
        if value is not None:
            found[wire] = value
    if location.status is not None:
        found["status"] = location.status
    if location.satellites is not None:
        found["satellites"] = [_satellite_members(satellite) for satellite in location.satellites]
    return found


def _satellite_members(satellite: Satellite) -> _Object:
    found: _Object = {"prn": satellite.prn, "used": satellite.used}
    if satellite.system is not None:
        found["system"] = satellite.system
    for wire, (name, _) in _SATELLITE.items():
        value = getattr(satellite, name)
        if value is not None:
            found[wire] = value
    return found


def _aligned(members: _Object) -> Aligned:
    columns: Dict[str, List[Optional[float]]] = {}
    for name, column in (_optional(members, "columns", dict) or {}).items():
        if column is None:
            continue
        if type(column) is not list:
            raise _improper(name)
        columns[name] = [None if value is None else _number(value, name) for value in column]
    return Aligned(
        resource=_required(members, "resource", str),
        label=_optional(members, "label", str),
        alignment=_required(members, "alignment", str),
        columns=columns,
    )


def _error(name: str, parameters: _Object) -> errors.SensorError:
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
