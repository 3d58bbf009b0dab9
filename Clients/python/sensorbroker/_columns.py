"""The columns of a reading and the times of its samples, plain or packed."""

from __future__ import annotations

import binascii
import re
import sys
from array import array
from math import isfinite
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from ._members import LARGEST, LEAST, NUMBERS, Object, improper, number_of, optional_integer

_FLOATS = frozenset((float,))
_INTEGERS = frozenset((int,))


def read_columns(values: Object) -> Tuple[Mapping[str, Sequence[float]], int]:
    packed = values.get("packed")
    if packed is not None:
        if type(packed) is not dict:
            raise improper("packed")
        columns: Dict[str, Sequence[float]] = {}
        for name, text in packed.items():
            data = _base64(text, name)
            high = data[3::4]
            # With these high bytes a number is infinite, none, or beyond 10^38.
            if (0x7F in high or 0xFF in high) and not all(map(isfinite, array("f", _native(data)))):
                raise improper(name)
            columns[name] = _view(data, "f")
    else:
        plain = values.get("columns")
        if type(plain) is not dict:
            raise improper("columns")
        columns = plain
        for name, column in plain.items():
            if type(column) is not list:
                raise improper(name)
            if len(column) == 1 and type(column[0]) is float and isfinite(column[0]):
                # By far the most often.
                continue
            types = set(map(type, column))
            if types != _FLOATS:
                if not types <= NUMBERS:
                    raise improper(name)
                column = plain[name] = [number_of(value, name) for value in column]
            if not all(map(isfinite, column)):
                raise improper(name)
    count = -1
    for column in columns.values():
        if len(column) != count:
            if count >= 0:
                raise improper("columns")
            count = len(column)
    return columns, max(count, 0)


def read_times(values: Object, count: int, first: int) -> Tuple[int, Optional[Sequence[int]], Optional[Sequence[int]]]:
    """The period, or the time of each sample, or the step to each from the one before."""
    period = optional_integer(values, "periodNanoseconds") or 0
    given = values.get("timestampsNanoseconds")
    if given is not None:
        if type(given) is not list or len(given) != count or not set(map(type, given)) <= _INTEGERS:
            raise improper("timestampsNanoseconds")
        if given and not LEAST <= min(given) <= max(given) <= LARGEST:
            raise improper("timestampsNanoseconds")
        return 0, given, None
    text = values.get("packedStepsNanoseconds")
    if text is not None:
        steps = _view(_base64(text, "packedStepsNanoseconds"), "I")
        if len(steps) != count - 1 or first + sum(steps) > LARGEST:
            raise improper("packedStepsNanoseconds")
        return 0, None, steps
    if not LEAST <= first + max(count - 1, 0) * period <= LARGEST:
        raise improper("periodNanoseconds")
    return period, None, None


_BASE64 = re.compile("[A-Za-z0-9+/]*={0,2}")


def _base64(text: Any, name: str) -> bytes:
    """The bytes of 32-bit words in base64."""
    if type(text) is not str or len(text) % 4:
        raise improper(name)
    try:
        if sys.version_info >= (3, 11):
            data = binascii.a2b_base64(text, strict_mode=True)
        elif _BASE64.fullmatch(text):
            data = binascii.a2b_base64(text)
        else:
            raise improper(name)
    except ValueError:
        raise improper(name) from None
    if len(data) % 4:
        raise improper(name)
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
