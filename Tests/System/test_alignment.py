"""Resources that are aligned to another one, in one stream; judged by a second stream, which has their own readings."""

import bisect
import math

import pytest

from tools.descriptorstore import Service
from tools.programs import MOCK
from tools.stream import Stream, read_all, samples_of
from tools.wire import Connection

MS = 1_000_000
GYROSCOPE = {"resource": "gyroscope", "intervalNanoseconds": 1 * MS}
ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 10 * MS}
MAGNETOMETER = {"resource": "magnetometer", "intervalNanoseconds": 40 * MS}
LOCATION = {"resource": "location", "intervalNanoseconds": 1000 * MS}
NUMBERS = ("latitudeDegrees", "longitudeDegrees")


def aligned(request, lead="gyroscope"):
    return {**request, "alignTo": lead}


def rows(stream):
    """(timestamp of a sample of the lead, companion, its values or None), in order."""
    for reading in stream.readings:
        samples = samples_of(reading)
        for companion in reading.get("aligned", []):
            columns = companion.get("columns", {})
            assert all(len(column) == len(samples) for column in columns.values())
            assert (companion["alignment"] == "absent") == (not columns)
            for row, (stamp, _, _) in enumerate(samples):
                numbers = {name: column[row] for name, column in columns.items() if column[row] is not None}
                yield stamp, companion["resource"], numbers or None


def own(stream, resource):
    """(timestamp, values) of each reading of a resource in a stream without alignment."""
    points = []
    for reading in stream.readings:
        if reading["resource"] == resource:
            for stamp, _, values in samples_of(reading):
                named = zip(reading["values"]["columns"], values) if "values" in reading else (
                    (name, values[name]) for name in NUMBERS)
                points.append((stamp, dict(named)))
    return points


def between(points, stamp):
    """What lies on the line between the two readings around a time; None before the first and after the last."""
    place = bisect.bisect_right(points, stamp, key=lambda point: point[0])
    if place and points[place - 1][0] == stamp:
        return points[place - 1][1]
    if place in (0, len(points)):
        return None
    (start, first), (end, second) = points[place - 1], points[place]
    fraction = (stamp - start) / (end - start)
    return {name: first[name] + (second[name] - first[name]) * fraction for name in first}


def is_missed(stream, request, stamp):
    """Whether a test on a busy host was too slow for one of the two readings around a time."""
    step = request["intervalNanoseconds"]
    return any((gap["resource"], gap["cause"]) == (request["resource"], "slowClient")
               and gap["fromNanoseconds"] - step < stamp < gap["untilNanoseconds"] + step for gap in stream.gaps)


def known(stream, resource):
    return [(stamp, values) for stamp, name, values in rows(stream) if name == resource and values]


def numbers_of_lead(stream):
    return [sequence for _, sequence, _ in stream.samples]


def assert_complete(stream):
    """No sample of the lead is missing that was not reported."""
    numbers = numbers_of_lead(stream)
    assert numbers == sorted(set(numbers))
    missing = numbers[-1] - numbers[0] + 1 - len(numbers)
    told = [gap for gap in stream.gaps if gap["resource"] == "gyroscope"]
    assert missing == 0 or told, (missing, stream.gaps)


def test_each_reading_carries_what_the_others_measured_then(start):
    daemon = start("--mock=drone-imu")
    others = [ACCELEROMETER, MAGNETOMETER, LOCATION]
    with Stream(daemon.broker, GYROSCOPE, *map(aligned, others)) as stream, Stream(daemon.broker, *others) as reference:
        read_all((stream, reference), lambda: len(known(stream, "location")) > 1500, "1.5 s with a location")
        last = stream.readings[-1]["timestampNanoseconds"] + 2000 * MS
        read_all((stream, reference), lambda: own(reference, "location")[-1][0] > last, "the reference")
        assert {reading["resource"] for reading in stream.readings} == {"gyroscope"}
        assert_complete(stream)
        for request in others:
            # The first one came at once, whenever it was due.
            points = own(reference, request["resource"])[1:]
            compared = 0
            for stamp, values in known(stream, request["resource"]):
                if (expected := between(points, stamp)) is None or is_missed(reference, request, stamp):
                    continue
                compared += 1
                for name in expected:
                    assert math.isclose(values[name], expected[name], rel_tol=1e-12, abs_tol=1e-9), (stamp, name)
            assert compared > 500, request
        # One chip measures both: every tenth sample of the lead is one of the companion's own.
        exact = {stamp for stamp, _ in own(reference, "accelerometer")} & {stamp for stamp, _, _ in stream.samples}
        assert len(exact) > 50


def test_nothing_is_known_in_a_gap_which_is_reported(start):
    daemon = start("--mock=drone-imu")
    with Stream(daemon.broker, {**GYROSCOPE, "intervalNanoseconds": 5 * MS}, aligned(MAGNETOMETER)) as stream:
        stream.until(lambda s: len(known(s, "magnetometer")) > 20, "aligned readings")
        with Connection(daemon.admin) as connection:
            connection.result(f"{MOCK}.Inject", {"resource": "magnetometer", "fault": "overflow", "count": 30})

        def gaps():
            return [gap for gap in stream.gaps if gap["resource"] == "magnetometer" and gap["cause"] == "deviceOverflow"]

        stream.until(lambda _: gaps(), "the gap")
        count = len(stream.samples)
        stream.until(lambda s: len(s.samples) > count + 100, "readings behind it")
        start_, end = gaps()[0]["fromNanoseconds"], gaps()[0]["untilNanoseconds"]
        inside = [values for stamp, _, values in rows(stream) if start_ <= stamp <= end]
        assert inside and not any(inside)
        assert any(values for stamp, _, values in rows(stream) if stamp > end)


@pytest.mark.parametrize("lead", [
    {**GYROSCOPE, "batchNanoseconds": 100 * MS, "packed": True},
    {**GYROSCOPE, "intervalNanoseconds": 20 * MS, "filter": "mean"},
    {"resource": "location"},
    {"resource": "orientation"},
], ids=["packed batches", "means", "locations", "orientations"])
def test_readings_of_any_form_carry_others(start, lead, tmp_path):
    # The first orientation may come before the first magnetic field: the device turns, so that others follow.
    turning = tmp_path / "turning.scenario"
    turning.write_text("[accelerometer]\nMotion=rotate x by 90deg for 1s\nMotion=still for 1s\n[magnetometer]\nRates=100Hz\n")
    daemon = start(f"--mock={turning}" if lead["resource"] == "orientation" else "--mock=drone-imu")
    with Stream(daemon.broker, lead, aligned(MAGNETOMETER, lead["resource"])) as stream:
        stream.until(lambda s: any(reading["aligned"][0]["alignment"] != "absent" for reading in s.readings),
                     "an aligned reading")
        reading = stream.readings[-1]
        count = len(samples_of(reading))
        assert {len(column) for column in reading["aligned"][0]["columns"].values()} == {count}
        assert ("packed" in reading.get("values", {})) == (lead.get("packed", False) and count > 1)
        if "packed" in lead:
            with Connection(daemon.broker) as control:
                control.result("io.sensorbroker.Broker.Modify", {
                    "subscription": stream.subscription, "requests": [{**lead, "packed": False}]})
            stream.until(lambda s: "packed" not in s.readings[-1]["values"], "a batch that is not packed")
            assert stream.readings[-1]["aligned"][0]["resource"] == "magnetometer"


def test_a_resource_is_aligned_and_released_while_the_stream_runs(start):
    daemon = start("--mock=drone-imu")
    lead = {**GYROSCOPE, "intervalNanoseconds": 5 * MS}
    with Stream(daemon.broker, lead) as stream, Connection(daemon.broker) as control:
        stream.until(lambda s: len(s.samples) > 10, "readings of the lead")
        assert not any("aligned" in reading for reading in stream.readings)

        def modify(**parameters):
            control.result("io.sensorbroker.Broker.Modify", {"subscription": stream.subscription, **parameters})

        modify(requests=[aligned(ACCELEROMETER)])
        stream.until(lambda s: len(known(s, "accelerometer")) > 20, "aligned readings")
        assert {reading["resource"] for reading in stream.readings} == {"gyroscope"}
        # A request without it: readings of its own from now on.
        modify(requests=[ACCELEROMETER])
        stream.until(lambda s: s.readings[-1]["resource"] == "accelerometer", "its own readings")
        modify(requests=[aligned(ACCELEROMETER)])
        modify(remove=["accelerometer"])
        count = len(stream.readings)
        stream.until(lambda s: len(s.readings) > count + 20, "the lead alone")
        assert "aligned" not in stream.readings[-1]


@pytest.mark.parametrize("requests, parameter", [
    ([aligned(ACCELEROMETER)], "alignTo"),
    ([GYROSCOPE, aligned(ACCELEROMETER, "accelerometer")], "alignTo"),
    ([GYROSCOPE, aligned(ACCELEROMETER), aligned(MAGNETOMETER, "accelerometer")], "alignTo"),
    ([GYROSCOPE, aligned({"resource": "orientation"})], "alignTo"),
    ([GYROSCOPE, aligned({**ACCELEROMETER, "minimumChange": 1})], "minimumChange"),
])
def test_what_cannot_be_aligned_is_refused(start, requests, parameter):
    daemon = start("--mock=phone")
    with Connection(daemon.broker) as connection:
        name, parameters = connection.error("io.sensorbroker.Broker.Subscribe", {"requests": requests}, more=True)
        assert (name, parameters) == ("org.varlink.service.InvalidParameter", {"parameter": parameter})


def test_a_lead_cannot_be_removed_before_what_is_aligned_to_it(start):
    daemon = start("--mock=drone-imu")
    with Stream(daemon.broker, GYROSCOPE, aligned(ACCELEROMETER)) as stream, Connection(daemon.broker) as control:
        name, parameters = control.error(
            "io.sensorbroker.Broker.Modify", {"subscription": stream.subscription, "remove": ["gyroscope"]})
        assert (name, parameters) == ("org.varlink.service.InvalidParameter", {"parameter": "alignTo"})
        control.result("io.sensorbroker.Broker.Modify",
                       {"subscription": stream.subscription, "remove": ["gyroscope", "accelerometer"]})


def test_it_continues_after_a_restart(directory):
    service = Service(directory, "--mock=drone-imu")
    try:
        service.start()
        with Stream(service.broker, {**GYROSCOPE, "intervalNanoseconds": 5 * MS}, aligned(ACCELEROMETER)) as stream:
            stream.until(lambda s: len(known(s, "accelerometer")) > 20, "aligned readings")
            for count in (1, 2):
                service.restart()
                stream.until(lambda s: len([gap for gap in s.gaps if (gap["resource"], gap["cause"]) == ("gyroscope", "restarted")]) >= count,
                             "word of the restart")
                mark = len(known(stream, "accelerometer"))
                stream.until(lambda s: len(known(s, "accelerometer")) > mark + 20, "aligned readings after it")
            assert {reading["resource"] for reading in stream.readings} == {"gyroscope"}
    finally:
        service.close()


def test_its_last_readings_are_sent_when_the_daemon_stops(start):
    daemon = start("--mock=drone-imu")
    with Stream(daemon.broker, {**GYROSCOPE, "intervalNanoseconds": 5 * MS}, aligned(LOCATION)) as stream:
        stream.until(lambda s: known(s, "location"), "a location")
        count = len(stream.samples)
        # Readings wait for the next location.
        assert stream.readings[-1]["aligned"][0]["resource"] == "location"
        daemon.stop()
        assert stream.read_to_end() == "shutdown"
        assert len(stream.samples) >= count
        assert_complete(stream)


def test_a_slow_client_loses_readings_of_the_lead_and_is_told_how_many(start):
    daemon = start("--mock=drone-imu")
    with Stream(daemon.broker, GYROSCOPE, aligned(MAGNETOMETER)) as stream, Stream(daemon.broker, GYROSCOPE) as other:
        other.until(lambda s: len(s.samples) > 4000, "what the slow one does not read")

        def slow():
            return [gap for gap in stream.gaps if gap["cause"] == "slowClient" and gap["resource"] == "gyroscope"]

        stream.until(lambda _: slow(), "the gap")
        count = len(stream.samples)
        stream.until(lambda s: len(s.samples) > count + 1000 and known(s, "magnetometer")[-1][0] > slow()[0]["untilNanoseconds"],
                     "aligned readings behind it")
        numbers = numbers_of_lead(stream)
        assert numbers == sorted(set(numbers))
        missing = numbers[-1] - numbers[0] + 1 - len(numbers)
        gaps = [gap for gap in stream.gaps if gap["resource"] == "gyroscope"]
        assert missing == sum(gap["count"] for gap in gaps) > 0
        for gap in gaps:
            assert not [stamp for stamp, _, _ in stream.samples if gap["fromNanoseconds"] <= stamp <= gap["untilNanoseconds"]]


def test_clients_that_vanish_with_waiting_readings_disturb_nobody(start):
    daemon = start("--mock=drone-imu")
    lead = {**GYROSCOPE, "intervalNanoseconds": 5 * MS}
    with Stream(daemon.broker, lead) as neighbour:
        for _ in range(5):
            streams = [Stream(daemon.broker, lead, aligned(LOCATION), aligned(MAGNETOMETER)) for _ in range(20)]
            count = len(neighbour.samples)
            neighbour.until(lambda s: len(s.samples) > count + 100, "readings meanwhile")
            for stream in streams:
                stream.close()
        count = len(neighbour.samples)
        neighbour.until(lambda s: len(s.samples) > count + 100, "readings afterwards")
        assert_complete(neighbour)
