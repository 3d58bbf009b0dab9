"""Changes of a stream that runs, single calls, and a server that answers neither."""

from stage import INTERVAL, begun, disconnected, failed, grant
from table import CAUSE, ENDS, behaviour


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
