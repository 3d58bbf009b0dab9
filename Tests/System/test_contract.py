"""The contract under load, over the socket: random requests compared with an every-sample client."""

import random
import threading

import pytest

from tools.rates import Witnesses, check_account, check_gaps, check_rate, means_ends
from tools.stream import Stream, boot_nanoseconds, read_all
from tools.administration import device, subscribers
from tools.stream import MILLISECOND, SECOND, accelerometer
from tools.waiting import until


def random_request(dice):
    """From 5 to 200 ms; for a mean ten times that, since it needs ten samples of the device."""
    more = {}
    interval = int(5 * MILLISECOND * 40 ** dice.random()) + dice.randrange(1_000)
    if dice.random() < 0.3:
        more["batchNanoseconds"] = dice.randrange(MILLISECOND, 500 * MILLISECOND)
    if dice.random() < 0.4:
        return accelerometer(10 * interval, filter="mean", **more)
    return accelerometer(interval, **more)


@pytest.mark.parametrize("seed", [None, 1])
def test_any_mix_of_requests_is_served_exactly(daemon, seed):
    seed = seed if seed is not None else random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    asked = [random_request(dice) for _ in range(40)]
    streams = [Stream(daemon.broker, wish) for wish in asked]
    # In batches: its queue holds six of them, so it loses nothing while the others are read.
    truth = Stream(daemon.broker, accelerometer(MILLISECOND, batchNanoseconds=SECOND))
    until(lambda: device(daemon).get("deviceIntervalNanoseconds") == MILLISECOND, "the device's pace")
    # From here on, all are regular.
    since = boot_nanoseconds() + SECOND // 2
    end = since + 3 * SECOND
    everybody = [truth, *streams]
    # The slowest mean takes two seconds.
    read_all(everybody, lambda: all(s.samples and s.samples[-1][0] >= end + SECOND // 2 for s in everybody), "readings")
    witnesses = Witnesses(everybody)
    assert not [gap for gap in check_gaps(truth, since, witnesses) if gap["cause"] == "slowClient"]
    by_stamp = {stamp: values for stamp, _, values in truth.samples}
    for wish, stream in zip(asked, streams):
        gaps = check_gaps(stream, since, witnesses)
        # Without a batch, a reply has all the samples that a late host hands over at once.
        for reading in stream.readings if "batchNanoseconds" in wish else []:
            stamps = reading["values"].get("timestampsNanoseconds", [reading["timestampNanoseconds"]])
            assert stamps[-1] - stamps[0] <= wish["batchNanoseconds"]
        if wish.get("filter") == "mean":
            samples = [mean for mean in means_ends(stream, truth.samples) if since <= mean[0] <= end]
        else:
            samples = [sample for sample in stream.samples if since <= sample[0] <= end]
            assert all(by_stamp[stamp] == values for stamp, _, values in samples), wish
        if len(samples) >= 3:
            check_rate(samples, wish["intervalNanoseconds"], MILLISECOND, witnesses, gaps)
    for stream in everybody:
        stream.close()


def test_a_client_at_one_kilohertz_while_others_come_and_go(daemon):
    """Hundreds join and leave; every sample of the client that stays arrives or is reported as lost."""
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
            # A hundred a second and more, but not as many as the machine can do.
            halt.wait(0.005)
        for stream in crowd:
            stream.close()

    with Stream(daemon.broker, accelerometer(MILLISECOND)) as stream:
        stream.until(lambda s: len(s.samples) >= 100, "a running device")
        start = len(stream.samples)
        thread = threading.Thread(target=churn)
        thread.start()
        try:
            end = stream.samples[-1][0] + 4 * SECOND
            stream.until(lambda s: s.samples[-1][0] >= end and len(joined) >= 100, "four seconds among a hundred")
        finally:
            halt.set()
            thread.join()
        check_account(stream, start, Witnesses([stream]))
        until(lambda: subscribers(daemon) == [stream.subscription], "the crowd to be forgotten")


def test_a_suspended_client_gets_a_short_backlog_a_gap_and_the_newest_reading(daemon):
    interval = MILLISECOND
    others = [Stream(daemon.broker, accelerometer(interval)) for _ in range(5)]
    others[0].until(lambda s: len(s.samples) >= 100, "a running device")
    sleeper = Stream(daemon.broker, accelerometer(interval))
    wake = boot_nanoseconds() + 5 * SECOND
    read_all(others, lambda: all(s.samples and s.samples[-1][0] >= wake for s in others), "five seconds")
    sleeper.until(lambda s: s.gaps and s.samples[-1][0] >= wake, "the present")
    witnesses = Witnesses([*others, sleeper])
    for stream in others:
        check_account(stream, 0, witnesses)
    gap = [gap for gap in check_account(sleeper, 0, witnesses) if gap["cause"] == "slowClient"][0]
    # Half a second of replies is promised; the kernel counts its memory in coarse steps.
    before = [reading for reading in sleeper.readings if reading["timestampNanoseconds"] < gap["fromNanoseconds"]]
    assert len(before) * interval <= SECOND
    assert gap["count"] * interval > 3 * SECOND
    for stream in others + [sleeper]:
        stream.close()
