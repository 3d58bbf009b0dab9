"""What an event loop has of a stream or a provider, and what is waited for there."""

from __future__ import annotations

import asyncio
import functools
import weakref
from typing import Any, Awaitable, Callable, Optional, TypeVar

_T = TypeVar("_T")
#: Of no time at all `wait_for` makes no use: it would not begin what is waited for.
_SHORTEST_WAIT = 1e-6


async def within(timeout: Optional[float], awaited: Awaitable[Optional[_T]]) -> Optional[_T]:
    """What is waited for; None if it has not come in so many seconds."""
    try:
        return await asyncio.wait_for(awaited, timeout if timeout is None else max(timeout, _SHORTEST_WAIT))
    except asyncio.TimeoutError:
        return None


class Leash:
    """Methods of an object for a loop that watches its socket, without the object: one that nobody has any more ends.

    While a task waits for the object the loop holds it, since nobody else may hold that task.
    """

    def __init__(self) -> None:
        #: The object, while somebody waits for it.
        self.held: Optional[object] = None

    def method(self, bound: Callable[..., object]) -> Callable[..., None]:
        """A method to be called if its object is still there."""
        return functools.partial(self._call, weakref.WeakMethod(bound))

    def _call(self, method: "weakref.WeakMethod[Callable[..., object]]", *arguments: Any) -> None:
        bound = method()
        if bound is not None:
            bound(*arguments)
