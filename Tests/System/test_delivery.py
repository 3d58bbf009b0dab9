"""The contract of delivery, seen from the clients' side: exact rates for any ratio, loss told, nobody disturbed.

Every judgement is on the readings' own timestamps, so that a slow machine changes nothing.
"""

import itertools
import random
import time

from programs import ADMIN, BROKER, PATIENCE
from stream import Stream, boot_nanoseconds, read_all, samples_of
from wire import Connection

MILLISECOND = 1_000_000
SECOND = 1_000 * MILLISECOND


def status(daemon):
    with Connection(daemon.admin) as admin:
        return admin.result(f"{ADMIN}.GetStatus")


def device(daemon, resource="accelerometer"):
    return next(item for item in status(daemon)["devices"] if item["resource"] == resource)


def subscribers(daemon):
    return [client["subscription"] for client in status(daemon)["clients"] if "subscription" in client]


def request(interval, **more):
    return {"resource": "accelerometer", "intervalNanoseconds": interval, **more}


def eventually(condition, what):
    """Asks again and again until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.02)


def check_rate(samples, interval, period):
    """Mean rate within one reading over the run; spacing within a device period; sequence and time ascending."""
    stamps = [stamp for stamp, _, _ in samples]
    assert len(stamps) >= 3, interval
    # A device keeps its period to a few per cent.
    slack = period + period // 20
    span = stamps[-1] - stamps[0]
    assert abs(span - (len(stamps) - 1) * interval) <= slack, (interval, span, len(stamps))
    for one, next_one in itertools.pairwise(stamps):
        assert abs(next_one - one - interval) <= slack, (interval, next_one - one, period)
    numbers = [number for _, number, _ in samples]
    assert all(one < next_one for one, next_one in itertools.pairwise(numbers)), interval


def odd_intervals(count):
    """Distinct, and none a multiple of a likely device period."""
    return [(20 + 7 * number) * MILLISECOND + 13_577 * number for number in range(count)]


def test_a_hundred_clients_have_a_hundred_rates(daemon):
    intervals = odd_intervals(100)
    random.Random(1).shuffle(intervals)
    streams = [Stream(daemon.broker, request(interval)) for interval in intervals]
    for interval, stream in zip(intervals, streams):
        assert stream.grants["accelerometer"]["intervalNanoseconds"] == interval

    seen = device(daemon)
    assert seen["subscribers"] == 100
    assert seen["lanes"] == len(set(intervals)) == 100
    eventually(lambda: device(daemon).get("deviceIntervalNanoseconds", max(intervals)) <= min(intervals),
               "the device to run as fast as the fastest wants")
    period = device(daemon)["deviceIntervalNanoseconds"]

    # All have joined: the device's pace is settled. From here each gets its own rate.
    since = boot_nanoseconds() + max(intervals)
    until = since + 4 * SECOND
    read_all(streams, lambda: all(s.samples and s.samples[-1][0] >= until for s in streams), "four seconds of readings")
    assert device(daemon)["deviceIntervalNanoseconds"] == period
    for interval, stream in zip(intervals, streams):
        check_rate([sample for sample in stream.samples if since <= sample[0] <= until], interval, period)
        assert not [gap for gap in stream.gaps if gap["cause"] != "reconfigured"], stream.gaps
        assert not [gap for gap in stream.gaps if gap["untilNanoseconds"] > since], stream.gaps
        stream.close()


def test_equal_grants_share_a_lane(daemon):
    wishes = [request(50 * MILLISECOND)] * 5 + [request(70 * MILLISECOND)] * 3 + [
        request(50 * MILLISECOND, filter="mean"), request(50 * MILLISECOND, batchNanoseconds=SECOND),
        request(50 * MILLISECOND, minimumChange=0.5), request(50 * MILLISECOND, filter="newest")]
    streams = [Stream(daemon.broker, wish) for wish in wishes]
    assert device(daemon)["subscribers"] == 12
    assert device(daemon)["lanes"] == 5
    for stream in streams:
        stream.close()
    eventually(lambda: device(daemon)["subscribers"] == 0, "the closed connections to be noticed")
    assert device(daemon)["lanes"] == 0


def test_everybody_gets_the_same_bytes_of_a_sample(daemon):
    streams = [Stream(daemon.broker, request(40 * MILLISECOND)) for _ in range(4)]
    read_all(streams, lambda: all(len(s.samples) >= 20 for s in streams), "twenty readings")
    by_number = [{number: (stamp, values) for stamp, number, values in s.samples} for s in streams]
    shared = set.intersection(*(set(item) for item in by_number))
    assert len(shared) >= 10
    for number in shared:
        assert len({item[number] for item in by_number}) == 1
    for stream in streams:
        stream.close()


def test_who_comes_and_goes_leaves_the_batches_of_the_others_as_they_are(daemon):
    """Replies are cut where the first one's batch ends, and nowhere else, whoever shares its lane meanwhile."""
    wanted = request(10 * MILLISECOND, batchNanoseconds=SECOND)
    visitors = 0
    with Stream(daemon.broker, wanted) as stream:
        stream.until(lambda stream: len(stream.samples) >= 2, "a batch")
        before = len(stream.readings)
        while len(stream.samples) < 350:
            with Stream(daemon.broker, wanted):
                visitors += 1
            stream.note_what_is_there()
    assert visitors > 10
    assert not stream.gaps
    assert len(stream.readings) - before <= 350 // 100 + 1, [len(samples_of(reading)) for reading in stream.readings]


def test_a_live_change_loses_and_doubles_nothing(daemon):
    # `pace` keeps the device at one rate, so that the change is the lane's alone.
    with Stream(daemon.broker, request(5 * MILLISECOND)) as pace, Connection(daemon.broker) as second, \
            Stream(daemon.broker, request(100 * MILLISECOND)) as stream:
        read_all([stream, pace], lambda: len(stream.samples) >= 5, "readings before the change")
        for revision, interval in enumerate([20, 110, 30], start=2):
            interval *= MILLISECOND
            reply = second.result(f"{BROKER}.Modify",
                                  {"subscription": stream.subscription, "requests": [request(interval)]})
            assert reply["revision"] == revision
            assert [grant["intervalNanoseconds"] for grant in reply["grants"]] == [interval]
            while (told := stream.receive()).get("revision") != revision:
                assert "revision" not in told
            assert told["grants"] == reply["grants"]
            first = len(stream.samples) - sum(1 for _ in told.get("readings", []))
            read_all([stream, pace], lambda: len(stream.samples) >= first + 8, "readings after the change")
            check_rate(stream.samples[first + 1 :], interval, 5 * MILLISECOND)
        numbers = [number for _, number, _ in stream.samples]
        assert numbers == sorted(set(numbers))
        assert not stream.gaps


def test_modify_adds_and_removes_resources(daemon):
    with Stream(daemon.broker, request(50 * MILLISECOND)) as stream, Connection(daemon.broker) as second:
        add = {"subscription": stream.subscription, "requests": [{"resource": "location", "intervalNanoseconds": 0}]}
        assert {g["resource"] for g in second.result(f"{BROKER}.Modify", add)["grants"]} == {"accelerometer", "location"}
        stream.until(lambda s: any(r["resource"] == "location" for r in s.readings), "a location")
        remove = {"subscription": stream.subscription, "remove": ["accelerometer"]}
        reply = second.result(f"{BROKER}.Modify", remove)
        assert [grant["resource"] for grant in reply["grants"]] == ["location"]
        while stream.receive().get("revision") != reply["revision"]:
            pass
        seen = len(stream.readings)
        stream.until(lambda s: len(s.readings) >= seen + 2, "locations alone")
        assert {reading["resource"] for reading in stream.readings[seen:]} == {"location"}


def test_a_client_that_does_not_read_is_told_what_it_missed(daemon):
    interval = 5 * MILLISECOND
    neighbours = [Stream(daemon.broker, request(wish)) for wish in (interval, 33 * MILLISECOND, 100 * MILLISECOND)]
    stuck = Stream(daemon.broker, request(interval))
    neighbours[0].until(lambda s: s.samples, "a reading")
    period = device(daemon)["deviceIntervalNanoseconds"]

    def lost():
        mine = next(c for c in status(daemon)["clients"] if c.get("subscription") == stuck.subscription)
        return mine["lostReadings"]

    since = boot_nanoseconds() + 200 * MILLISECOND
    read_all(neighbours, lambda: neighbours[0].samples[-1:] and neighbours[0].samples[-1][0] > since + SECOND
             and lost() >= 100, "a hundred readings lost by the client that does not read")
    until = neighbours[0].samples[-1][0]

    # It reads again: what was in the socket, the gap, the newest reading, and so on.
    everybody = [*neighbours, stuck]
    read_all(everybody, lambda: stuck.samples and stuck.samples[-1][0] > until + SECOND, "the client to catch up")
    for stream, wish in zip(neighbours, (interval, 33 * MILLISECOND, 100 * MILLISECOND)):
        check_rate([sample for sample in stream.samples if since <= sample[0] <= until], wish, period)
        assert not [gap for gap in stream.gaps if gap["cause"] == "slowClient"]

    gaps = [gap for gap in stuck.gaps if gap["cause"] == "slowClient"]
    assert gaps and all(gap["resource"] == "accelerometer" for gap in gaps)
    missing = sum(gap["count"] for gap in gaps)
    # One fewer than it was: the newest is delivered after all.
    assert missing == lost() >= 99
    # Delivered and lost together are what it asked for, and each lies where it belongs.
    stamps = [stamp for stamp, _, _ in stuck.samples]
    assert abs((stamps[-1] - stamps[0]) / interval - (len(stamps) - 1 + missing)) <= 1 + len(gaps)
    for gap in gaps:
        assert gap["fromNanoseconds"] <= gap["untilNanoseconds"]
        assert not [stamp for stamp in stamps if gap["fromNanoseconds"] < stamp < gap["untilNanoseconds"]]
    for one, next_one in itertools.pairwise(stamps):
        if next_one - one > interval + 2 * period:
            assert any(one <= gap["fromNanoseconds"] and gap["untilNanoseconds"] <= next_one for gap in gaps)
    for stream in everybody:
        stream.close()


def test_a_tap_that_does_not_read_finds_little_of_the_past(daemon):
    """It asks for no pace, so the device's own tells how much half a second is; at least six messages, and some room."""
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 0}) as stuck:
        stuck.until(lambda s: len(s.samples) >= 3, "readings")

        def lost():
            return next(c for c in status(daemon)["clients"] if "subscription" in c)["lostReadings"]

        seen = len(stuck.samples)
        eventually(lambda: lost() >= 10, "readings to be lost")
        stuck.until(lambda s: s.gaps, "the gap")
        assert [gap["cause"] for gap in stuck.gaps] == ["slowClient"]
        backlog = [stamp for stamp, _, _ in stuck.samples[seen:] if stamp < stuck.gaps[0]["fromNanoseconds"]]
        assert 6 <= len(backlog) <= 20


def test_clients_that_die_leave_nothing(daemon):
    with Stream(daemon.broker, request(20 * MILLISECOND)) as stream:
        for number in range(50):
            Stream(daemon.broker, request((30 + number) * MILLISECOND)).close()
        seen = len(stream.samples)
        stream.until(lambda s: len(s.samples) >= seen + 20, "the survivor's readings")
        stream.until(lambda s: len(subscribers(daemon)) == 1, "the dead to be forgotten")
        assert subscribers(daemon) == [stream.subscription]
        assert device(daemon)["lanes"] == 1
        assert not [gap for gap in stream.gaps if gap["cause"] != "reconfigured"]


def test_a_first_reading_comes_at_once(daemon):
    """A newcomer gets the newest reading if it is fresh enough, not one an interval later."""
    with Stream(daemon.broker, request(10 * MILLISECOND)) as pace:
        pace.until(lambda s: len(s.samples) >= 5, "a running device")
        with Stream(daemon.broker, request(5 * SECOND)) as late:
            asked = boot_nanoseconds()
            late.until(lambda s: s.samples, "its first reading")
            assert late.samples[0][0] < asked + SECOND


def test_mean_is_the_mean(daemon):
    """The readings of a mean against the samples of a lane that has them all."""
    period, interval = 10 * MILLISECOND, 100 * MILLISECOND
    with Stream(daemon.broker, request(period)) as every, \
            Stream(daemon.broker, request(interval, filter="mean")) as mean:
        read_all([every, mean], lambda: len(mean.samples) >= 8, "eight means")
        means = mean.samples[2:]
        read_all([every, mean], lambda: every.samples[-1][0] > means[-1][0] + 2 * interval, "their samples")
        for stamp, _, values in means:
            near = [sample for at, _, sample in every.samples if abs(at - stamp) <= interval // 2 + period]
            assert len(near) >= 5
            for axis in range(3):
                column = [sample[axis] for sample in near]
                spread = max(column) - min(column)
                assert abs(values[axis] - sum(column) / len(column)) <= max(spread / 2, 1e-6)


def test_read_answers_with_a_new_reading(daemon):
    with Connection(daemon.broker) as client:
        before = boot_nanoseconds()
        reading = client.result(f"{BROKER}.Read", {"resource": "accelerometer"})["reading"]
        assert reading["resource"] == "accelerometer" and reading["timestampNanoseconds"] >= before
        again = client.result(f"{BROKER}.Read", {"resource": "accelerometer", "maximumAgeNanoseconds": 60 * SECOND})
        assert again["reading"]["timestampNanoseconds"] >= reading["timestampNanoseconds"]


def test_a_stream_ends_with_its_connection(daemon):
    stream = Stream(daemon.broker, request(10 * MILLISECOND))
    name = stream.subscription
    stream.close()
    modify = {"subscription": name, "requests": [request(20 * MILLISECOND)]}
    with Connection(daemon.broker) as second:
        eventually(lambda: second.call(f"{BROKER}.Modify", modify).get("error") == f"{BROKER}.NoSuchSubscription",
                   "the subscription to end with its connection")
