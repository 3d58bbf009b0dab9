"""Changes of a stream, in parts that one call may carry."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Tuple

from .values import Request

#: A call may have 64 KiB, and counts as more than one if it is long.
_PER_CALL = 20


class Unit(NamedTuple):
    """A change of the stream that is made, or refused, as a whole."""

    requests: Tuple[Request, ...]
    removed: Tuple[str, ...]
    #: Of what a stream begins with, and a broker that does not have it ends the stream.
    is_beginning: bool = False

    def applied(self, requests: Dict[str, Request]) -> Dict[str, Request]:
        present = {name: request for name, request in requests.items() if name not in self.removed}
        present.update((request.name, request) for request in self.requests)
        return present

    @property
    def names(self) -> Tuple[str, ...]:
        return tuple(request.name for request in self.requests) + self.removed


def portions(requests: Iterable[Request]) -> List[Tuple[Request, ...]]:
    """As many as one call may carry, leads before what is aligned to them."""
    ordered = sorted(requests, key=lambda request: request.align_to is not None)
    return [tuple(ordered[start : start + _PER_CALL]) for start in range(0, len(ordered), _PER_CALL)]
