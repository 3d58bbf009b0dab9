"""Members of JSON objects, read strictly: what is not of its type, or out of range, is refused."""

from __future__ import annotations

from math import isfinite
from typing import Any, Callable, Dict, List, Optional, Type, TypeVar

LEAST, LARGEST = -(1 << 63), (1 << 63) - 1
NUMBERS = frozenset((float, int))
Object = Dict[str, Any]
_T = TypeVar("_T")


class Malformed(Exception):
    """Bytes that no broker sends; the text says what is wrong with them."""


def improper(name: str) -> Malformed:
    return Malformed(f"its reply has no valid {name!r}")


def required(members: Object, name: str, form: Type[_T]) -> _T:
    value = members.get(name)
    # Not isinstance: a boolean is an int.
    if type(value) is not form:
        raise improper(name)
    return value


def optional(members: Object, name: str, form: Type[_T]) -> Optional[_T]:
    value = members.get(name)
    if value is not None and type(value) is not form:
        raise improper(name)
    return value


def integer_of(members: Object, name: str) -> int:
    value = members.get(name)
    if type(value) is not int or not LEAST <= value <= LARGEST:
        raise improper(name)
    return value


def optional_integer(members: Object, name: str) -> Optional[int]:
    return None if members.get(name) is None else integer_of(members, name)


def number_of(value: Any, name: str) -> float:
    if type(value) not in NUMBERS:
        raise improper(name)
    number = float(value)
    if not isfinite(number):
        raise improper(name)
    return number


def objects(members: Object, name: str, read: Callable[[Object], _T]) -> List[_T]:
    elements = members.get(name)
    if elements is None:
        return []
    if type(elements) is not list:
        raise improper(name)
    for element in elements:
        if type(element) is not dict:
            raise improper(name)
    return [read(element) for element in elements]
