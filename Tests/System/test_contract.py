"""The contract under load, over the socket: requests at random against what a client that takes every sample saw."""

import random
import selectors
import threading
import time

import pytest

from programs import PATIENCE
from stream import Stream, boot_nanoseconds, read_all
from test_delivery import MILLISECOND, SECOND, check_rate, device, eventually, request, subscribers
from wire import Closed


def random_request(dice):
    """From 2 to 200 ms; a mean from ten times that, since it wants ten samples of the device."""
    more = {}
    interval = int(2 * MILLISECOND * 100 ** dice.random()) + dice.randrange(1_000)
    if dice.random() < 0.3:
        more["batchNanoseconds"] = dice.randrange(MILLISECOND, 500 * MILLISECOND)
    if dice.random() < 0.4:
        return request(10 * interval, filter="mean", **more)
    return request(interval, **more)


@pytest.mark.parametrize("seed", [None, 1])
def test_any_mix_of_requests_is_served_exactly(daemon, seed):
    seed = seed if seed is not None else random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    every = [Stream(daemon.broker, request(MILLISECOND)), Stream(daemon.broker, request(0))]
    asked = [random_request(dice) for _ in range(40)]
    streams = [Stream(daemon.broker, wish) for wish in asked]
    eventually(lambda: device(daemon).get("deviceIntervalNanoseconds") == MILLISECOND, "the device's pace")
    # From here all have their rhythm.
    since = boot_nanoseconds() + SECOND // 2
    until = since + 3 * SECOND
    read_all(every + streams,
             lambda: all(s.samples and s.samples[-1][0] >= until + SECOND // 2 for s in every + streams), "readings")
    truth = {number: (stamp, values) for stamp, number, values in every[1].samples}
    by_stamp = dict(truth.values())
    for wish, stream in zip(asked, streams):
        assert not stream.gaps
        for reading in stream.readings:
            stamps = reading["acceleration"].get("timestampsNanoseconds", [reading["timestampNanoseconds"]])
            # What a late host hands over at once, one without batches gets at once.
            assert stamps[-1] - stamps[0] <= wish.get("batchNanoseconds", SECOND // 2)
        samples = [sample for sample in stream.samples if since <= sample[0] <= until]
        if wish.get("filter") == "mean":
            # The first began when the client came. In a batch only the first of the means tells its number.
            samples = [sample for sample in samples if sample[0] >= since + wish["intervalNanoseconds"]]
            numbered = {reading["timestampNanoseconds"] for reading in stream.readings}
            samples = check_means(samples, numbered, truth)
        else:
            assert all(by_stamp[stamp] == values for stamp, _, values in samples), wish
        if len(samples) >= 3:
            check_rate(samples, wish["intervalNanoseconds"], MILLISECOND)
    for stream in every + streams:
        stream.close()


def check_means(means, numbered, truth):
    """Each is the mean of the samples from its number to the next one's; returns when each was complete, else the means.

    Of several in one reply, of a batch or of what a late host handed over at once, only the first has its number."""
    ends = []
    for (stamp, number, values), (later, following, _) in zip(means, means[1:]):
        if stamp not in numbered or later not in numbered:
            continue
        part = [truth[index] for index in range(number, following)]
        assert abs(stamp - sum(at for at, _ in part) // len(part)) <= 1
        for axis in range(3):
            expected = sum(sample[axis] for _, sample in part) / len(part)
            assert abs(values[axis] - expected) <= 1e-9 * max(1, abs(expected))
        ends.append((part[-1][0], following - 1, part[-1][1]))
    return ends if len(ends) == len(means) - 1 else means


def test_a_client_at_one_kilohertz_among_those_who_come_and_go(daemon):
    """Hundreds join and leave; every sample of the one who stays arrives, or is told."""
    halt = threading.Event()
    joined = []

    def churn():
        dice = random.Random(7)
        crowd = []
        while not halt.is_set():
            crowd.append(Stream(daemon.broker, random_request(dice)))
            joined.append(crowd[-1].subscription)
            if len(crowd) > 20:
                crowd.pop(dice.randrange(len(crowd))).close()
            # A hundred a second and more, and not all that the machine can do.
            halt.wait(0.005)
        for stream in crowd:
            stream.close()

    with Stream(daemon.broker, request(MILLISECOND)) as stream:
        stream.until(lambda s: len(s.samples) >= 100, "a running device")
        start = len(stream.samples)
        thread = threading.Thread(target=churn)
        thread.start()
        try:
            end = stream.samples[-1][0] + 4 * SECOND
            stream.until(lambda s: s.samples[-1][0] >= end, "four seconds among the crowd")
        finally:
            halt.set()
            thread.join()
        assert len(joined) >= 100
        assert not [gap for gap in stream.gaps if gap["fromNanoseconds"] >= stream.samples[start][0]], stream.gaps
        numbers = [number for _, number, _ in stream.samples[start:]]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        eventually(lambda: subscribers(daemon) == [stream.subscription], "the crowd to be forgotten")


def test_a_sleeper_amid_others_gets_a_little_backlog_a_gap_and_the_present(daemon):
    interval = MILLISECOND
    others = [Stream(daemon.broker, request(interval)) for _ in range(5)]
    others[0].until(lambda s: len(s.samples) >= 100, "a running device")
    sleeper = Stream(daemon.broker, request(interval))
    wake = boot_nanoseconds() + 10 * SECOND
    read_all(others, lambda: all(s.samples and s.samples[-1][0] >= wake for s in others), "ten seconds")
    for stream in others:
        assert not stream.gaps
        numbers = [number for _, number, _ in stream.samples]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    sleeper.until(lambda s: s.gaps and s.samples[-1][0] >= wake, "the present")
    assert len(sleeper.gaps) == 1 and sleeper.gaps[0]["cause"] == "slowClient"
    gap = sleeper.gaps[0]
    before = [number for stamp, number, _ in sleeper.samples if stamp < gap["fromNanoseconds"]]
    after = [number for stamp, number, _ in sleeper.samples if stamp > gap["untilNanoseconds"]]
    assert before == list(range(before[0], before[0] + len(before)))
    assert after == list(range(after[0], after[0] + len(after)))
    assert gap["count"] == after[0] - before[-1] - 1
    # Half a second is promised; the kernel counts its memory in coarse steps.
    assert len(before) * interval <= SECOND
    for stream in others + [sleeper]:
        stream.close()
