"""A hostile server, and a full disk."""

import json
import subprocess

from judging import difference
from scripted_broker import PATIENCE
from stage import INTERVAL, SECOND, disconnected, failed, grant, packed
from table import ENDS, behaviour


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
        _, notes = watch.communicate(timeout=PATIENCE)
    assert watch.returncode == 74, (watch.returncode, notes)
    assert "No space left" in notes, notes
    return []
