"""The behaviours of clients that are sensors themselves: for each one a script, and what the program must see."""

import base64
import json
import pathlib
import struct
import time

from scripted_broker import ScriptedBroker
from judging import difference
from stage import disconnected, failed
from table import table

FEED = "io.sensorbroker.Feed."
OFFER = "accelerometer:arm"
BEHAVIOURS, behaviour = table()


class Stage:
    """A scripted broker, a provider, and the words that scripts are written in."""

    def __init__(self, directory, client):
        self.server = ScriptedBroker(pathlib.Path(directory) / "io.sensorbroker.Feed")
        # The one whose name clients are given.
        self.client = client(pathlib.Path(directory) / "io.sensorbroker.Broker")

    @property
    def name(self):
        return self.client.name

    def start(self, *words, listening=True):
        if listening:
            self.server.listen()
        self.client.start(*(words or (OFFER,)))

    def close(self):
        self.client.kill()
        self.server.close()

    def provision(self, wanted=True, **members):
        """Takes the call that begins a provision, and answers it."""
        call = self.server.next(FEED + "Provide")
        assert call.call["more"] is True
        call.update(wanted=wanted, **members)
        return call

    def wanted(self, *words, count=1, **members):
        """A provision that has begun, and of which something is wanted."""
        if self.client.process is None:
            self.start(*words)
        call = self.provision(**members)
        self.client.see("demand", count, wanted=True)
        return call

    def push(self, line, count, event="pushed"):
        self.client.command(line)
        self.client.see(event, count)

    def error(self, call, name, **parameters):
        call.error(FEED + name if "." not in name else name, **parameters)


def demand(wanted=True, **members):
    return {"event": "demand", "wanted": wanted, **members}


PUSHED = {"event": "pushed"}
NONE = demand(False)


def column(values, name):
    """The numbers of a channel, whatever their form."""
    if "packed" in values:
        data = base64.b64decode(values["packed"][name], validate=True)
        return list(struct.unpack(f"<{len(data) // 4}f", data))
    return values["columns"][name]


def rows(sample):
    """The times and numbers of a sample of Push, whatever its form."""
    values = sample["values"]
    assert ("packed" in values) != ("columns" in values), values
    names = list(values.get("packed") or values["columns"])
    numbers = list(zip(*(column(values, name) for name in names), strict=True))
    first = sample.get("timestampNanoseconds")
    if "timestampsNanoseconds" in values:
        stamps = values["timestampsNanoseconds"]
    elif "packedStepsNanoseconds" in values:
        data = base64.b64decode(values["packedStepsNanoseconds"], validate=True)
        stamps = [first]
        for step in struct.unpack(f"<{len(data) // 4}I", data):
            stamps.append(stamps[-1] + step)
    else:
        period = values.get("periodNanoseconds", 0)
        stamps = [None if first is None else first + row * period for row in range(len(numbers))]
    assert len(stamps) == len(numbers)
    return [(stamp, dict(zip(names, row))) for stamp, row in zip(stamps, numbers)]


def pushed(call):
    """The samples of the next message, by their resources."""
    return samples_of(call.message())


def samples_of(message):
    """The samples of a message, by their resources."""
    assert message["method"] == FEED + "Push" and message["oneway"] is True and "more" not in message, message
    return {sample["resource"]: sample for sample in message["parameters"]["samples"]}


# Providing


@behaviour("providing", "all that is offered is sent: names, kinds, description, intervals, rest, whether it is simulated")
def offers(stage):
    stage.start(
        OFFER + ",kind=acceleration", "light:desk,channels=value", "-description=an_\"arm\"", "-intervals=10000000+20000000",
        "-rest=60000000000", "-simulated=1")
    call = stage.provision(wanted=False)
    # A library that has types for kinds knows it.
    if call.parameters["resources"][1].get("kind") == "illuminance":
        del call.parameters["resources"][1]["kind"]
    assert call.parameters == {
        "resources": [{"name": OFFER, "kind": "acceleration"}, {"name": "light:desk"}], "description": 'an_"arm"',
        "intervalsNanoseconds": [10_000_000, 20_000_000], "restNanoseconds": 60_000_000_000, "simulated": True}, call.parameters
    stage.client.see("demand")
    return [NONE]


@behaviour("providing", "an interval of its own, or any from the shortest to the longest",
           Swift="- a type that has one or the other cannot offer both at once; its unit tests have each")
def intervals(stage):
    stage.start(OFFER, "-interval=10000000", "-shortest=1000000", "-longest=1000000000")
    call = stage.provision(wanted=False)
    assert call.parameters == {
        "resources": [{"name": OFFER}], "intervalNanoseconds": 10_000_000, "shortestNanoseconds": 1_000_000,
        "longestNanoseconds": 1_000_000_000}, call.parameters
    stage.client.see("demand")
    return [NONE]


@behaviour("providing", "what is pushed arrives: the numbers of one time, and of several, each with its time")
def samples(stage):
    call = stage.wanted()
    seen = [demand()]
    lines = [
        ("push 1000 0.5 -1.25 1e-300", [(1000, (0.5, -1.25, 1e-300))]),
        ("push 0 1 2 3", [(None, (1.0, 2.0, 3.0))]),
        ("rows 2000 10 1 2 3 4 5 6", [(2000, (1.0, 2.0, 3.0)), (2010, (4.0, 5.0, 6.0))]),
        ("rows 3000 3000+3015+3020 0.1 0.2 0.3 4 5 6 7 8 9", [(3000, (0.1, 0.2, 0.3)), (3015, (4.0, 5.0, 6.0)), (3020, (7.0, 8.0, 9.0))]),
        ("packed 4000 10 0.5 0.25 -8 4 5 6", [(4000, (0.5, 0.25, -8.0)), (4010, (4.0, 5.0, 6.0))]),
        ("packed 5000 5000+5015 0.5 0.25 -8 4 5 6", [(5000, (0.5, 0.25, -8.0)), (5015, (4.0, 5.0, 6.0))]),
        ("packed 6000 6000+9000006000 0.5 0.25 -8 4 5 6", [(6000, (0.5, 0.25, -8.0)), (9_000_006_000, (4.0, 5.0, 6.0))])]
    for number, (line, expected) in enumerate(lines, 1):
        stage.push(line, number)
        found = rows(pushed(call)[OFFER])
        # What has no time may be stamped by the library, when it is pushed.
        found = [(stamp if known is not None else None, row) for (stamp, row), (known, _) in zip(found, expected, strict=True)]
        assert found == [(stamp, dict(zip("xyz", row))) for stamp, row in expected], (line, found)
        seen.append(PUSHED)
    return seen


@behaviour("providing", "several resources of one device, at the same times in one message")
def several(stage):
    call = stage.wanted(OFFER, "gyroscope:arm", "light,channels=value")
    stage.push("push 1000 1 2 3 4 5 6 7", 1)
    found = pushed(call)
    assert [rows(found[name]) for name in (OFFER, "gyroscope:arm", "light")] == [
        [(1000, {"x": 1.0, "y": 2.0, "z": 3.0})], [(1000, {"x": 4.0, "y": 5.0, "z": 6.0})], [(1000, {"value": 7.0})]]
    stage.push("rows 2000 5 1 2 3 4 5 6 7 1 2 3 4 5 6 8", 2)
    found = pushed(call)
    assert rows(found["light"]) == [(2000, {"value": 7.0}), (2005, {"value": 8.0})], found
    assert rows(found["gyroscope:arm"])[1] == (2005, {"x": 4.0, "y": 5.0, "z": 6.0}), found
    return [demand(), PUSHED, PUSHED]


@behaviour("providing", "locations; what is not known is left out")
def locations(stage):
    call = stage.wanted("location:phone")
    stage.push("location 1000 48.5 -11.25", 1)
    assert pushed(call)["location:phone"] == {
        "resource": "location:phone", "timestampNanoseconds": 1000,
        "location": {"fix": "3d", "latitudeDegrees": 48.5, "longitudeDegrees": -11.25}}
    return [demand(), PUSHED]


@behaviour("providing", "more samples than a call may carry go in several, in order and each with its time")
def long_batches(stage):
    call = stage.wanted()
    count = 3000
    stage.push("rows 1000 10 " + " ".join(f"0.{row:04} 1 2" for row in range(count)), 1)
    stamps = []
    while len(stamps) < count:
        found = rows(pushed(call)[OFFER])
        stamps += [stamp for stamp, _ in found]
        assert found[0][1]["x"] == float(f"0.{len(stamps) - len(found):04}")
    assert stamps == list(range(1000, 1000 + 10 * count, 10)) and call.longest < 65_536
    return [demand(), PUSHED]


@behaviour("providing", "a number that is none is refused, and all goes on",
           Swift="- to send returns nothing: what is not taken is an event; its unit tests have this")
def no_numbers(stage):
    call = stage.wanted()
    for number, line in enumerate(("push 1 nan 2 3", "push 1 1 inf 3", "packed 1 5 1 2 3 4 5 nan"), 1):
        stage.push(line, number, "refused")
    stage.push("push 2 1 2 3", 1)
    assert rows(pushed(call)[OFFER])[0][0] == 2
    return [demand(), *[{"event": "refused", "error": "invalidRequest"}] * 3, PUSHED]


# Demand


@behaviour("demand", "what is wanted, and each change of it: interval, latency, nothing any more; the same again is no change")
def changes(stage):
    stage.start()
    call = stage.provision(wanted=False)
    stage.client.see("demand")
    call.update(wanted=True, intervalNanoseconds=20_000_000, latencyNanoseconds=0)
    stage.client.see("demand", 2)
    call.update(wanted=True, intervalNanoseconds=20_000_000, latencyNanoseconds=0)
    call.update(wanted=True, intervalNanoseconds=5_000_000, latencyNanoseconds=100_000_000, tomorrow={"a": [1]})
    stage.client.see("demand", 3)
    call.update(wanted=True)
    stage.client.see("demand", 4)
    call.update(wanted=False)
    stage.client.see("demand", 5)
    return [NONE, demand(intervalNanoseconds=20_000_000, latencyNanoseconds=0),
            demand(intervalNanoseconds=5_000_000, latencyNanoseconds=100_000_000), demand(latencyNanoseconds=0), NONE]


@behaviour("demand", "what nobody wants is not sent, and the program need not care")
def unwanted(stage):
    stage.start()
    call = stage.provision(wanted=False)
    stage.client.see("demand")
    stage.push("push 1 1 2 3", 1)
    call.update(wanted=True)
    stage.client.see("demand", 2)
    stage.push("push 2 1 2 3", 2)
    assert rows(pushed(call)[OFFER])[0][0] == 2
    call.update(wanted=False)
    stage.client.see("demand", 3)
    stage.push("push 3 1 2 3", 3)
    call.update(wanted=True)
    stage.client.see("demand", 4)
    stage.push("push 4 1 2 3", 4)
    assert rows(pushed(call)[OFFER])[0][0] == 4
    return [NONE, PUSHED, demand(), PUSHED, NONE, PUSHED, demand(), PUSHED]


@behaviour("demand", "samples that the broker refused, with their number and the reason")
def refusals(stage):
    call = stage.wanted()
    call.update(wanted=True, refused={"count": 3, "reason": "its time is in the future"})
    stage.client.see("refusal")
    call.update(wanted=True, refused={"count": 1, "reason": "it is older than the one before"})
    stage.client.see("refusal", 2)
    return [demand(), {"event": "refusal", "count": 3, "reason": "its time is in the future"},
            {"event": "refusal", "count": 1, "reason": "it is older than the one before"}]


# Absence


@behaviour("absence of the broker", "an interruption is reported once; the program provides again what it did, and pushes fail meanwhile")
def restart(stage):
    call = stage.wanted(OFFER, "-interval=10000000")
    first = call.parameters
    stage.server.close()
    pathlib.Path(stage.server.path).unlink()
    call.close()
    stage.client.see("disconnected")
    stage.push("push 1 1 2 3", 1, "dropped")
    time.sleep(1)
    stage.server.listen()
    again = stage.provision()
    assert again.parameters == first
    stage.client.see("demand", 2)
    stage.push("push 2 1 2 3", 1)
    assert rows(pushed(again)[OFFER])[0][0] == 2
    return [demand(), disconnected(), {"event": "dropped"}, demand(), PUSHED]


@behaviour("absence of the broker", "no socket, a socket without a server: reported once, and tried until it is there")
def missing(stage):
    stage.start(listening=False)
    stage.client.see("disconnected")
    time.sleep(0.6)
    stage.server.leave_stopped()
    time.sleep(0.6)
    pathlib.Path(stage.server.path).unlink()
    stage.server.listen()
    stage.provision(wanted=False)
    stage.client.see("demand")
    return [disconnected("brokerMissing"), NONE]


@behaviour("absence of the broker", "the waits between attempts grow to two seconds")
def waits(stage):
    stage.start()
    times = []
    for _ in range(6):
        stage.server.next(FEED + "Provide").close()
        times.append(time.monotonic())
    spans = [after - before for before, after in zip(times, times[1:])]
    # A busy host makes them longer, never shorter.
    for span, least in zip(spans, (0.2, 0.4, 0.8, 1.6, 1.6)):
        assert span > 0.95 * least, spans
    stage.client.see("disconnected")
    return [disconnected()]


@behaviour("absence of the broker", "a broker that does not answer is given up after 15 s")
def mute(stage):
    stage.start()
    call = stage.server.next(FEED + "Provide")
    before = time.monotonic()
    call.await_close()
    assert time.monotonic() - before > 14
    stage.provision(wanted=False)
    stage.client.see("demand")
    # The Swift library says that it was no answer, and not an end.
    return [disconnected("timedOut" if stage.name == "Swift" else "disconnected"), NONE]


@behaviour("absence of the broker",
           "a broker that does not read: what does not fit is dropped, counted and reported, and what arrives is whole",
           Swift="- to send returns nothing: what is not taken is an event; its unit tests have this")
def slow(stage):
    return flood(stage, takes_missing=True)


@behaviour("absence of the broker", "an earlier broker, which does not take the number of what was dropped, gets the samples without it",
           Swift="- to send returns nothing: what is not taken is an event; its unit tests have this")
def slow_and_earlier(stage):
    return flood(stage, takes_missing=False)


def flood(stage, takes_missing):
    call = stage.wanted("light,channels=value", **({"takesMissing": True} if takes_missing else {}))
    stage.client.command("flood 200")
    stage.client.see("flooded")
    assert stage.client.events[-1]["dropped"] >= 100_000, stage.client.events[-1]
    # Each message that comes is whole, up to one that was pushed after the others.
    count = 0
    number = 0
    while True:
        number += 1
        stage.client.command(f"push {5_000_000_000 + number} 7")
        message = call.message()
        found = rows(samples_of(message)["light"])
        missing = message["parameters"].get("missing", 0)
        if found[0][0] >= 5_000_000_000:
            break
        assert missing == 0, missing
        count += len(found)
        assert found[0][1] == {"value": 0.125}
    assert count % 1000 == 0 and count + stage.client.events_of("flooded")[0]["dropped"] == 200_000, count
    # What is told is what was dropped, of those as well that were pushed while it read.
    assert missing == (200_000 - count + len(stage.client.events_of("dropped")) if takes_missing else 0), missing
    # How many of those were dropped depends on when it read.
    stage.client.forget(number, "pushed", "dropped")
    return [demand(), {"event": "flooded"}]


# Refused provisions


REFUSED = [
    ("NotAllowed", {"resource": OFFER, "reason": "add a section [Feed accelerometer:arm]"}, "notPermitted"),
    ("NameTaken", {"resource": OFFER, "holder": "process 7"}, "nameTaken"),
    ("TooManyConnections", {"limit": 3}, "tooManySubscriptions"),
    ("org.varlink.service.PermissionDenied", {}, "notPermitted"),
    ("Tomorrow", {}, "unintelligible"),
]


@behaviour("refused provisions", "no rights, a name that another one has, too many connections: reported once with the reason, and tried again")
def refused(stage):
    seen = []
    stage.start()
    for number, (name, parameters, error) in enumerate(REFUSED, 1):
        for _ in range(2):
            stage.error(stage.server.next(FEED + "Provide"), name, **parameters)
        stage.client.see("disconnected", number)
        call = stage.provision(wanted=False)
        stage.client.see("demand", number)
        seen += [disconnected(error), NONE]
        if number < len(REFUSED):
            # It may also be lost while it is provided.
            stage.error(call, *REFUSED[number][:1], **REFUSED[number][1])
    notes = "\n".join([*stage.client.notes, *(event.get("text", "") for event in stage.client.events)])
    assert "[Feed accelerometer:arm]" in notes and "process 7" in notes, notes
    return seen


def final(name, error, **parameters):
    def play(stage):
        stage.start()
        stage.error(stage.server.next(FEED + "Provide"), name, **parameters)
        stage.client.see("error")
        return [failed(error)]
    play.__name__ = name.rsplit(".", 1)[-1]
    return play


behaviour("refused provisions", "a kind that does not exist ends it", Swift="- it is an invalid request: no type has such a kind")(final("NoSuchKind", "noSuchKind", kind="smell"))
behaviour("refused provisions", "so does a value that the broker does not accept")(
    final("org.varlink.service.InvalidParameter", "invalidRequest", parameter="resources"))


# A hostile server


def answer(text):
    return b'{"parameters":{' + text + b'},"continues":true}\0'


NONSENSE = [
    b"\0", b"hello\0", b"[]\0", b'{"parameters":[],"continues":true}\0', b'{"error":7}\0', b'{"parameters":{},"continues":true}\0',
    answer(b'"wanted":1'), answer(b'"wanted":null'), answer(b'"wanted":true,"wanted":true'), answer(b'"wanted":true,"intervalNanoseconds":-1'),
    answer(b'"wanted":true,"intervalNanoseconds":1.5'), answer(b'"wanted":true,"intervalNanoseconds":9223372036854775808'),
    answer(b'"wanted":true,"latencyNanoseconds":"1"'), answer(b'"wanted":true,"refused":[]'), answer(b'"wanted":true,"refused":{"count":1}'),
    answer(b'"wanted":true,"refused":{"count":-1,"reason":"x"}'), answer(b'"wanted":true,"x":' + b"[" * 70 + b"]" * 70),
    answer(b'"wanted":true,"x":"\xc3\x28"'), b'{"parameters":{"wanted":true},"continues":tru\0', b"x" * ((16 << 20) + 100_000),
]


@behaviour("a hostile server", "what no broker sends ends the connection, and nothing of it is reported; the program provides again")
def hostile(stage):
    seen = []
    stage.start()
    for number, data in enumerate(NONSENSE, 1):
        call = stage.provision(wanted=False)
        stage.client.see("demand", number)
        call.send_bytes(data)
        call.await_close()
        stage.client.see("disconnected", number)
        last = stage.client.events_of("disconnected")[-1]
        assert last["error"] == "unintelligible", (data[:200], last)
        seen += [NONE, disconnected("unintelligible")]
    stage.provision(wanted=False)
    stage.client.see("demand", len(NONSENSE) + 1)
    return [*seen, NONE]


def run(behaviour, client, directory):
    """Plays a script to a provider; returns how what its user saw differs from what was to be seen."""
    stage = Stage(directory, client)
    try:
        expected = behaviour.play(stage)
        return difference(stage.client.finish(), json.loads(json.dumps(expected)))
    finally:
        stage.close()
