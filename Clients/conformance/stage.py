"""The words that scripts are written in."""

import base64
import pathlib
import struct
import time

from scripted_broker import ScriptedBroker

SECOND = 1_000_000_000
#: An interval so long that no client takes the time of a script for a silence.
INTERVAL = 100 * SECOND
NUMBERS = {"x": 0.5, "y": -1.25, "z": 9.75}
KINDS = {"accelerometer": "acceleration", "gyroscope": "angularVelocity", "location": "location", "orientation": "orientation"}


class Stage:
    """A scripted broker, a client, and the words that scripts are written in."""

    def __init__(self, directory, client):
        self.server = ScriptedBroker(pathlib.Path(directory) / "broker")
        self.client = client(self.server.path)
        # Instants of CLOCK_BOOTTIME that follow the start of the client.
        self.start_of_time = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 1000 * SECOND

    @property
    def name(self):
        return self.client.name

    def start(self, *requests, listening=True):
        if listening and self.server.listener is None:
            self.server.listen()
        self.client.start(*requests)

    def close(self):
        self.client.kill()
        self.server.close()

    def at(self, seconds):
        return self.start_of_time + round(seconds * SECOND)

    # What the broker sends

    def subscription(self, *names, interval=INTERVAL, state="active", **more):
        """Takes the call that begins a stream, and answers it; the streams of some clients begin with one resource."""
        stream = self.server.next("Subscribe")
        asked = stream.parameters["requests"]
        names = names or ("accelerometer",)
        grants = [grant(request, interval) for request in asked]
        resources = [self.resource(request["resource"], state) for request in asked]
        stream.update(subscription="s1", revision=1, grants=grants, resources=resources, **more)
        while len(asked) < len(names):
            change = self.server.next("Modify")
            added = change.parameters["requests"]
            asked = asked + added
            grants = [grant(request, interval) for request in added]
            stream.update(revision=2, grants=grants, resources=[self.resource(one["resource"], state) for one in added])
            change.reply({"revision": 2, "grants": grants})
        assert sorted(one.get("label", one["resource"]) for one in asked) == sorted(names), asked
        stream.asked = asked
        return stream

    def resource(self, name, state="active", reason=None, kind=None, channels=None):
        kind = kind or KINDS.get(name, name)
        vector = [{"name": axis, "unit": "m/s²"} for axis in "xyz"]
        resource = {
            "name": name, "kind": kind, "state": state, "simulated": True,
            "reporting": "onChange" if kind in ("orientation", "illuminance", "proximity") else "continuous",
            "channels": channels if channels is not None else [] if kind in ("location", "orientation") else vector,
            "minimumIntervalNanoseconds": 1_000_000, "maximumIntervalNanoseconds": 3600 * SECOND,
            "defaultIntervalNanoseconds": SECOND}
        if reason is not None:
            resource["reason"] = reason
        return resource

    def reading(self, seconds, resource="accelerometer", sequence=1, **members):
        if not members:
            members = {"values": {"columns": {name: [number] for name, number in NUMBERS.items()}}}
        return {"resource": resource, "sequence": sequence, "timestampNanoseconds": self.at(seconds), **members}

    # What the user sees

    def granted(self, resource="accelerometer", interval=INTERVAL, state="active", **more):
        return [
            {"event": "grant", "resource": resource, "intervalNanoseconds": interval, **more},
            {"event": "state", "resource": resource, "state": state}]

    def read(self, seconds, resource="accelerometer", **members):
        return {"event": "reading", "resource": resource, "timestampNanoseconds": self.at(seconds),
                **(members or {"values": NUMBERS})}

    def gap(self, cause, start, end, count=None, resource="accelerometer"):
        gap = {"event": "gap", "resource": resource, "cause": cause, "fromNanoseconds": self.at(start),
               "untilNanoseconds": self.at(end)}
        return gap if count is None else {**gap, "count": count}

    def away_gap(self, start, end):
        """The gap that a client itself reports after a reconnect."""
        return self.gap("restarted" if self.name == "sensorctl" else "disconnected", start, end)


def grant(request, interval):
    named = {"label": request["label"]} if "label" in request else {}
    return {"resource": request["resource"], **named, "intervalNanoseconds": interval, "batchNanoseconds": 0}


def disconnected(error="disconnected", **members):
    return {"event": "disconnected", "error": error, **members}


def failed(error):
    return {"event": "error", "error": error}


def begun(stage):
    """A stream of the accelerometer that has brought its first reading."""
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stage.client.see("reading")
    return stream


def packed(numbers, form="f"):
    return base64.b64encode(struct.pack(f"<{len(numbers)}{form}", *numbers)).decode()
