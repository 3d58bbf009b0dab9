"""The sensors of a Linux host, from sensorbrokerd.

::

    from sensorbroker import Broker

    with Broker().subscribe("accelerometer", rate=50) as readings:
        for reading in readings:
            for sample in reading.samples():
                print(sample.time, sample.values["x"], sample.values["y"], sample.values["z"])

A program can be a sensor itself: `Broker.provide`. The asyncio interface is `sensorbroker.aio`; what a test needs is in
`sensorbroker.testing`.
"""

from ._broker import Broker, Subscription
from ._provider import Provider
from ._version import __version__
from .errors import (
    BrokerMissing,
    BrokerStopped,
    Disconnected,
    Ended,
    InvalidRequest,
    NameTaken,
    NoSuchKind,
    NoSuchResource,
    NotPermitted,
    ResourceUnavailable,
    SensorError,
    SystemRefused,
    TimedOut,
    TooManyRequests,
    TooManySubscriptions,
    Unintelligible,
)
from .values import (
    Aligned,
    Channel,
    Connected,
    Demand,
    Event,
    FeedEvent,
    Gap,
    Grant,
    Interrupted,
    Location,
    Offer,
    Reading,
    Refused,
    RefusedSamples,
    Request,
    Resource,
    Sample,
    Satellite,
    State,
    now_ns,
    wall_clock_offset_ns,
)

__all__ = [
    "Aligned", "Broker", "BrokerMissing", "BrokerStopped", "Channel", "Connected", "Demand", "Disconnected", "Ended",
    "Event", "FeedEvent", "Gap", "Grant", "Interrupted", "InvalidRequest", "Location", "NameTaken", "NoSuchKind",
    "NoSuchResource", "NotPermitted", "Offer", "Provider", "Reading", "Refused", "RefusedSamples", "Request",
    "Resource", "ResourceUnavailable", "Sample", "Satellite", "SensorError", "State", "Subscription", "SystemRefused",
    "TimedOut", "TooManyRequests", "TooManySubscriptions", "Unintelligible", "__version__", "now_ns",
    "wall_clock_offset_ns",
]  # fmt: skip
