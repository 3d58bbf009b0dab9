"""Locations, from members and to members."""

from __future__ import annotations

import re
from dataclasses import fields
from math import isfinite
from typing import Any, Dict, Mapping, Tuple

from ._members import Object, integer_of, number_of, objects, optional, required
from .values import Location, Satellite


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


def _numbers(members: Object, names: Mapping[str, Tuple[str, bool]]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for wire, value in members.items():
        name = names.get(wire)
        if name is not None and value is not None:
            if type(value) is float and not name[1] and isfinite(value):
                found[name[0]] = value
            else:
                found[name[0]] = integer_of(members, wire) if name[1] else number_of(value, wire)
    return found


def read_location(members: Object) -> Location:
    found = _numbers(members, _LOCATION)
    found["fix"] = required(members, "fix", str)
    if members.get("status") is not None:
        found["status"] = required(members, "status", str)
    if members.get("satellites") is not None:
        found["satellites"] = tuple(objects(members, "satellites", _satellite))
    # The fields that are not known are None in the class: a frozen class takes a third of a microsecond for each one that is set.
    location = Location.__new__(Location)
    location.__dict__.update(found)
    return location


def _satellite(members: Object) -> Satellite:
    return Satellite(
        prn=integer_of(members, "prn"),
        used=required(members, "used", bool),
        system=optional(members, "system", str),
        **_numbers(members, _SATELLITE),
    )


def location_members(location: Location) -> Object:
    """A location as it is sent; what is not known is left out."""
    found: Object = {"fix": location.fix}
    for wire, (name, _) in _LOCATION.items():
        value = getattr(location, name)
        if value is not None:
            found[wire] = value
    if location.status is not None:
        found["status"] = location.status
    if location.satellites is not None:
        found["satellites"] = [_satellite_members(satellite) for satellite in location.satellites]
    return found


def _satellite_members(satellite: Satellite) -> Object:
    found: Object = {"prn": satellite.prn, "used": satellite.used}
    if satellite.system is not None:
        found["system"] = satellite.system
    for wire, (name, _) in _SATELLITE.items():
        value = getattr(satellite, name)
        if value is not None:
            found[wire] = value
    return found
