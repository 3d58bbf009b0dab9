"""The contract of delivery from the clients' side: exact rates for any ratio, losses reported, no mutual influence.

All checks use the readings' own timestamps, so that a slow machine makes no difference.
"""

import random

from tools.administration import device, subscribers, admin
from tools.programs import BROKER
from tools.rates import Witnesses, check_account, check_gaps, check_rate, means_ends
from tools.stream import Stream, boot_nanoseconds, read_all, samples_of
from tools.stream import MILLISECOND, SECOND, accelerometer
from tools.waiting import until
from tools.wire import Connection


def odd_intervals(count):
    """Distinct, and none a multiple of a likely device period."""
    return [(20 + 7 * number) * MILLISECOND + 13_577 * number for number in range(count)]


def test_a_hundred_clients_have_a_hundred_rates(daemon):
    intervals = odd_intervals(100)
    random.Random(1).shuffle(intervals)
    streams = [Stream(daemon.broker, accelerometer(interval)) for interval in intervals]
    for interval, stream in zip(intervals, streams):
        assert stream.grants["accelerometer"]["intervalNanoseconds"] == interval

    seen = device(daemon)
    assert seen["subscribers"] == 100
    assert seen["lanes"] == len(set(intervals)) == 100
    until(lambda: device(daemon).get("deviceIntervalNanoseconds", max(intervals)) <= min(intervals),
          "the device to run as fast as the fastest wants")
    period = device(daemon)["deviceIntervalNanoseconds"]

    # All have joined: the device's pace is settled. From here on, each gets its own rate.
    since = boot_nanoseconds() + max(intervals)
    end = since + 4 * SECOND
    read_all(streams, lambda: all(s.samples and s.samples[-1][0] >= end for s in streams), "four seconds of readings")
    assert device(daemon)["deviceIntervalNanoseconds"] == period
    witnesses = Witnesses(streams)
    for interval, stream in zip(intervals, streams):
        gaps = check_gaps(stream, since, witnesses)
        check_rate([sample for sample in stream.samples if since <= sample[0] <= end], interval, period, witnesses, gaps)
        stream.close()


def test_equal_grants_share_a_lane(daemon):
    wishes = [accelerometer(50 * MILLISECOND)] * 5 + [accelerometer(70 * MILLISECOND)] * 3 + [
        accelerometer(50 * MILLISECOND, filter="mean"), accelerometer(50 * MILLISECOND, batchNanoseconds=SECOND),
        accelerometer(50 * MILLISECOND, minimumChange=0.5), accelerometer(50 * MILLISECOND, filter="newest")]
    streams = [Stream(daemon.broker, wish) for wish in wishes]
    assert device(daemon)["subscribers"] == 12
    assert device(daemon)["lanes"] == 5
    for stream in streams:
        stream.close()
    until(lambda: device(daemon)["subscribers"] == 0, "the closed connections to be noticed")
    assert device(daemon)["lanes"] == 0


def test_everybody_gets_the_same_bytes_of_a_sample(daemon):
    streams = [Stream(daemon.broker, accelerometer(40 * MILLISECOND)) for _ in range(4)]
    read_all(streams, lambda: all(len(s.samples) >= 20 for s in streams), "twenty readings")
    by_number = [{number: (stamp, values) for stamp, number, values in s.samples} for s in streams]
    shared = set.intersection(*(set(item) for item in by_number))
    assert len(shared) >= 10
    for number in shared:
        assert len({item[number] for item in by_number}) == 1
    for stream in streams:
        stream.close()


def test_clients_that_come_and_go_do_not_change_the_batches_of_others(daemon):
    """Replies end only where the first client's batch ends, whoever shares its lane meanwhile."""
    wanted = accelerometer(10 * MILLISECOND, batchNanoseconds=SECOND)
    visitors = 0
    with Stream(daemon.broker, wanted) as stream:
        stream.until(lambda stream: len(stream.samples) >= 2, "a batch")
        before, since = len(stream.readings), stream.samples[-1][0]
        while len(stream.samples) < 350 or visitors <= 10:
            with Stream(daemon.broker, wanted):
                visitors += 1
            stream.note_what_is_there()
    assert not check_gaps(stream, since, Witnesses([stream]))
    came = {stamp: at for (stamp, *_), at in zip(stream.samples, stream.came)}
    # A busy host may hand samples over after the batch's time: then the batch ends with fewer.
    short = [(start, came[start] - start, length) for start, length in
             ((reading["timestampNanoseconds"], len(samples_of(reading))) for reading in stream.readings[before:])
             if length < 100 and came[start] < start + SECOND]
    assert not short, short


def test_a_live_change_loses_and_doubles_nothing(daemon):
    # `pace` keeps the device at one rate, so that only the lane changes.
    with Stream(daemon.broker, accelerometer(5 * MILLISECOND)) as pace, Connection(daemon.broker) as second, \
            Stream(daemon.broker, accelerometer(100 * MILLISECOND)) as stream:
        read_all([stream, pace], lambda: len(stream.samples) >= 5, "readings before the change")
        for revision, interval in enumerate([20, 110, 30], start=2):
            interval *= MILLISECOND
            reply = second.result(f"{BROKER}.Modify",
                                  {"subscription": stream.subscription, "requests": [accelerometer(interval)]})
            assert reply["revision"] == revision
            assert [grant["intervalNanoseconds"] for grant in reply["grants"]] == [interval]
            while (told := stream.receive()).get("revision") != revision:
                assert "revision" not in told
            assert told["grants"] == reply["grants"]
            first = len(stream.samples) - sum(1 for _ in told.get("readings", []))
            read_all([stream, pace], lambda: len(stream.samples) >= first + 8, "readings after the change")
            after = stream.samples[first + 1 :]
            witnesses = Witnesses([stream, pace])
            check_rate(after, interval, 5 * MILLISECOND, witnesses, check_gaps(stream, after[0][0], witnesses))
        numbers = [number for _, number, _ in stream.samples]
        assert numbers == sorted(set(numbers))


def test_modify_adds_and_removes_resources(daemon):
    with Stream(daemon.broker, accelerometer(50 * MILLISECOND)) as stream, Connection(daemon.broker) as second:
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


def test_the_status_has_the_deliveries_and_losses_of_each_client_by_cause(daemon):
    """Readings in a gap of the device count as lost as well; a former version reported 0 of 15."""
    before = boot_nanoseconds()
    wish = accelerometer(20 * MILLISECOND, filter="mean", batchNanoseconds=40 * MILLISECOND)
    with Stream(daemon.broker, wish, {"resource": "location", "minimumChange": 5.0}) as stream, \
            Connection(daemon.admin) as administrator:
        # A device that is not open yet cannot lose anything.
        stream.until(lambda s: any(reading["resource"] == "accelerometer" for reading in s.readings), "an acceleration")
        administrator.result("io.sensorbroker.Mock.Inject", {"fault": "overflow", "resource": "accelerometer", "count": 200})
        stream.until(lambda s: s.gaps, "the gap")
        told = sum(gap["count"] for gap in stream.gaps)
        assert told > 0 and {(gap["resource"], gap["cause"]) for gap in stream.losses} == {("accelerometer", "deviceOverflow")}
        [mine] = [client for client in admin(daemon, "GetStatus")["clients"] if client.get("subscription") == stream.subscription]
        assert before <= mine["connectedNanoseconds"] <= boot_nanoseconds()
        assert mine["lostReadings"] == told
        [fast, slow] = mine["resources"]
        assert fast.pop("deliveredReadings") > 0 and slow.pop("deliveredReadings") >= 0
        granted = {grant["resource"]: grant for grant in stream.first["grants"]}
        for item in (fast, slow):
            for key in ("intervalNanoseconds", "batchNanoseconds"):
                assert item.pop(key) == granted[item["resource"]][key]
        assert fast.pop("requestedIntervalNanoseconds") == 20 * MILLISECOND
        assert fast.pop("requestedBatchNanoseconds") == 40 * MILLISECOND
        assert fast == {"resource": "accelerometer", "filter": "mean", "lostReadings": told,
                        "lost": {"deviceOverflow": told}}
        assert slow == {"resource": "location", "filter": "newest", "minimumChange": 5.0, "lostReadings": 0, "lost": {}}


def test_a_client_that_does_not_read_gets_a_gap_for_what_it_missed(daemon):
    interval = 5 * MILLISECOND
    neighbours = [Stream(daemon.broker, accelerometer(wish)) for wish in (interval, 33 * MILLISECOND, 100 * MILLISECOND)]
    stuck = Stream(daemon.broker, accelerometer(interval))
    neighbours[0].until(lambda s: s.samples, "a reading")
    period = device(daemon)["deviceIntervalNanoseconds"]

    def lost():
        mine = next(c for c in admin(daemon, "GetStatus")["clients"] if c.get("subscription") == stuck.subscription)
        return mine["lostReadings"]

    since = boot_nanoseconds() + 200 * MILLISECOND
    read_all(neighbours, lambda: neighbours[0].samples[-1:] and neighbours[0].samples[-1][0] > since + SECOND
             and lost() >= 100, "a hundred readings lost by the client that does not read")
    end = neighbours[0].samples[-1][0]

    # It reads again: the socket's content, the gap, the newest reading, and what follows.
    everybody = [*neighbours, stuck]
    read_all(everybody, lambda: stuck.samples and stuck.samples[-1][0] > end + SECOND, "the client to catch up")
    # One fewer than before: the newest reading is delivered after all.
    read_all(everybody, lambda: sum(gap["count"] for gap in stuck.gaps) == lost(), "all that is lost to be told")
    witnesses = Witnesses(everybody)
    for stream, wish in zip(neighbours, (interval, 33 * MILLISECOND, 100 * MILLISECOND)):
        gaps = check_gaps(stream, since, witnesses)
        check_rate([sample for sample in stream.samples if since <= sample[0] <= end], wish, period, witnesses, gaps)

    gaps = check_account(stuck, 0, witnesses)
    assert all(gap["resource"] == "accelerometer" for gap in gaps)
    assert sum(gap["count"] for gap in gaps if gap["cause"] == "slowClient") >= 99
    # Each gap is at its place.
    for gap in gaps:
        assert gap["fromNanoseconds"] <= gap["untilNanoseconds"]
        assert not [stamp for stamp, *_ in stuck.samples if gap["fromNanoseconds"] <= stamp <= gap["untilNanoseconds"]]
    for stream in everybody:
        stream.close()


def test_an_every_sample_client_that_does_not_read_has_a_short_backlog(daemon):
    """It requests no interval, so the device's rate determines the size of half a second; at least six messages, and
    some room.
    """
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 0}) as stuck:
        stuck.until(lambda s: len(s.samples) >= 3, "readings")

        def lost():
            return next(c for c in admin(daemon, "GetStatus")["clients"] if "subscription" in c)["lostReadings"]

        seen = len(stuck.readings)
        until(lambda: lost() >= 10, "readings to be lost")
        slow = lambda: [gap for gap in stuck.gaps if gap["cause"] == "slowClient"]
        stuck.until(lambda s: slow(), "the gap")
        check_account(stuck, 0, Witnesses([stuck]))
        # Counted in replies: a reply has several readings if a busy host handed them over late.
        backlog = [reading for reading in stuck.readings[seen:]
                   if reading["timestampNanoseconds"] < slow()[0]["fromNanoseconds"]]
        assert 6 <= len(backlog) <= 20


def test_nothing_remains_of_clients_that_die(daemon):
    with Stream(daemon.broker, accelerometer(20 * MILLISECOND)) as stream:
        for number in range(50):
            Stream(daemon.broker, accelerometer((30 + number) * MILLISECOND)).close()
        seen = len(stream.samples)
        stream.until(lambda s: len(s.samples) >= seen + 20, "the survivor's readings")
        stream.until(lambda s: len(subscribers(daemon)) == 1, "the dead to be forgotten")
        assert subscribers(daemon) == [stream.subscription]
        assert device(daemon)["lanes"] == 1
        assert not [gap for gap in stream.losses if gap["cause"] != "reconfigured"]


def test_a_first_reading_comes_at_once(daemon):
    """A new client gets the newest reading if it is recent enough, not the one after an interval."""
    with Stream(daemon.broker, accelerometer(10 * MILLISECOND)) as pace:
        pace.until(lambda s: len(s.samples) >= 5, "a running device")
        with Stream(daemon.broker, accelerometer(5 * SECOND)) as late:
            asked = boot_nanoseconds()
            late.until(lambda s: s.samples, "its first reading")
            assert late.samples[0][0] < asked + SECOND


def test_mean_is_the_mean(daemon):
    """Compares the readings of a mean with the samples of a lane that has them all."""
    period, interval = 10 * MILLISECOND, 100 * MILLISECOND
    # In batches: its queue holds six of them, so it loses nothing.
    with Stream(daemon.broker, accelerometer(period, batchNanoseconds=SECOND)) as every, \
            Stream(daemon.broker, accelerometer(interval, filter="mean")) as mean:
        read_all([every, mean], lambda: len(every.samples) >= 300 and len(mean.samples) >= 30, "three seconds")
        ends = means_ends(mean, every.samples)
        assert len(ends) >= 15
        witnesses = Witnesses([every, mean])
        check_rate(ends, interval, period, witnesses, check_gaps(mean, ends[0][0], witnesses))


def test_packed_values_are_the_same_values(daemon):
    """Of one device, plain and packed: 24 bits of each number, and all else equal; also after the stream was changed."""
    wish = accelerometer(10 * MILLISECOND, batchNanoseconds=SECOND // 2)
    with Stream(daemon.broker, wish) as plain, Stream(daemon.broker, {**wish, "packed": True}) as packed:
        read_all([plain, packed], lambda: min(len(plain.samples), len(packed.samples)) >= 100, "a second")
        assert all("columns" in reading["values"] for reading in plain.readings)
        batches = [reading["values"] for reading in packed.readings if len(samples_of(reading)) > 1]
        assert batches and all("packed" in values and "columns" not in values for values in batches)
        values = {number: (stamp, numbers) for stamp, number, numbers in plain.samples}
        common = [(values[number], (stamp, numbers)) for stamp, number, numbers in packed.samples if number in values]
        assert len(common) >= 50
        for (stamp, exact), (other_stamp, rounded) in common:
            assert stamp == other_stamp
            assert all(abs(one - other) <= abs(one) / 2**24 for one, other in zip(exact, rounded))
        with Connection(daemon.broker) as second:
            second.result(f"{BROKER}.Modify", {"subscription": packed.subscription, "requests": [wish]})
        seen = len(packed.readings)
        packed.until(lambda s: any("columns" in reading["values"] and len(samples_of(reading)) > 1
                                   for reading in s.readings[seen:]), "a plain batch")


def test_read_answers_with_a_new_reading(daemon):
    with Connection(daemon.broker) as client:
        before = boot_nanoseconds()
        reading = client.result(f"{BROKER}.Read", {"resource": "accelerometer"})["reading"]
        assert reading["resource"] == "accelerometer" and reading["timestampNanoseconds"] >= before
        again = client.result(f"{BROKER}.Read", {"resource": "accelerometer", "maximumAgeNanoseconds": 60 * SECOND})
        assert again["reading"]["timestampNanoseconds"] >= reading["timestampNanoseconds"]


def test_a_stream_ends_with_its_connection(daemon):
    stream = Stream(daemon.broker, accelerometer(10 * MILLISECOND))
    name = stream.subscription
    stream.close()
    modify = {"subscription": name, "requests": [accelerometer(20 * MILLISECOND)]}
    with Connection(daemon.broker) as second:
        until(lambda: second.call(f"{BROKER}.Modify", modify).get("error") == f"{BROKER}.NoSuchSubscription",
              "the subscription to end with its connection")
