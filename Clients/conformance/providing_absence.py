"""A client that is a sensor whose broker is absent, slow, refuses or lies."""

import pathlib
import time

from providing_stage import FEED, NONE, OFFER, PUSHED, behaviour, demand, pushed, rows, samples_of
from stage import disconnected, failed


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
