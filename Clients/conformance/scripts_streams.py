"""What a stream brings: readings, gaps and states."""

from stage import INTERVAL, NUMBERS, SECOND, grant, packed
from table import LABELS, ONE_REQUEST, behaviour


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
