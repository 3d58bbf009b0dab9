"""What an event loop has of a stream or a provider."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Optional


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
