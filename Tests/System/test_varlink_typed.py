"""A third-party client with typed classes: the PyPI package asyncvarlink.

The interface is repeated here as Python types: asyncvarlink refuses any reply that does not match them.
"""

import asyncio
from collections.abc import Iterator
from typing import Literal, TypedDict

import asyncvarlink
import pytest

from tools.programs import BROKER, PATIENCE


class Channel(TypedDict):
    name: str
    unit: str


class Resource(TypedDict):
    name: str
    kind: str
    reporting: str
    channels: list[Channel]
    state: str
    reason: str | None
    simulated: bool
    minimumIntervalNanoseconds: int
    maximumIntervalNanoseconds: int
    defaultIntervalNanoseconds: int
    deviceIntervalNanoseconds: int | None
    description: str | None


class Satellite(TypedDict):
    prn: int
    system: str | None
    systemNumber: int | None
    elevationDegrees: float | None
    azimuthDegrees: float | None
    signalDecibelHertz: float | None
    used: bool


class Location(TypedDict):
    fix: str
    utcMicroseconds: int | None
    latitudeDegrees: float | None
    longitudeDegrees: float | None
    altitudeMeters: float | None
    ellipsoidHeightMeters: float | None
    horizontalErrorMeters: float | None
    verticalErrorMeters: float | None
    speedMetersPerSecond: float | None
    trackDegrees: float | None
    climbMetersPerSecond: float | None
    speedErrorMetersPerSecond: float | None
    trackErrorDegrees: float | None
    climbErrorMetersPerSecond: float | None
    geoidSeparationMeters: float | None
    horizontalDilution: float | None
    verticalDilution: float | None
    positionDilution: float | None
    velocityNorthMetersPerSecond: float | None
    velocityEastMetersPerSecond: float | None
    velocityDownMetersPerSecond: float | None
    ecefVelocityXMetersPerSecond: float | None
    ecefVelocityYMetersPerSecond: float | None
    ecefVelocityZMetersPerSecond: float | None
    timeErrorSeconds: float | None
    leapSeconds: int | None
    satellitesUsed: int | None
    satellitesVisible: int | None
    status: str | None
    correctionAgeSeconds: float | None
    correctionStation: int | None
    headingDegrees: float | None
    pitchDegrees: float | None
    rollDegrees: float | None
    baselineNorthMeters: float | None
    baselineEastMeters: float | None
    baselineDownMeters: float | None
    baselineLengthMeters: float | None
    baselineHeadingDegrees: float | None
    satellites: list[Satellite] | None


class Values(TypedDict):
    columns: dict[str, list[float]] | None
    packed: dict[str, str] | None
    periodNanoseconds: int | None
    timestampsNanoseconds: list[int] | None
    packedStepsNanoseconds: str | None


class Reading(TypedDict):
    resource: str
    label: str | None
    sequence: int
    timestampNanoseconds: int
    location: Location | None
    values: Values | None


class Gap(TypedDict):
    resource: str
    label: str | None
    cause: str
    count: int | None
    fromNanoseconds: int
    untilNanoseconds: int


class Request(TypedDict):
    resource: str
    label: str | None
    intervalNanoseconds: int | None
    batchNanoseconds: int | None
    filter: Literal["newest", "mean"] | None
    minimumChange: float | None
    satellites: bool | None
    packed: bool | None


class Grant(TypedDict):
    resource: str
    label: str | None
    intervalNanoseconds: int
    batchNanoseconds: int
    deviceIntervalNanoseconds: int | None


class Reply(TypedDict):
    subscription: str | None
    revision: int | None
    grants: list[Grant] | None
    resources: list[Resource] | None
    readings: list[Reading] | None
    gaps: list[Gap] | None
    ended: str | None


class Modified(TypedDict):
    revision: int
    grants: list[Grant]


class NoSuchResource(asyncvarlink.TypedVarlinkErrorReply, interface=BROKER):
    class Parameters:
        resource: str


class Broker(asyncvarlink.VarlinkInterface, name=BROKER):
    errors = (NoSuchResource,)

    @asyncvarlink.varlinkmethod(return_parameter="resources")
    def ListResources(self) -> list[Resource]: ...

    @asyncvarlink.varlinkmethod(return_parameter="reading")
    def Read(self, *, resource: str, maximumAgeNanoseconds: int | None = None,
             timeoutNanoseconds: int | None = None, satellites: bool | None = None) -> Reading: ...

    @asyncvarlink.varlinkmethod
    def Subscribe(self, *, requests: list[Request]) -> Iterator[Reply]: ...

    @asyncvarlink.varlinkmethod
    def Modify(self, *, subscription: str, requests: list[Request] | None = None,
               remove: list[str] | None = None) -> Modified: ...


class TestTypedClient:
    def run(self, path, conversation):
        """Runs a conversation over two connections of one process."""

        async def both():
            transports, proxies = [], []
            for _ in range(2):
                transport, protocol = await asyncvarlink.connect_unix_varlink(asyncvarlink.VarlinkClientProtocol, path)
                transports.append(transport)
                proxies.append(protocol.make_proxy(Broker))
            try:
                await asyncio.wait_for(conversation(*proxies), PATIENCE)
            finally:
                for transport in transports:
                    transport.close()

        asyncio.run(both())

    def test_list_and_read(self, daemon):
        async def conversation(broker, _):
            names = {resource["name"] for resource in (await broker.ListResources())["resources"]}
            assert {"location", "accelerometer"} <= names
            reading = (await broker.Read(resource="location"))["reading"]
            assert reading["location"]["fix"] in ("none", "2d", "3d")
            assert reading["location"].get("satellites") is None
            location = (await broker.Read(resource="location", satellites=True))["reading"]["location"]
            assert len(location["satellites"]) == location["satellitesVisible"]
            assert sum(satellite["used"] for satellite in location["satellites"]) == location["satellitesUsed"]

        self.run(daemon.broker, conversation)

    def test_errors_are_typed(self, daemon):
        async def conversation(broker, other):
            with pytest.raises(NoSuchResource) as unknown:
                await broker.Read(resource="thermometer")
            assert unknown.value.p_resource == "thermometer"
            with pytest.raises(asyncvarlink.GenericVarlinkErrorReply) as unknown:
                await other.Modify(subscription="none")
            assert unknown.value.name == f"{BROKER}.NoSuchSubscription"

        self.run(daemon.broker, conversation)

    def test_live_change_beside_a_running_stream(self, daemon):
        async def conversation(streaming, control):
            replies = streaming.Subscribe(requests=[
                {"resource": "accelerometer", "intervalNanoseconds": 200_000_000, "filter": "mean"},
                {"resource": "location", "intervalNanoseconds": 0}])
            first = await anext(replies)
            assert first["revision"] == 1 and len(first["grants"]) == 2 and len(first["resources"]) == 2
            before = 0
            while before < 3:
                before += len((await anext(replies)).get("readings") or [])
            modified = await control.Modify(subscription=first["subscription"], requests=[
                {"resource": "accelerometer", "intervalNanoseconds": 20_000_000, "batchNanoseconds": 100_000_000}])
            assert modified["revision"] == 2
            async for reply in replies:
                if reply.get("revision"):
                    break
            assert reply["revision"] == 2
            assert {grant["resource"]: grant["intervalNanoseconds"] for grant in reply["grants"]}[
                "accelerometer"] == 20_000_000
            samples = 0
            while samples < 20:
                for reading in (await anext(replies)).get("readings") or []:
                    samples += len(reading["values"]["columns"]["x"]) if reading.get("values") else 0
            await replies.aclose()

        self.run(daemon.broker, conversation)
