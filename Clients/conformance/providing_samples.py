"""What a client that is a sensor sends, and when."""

from providing_stage import NONE, OFFER, PUSHED, behaviour, demand, pushed, rows


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
