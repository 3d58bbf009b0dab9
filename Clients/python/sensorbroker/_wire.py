"""What replies say: members to values."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence

from ._columns import read_columns, read_times
from ._location_members import read_location
from ._members import LARGEST, LEAST, Object, improper, integer_of, number_of, objects, optional, optional_integer, required
from .values import Aligned, Channel, Demand, Gap, Grant, Reading, RefusedSamples, Resource


class Update(NamedTuple):
    """A reply to Subscribe."""

    subscription: Optional[str]
    grants: Sequence[Grant]
    resources: Sequence[Resource]
    gaps: Sequence[Gap]
    readings: Sequence[Reading]
    ended: Optional[str]


def update(parameters: Object) -> Update:
    """The update in the parameters of a reply."""
    if len(parameters) == 1 and "readings" in parameters:
        return Update(None, (), (), (), objects(parameters, "readings", _reading), None)
    optional_integer(parameters, "revision")
    return Update(
        optional(parameters, "subscription", str),
        objects(parameters, "grants", _grant),
        objects(parameters, "resources", _resource),
        objects(parameters, "gaps", _gap),
        objects(parameters, "readings", _reading),
        optional(parameters, "ended", str),
    )


def resources(parameters: Object) -> List[Resource]:
    """The resources in a reply to ListResources."""
    if type(parameters.get("resources")) is not list:
        raise improper("resources")
    return objects(parameters, "resources", _resource)


def reading(parameters: Object) -> Reading:
    """The reading in a reply to Read."""
    return _reading(required(parameters, "reading", dict))


class Demanded(NamedTuple):
    """A reply to Provide."""

    demand: Demand
    refused: Optional[RefusedSamples]
    #: Whether a push may say how many samples were not sent; a broker that does not say so would refuse it.
    takes_missing: bool


def demanded(parameters: Object) -> Demanded:
    """What the parameters of a reply to Provide tell."""
    interval = optional_integer(parameters, "intervalNanoseconds")
    latency = optional_integer(parameters, "latencyNanoseconds") or 0
    if latency < 0 or (interval is not None and interval < 0):
        raise improper("intervalNanoseconds")
    demand = Demand(required(parameters, "wanted", bool), interval, latency)
    refused = optional(parameters, "refused", dict)
    takes_missing = optional(parameters, "takesMissing", bool) or False
    if refused is None:
        return Demanded(demand, None, takes_missing)
    count = integer_of(refused, "count")
    if count < 0:
        raise improper("count")
    return Demanded(demand, RefusedSamples(count, required(refused, "reason", str)), takes_missing)


def _channel(members: Object) -> Channel:
    return Channel(required(members, "name", str), required(members, "unit", str))


def _resource(members: Object) -> Resource:
    return Resource(
        name=required(members, "name", str),
        kind=required(members, "kind", str),
        channels=tuple(objects(members, "channels", _channel)),
        state=required(members, "state", str),
        reason=optional(members, "reason", str),
        simulated=required(members, "simulated", bool),
        minimum_interval_ns=integer_of(members, "minimumIntervalNanoseconds"),
        maximum_interval_ns=integer_of(members, "maximumIntervalNanoseconds"),
        default_interval_ns=integer_of(members, "defaultIntervalNanoseconds"),
        device_interval_ns=optional_integer(members, "deviceIntervalNanoseconds"),
        description=optional(members, "description", str),
        reporting=optional(members, "reporting", str),
    )


def _grant(members: Object) -> Grant:
    return Grant(
        resource=required(members, "resource", str),
        label=optional(members, "label", str),
        interval_ns=integer_of(members, "intervalNanoseconds"),
        batch_ns=integer_of(members, "batchNanoseconds"),
        device_interval_ns=optional_integer(members, "deviceIntervalNanoseconds"),
    )


def _gap(members: Object) -> Gap:
    return Gap(
        resource=required(members, "resource", str),
        label=optional(members, "label", str),
        cause=required(members, "cause", str),
        count=optional_integer(members, "count"),
        from_ns=integer_of(members, "fromNanoseconds"),
        until_ns=integer_of(members, "untilNanoseconds"),
    )


def _reading(members: Object) -> Reading:
    get = members.get
    resource, label, sequence, stamp = get("resource"), get("label"), get("sequence"), get("timestampNanoseconds")
    if type(resource) is not str:
        raise improper("resource")
    if label is not None and type(label) is not str:
        raise improper("label")
    if type(sequence) is not int or not LEAST <= sequence <= LARGEST:
        raise improper("sequence")
    if type(stamp) is not int or not LEAST <= stamp <= LARGEST:
        raise improper("timestampNanoseconds")
    aligned = tuple(objects(members, "aligned", _aligned)) if "aligned" in members else ()
    location = get("location")
    if location is not None:
        if type(location) is not dict:
            raise improper("location")
        return Reading(
            resource, label, sequence, stamp, {}, read_location(location), None, (), aligned, 1, 0, None, None
        )  # fmt: skip
    values = get("values")
    if values is None:
        word = optional(members, "orientation", str)
        return Reading(resource, label, sequence, stamp, {}, None, word, (), aligned, 1, 0, None, None)
    if type(values) is not dict:
        raise improper("values")
    columns, count = read_columns(values)
    if len(values) == 1 and count == 1:
        return Reading(resource, label, sequence, stamp, columns, None, None, (), aligned, 1, 0, None, None)
    period, given, steps = read_times(values, count, stamp)
    return Reading(resource, label, sequence, stamp, columns, None, None, (), aligned, count, period, given, steps)


def _aligned(members: Object) -> Aligned:
    columns: Dict[str, List[Optional[float]]] = {}
    for name, column in (optional(members, "columns", dict) or {}).items():
        if column is None:
            continue
        if type(column) is not list:
            raise improper(name)
        columns[name] = [None if value is None else number_of(value, name) for value in column]
    return Aligned(
        resource=required(members, "resource", str),
        label=optional(members, "label", str),
        alignment=required(members, "alignment", str),
        columns=columns,
    )
