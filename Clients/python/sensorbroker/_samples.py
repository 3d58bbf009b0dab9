"""Samples to bytes: the calls with which a provider pushes what it measured."""

from __future__ import annotations

import binascii
import json
import sys
from array import array
from math import isfinite
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _location_members, _message, errors
from .values import Location, Offer, encoded, now_ns

#: What was measured of one resource at one time: its numbers in the order of its channels, or one number, or a location.
Measured = Union[float, Sequence[float], Location]
#: What was measured of one resource at several times: a column for each channel by its name, or a row for each time. Columns
#: of 32-bit numbers (NumPy's float32, ``array("f")``) are sent as such, which is much cheaper.
Batch = Union[Mapping[str, Any], Sequence[Sequence[float]], Any]

_CHANNELS: Dict[int, Tuple[str, ...]] = {1: ("value",), 2: ("near", "raw"), 3: ("x", "y", "z"), 4: ("x", "y", "z", "w")}
_FRONT = '{"method":"' + _message.FEED_INTERFACE + 'Push","parameters":{'
_HEAD = _FRONT + '"samples":['
_TAIL = ']},"oneway":true}\0'


class Encoder:
    """Writes what a provider's offers have measured."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._offers = tuple(offers)
        # By how many numbers there are of each offer, and whether there is a time.
        self._templates: Dict[Tuple[Any, ...], str] = {}

    def one(self, measured: Tuple[Any, ...], timestamp_ns: Optional[int]) -> bytes:
        """The call with what was measured at one time."""
        offers = self._offers
        if len(offers) == 1 and not (len(measured) == 1 and _is_many(measured[0])):
            counts: Tuple[Any, ...] = (len(measured),)
            numbers: Sequence[Any] = measured
        else:
            if len(measured) != len(offers):
                raise errors.InvalidRequest(f"push what was measured of each: {', '.join(offer.name for offer in offers)}")
            counts = tuple(len(one) if _is_many(one) else 1 for one in measured)
            numbers = [number for one in measured for number in (one if _is_many(one) else (one,))]
        try:
            values = tuple(map(float, numbers))
        except TypeError:
            return self._with_location(measured, timestamp_ns)
        except ValueError as error:
            raise errors.InvalidRequest(f"{error}: push numbers") from None
        if not all(map(isfinite, values)):
            raise errors.InvalidRequest("a number is not finite: what was not measured is not pushed")
        key = counts if timestamp_ns is None else (*counts, None)
        template = self._templates.get(key)
        if template is None:
            template = self._templates[key] = self._template(counts, timestamp_ns is not None)
        if timestamp_ns is None:
            return (template % values).encode()
        if len(offers) == 1:
            return (template % (timestamp_ns, *values)).encode()
        return (template.replace("@", str(_integer(timestamp_ns))) % values).encode()

    def _template(self, counts: Tuple[Any, ...], has_time: bool) -> str:
        samples = []
        for offer, count in zip(self._offers, counts):
            columns = ",".join(f"{_quoted(name)}:[%r]" for name in self._channels(offer, count))
            if has_time:
                time = ',"timestampNanoseconds":' + ("%d" if len(self._offers) == 1 else "@")
            else:
                time = ""
            samples.append(f'{{"resource":{_quoted(offer.name)}{time},"values":{{"columns":{{{columns}}}}}}}')
        return _HEAD + ",".join(samples) + _TAIL

    def _with_location(self, measured: Tuple[Any, ...], timestamp_ns: Optional[int]) -> bytes:
        samples: List[Dict[str, Any]] = []
        for offer, one in zip(self._offers, measured):
            sample: Dict[str, Any] = {"resource": offer.name}
            if timestamp_ns is not None:
                sample["timestampNanoseconds"] = _integer(timestamp_ns)
            if isinstance(one, Location):
                sample["location"] = _location_members.location_members(one)
            else:
                numbers = [float(number) for number in (one if _is_many(one) else (one,))]
                names = self._channels(offer, len(numbers))
                sample["values"] = {"columns": {name: [number] for name, number in zip(names, numbers)}}
            samples.append(sample)
        try:
            return _message.call("Push", {"samples": samples}, oneway=True, interface=_message.FEED_INTERFACE)
        except errors.InvalidRequest:
            raise
        except ValueError:
            raise errors.InvalidRequest("a number is not finite: what is not known is None") from None

    def batch(
        self,
        batches: Sequence[Batch],
        timestamp_ns: Optional[int],
        period_ns: Optional[int],
        timestamps_ns: Optional[Sequence[int]],
    ) -> List[Tuple[bytes, int]]:
        """The calls with what was measured at several times, each with how many times these are."""
        if len(batches) != len(self._offers):
            raise errors.InvalidRequest(f"push what was measured of each: {', '.join(offer.name for offer in self._offers)}")
        columns = [self._columns(offer, batch) for offer, batch in zip(self._offers, batches)]
        counts = {len(column) for one in columns for column in one.values()}
        if len(counts) != 1:
            raise errors.InvalidRequest("the columns are none, or not equally long")
        count = counts.pop()
        stamps = None if timestamps_ns is None else [_integer(stamp) for stamp in timestamps_ns]
        if stamps is not None and len(stamps) != count:
            raise errors.InvalidRequest("there are more or fewer timestamps than samples")
        if count > 1 and stamps is None and not period_ns:
            raise errors.InvalidRequest("several samples have a period or timestamps")
        if not count:
            return []
        is_packed = all(_is_narrow(column) for one in columns for column in one.values())
        width = sum(map(len, columns))
        fixed = 400 + sum(
            200 + 6 * len(offer.name) + sum(6 * len(name) + 8 for name in one) for offer, one in zip(self._offers, columns)
        )
        per_row = (6 if is_packed else 26) * width + (0 if stamps is None else 21 * len(columns))
        rows = max(1, (_message.LONGEST_CALL - fixed) // per_row)
        if timestamp_ns is None and stamps is None and count > rows:
            # The last of several calls arrives after the others.
            timestamp_ns = now_ns() - (count - 1) * (period_ns or 0)
        calls = []
        for start in range(0, count, rows):
            end = min(count, start + rows)
            first = timestamp_ns if timestamp_ns is None else timestamp_ns + start * (period_ns or 0)
            some = None if stamps is None else stamps[start:end]
            samples = [
                self._sample(offer, {name: column[start:end] for name, column in one.items()}, is_packed, first, period_ns, some)
                for offer, one in zip(self._offers, columns)
            ]
            calls.append((encoded(_HEAD + ",".join(samples) + _TAIL), end - start))
        return calls

    def _columns(self, offer: Offer, batch: Batch) -> Dict[str, Any]:
        if isinstance(batch, Location) or isinstance(batch, str):
            raise errors.InvalidRequest("locations are pushed one by one")
        if isinstance(batch, Mapping):
            return dict(batch)
        table: Any = batch
        shape = getattr(table, "shape", None)
        if shape is not None:
            # Of one channel, or a row for each time.
            rows = [table] if len(shape) == 1 else [table[:, place] for place in range(shape[1])]
        else:
            rows = [list(column) for column in zip(*(row if _is_many(row) else (row,) for row in batch))]
        return dict(zip(self._channels(offer, len(rows)), rows))

    @staticmethod
    def _sample(
        offer: Offer,
        columns: Mapping[str, Any],
        is_packed: bool,
        first: Optional[int],
        period_ns: Optional[int],
        stamps: Optional[List[int]],
    ) -> str:
        if stamps is not None:
            first = stamps[0]
        time = "" if first is None else f',"timestampNanoseconds":{_integer(first)}'
        texts = ",".join(f"{_quoted(name)}:{_packed(column) if is_packed else _plain(column)}" for name, column in columns.items())
        more = ""
        if stamps is not None and len(stamps) > 1:
            more = ',"timestampsNanoseconds":' + json.dumps(stamps, separators=(",", ":"))
        elif period_ns:
            more = f',"periodNanoseconds":{_integer(period_ns)}'
        form = "packed" if is_packed else "columns"
        return f'{{"resource":{_quoted(offer.name)}{time},"values":{{"{form}":{{{texts}}}{more}}}}}'

    @staticmethod
    def _channels(offer: Offer, count: int) -> Tuple[str, ...]:
        names = offer.channels if offer.channels is not None else _CHANNELS.get(count)
        if names is None:
            raise errors.InvalidRequest(f"{offer.name} has {count} numbers: name them with Offer(name, channels=...)")
        if len(names) != count:
            raise errors.InvalidRequest(f"{offer.name} has {count} numbers, but the channels {', '.join(names)}")
        return names


def with_missing(calls: bytes, count: int) -> bytes:
    """Calls of which the first one says how many times before it were not sent."""
    return f'{_FRONT}"missing":{count},'.encode() + calls[len(_FRONT) :]


def _is_many(measured: Any) -> bool:
    return not isinstance(measured, (int, float)) and hasattr(measured, "__len__") and getattr(measured, "shape", None) != ()


def _integer(value: Any) -> int:
    """A time, also of NumPy's types."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise errors.InvalidRequest(f"{value!r} is no time in nanoseconds")
    return int(value)


def _quoted(text: str) -> str:
    # For a template of the operator %.
    return json.dumps(text, ensure_ascii=False).replace("%", "\\u0025").replace("@", "\\u0040")


def _is_narrow(column: Any) -> bool:
    """Whether a column has 32-bit numbers of this machine."""
    if isinstance(column, array):
        return column.typecode == "f"
    if isinstance(column, memoryview):
        return column.format == "f"
    form = getattr(column, "dtype", None)
    return form is not None and form.char == "f" and bool(form.isnative)


def _packed(column: Any) -> str:
    data: bytes = column.tobytes()
    narrow = array("f", data)
    if not all(map(isfinite, narrow)):
        raise errors.InvalidRequest("a number is not finite: what was not measured is not pushed")
    if sys.byteorder == "big":
        narrow.byteswap()
        data = narrow.tobytes()
    return '"' + binascii.b2a_base64(data, newline=False).decode() + '"'


def _plain(column: Any) -> str:
    numbers = [float(number) for number in (column.tolist() if hasattr(column, "tolist") else column)]
    if not all(map(isfinite, numbers)):
        raise errors.InvalidRequest("a number is not finite: what was not measured is not pushed")
    return "[" + ",".join(map(repr, numbers)) + "]"
