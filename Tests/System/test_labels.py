"""Several requests for one resource in one subscription, each with a label."""

import contextlib

import pytest

from tools.administration import admin
from tools.bystander import Bystander
from tools.continuity import go_on, reading
from tools.descriptorstore import Service
from tools.programs import ADMIN, BROKER, MOCK
from tools.stream import Stream, samples_of
from tools.users import ALICE, as_user, let_everybody_in, needs_root
from tools.waiting import until
from tools.wire import Closed, Connection

MS = 1_000_000
LIMIT = 1_024


def accelerometer(interval, label=None, **more):
    request = {"resource": "accelerometer", "intervalNanoseconds": interval, **more}
    return request if label is None else {**request, "label": label}


def stamps(stream, label=None):
    """The times of the readings of one request."""
    return [stamp for reading in stream.readings if reading.get("label") == label
            for stamp, _, _ in samples_of(reading)]


def label_of(interval):
    return None if interval == 10 * MS else f"every-{interval}"


def read_on(stream, intervals, count):
    """Reads until each request has so many further readings; returns the times of these."""
    before = {interval: len(stamps(stream, label_of(interval))) for interval in intervals}
    stream.until(lambda s: all(len(stamps(s, label_of(interval))) >= before[interval] + count for interval in intervals),
                 f"{count} readings of each request")
    return {interval: stamps(stream, label_of(interval))[before[interval]:] for interval in intervals}


def is_exact(times, interval, period=10 * MS):
    """Whether the mean rate is exact: the spacing is off by one period of the device, however many readings there are."""
    return abs(times[-1] - times[0] - (len(times) - 1) * interval) <= period


def modify(daemon, stream, **changes):
    with Connection(daemon.broker) as control:
        return control.result(f"{BROKER}.Modify", {"subscription": stream.subscription, **changes})


def refusal(daemon, stream, **changes):
    with Connection(daemon.broker) as control:
        reply = control.call(f"{BROKER}.Modify", {"subscription": stream.subscription, **changes})
    return reply["error"].rsplit(".", 1)[1], reply["parameters"]


def test_each_request_is_served_at_its_own_interval(start):
    daemon = start("--mock")
    intervals = [10 * MS, 25 * MS, 70 * MS, 100 * MS]
    requests = [accelerometer(interval, label_of(interval)) for interval in intervals]
    with Stream(daemon.broker, *requests) as stream:
        assert [grant.get("label") for grant in stream.first["grants"]] == [label_of(one) for one in intervals]
        assert len(stream.first["resources"]) == 1
        read_on(stream, intervals, 3)
        # A busy host may hold its device up for a moment, which is then silent: a wrong rate would be wrong each time.
        until(lambda: all(is_exact(times, interval) for interval, times in read_on(stream, intervals, 10).items()), "exact rates")
        [client] = [one for one in admin(daemon, "GetStatus")["clients"] if one["resources"]]
        assert [one.get("label") for one in client["resources"]] == [label_of(one) for one in intervals]
        [device] = [one for one in admin(daemon, "GetStatus")["devices"] if one["resource"] == "accelerometer"]
        assert (device["subscribers"], device["lanes"]) == (1, 4)


def test_one_of_several_is_changed_removed_and_added_live(start):
    daemon = start("--mock=drone-imu")
    with Stream(daemon.broker, accelerometer(20 * MS), accelerometer(50 * MS, "a"), accelerometer(70 * MS, "b")) as stream:
        stream.until(lambda s: all(stamps(s, label) for label in (None, "a", "b")), "readings of each")
        answer = modify(daemon, stream, requests=[accelerometer(30 * MS, "a"), accelerometer(40 * MS, "c")], remove=["b"])
        # Those without labels are always told; of the others, those that the call names.
        assert [(one.get("label"), one["intervalNanoseconds"]) for one in answer["grants"]] == [
            (None, 20 * MS), ("a", 30 * MS), ("c", 40 * MS)]
        while (told := stream.receive()).get("revision") != 2:
            pass
        assert told["grants"] == answer["grants"]
        begin = len(stream.readings)
        stream.until(lambda s: all(any(one.get("label") == label for one in s.readings[begin + 40:])
                                   for label in (None, "a", "c")), "readings of each")
        assert {one.get("label") for one in stream.readings[begin:]} == {None, "a", "c"}
        # A label can be given to another resource.
        modify(daemon, stream, requests=[{"resource": "gyroscope", "label": "a"}])
        stream.until(lambda s: s.readings and (s.readings[-1]["resource"], s.readings[-1].get("label")) == ("gyroscope", "a"),
                     "readings of the other resource")
        # The last label goes, and then the last request.
        modify(daemon, stream, remove=["a", "c"])
        begin = len(stream.readings)
        stream.until(lambda s: len(s.readings) > begin + 5, "readings")
        assert all("label" not in one for one in stream.readings[begin + 5:])
        assert modify(daemon, stream, remove=["accelerometer"])["grants"] == []
        assert refusal(daemon, stream, remove=["a"]) == ("NoSuchResource", {"resource": "a"})


def test_a_gap_names_the_request_that_it_is_for(start):
    daemon = start("--mock")
    with Stream(daemon.broker, accelerometer(10 * MS), accelerometer(20 * MS, "a"), accelerometer(60_000 * MS, "b")) as stream:
        stream.until(lambda s: len(stamps(s, "a")) > 3 and stamps(s), "readings")
        with Connection(daemon.admin) as connection:
            connection.result(f"{MOCK}.Inject", {"resource": "accelerometer", "fault": "overflow", "count": 20})
        stream.until(lambda s: {gap.get("label") for gap in s.gaps if gap["cause"] == "deviceOverflow"} >= {None, "a"}, "gaps")
        counts = {gap.get("label"): gap["count"] for gap in stream.gaps if gap["cause"] == "deviceOverflow"}
        # Nothing was due to the slow one.
        assert "b" not in counts and counts[None] == 20 and counts["a"] in (9, 10, 11)


def test_requests_are_aligned_by_their_names(start):
    daemon = start("--mock=drone-imu")
    lead = {"resource": "gyroscope", "label": "lead", "intervalNanoseconds": 10 * MS}
    fine = {"resource": "accelerometer", "label": "fine", "intervalNanoseconds": 5 * MS, "alignTo": "lead"}
    mean = {"resource": "accelerometer", "label": "mean", "intervalNanoseconds": 50 * MS, "filter": "mean", "alignTo": "lead"}
    own = accelerometer(20 * MS)
    with Stream(daemon.broker, lead, fine, mean, own) as stream:
        def is_aligned(reading):
            return all(one["alignment"] != "absent" for one in reading["aligned"])

        stream.until(lambda s: any("aligned" in one and is_aligned(one) for one in s.readings) and stamps(s), "both")
        for one in stream.readings:
            if one["resource"] == "gyroscope":
                assert one["label"] == "lead"
                assert [(a["resource"], a["label"]) for a in one["aligned"]] == [
                    ("accelerometer", "fine"), ("accelerometer", "mean")]
            else:
                assert (one["resource"], one.get("label")) == ("accelerometer", None)
        assert refusal(daemon, stream, remove=["lead"]) == ("InvalidParameter", {"parameter": "alignTo"})
        assert refusal(daemon, stream, requests=[{"resource": "light", "alignTo": "gyroscope"}]) == (
            "InvalidParameter", {"parameter": "alignTo"})
        many = [accelerometer(10 * MS, f"m{number}", alignTo="lead") for number in range(15)]
        assert refusal(daemon, stream, requests=many) == ("TooManyRequests", {"limit": 16})


@needs_root
def test_a_hundred_intervals_use_up_one_connection_and_one_subscription(start):
    daemon = start("--mock")
    let_everybody_in(daemon)
    with as_user(ALICE):
        requests = [accelerometer((100 + number) * MS, f"r{number}") for number in range(100)]
        with Stream(daemon.broker, *requests[:50]) as stream:
            modify(daemon, stream, requests=requests[50:])
            others = [Stream(daemon.broker, accelerometer(200 * MS)) for _ in range(63)]
            stream.until(lambda s: {one["label"] for one in s.readings} == {one["label"] for one in requests}, "all")
            for other in others:
                other.until(lambda s: s.samples, "a reading")
                other.close()


def test_a_call_has_as_many_requests_as_its_bytes_allow(start):
    daemon = start("--mock")
    requests = [{**accelerometer((100 + number) * MS, f"r{number}"), "batchNanoseconds": 0, "filter": "newest"} for number in range(400)]
    with Stream(daemon.broker, *requests) as stream:
        stream.until(lambda s: {one["label"] for one in s.readings} == {one["label"] for one in requests}, "all")


class TestHostile:
    @pytest.fixture
    def open_daemon(self, start):
        daemon = start("--mock")
        let_everybody_in(daemon)
        return daemon

    @pytest.mark.parametrize("requests", [
        [accelerometer(10 * MS), accelerometer(20 * MS)],
        [accelerometer(10 * MS, "a"), accelerometer(20 * MS, "a")],
        [accelerometer(10 * MS, "a"), {"resource": "location", "label": "a"}],
        [accelerometer(10 * MS), accelerometer(10 * MS, "accelerometer")],
    ], ids=["resources", "labels", "labels of two resources", "a label like a resource"])
    def test_a_name_occurs_once(self, open_daemon, requests):
        with Connection(open_daemon.broker) as connection:
            reply = connection.call(f"{BROKER}.Subscribe", {"requests": requests}, more=True)
            assert (reply["error"].rsplit(".", 1)[1], reply["parameters"]) == ("InvalidParameter", {"parameter": "requests"})

    @pytest.mark.parametrize("label", ["", "a" * 33, "a" * 40_000, "a b", "a\n", "é", "../a", '"', 1, 1.5, True, ["a"], {}])
    def test_a_label_is_short_and_simple(self, open_daemon, label):
        with Connection(open_daemon.broker) as connection:
            reply = connection.call(f"{BROKER}.Subscribe", {"requests": [accelerometer(10 * MS, label)]}, more=True)
            assert (reply["error"].rsplit(".", 1)[1], reply["parameters"]) == ("InvalidParameter", {"parameter": "label"})
            assert connection.result(f"{BROKER}.ListResources")["resources"]

    def test_a_hundred_thousand_requests_are_refused_and_hurt_nobody(self, open_daemon):
        with Bystander(open_daemon) as bystander:
            with Connection(open_daemon.broker) as connection, contextlib.suppress(Closed, OSError):
                connection.call(f"{BROKER}.Subscribe",
                                {"requests": [accelerometer(MS * number, f"r{number}") for number in range(100_000)]}, more=True)
            with Stream(open_daemon.broker, accelerometer(10 * MS)) as stream, Connection(open_daemon.broker) as control:
                refused = 0
                for first in range(0, 100_000, 60):
                    requests = [accelerometer(3_600_000 * MS, f"r{number}") for number in range(first, first + 60)]
                    reply = control.call(f"{BROKER}.Modify", {"subscription": stream.subscription, "requests": requests})
                    stream.note_what_is_there()
                    if "error" in reply:
                        assert reply["error"] == f"{BROKER}.TooManyRequests" and reply["parameters"] == {"limit": LIMIT}
                        refused += 1
                        if refused == 3:
                            break
                assert refused == 3
                # Nothing of the refused calls was done; others may still be changed, and removed.
                [client] = [one for one in admin(open_daemon, "GetStatus")["clients"] if one.get("subscription") == stream.subscription]
                assert len(client["resources"]) == 1 + (LIMIT - 1) // 60 * 60
                go_on([stream])
                control.result(f"{BROKER}.Modify", {
                    "subscription": stream.subscription, "remove": [f"r{number}" for number in range((LIMIT - 1) // 60 * 60)]})
                go_on([stream])
            bystander.check()


@pytest.mark.parametrize("crash", [False, True], ids=["restart", "crash"])
def test_all_requests_continue_in_the_next_process(directory, crash):
    service = Service(directory, "--mock").start()
    intervals = [10 * MS, 20 * MS, 50 * MS, 110 * MS]
    try:
        with Stream(service.broker, *[accelerometer(one, label_of(one)) for one in intervals]) as stream:
            read_on(stream, intervals, 3)
            if crash:
                while sum("due" in part for part in parts_of(service)) < len(intervals):
                    go_on([stream])
                assert [part["request"].get("label") for part in parts_of(service)] == [label_of(one) for one in intervals]
            with reading([stream]):
                service.restart(9 if crash else 15)
            read_on(stream, intervals, 12)
            names = {label_of(interval) for interval in intervals}
            told = {gap.get("label") for gap in stream.gaps if gap["cause"] == "restarted"}
            assert told <= names and None in told
            for interval in intervals:
                times = stamps(stream, label_of(interval))
                assert times == sorted(set(times))
                assert_accounted(stream, label_of(interval), interval)
            # They are still known by their labels.
            answer = modify(service, stream, remove=[label_of(one) for one in intervals[1:]])
            assert [one.get("label") for one in answer["grants"]] == [None]
            with Connection(service.admin) as control:
                [client] = [one for one in control.result(f"{ADMIN}.GetStatus")["clients"] if one["resources"]]
            assert len(client["resources"]) == 1
    finally:
        service.close()


def assert_accounted(stream, label, interval):
    """Where at least one reading is missing, there is a gap of this request; the first one after a hole serves what was due last."""
    gaps = [gap for gap in stream.gaps if gap.get("label") == label]
    times = stamps(stream, label)
    for earlier, later in zip(times, times[1:]):
        if later - earlier > 2 * interval + 20 * MS:
            assert any(gap["fromNanoseconds"] <= later and gap["untilNanoseconds"] >= earlier for gap in gaps), (
                label, earlier, later, stream.gaps)


def parts_of(service):
    """The stored state of streams, for the case of a crash."""
    return [part for line in (service.text() or [])[1:] if "stream" in line for part in line["stream"]["parts"]]
