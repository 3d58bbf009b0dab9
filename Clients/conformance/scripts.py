"""The behaviours of clients: for each one a script, and what a user of the client must see."""

import base64
import json
import pathlib
import struct
import subprocess
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


class Behaviour:
    """A row of the table."""

    def __init__(self, play, topic, text, differs):
        self.play = play
        self.name = play.__name__
        self.topic = topic
        self.text = text
        #: By the names of clients: why they differ, and how; `not applicable` begins with a dash.
        self.differs = differs

    def applies_to(self, client):
        return not self.differs.get(client, "").startswith("-")


BEHAVIOURS = []


def behaviour(topic, text, **differs):
    """Adds a script to the table."""
    def add(play):
        BEHAVIOURS.append(Behaviour(play, topic, text, differs))
        return play
    return add


ENDS = "a command ends, with a status and a message, where a program that lives on waits"
LABELS = "- the library has a label for each request by itself"
ONE_REQUEST = "- a command line has one request for a resource"
CAUSE = "the gap has the cause `restarted`: its output and its recordings have the causes of the interface only"


# Readings


def begun(stage):
    """A stream of the accelerometer that has brought its first reading."""
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stage.client.see("reading")
    return stream


def packed(numbers, form="f"):
    return base64.b64encode(struct.pack(f"<{len(numbers)}{form}", *numbers)).decode()


@behaviour("readings", "each sample of a reading, of a batch and of packed columns, with its time")
def samples(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    columns = {"x": [0.5, 0.25, 0.125], "y": [1.5, 2.5, 3.5], "z": [-9.75, -9.5, 9.25]}
    narrow = {name: packed(column) for name, column in columns.items()}
    stamps = [stage.at(20), stage.at(20.5), stage.at(22)]
    stream.update(readings=[
        stage.reading(1, sequence=7),
        stage.reading(10, sequence=8, values={"columns": columns, "periodNanoseconds": SECOND}),
        stage.reading(20, sequence=11, values={"columns": columns, "timestampsNanoseconds": stamps}),
        stage.reading(30, sequence=14, values={"packed": narrow, "periodNanoseconds": SECOND // 4}),
        stage.reading(40, sequence=17, values={
            "packed": narrow, "packedStepsNanoseconds": packed([SECOND // 2, 3 * SECOND], "I")}),
        # Integers where numbers are expected, since other languages write them so.
        stage.reading(50, sequence=20, values={"columns": {"x": [1], "y": [2], "z": [-3]}})])
    stage.client.see("reading", 14)
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    times = [(10, 11, 12), (20, 20.5, 22), (30, 30.25, 30.5), (40, 40.5, 43.5)]
    batches = []
    for sequence, batch in zip((8, 11, 14, 17), times):
        for row, (seconds, values) in enumerate(zip(batch, rows)):
            first = {"sequence": sequence} if row == 0 else {}
            batches.append(stage.read(seconds, values=values, **first))
    return [*stage.granted(), stage.read(1, sequence=7, values=NUMBERS), *batches,
            stage.read(50, sequence=20, values={"x": 1.0, "y": 2.0, "z": -3.0})]


@behaviour("readings", "locations; what is not known is absent")
def location(stage):
    stage.start(f"location,interval={INTERVAL}")
    stream = stage.subscription("location")
    known = {"fix": "3d", "latitudeDegrees": 48.5, "longitudeDegrees": -11.25, "altitudeMeters": 0.5}
    stream.update(readings=[
        stage.reading(1, "location", location={**known, "horizontalErrorMeters": 2.5, "satellitesUsed": 7}),
        stage.reading(101, "location", location={"fix": "none"})])
    stage.client.see("reading", 2)
    return [*stage.granted("location"), stage.read(1, "location", location=known),
            stage.read(101, "location", location={"fix": "none"})]


@behaviour("readings", "orientations")
def orientation(stage):
    stage.start("orientation")
    stream = stage.subscription("orientation", interval=0)
    stream.update(readings=[stage.reading(1, "orientation", orientation="left-up")])
    stage.client.see("reading")
    return [*stage.granted("orientation", interval=0), stage.read(1, "orientation", orientation="left-up")]


@behaviour(
    "readings", "a kind of a later broker, by the names of its channels; members, causes and states that are not known",
    Swift="values have types: readings of a kind that the library does not know are passed over; a state that it does not know is `stale`, with that reason")
def tomorrow(stage):
    stage.start(f"geigercounter,interval={INTERVAL}")
    stream = stage.server.next("Subscribe")
    channels = [{"name": "alpha", "unit": "Bq", "colour": "green"}, {"name": "beta", "unit": "Bq"}]
    resource = stage.resource("geigercounter", "hibernating", kind="radioactivity", channels=channels)
    stream.update(
        subscription="s1", revision=1, grants=[grant({"resource": "geigercounter"}, INTERVAL)],
        resources=[{**resource, "mood": {"deep": [1, [2]]}}], weather="fine")
    stream.update(gaps=[{
        "resource": "geigercounter", "cause": "solarFlare", "fromNanoseconds": stage.at(1), "untilNanoseconds": stage.at(2),
        "severity": 3}])
    values = {"columns": {"alpha": [0.5], "beta": [1.5]}, "quality": [1]}
    stream.update(readings=[
        stage.reading(2, "geigercounter", values=values, smell=None)])
    stage.client.see("gap")
    if stage.name == "Swift":
        return [*stage.granted("geigercounter", state="stale"), stage.gap("solarFlare", 1, 2, resource="geigercounter")]
    stage.client.see("reading")
    return [*stage.granted("geigercounter", state="hibernating"),
            stage.gap("solarFlare", 1, 2, resource="geigercounter"),
            stage.read(2, "geigercounter", values={"alpha": 0.5, "beta": 1.5})]


@behaviour(
    "readings", "several requests for one resource, told apart by their labels", Swift=LABELS, sensorctl=ONE_REQUEST)
def labels(stage):
    stage.start(f"accelerometer,interval={INTERVAL},label=slow", "accelerometer,interval=0,label=fast")
    stream = stage.subscription("slow", "fast")
    stream.update(
        gaps=[{"resource": "accelerometer", "label": "fast", "cause": "slowClient", "count": 2,
               "fromNanoseconds": stage.at(1), "untilNanoseconds": stage.at(2)}],
        readings=[stage.reading(1, label="slow", values={"columns": {"x": [1.5]}}),
                  stage.reading(2, label="fast", values={"columns": {"x": [2.5]}})])
    stage.client.see("reading", 2)
    seen = [event for event in stage.client.events if event["event"] in ("gap", "reading")]
    stage.client.events[:] = seen
    return [{**stage.gap("slowClient", 1, 2, 2), "label": "fast"},
            stage.read(1, label="slow", values={"x": 1.5}), stage.read(2, label="fast", values={"x": 2.5})]


# Gaps and states


@behaviour("gaps and states", "every gap, with its cause, count and time span, before the reading that follows it")
def gap(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    causes = ["slowClient", "deviceOverflow", "deviceLost", "reconfigured", "restarted", "released"]
    for number, cause in enumerate(causes):
        known = {"count": number} if number else {}
        stream.update(
            readings=[stage.reading(100 * number + 50)],
            gaps=[{"resource": "accelerometer", "cause": cause, "fromNanoseconds": stage.at(100 * number),
                   "untilNanoseconds": stage.at(100 * number + 50), **known}])
    stage.client.see("reading", len(causes))
    seen = []
    for number, cause in enumerate(causes):
        seen += [stage.gap(cause, 100 * number, 100 * number + 50, number or None), stage.read(100 * number + 50)]
    return [*stage.granted(), *seen]


@behaviour("gaps and states", "each state with its reason, in order with the readings")
def state(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.update(resources=[stage.resource("accelerometer", "unavailable", "unplugged")])
    stream.update(resources=[stage.resource("accelerometer", "starting")])
    stream.update(resources=[stage.resource("accelerometer", "active")], readings=[stage.reading(101)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1),
            {"event": "state", "resource": "accelerometer", "state": "unavailable", "reason": "unplugged"},
            {"event": "state", "resource": "accelerometer", "state": "starting"},
            {"event": "state", "resource": "accelerometer", "state": "active"}, stage.read(101)]


@behaviour(
    "gaps and states", "a stream that falls silent without a word is `stale`, until the next reading",
    sensorctl="- whoever looks at its output sees that nothing comes")
def silence(stage, resource="accelerometer"):
    interval = SECOND // 100
    stage.start(f"{resource},interval={interval}")
    stream = stage.subscription(resource, interval=interval)
    stage.client.see("state", state="stale")
    # An empty reply is a sign of life of the broker, but no reading.
    stream.update()
    stream.update(readings=[stage.reading(1, resource)])
    stage.client.see("reading")
    # Whether there is another silence before the end is a matter of the host.
    count = next(place for place, event in enumerate(stage.client.events) if event["event"] == "reading")
    del stage.client.events[count + 1 :]
    return [*stage.granted(resource, interval=interval), {"event": "state", "resource": resource, "state": "stale"},
            {"event": "state", "resource": resource, "state": "active"}, stage.read(1, resource)]


@behaviour(
    "gaps and states", "so is one of a kind that the client does not know, if its `reporting` is `continuous`",
    sensorctl="- whoever looks at its output sees that nothing comes", Swift="- it has no streams of kinds that it does not know")
def silence_of_a_new_kind(stage):
    return silence(stage, "odometer")


# Reconnect


@behaviour("reconnect", "a connection that breaks: reported once; then the stream goes on, with a gap", sensorctl=CAUSE)
def reconnect(stage):
    stream = begun(stage)
    # Half a message, and the end.
    stream.send_bytes(b'{"parameters":{"readings":[')
    stream.close()
    stream = stage.subscription()
    stream.update(readings=[stage.reading(501), stage.reading(601)])
    stage.client.see("reading", 3)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.away_gap(1, 501), stage.read(501),
            stage.read(601)]


@behaviour("reconnect", "no gap if nothing is missing: the next reading is there within one and a half intervals")
def reconnect_in_time(stage):
    stream = begun(stage)
    stream.close()
    stage.subscription().update(readings=[stage.reading(141)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.read(141)]


@behaviour("reconnect", "what has come, or was reported missing, does not come again from a broker that was there all the time")
def reconnect_known(stage):
    stream = begun(stage)
    stream.close()
    # A stream begins with the newest reading.
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.update(readings=[stage.reading(101)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.read(101)]


@behaviour("reconnect", "what the broker itself reports as missing after a reconnect is not reported twice")
def reconnect_told(stage):
    stream = begun(stage)
    stream.close()
    told = {"resource": "accelerometer", "cause": "restarted", "count": 4, "fromNanoseconds": stage.at(101),
            "untilNanoseconds": stage.at(401)}
    stage.subscription().update(gaps=[told], readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.gap("restarted", 101, 401, 4), stage.read(501)]


@behaviour("reconnect", "a connection that breaks again before the first reading is reported again", sensorctl=CAUSE)
def reconnect_twice(stage):
    stream = begun(stage)
    stream.close()
    stream = stage.subscription()
    stage.client.see("grant", 2)
    stream.close()
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), disconnected(), *stage.granted(),
            stage.away_gap(1, 501), stage.read(501)]


@behaviour("reconnect", "a broker that is not there yet", sensorctl=ENDS)
def missing(stage):
    stage.start(f"accelerometer,interval={INTERVAL}", listening=False)
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [failed("brokerMissing")]
    stage.client.see("disconnected")
    stage.server.listen()
    stage.subscription().update(readings=[stage.reading(1)])
    stage.client.see("reading")
    return [disconnected("brokerMissing"), *stage.granted(), stage.read(1)]


@behaviour("reconnect", "a socket at which nothing listens", sensorctl=ENDS)
def stopped(stage):
    stage.server.leave_stopped()
    stage.start(f"accelerometer,interval={INTERVAL}", listening=False)
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [failed("brokerStopped")]
    stage.client.see("disconnected")
    stage.server.listen()
    stage.subscription().update(readings=[stage.reading(1)])
    stage.client.see("reading")
    return [disconnected("brokerStopped"), *stage.granted(), stage.read(1)]


# The end


@behaviour("ended", "the end `shutdown`: reported with its reason, and renewed when the broker is back", sensorctl=CAUSE)
def ended_shutdown(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.reply({"ended": "shutdown"})
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected("ended", reason="shutdown"), *stage.granted(),
            stage.away_gap(1, 501), stage.read(501)]


@behaviour("ended", "readings that come with the end are seen before it", sensorctl=CAUSE)
def ended_with_readings(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.reply({"readings": [stage.reading(101)], "ended": "shutdown"})
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 3)
    return [*stage.granted(), stage.read(1), stage.read(101), disconnected("ended", reason="shutdown"), *stage.granted(),
            stage.away_gap(101, 501), stage.read(501)]


@behaviour("ended", "the end `slowClient`: its gap, its reason, and then it is renewed", sensorctl=ENDS)
def ended_slow(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    told = {"resource": "accelerometer", "cause": "slowClient", "count": 4, "fromNanoseconds": stage.at(2),
            "untilNanoseconds": stage.at(401)}
    stream.reply({"gaps": [told], "ended": "slowClient"})
    seen = [*stage.granted(), stage.read(1), stage.gap("slowClient", 2, 401, 4)]
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [*seen, failed("ended")]
    stage.subscription().update(readings=[stage.reading(601)])
    stage.client.see("reading", 2)
    return [*seen, disconnected("ended", reason="slowClient"), *stage.granted(), stage.away_gap(401, 601), stage.read(601)]


@behaviour("ended", "the end `permissionDenied` after a change of the configuration", sensorctl=ENDS)
def ended_permission(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.reply({"ended": "permissionDenied"})
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [*stage.granted(), stage.read(1), failed("notPermitted")]
    stage.server.next("Subscribe").error("org.varlink.service.PermissionDenied")
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected("notPermitted"), *stage.granted(), stage.away_gap(1, 501),
            stage.read(501)]


# Permission and other refusals


def refusal(error, name, **parameters):
    def play(stage):
        stage.start(f"accelerometer,interval={INTERVAL}")
        stage.server.next("Subscribe").error(name, **parameters)
        if stage.name == "sensorctl":
            stage.client.see("error")
            return [failed(error)]
        stage.client.see("disconnected")
        stage.server.next("Subscribe").error(name, **parameters)
        stage.subscription().update(readings=[stage.reading(1)])
        stage.client.see("reading")
        return [disconnected(error), *stage.granted(), stage.read(1)]

    return play


permission = refusal("notPermitted", "org.varlink.service.PermissionDenied")
permission.__name__ = "permission"
behaviour("refused", "no permission: reported once, and asked for again", sensorctl=ENDS)(permission)
limit = refusal("tooManySubscriptions", "TooManySubscriptions", limit=3)
limit.__name__ = "limit"
behaviour("refused", "too many subscriptions: reported once, and asked for again", sensorctl=ENDS)(limit)
unknown_error = refusal("unintelligible", "OutOfCoffee", cups=0)
unknown_error.__name__ = "unknown_error"
behaviour(
    "refused", "an error that the client does not know: reported once, and asked for again",
    sensorctl="a command ends, with the error's name")(unknown_error)


@behaviour("refused", "a resource that the broker does not have ends the stream")
def no_such_resource(stage):
    stage.start("thermometer")
    stage.server.next("Subscribe").error("NoSuchResource", resource="thermometer")
    if stage.name == "sensorctl":
        # It looks for a name that was meant.
        stage.server.next("ListResources").reply({"resources": []})
    stage.client.see("error")
    return [failed("noSuchResource")]


@behaviour("refused", "an invalid request ends the stream")
def invalid(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stage.server.next("Subscribe").error("org.varlink.service.InvalidParameter", parameter="intervalNanoseconds")
    stage.client.see("error")
    return [failed("invalidRequest")]


# Live changes


@behaviour("modify", "a change of a running stream: the stream goes on, with the new grant; after a reconnect, the change holds", sensorctl=CAUSE)
def modify(stage):
    slow = 2 * INTERVAL
    stream = begun(stage)
    stage.client.command(f"modify accelerometer,interval={slow}")
    change = stage.server.next("Modify")
    assert change.parameters["subscription"] == "s1", change.parameters
    assert [one["intervalNanoseconds"] for one in change.parameters["requests"]] == [slow], change.parameters
    grants = [grant({"resource": "accelerometer"}, slow)]
    # One reading of the former grant is still on its way.
    stream.update(readings=[stage.reading(101)])
    stream.update(revision=2, grants=grants, readings=[stage.reading(301)])
    change.reply({"revision": 2, "grants": grants})
    stage.client.see("reading", 3)
    change.await_close()
    stream.close()
    stream = stage.subscription(interval=slow)
    assert [one["intervalNanoseconds"] for one in stream.asked] == [slow], stream.asked
    stream.update(readings=[stage.reading(701)])
    stage.client.see("reading", 4)
    granted = {"event": "grant", "resource": "accelerometer", "intervalNanoseconds": slow}
    return [*stage.granted(), stage.read(1), stage.read(101), granted, stage.read(301), disconnected(),
            *stage.granted(interval=slow), stage.away_gap(301, 701), stage.read(701)]


@behaviour("modify", "a change that the broker refuses: reported, and the former request holds")
def modify_refused(stage):
    stream = begun(stage)
    stage.client.command("modify accelerometer,interval=7")
    stage.server.next("Modify").error("org.varlink.service.InvalidParameter", parameter="intervalNanoseconds")
    stage.client.see("refused")
    stream.update(readings=[stage.reading(101)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), {"event": "refused", "error": "invalidRequest"}, stage.read(101)]


@behaviour(
    "modify", "a change for a stream that the broker does not know any more: the stream is renewed, with the change",
    sensorctl="- `set` is another process than `watch`; it ends with a status")
def modify_forgotten(stage):
    slow = 2 * INTERVAL
    stream = begun(stage)
    stage.client.command(f"modify accelerometer,interval={slow}")
    stage.server.next("Modify").error("NoSuchSubscription", subscription="s1")
    stream.await_close()
    stream = stage.subscription(interval=slow)
    assert [one["intervalNanoseconds"] for one in stream.asked] == [slow], stream.asked
    stream.update(readings=[stage.reading(101)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(interval=slow), stage.read(101)]


@behaviour(
    "modify", "a change while the broker is away is part of the next subscription",
    sensorctl="- `set` is another process than `watch`, and needs the broker")
def modify_away(stage):
    slow = 2 * INTERVAL
    stage.start(f"accelerometer,interval={INTERVAL}", listening=False)
    stage.client.see("disconnected")
    stage.client.command(f"modify accelerometer,interval={slow}")
    # The answer to a read shows that the change has been taken in.
    stage.client.command("read accelerometer 0 1000000")
    stage.client.see("failed")
    stage.client.events[:] = [event for event in stage.client.events if event["event"] != "failed"]
    stage.server.listen()
    stream = stage.subscription(interval=slow)
    assert [one["intervalNanoseconds"] for one in stream.asked] == [slow], stream.asked
    stage.client.see("grant")
    stage.client.see("state")
    return [disconnected("brokerMissing"), *stage.granted(interval=slow)]


@behaviour(
    "modify", "a resource is added to a running stream, and taken out of it",
    sensorctl="- `set` is another process than `watch`, and takes nothing out")
def modify_resources(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stage.client.see("grant")
    stage.client.command(f"modify gyroscope,interval={INTERVAL}")
    change = stage.server.next("Modify")
    assert [one["resource"] for one in change.parameters["requests"]] == ["gyroscope"], change.parameters
    assert not change.parameters.get("remove"), change.parameters
    grants = [grant({"resource": "gyroscope"}, INTERVAL)]
    stream.update(revision=2, grants=grants, resources=[stage.resource("gyroscope")])
    change.reply({"revision": 2, "grants": grants})
    stage.client.see("grant", 2)
    stage.client.command("remove accelerometer")
    change = stage.server.next("Modify")
    assert change.parameters.get("remove") == ["accelerometer"], change.parameters
    stream.update(revision=3, grants=[])
    change.reply({"revision": 3, "grants": []})
    change.await_close()
    # What was still on its way is passed over.
    stream.update(readings=[stage.reading(1), stage.reading(2, "gyroscope")])
    stage.client.see("reading", resource="gyroscope")
    return [*stage.granted(), *stage.granted("gyroscope"), stage.read(2, "gyroscope")]


# Single calls


@behaviour("calls", "a list of the resources, and single readings")
def calls(stage):
    stage.start()
    stage.client.command("list")
    stage.server.next("ListResources").reply({"resources": [
        stage.resource("accelerometer"), stage.resource("location", "unavailable", "no gpsd")]})
    stage.client.see("list")
    stage.client.command("read accelerometer 0 60000000000")
    stage.server.next("Read").reply({"reading": stage.reading(1)})
    stage.client.see("read")
    return [
        {"event": "list", "resources": [
            {"name": "accelerometer", "kind": "acceleration", "state": "active"},
            {"name": "location", "kind": "location", "state": "unavailable"}]},
        {**stage.read(1), "event": "read"}]


@behaviour("calls", "a call to a broker that is about to listen")
def calls_early(stage):
    stage.start(listening=False)
    stage.client.command("list")
    stage.server.listen()
    stage.server.next("ListResources").reply({"resources": [stage.resource("accelerometer")]})
    stage.client.see("list")
    return [{"event": "list", "resources": [{"name": "accelerometer", "kind": "acceleration", "state": "active"}]}]


@behaviour("calls", "a single reading that is refused: no such resource, not available, not permitted, no reading in time")
def calls_refused(stage):
    stage.start()
    refusals = [
        ("noSuchResource", "NoSuchResource", {"resource": "accelerometer"}),
        ("resourceUnavailable", "ResourceUnavailable", {"resource": "accelerometer", "reason": "unplugged"}),
        ("notPermitted", "org.varlink.service.PermissionDenied", {}),
    ]
    if stage.name != "Swift":
        # The library asks again for as long as its own deadline allows.
        refusals.append(("timedOut", "TimedOut", {}))
    seen = []
    for error, name, parameters in refusals:
        stage.client.command("read accelerometer 0 60000000000")
        stage.server.next("Read").error(name, **parameters)
        seen.append({"event": "failed", "call": "read", "error": error})
        if stage.name == "sensorctl" and name == "NoSuchResource":
            # It names those that there are.
            stage.server.next("ListResources").reply({"resources": [stage.resource("location")]})
        stage.client.see("failed", len(seen))
    return seen


# A mute server


@behaviour("mute server", "a read is given up at its own timeout")
def mute_read(stage):
    stage.start()
    stage.client.command("read accelerometer 0 300000000")
    stage.server.next("Read")
    stage.client.see("failed")
    return [{"event": "failed", "call": "read", "error": "timedOut"}]


@behaviour("mute server", "a list that is not answered is given up", sensorctl="after its `--timeout`, 10 s")
def mute_list(stage):
    stage.start()
    stage.client.command("list")
    stage.server.next("ListResources")
    stage.client.see("failed")
    return [{"event": "failed", "call": "list", "error": "timedOut"}]


@behaviour(
    "mute server", "a change that is not answered: the stream is renewed, with the change",
    sensorctl="- `set` is another process than `watch`; it ends with a status")
def mute_modify(stage):
    slow = 2 * INTERVAL
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stage.client.see("grant")
    stage.client.command(f"modify accelerometer,interval={slow}")
    stage.server.next("Modify")
    stream.await_close()
    stage.subscription(interval=slow)
    stage.client.see("grant", 2)
    stage.client.see("state", 2)
    return [*stage.granted(), disconnected("timedOut"), *stage.granted(interval=slow)]


@behaviour(
    "mute server", "a stream in which nothing comes for a minute and a half, not even a sign of life, is renewed",
    sensorctl=ENDS)
def mute_stream(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stage.client.see("grant")
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [*stage.granted(), failed("timedOut")]
    stream.await_close()
    stage.subscription()
    stage.client.see("grant", 2)
    stage.client.see("state", 2)
    return [*stage.granted(), disconnected(), *stage.granted()]


# A hostile server


def message(value):
    return json.dumps(value).encode() + b"\0"


def update(**members):
    return message({"parameters": members, "continues": True})


def reading_of(values, **members):
    return update(readings=[{
        "resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 1, "values": values, **members}])


def raw_reading(values):
    """A reading whose values are a text of its own."""
    return (b'{"parameters":{"readings":[{"resource":"accelerometer","sequence":1,"timestampNanoseconds":1,"values":'
            + values + b'}]},"continues":true}\0')


GAP = {"resource": "accelerometer", "cause": "slowClient", "fromNanoseconds": 1, "untilNanoseconds": 2}
GRANT = {"resource": "accelerometer", "intervalNanoseconds": 1, "batchNanoseconds": 0}
LARGE = 1 << 63
HOSTILE = {
    "garbage": [
        b"\0", b"hello\0", b"\x00\xff\xfe\0", bytes(range(1, 256)) + b"\0", b"{}x\0", b"{'a':1}\0", b"\xef\xbb\xbf{}\0",
        b'{"parameters":{"ended":"\xc3\x28"},"continues":true}\0', b'{"parameters":{"ended":"\\ud800"},"continues":true}\0',
        b'{"parameters":{"ended":"\\x41"},"continues":true}\0', b'{"parameters":{"ended":"a\nb"},"continues":true}\0'],
    "truncated messages": [
        b'{"parameters":{"readings":[\0', b'{"parameters"\0', b'{"parameters":{"ended":"shut\0', b'{"continues":tru\0',
        b'[1,2\0', b'{"parameters":{},"continues":true\0'],
    "deep or ambiguous JSON": [
        b"[" * 100_000 + b"\0", b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"\0",
        b'{"parameters":{"x":' + b"[" * 70 + b"]" * 70 + b'},"continues":true}\0',
        b'{"continues":true,"continues":true}\0', b'{"parameters":{"revision":1,"revision":2},"continues":true}\0'],
    "wrong types": [
        b"[]\0", b"1\0", b'"text"\0', b"null\0", message({"parameters": [], "continues": True}),
        message({"parameters": {}, "continues": "yes"}), message({"error": 7}), update(readings={}), update(readings=[1]),
        update(gaps="none"), update(grants=[[]]), update(resources=[None]), update(subscription=5),
        update(revision="two"), update(revision=1.5), update(ended=3), update(gaps=[{**GAP, "count": "three"}]),
        update(gaps=[{**GAP, "cause": 1}]), update(gaps=[{**GAP, "fromNanoseconds": 1.0}]),
        update(gaps=[{key: GAP[key] for key in GAP if key != "cause"}]), update(gaps=[{**GAP, "untilNanoseconds": None}]),
        update(gaps=[{**GAP, "count": True}]), update(grants=[{**GRANT, "intervalNanoseconds": "fast"}]),
        update(resources=[{"name": "accelerometer"}]), reading_of([]), reading_of({"columns": {"x": 1.0}}),
        reading_of({"columns": {"x": ["1"]}}), reading_of({"columns": {"x": [True]}}), reading_of({"columns": {"x": [None]}}),
        reading_of({"columns": []}), reading_of({}), reading_of({"columns": {"x": [1.0]}}, sequence="1"),
        reading_of({"columns": {"x": [1.0]}}, resource=None)],
    "numbers that are none": [
        raw_reading(b'{"columns":{"x":[NaN]}}'), raw_reading(b'{"columns":{"x":[Infinity]}}'),
        raw_reading(b'{"columns":{"x":[-Infinity]}}'), raw_reading(b'{"columns":{"x":[1e999]}}'),
        raw_reading(b'{"columns":{"x":[01]}}'), raw_reading(b'{"columns":{"x":[.5]}}'), raw_reading(b'{"columns":{"x":[1.]}}'),
        raw_reading(b'{"columns":{"x":[+1]}}'), raw_reading(b'{"columns":{"x":[0x10]}}'), raw_reading(b'{"columns":{"x":[-]}}'),
        reading_of({"packed": {"x": packed([float("nan")])}}), reading_of({"packed": {"x": packed([float("inf"), 1.0])}}),
        reading_of({"packed": {"x": packed([1.0, float("-inf"), float("inf")])}})],
    "huge numbers": [
        update(gaps=[{**GAP, "count": LARGE}]), update(gaps=[{**GAP, "untilNanoseconds": LARGE}]),
        update(gaps=[{**GAP, "fromNanoseconds": -LARGE - 1}]), update(grants=[{**GRANT, "intervalNanoseconds": LARGE}]),
        update(revision=10**40), raw_reading(b'{"columns":{"x":[' + b"9" * 400 + b"]}}"),
        reading_of({"columns": {"x": [1.0, 2.0, 3.0]}, "periodNanoseconds": LARGE - 1}),
        reading_of({"columns": {"x": [1.0, 2.0]}, "timestampsNanoseconds": [1, LARGE]}),
        reading_of({"packed": {"x": packed([1.0, 2.0])}, "packedStepsNanoseconds": packed([1], "I")},
                   timestampNanoseconds=LARGE - 1)],
    "columns that do not fit": [
        reading_of({"columns": {"x": [1.0], "y": [1.0, 2.0]}}),
        reading_of({"columns": {"x": [1.0, 2.0]}, "timestampsNanoseconds": [1]}),
        reading_of({"columns": {"x": [1.0]}, "timestampsNanoseconds": ["1"]}),
        reading_of({"packed": {"x": packed([1.0]), "y": packed([1.0, 2.0])}}), reading_of({"packed": {"x": "AAAA"}}),
        reading_of({"packed": {"x": "AAAAAAA"}}), reading_of({"packed": {"x": "AA=AAAAA"}}),
        reading_of({"packed": {"x": "AAAAAA=="}, "packedStepsNanoseconds": packed([1], "I")}),
        reading_of({"packed": {"x": "ÄAAAAA=="}}), reading_of({"packed": {"x": "AAAAAA\n="}}), reading_of({"packed": {"x": 7}}),
        reading_of({"packed": {"x": packed([1.0, 2.0, 3.0])}, "packedStepsNanoseconds": packed([1], "I")})],
}


def hostile(topic, messages):
    def play(stage):
        seen = []
        good = 0
        for number, data in enumerate(messages):
            if number == 0 or stage.name == "sensorctl":
                if number:
                    stage.client = type(stage.client)(stage.server.path)
                stage.start(f"accelerometer,interval={INTERVAL}")
                good = 0
                expected = []
            stream = stage.subscription()
            stream.update(readings=[stage.reading(1000 * number + 1)])
            good += 1
            stage.client.see("reading", good)
            stream.send_bytes(data)
            expected += [*stage.granted(), stage.read(1000 * number + 1)]
            stream.await_close()
            if stage.name == "sensorctl":
                stage.client.see("error")
                expected.append(failed("unintelligible"))
                assert not difference(stage.client.finish(), expected), (data[:200], difference(stage.client.events, expected))
            else:
                stage.client.see("disconnected", number + 1)
                last = [event for event in stage.client.events if event["event"] == "disconnected"][-1]
                assert last["error"] == "unintelligible", (data[:200], last)
                expected.append(disconnected("unintelligible"))
                # The gap comes before the next reading.
                seen = expected
                after = stage.away_gap(1000 * number + 1, 1000 * number + 1001)
                expected = [*expected, after]
        if stage.name == "sensorctl":
            return expected
        # What comes in the end is as good as ever.
        number = len(messages)
        stage.subscription().update(readings=[stage.reading(1000 * number + 1)])
        stage.client.see("reading", good + 1)
        seen = []
        for number in range(number + 1):
            before = [stage.away_gap(1000 * number - 999, 1000 * number + 1)] if number else []
            seen += [*stage.granted(), *before, stage.read(1000 * number + 1), disconnected("unintelligible")]
        return seen[:-1]

    play.__name__ = "hostile_" + topic.replace(" ", "_")
    behaviour("hostile server", topic, sensorctl=ENDS)(play)


for topic, messages in HOSTILE.items():
    hostile(topic, messages)


@behaviour("hostile server", "a message without an end is not read beyond 16 MiB", sensorctl=ENDS)
def hostile_endless(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stage.client.see("grant")
    sent = 0
    piece = b'{"parameters":{"ended":"' + b"x" * 65536
    try:
        while sent < 100 << 20:
            stream.socket.sendall(piece)
            sent += len(piece)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert 15 << 20 < sent < 24 << 20, f"it took {sent} bytes"
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [*stage.granted(), failed("unintelligible")]
    stage.subscription()
    stage.client.see("grant", 2)
    stage.client.see("state", 2)
    return [*stage.granted(), disconnected("unintelligible"), *stage.granted()]


@behaviour("hostile server", "large messages arrive whole, in any pieces")
def hostile_pieces(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    batch = {"columns": {"x": [number / 4 for number in range(1000)], "y": [0.5] * 1000, "z": [0.25] * 1000},
             "periodNanoseconds": SECOND}
    data = update(readings=[stage.reading(number) for number in range(100)]) + update(
        readings=[stage.reading(1000, values=batch)])
    place, size = 0, 1
    while place < len(data):
        stream.send_bytes(data[place : place + size])
        place += size
        size = size * 5 % 4093 + 1
    stage.client.see("reading", 1100)
    rows = (stage.read(1000 + row, values={"x": row / 4, "y": 0.5, "z": 0.25}) for row in range(1000))
    return [*stage.granted(), *(stage.read(number) for number in range(100)), *rows]


@behaviour("hostile server", "replies to nothing: before the call, and after the last one", sensorctl=ENDS)
def hostile_unasked(stage):
    # The first reply is taken for the answer; it says that no more will come.
    stage.server.greeting = message({"parameters": {}}) + update(readings=[stage.reading(1)]) * 3
    stage.start(f"accelerometer,interval={INTERVAL}")
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [failed("disconnected")]
    stage.client.see("disconnected")
    stage.server.greeting = b""
    stream = stage.server.next("Subscribe")
    while stream.is_greeted:
        stream = stage.server.next("Subscribe")
    asked = stream.parameters["requests"]
    stream.update(subscription="s1", revision=1, grants=[grant(one, INTERVAL) for one in asked],
                  resources=[stage.resource("accelerometer")], readings=[stage.reading(501)])
    stage.client.see("reading")
    # How many connections were greeted is a matter of time.
    kept = []
    for event in stage.client.events:
        if event["event"] != "disconnected" or not any(one["event"] == "disconnected" for one in kept):
            kept.append(event)
    stage.client.events[:] = kept
    return [disconnected(), *stage.granted(), stage.read(501)]


CALLS = [
    b"\0", b"hello\0", b"[" * 100_000 + b"\0", b'{"parameters":{"resources":[\0', b"[]\0", message({"parameters": 1}),
    message({"error": None, "parameters": {"resources": {}, "reading": []}}), message({"parameters": {}}),
    message({"parameters": {"resources": [1], "reading": 1}}), message({"error": "io.sensorbroker.Broker.OutOfCoffee"}),
    message({"parameters": {"resources": [{"name": 1}], "reading": {"resource": "accelerometer"}}})]


@behaviour("hostile server", "nonsense in reply to a list and to a single reading")
def hostile_calls(stage):
    stage.start()
    seen = []
    for data in CALLS:
        for command, method in (("list", "ListResources"), ("read accelerometer 0 60000000000", "Read")):
            stage.client.command(command)
            call = stage.server.next(method)
            call.send_bytes(data)
            seen.append({"event": "failed", "call": command.split()[0], "error": "unintelligible"})
            stage.client.see("failed", len(seen))
            assert stage.client.events[-1]["error"] == "unintelligible", (data[:200], stage.client.events[-1])
    return seen


# Full disk


@behaviour(
    "full disk", "the loss of the output is reported, with status 74", Swift="- it writes nothing: the program that uses it does",
    C="- it writes nothing: the program that uses it does", Python="- it writes nothing: the program that uses it does",
    asyncio="- it writes nothing: the program that uses it does")
def full_disk(stage):
    stage.server.listen()
    with open("/dev/full", "w") as full:
        watch = subprocess.Popen(stage.client.command_line(["accelerometer"]), stdout=full, stderr=subprocess.PIPE, text=True)
        stage.server.next("Subscribe").update(
            subscription="s1", revision=1, grants=[grant({"resource": "accelerometer"}, INTERVAL)],
            resources=[stage.resource("accelerometer")], readings=[stage.reading(1)])
        _, notes = watch.communicate(timeout=180)
    assert watch.returncode == 74, (watch.returncode, notes)
    assert "No space left" in notes, notes
    return []


# Judging


def difference(events, expected):
    """How what a user saw differs from what was to be seen; empty if it does not."""
    from clients import matches

    seen = ordered([event for event in events if event["event"] != "connected"])
    expected = ordered(expected)
    for place, (one, wanted) in enumerate(zip(seen, expected)):
        if not matches(one, wanted):
            return f"event {place} is {one}, not {wanted}"
    if len(seen) != len(expected):
        more = seen[len(expected):] or expected[len(seen):]
        return f"{len(seen)} events instead of {len(expected)}; from there on {more[:5]}"
    return ""


def ordered(events):
    """Grants and states of one reply in one order: what begins a stream has no other."""
    result = []
    for event in events:
        result.append(event)
        if event["event"] == "grant":
            place = len(result) - 1
            while place and result[place - 1]["event"] == "state" and result[place - 1]["resource"] == event["resource"] and (
                place == 1 or result[place - 2]["event"] in ("grant", "disconnected", "state") and
                result[place - 2].get("resource") != event["resource"]
                or result[place - 2]["event"] == "disconnected"
            ):
                result[place - 1], result[place] = result[place], result[place - 1]
                place -= 1
    return result


def run(behaviour, client, directory):
    """Plays a script to a client; returns how what its user saw differs from what was to be seen."""
    stage = Stage(directory, client)
    try:
        expected = behaviour.play(stage)
        return difference(stage.client.finish(), expected) if stage.client.events or expected else ""
    finally:
        stage.close()
