"""Checks by the readings' own timestamps that streams had their requested rates, however busy the host was.

A busy host stalls threads, and the contract defines the consequences. Each consequence is allowed only if the test
shows that its cause occurred:

- The device's thread stalls: the source is silent to the broker, and a held reading is sent by its due time, although
the sample nearest to that time is still to come. Then nobody can have received a newer sample in the 50 ms that count
as silence.

- It stalls for more than a second: the device has lost samples, and reports it.

- The client stalls: its socket is full, and readings are reported as lost. Then it had not read the ones sent before
them.
"""

import bisect
import itertools

from tools.stream import samples_of, was_slow

# Pace.stallNanoseconds, and SampleGrid.patienceNanoseconds of a simulated device.
SILENCE = 50_000_000
OVERFLOW = 1_000_000_000


class Part:
    """The readings of one resource in a stream of several, whose values have their own type."""

    def __init__(self, stream, resource, kind):
        own = [(sample, at) for sample, at in zip(stream.samples, stream.came) if isinstance(sample[2], kind)]
        self.samples, self.came = [sample for sample, _ in own], [at for _, at in own]
        self.gaps = [gap for gap in stream.gaps if gap["resource"] == resource]


class Witnesses:
    """When the first of some streams received a sample newer than an instant: by then the source had delivered it."""

    def __init__(self, streams):
        came = sorted((stamp, at) for stream in streams for (stamp, *_), at in zip(stream.samples, stream.came))
        self.stamps = [stamp for stamp, _ in came]
        earliest = itertools.accumulate((at for _, at in reversed(came)), min)
        self.earliest = list(earliest)[::-1]

    def saw_newer_than(self, stamp):
        index = bisect.bisect_right(self.stamps, stamp)
        return self.earliest[index] if index < len(self.stamps) else float("inf")

    def allow_silence_after(self, stamp):
        return self.saw_newer_than(stamp) >= stamp + SILENCE


def check_gaps(stream, since, witnesses):
    """Checks that the gaps since then are explained by a busy host; returns them."""
    gaps = [gap for gap in stream.gaps if gap["untilNanoseconds"] > since]
    for gap in gaps:
        start = gap["fromNanoseconds"]
        if gap["cause"] == "slowClient":
            assert was_slow(stream, gap), f"lost by one that had read everything: {gap}"
        else:
            assert gap["cause"] == "deviceOverflow" and witnesses.saw_newer_than(start) >= start + OVERFLOW, gap
        assert gap["count"] > 0, gap
    return gaps


def check_rate(samples, interval, period, witnesses, gaps=()):
    """Checks that there is one reading, or one reported as lost, per interval: there is a grid from which none is off
    by more than a device period.

    So the mean rate is exact, nothing drifts, and the spacing is off by at most one period.
    """
    stamps = [stamp for stamp, _, _ in samples]
    numbers = [number for _, number, _ in samples]
    assert len(stamps) >= 3, interval
    assert all(one < next_one for one, next_one in itertools.pairwise(numbers)), interval
    # The offset of each from its place, by how much earlier it may be there, and by how much later.
    offsets = []
    place, before = 0, stamps[0]
    for stamp in stamps:
        told = [gap for gap in gaps if before < gap["fromNanoseconds"] <= stamp]
        place += interval * sum(gap["count"] for gap in told)
        early = interval if witnesses.allow_silence_after(stamp) else 0
        # The reading after an overflow serves the last of the due times in it.
        late = interval if any(gap["cause"] == "deviceOverflow" for gap in told) else 0
        offsets.append((stamp - place, early, late))
        place, before = place + interval, stamp
    # A device keeps its period within a few per cent.
    slack = period + period // 20
    latest = max(offset - late for offset, _, late in offsets)
    earliest = min(offset + early for offset, early, _ in offsets)
    assert latest - earliest <= slack, (interval, period, [offset - offsets[0][0] for offset, *_ in offsets])


def check_account(stream, start, witnesses):
    """Checks that from a sample on, a client that is due all samples has received each, or a gap with the right
    count."""
    gaps = check_gaps(stream, stream.samples[start][0], witnesses)
    samples = stream.samples[start:]
    for (before, first, _), (after, second, _) in itertools.pairwise(samples):
        told = sum(gap["count"] for gap in gaps if before < gap["fromNanoseconds"] <= after)
        assert second - first - 1 == told, (before, after, first, second, gaps)
    return gaps


def means_ends(stream, truth):
    """The last sample of each mean; checks that a mean is the one of all samples since the mean before it.

    The truth is all samples of the device, in order. Only the first mean of a reply has the number of its first sample.
    """
    index = {number: place for place, (_, number, _) in enumerate(truth)}
    ends, following = [], None
    for reading in stream.readings:
        means = samples_of(reading)
        place = index.get(reading["sequence"])
        # Measured before the truth began, or after its end.
        if place is None:
            following = None
            continue
        lost = following is not None and any(
            ends[-1][0] < gap["fromNanoseconds"] <= truth[place][0] for gap in stream.gaps)
        assert following in (None, place) or lost, (following, place, reading)
        for stamp, _, values in means:
            end = end_of_mean(truth, place, stamp)
            if end is None:
                return ends
            part = truth[place : end + 1]
            for axis in range(3):
                expected = sum(sample[axis] for _, _, sample in part) / len(part)
                assert abs(values[axis] - expected) <= 1e-9 * max(1, abs(expected)), (stamp, values, expected)
            ends.append(truth[end])
            place = following = end + 1
    return ends


def end_of_mean(truth, place, stamp):
    """The end of the samples that begin at an index and have a mean time; None if the truth ends before."""
    sum_of_times = 0
    for end in range(place, len(truth)):
        sum_of_times += truth[end][0]
        mean = sum_of_times // (end + 1 - place)
        if abs(mean - stamp) <= 1:
            return end
        assert mean < stamp, f"{stamp} is the mean time of no samples from {truth[place]} on"
    return None
