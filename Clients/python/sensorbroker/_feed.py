"""A provision that lasts: when to connect, and what the program is told, decided without a socket and without a clock.

The synchronous and the asyncio interface carry it out. The rules are those of a stream; Clients/conformance/README.md has them.
"""

from __future__ import annotations

import random
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from . import _members, _message, _stream, _wire, errors
from ._backoff import Backoff
from .values import Demand, FeedEvent, Interrupted, Offer, RefusedSamples

_NOTHING = Demand(False)
#: No deadline.
FOREVER = 1 << 62


def offers(named: Sequence[Union[str, Offer]]) -> Tuple[Offer, ...]:
    """The offers of names and of offers."""
    found = tuple(one if isinstance(one, Offer) else Offer(one) for one in named)
    if not found:
        raise errors.InvalidRequest("a provider has at least one offer, such as 'accelerometer:arm'")
    if len({offer.name for offer in found}) != len(found):
        raise errors.InvalidRequest("two offers have the same name: give them different suffixes")
    return found


def parameters(
    resources: Sequence[Offer],
    description: Optional[str],
    interval: Optional[float],
    rate: Optional[float],
    intervals: Optional[Sequence[float]],
    shortest: Optional[float],
    longest: Optional[float],
    rest: Optional[float],
    simulated: bool,
) -> Dict[str, Any]:
    """The parameters of a call of Provide."""
    if rate is not None:
        if interval is not None:
            raise errors.InvalidRequest("a provider has a rate or an interval, not both")
        if not 0 < rate < float("inf"):
            raise errors.InvalidRequest(f"the rate {rate} is not valid; it is in Hz")
        interval = 1 / rate
    members: Dict[str, Any] = {"resources": [offer.wire() for offer in resources]}
    if description is not None:
        members["description"] = description
    if intervals is not None:
        members["intervalsNanoseconds"] = sorted(_nanoseconds("intervals", one) for one in intervals)
    for name, seconds, wire in (
        ("shortest", shortest, "shortestNanoseconds"),
        ("longest", longest, "longestNanoseconds"),
        ("interval", interval, "intervalNanoseconds"),
        ("rest", rest, "restNanoseconds"),
    ):
        if seconds is not None:
            members[wire] = _nanoseconds(name, seconds)
    if simulated:
        members["simulated"] = True
    return members


def _nanoseconds(name: str, seconds: float) -> int:
    if not 0 < seconds < 9e9:
        raise errors.InvalidRequest(f"{name}={seconds} is not valid; it is a number of seconds above 0")
    return round(seconds * 1e9)


class Provision:
    """The state of one provision."""

    def __init__(self, parameters: Dict[str, Any], now: int, seed: Optional[int] = None) -> None:
        #: What to send first on a connection.
        self.call = _message.call("Provide", parameters, more=True, interface=_message.FEED_INTERFACE)
        #: What is wanted at present.
        self.demand = _NOTHING
        #: Why it will never provide, as it is; None while it may.
        self.failure: Optional[errors.SensorError] = None
        #: Why it does not provide at present; None if it does, or waits for the first answer.
        self.outage: Optional[errors.SensorError] = None
        #: Whether the broker takes the number of samples that were not sent.
        self.takes_missing = False
        self._is_connected = False
        self._is_answered = False
        self._is_told = False
        self._framer = _message.Framer()
        self._backoff = Backoff(random.Random(seed))
        # When to connect, or until when an answer is due; None: nothing is due.
        self._due: Optional[int] = now
        # What the program has not been told yet, each once at most.
        self._refused: Optional[RefusedSamples] = None
        self._interruption: Optional[Interrupted] = None
        self._news: Optional[Demand] = None

    @property
    def deadline(self) -> int:
        """When something is due."""
        return FOREVER if self._due is None else self._due

    @property
    def is_connection_due(self) -> bool:
        """Whether what is due is a connection."""
        return not self._is_connected

    @property
    def has_news(self) -> bool:
        """Whether there is something to tell."""
        return self._refused is not None or self._interruption is not None or self._news is not None

    def take_news(self) -> Optional[FeedEvent]:
        """The next thing to tell the program."""
        told: Optional[FeedEvent]
        if self._refused is not None:
            told, self._refused = self._refused, None
        elif self._interruption is not None:
            told, self._interruption = self._interruption, None
        else:
            told, self._news = self._news, None
        return told

    def opened(self, now: int) -> None:
        """A connection was made, and the call is on its way."""
        self._is_connected = True
        self._framer = _message.Framer()
        self._due = now + _stream.ANSWER_NS

    def received(self, data: bytes, now: int) -> None:
        """Bytes came; afterwards `is_connection_due` tells whether the connection is to be closed."""
        try:
            for message in self._framer.feed(data):
                if not self._is_connected:
                    return
                self._replied(_message.reply(message), now)
        except _members.Malformed as fault:
            self.lost(errors.Unintelligible(str(fault)), now)

    def expire(self, now: int) -> None:
        """Does what is due but to connect."""
        if self._is_connected and self._due is not None and now >= self._due:
            self.lost(errors.Disconnected("the broker does not answer"), now)

    def lost(self, error: errors.SensorError, now: int) -> None:
        """The connection broke, or could not be made."""
        self._stop(error)
        self._due = now + self._backoff.next_ns()
        if not self._is_told:
            self._is_told = True
            self._interruption = Interrupted(error)

    def end(self) -> None:
        """The program provides nothing any more, so that nothing of it is wanted."""
        self.demand = _NOTHING
        self._news = None

    def _stop(self, error: errors.SensorError) -> None:
        self._is_connected = self._is_answered = False
        self.outage = error
        self.end()

    def _replied(self, reply: _message.Reply, now: int) -> None:
        error = reply.error
        if isinstance(error, (errors.InvalidRequest, errors.NoSuchKind)):
            self._stop(error)
            self.failure = error
            self._due = None
        elif error is not None:
            self.lost(error, now)
        elif not reply.continues:
            self.lost(errors.Disconnected("the broker ended the provision"), now)
        else:
            told = _wire.demanded(reply.parameters)
            if not self._is_answered or told.demand != self.demand:
                self._news = told.demand
            self.demand = told.demand
            self.takes_missing = told.takes_missing
            self._is_answered = True
            self._is_told = False
            self.outage = None
            self._due = None
            self._backoff.reset()
            if told.refused is not None:
                count = told.refused.count + (self._refused.count if self._refused is not None else 0)
                self._refused = RefusedSamples(count, told.refused.reason)
