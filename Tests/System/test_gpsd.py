"""A location from end to end: a receiver, a real gpsd, the daemon and a client, compared with gpsd's own reports."""

import contextlib
import itertools
import os
import pathlib
import tempfile

import pytest

from tools.atonce import at_once
from tools.daemon import Daemon
from tools.nmea import USED, VISIBLE, Drive, after_rollover, epochs_of_log, with_bad_checksums, with_half_sentences
from tools.ports import free_port
from tools.programs import BROKER, ROOT
from tools.road import (
    EVERY, FIXES, INTERVAL, LOG_EPOCHS, Road, check_all, check_by_receiver, check_no_epoch_comes_twice, check_no_epoch_outlives, drive, needs_gpsd,
    read_to_the_last_epoch, times,
)
from tools.stream import Stream, read_all
from tools.waiting import until
from tools.wire import Connection

LOGS = pathlib.Path(os.environ.get("GPS_LOGS", ROOT.parent / "shared/data/gps"))
# Each is with a broker of its own: of a host with sensors there is one at a time.
MOST = 1 if os.path.exists("/sys/bus/iio") else None
NO_LOGS = f"{LOGS} has no logs (GPS_LOGS names the folder): no log of a real receiver was tried"

pytestmark = needs_gpsd


def test_one_reading_per_epoch_with_gpsds_values(road, start):
    way = road(itertools.islice(drive(), 25))
    daemon = start(*way.option)
    with Stream(daemon.broker, EVERY) as stream:
        read_to_the_last_epoch(way, stream)
        check_all(stream, way.watcher)
        # `check_all` has compared them with all that gpsd reported; on a busy host, that begins late.
        assert len(stream.samples) > 5 and not stream.losses
        assert all(location["fix"] == "3d" for _, _, location in stream.samples[2:])
        last = stream.samples[-1][2]
        assert (last["satellitesUsed"], last["satellitesVisible"]) == (len(USED), len(VISIBLE))
        assert (last["horizontalDilution"], last["verticalDilution"], last["positionDilution"]) == (0.9, 1.3, 1.6)
        assert ("location", "active", None) in stream.states


def test_each_client_has_its_own_interval(road, start):
    way = road(drive())
    daemon = start(*way.option)
    way.receiver.talking.set()
    asked = [0, 200_000_000, 400_000_000, 500_000_000, 1_000_000_000]
    streams = [Stream(daemon.broker, {**EVERY, "intervalNanoseconds": interval}) for interval in asked]
    read_all(streams, lambda: len(times(streams[-1])) >= 8, "eight readings, one a second")
    # By the second one the daemon knows gpsd's pace.
    since, end = times(streams[-1])[1], times(streams[-1])[-1]
    # Where a busy host holds gpsd up, each client gets the newest location that there is, when it is due.
    stamps = [stamp for stamp, _, _ in streams[0].samples]
    late = max(later - earlier for earlier, later in itertools.pairwise(stamps)) - 200_000_000
    # And gpsd takes two epochs of one read for one: those in between are missing for everybody.
    epochs = [time for time in times(streams[0]) if since <= time <= end]
    missing = sum(max(0, later - earlier - 200_000) for earlier, later in itertools.pairwise(epochs)) * 1000
    for interval, stream in zip(asked, streams):
        steps = [time for time in times(stream) if since <= time <= end]
        mean = (steps[-1] - steps[0]) / (len(steps) - 1) * 1000
        wanted = max(interval, 200_000_000)
        assert abs(mean - wanted) <= (200_000_000 + late + missing) / (len(steps) - 1) + 1, (interval, mean, steps, epochs)
        for one, next_one in itertools.pairwise(steps):
            assert abs((next_one - one) * 1000 - wanted) <= 200_000_000 + late, (interval, steps)
        stream.close()


def test_the_end_and_the_return_of_gpsd_are_reported(road, start):
    way = road(drive())
    daemon = start(*way.option)
    way.receiver.talking.set()
    lost = []
    with Stream(daemon.broker, EVERY) as stream:
        for _ in range(2):
            seen = len(stream.samples)
            stream.until(lambda s: len(s.samples) >= seen + 5, "readings")
            marks = len(stream.states)
            way.gpsd.kill()
            stream.until(lambda s: len(s.states) > marks and s.states[-1][1] == "unavailable", "word of gpsd's end")
            assert stream.states[-1][2], "unavailable without a reason"
            lost.append(len(stream.samples))
            way.gpsd.start()
            stream.until(lambda s: s.states[-1][1] == "active", "word of gpsd's return")
        seen = len(stream.samples)
        stream.until(lambda s: len(s.samples) >= seen + 5, "readings after gpsd's return")
        assert {gap["cause"] for gap in stream.losses} == {"deviceLost"}
        assert "location is unavailable: " in daemon.output()
        # The last reports of some seconds.
        until(lambda: "location is available again" in daemon.output(), "a line about its return")
        check_no_epoch_comes_twice(stream)
        for count in lost:
            check_no_epoch_outlives(stream, count)


def test_a_silent_receiver_is_reported(road, start):
    way = road(drive())
    daemon = start(*way.option)
    way.receiver.talking.set()
    with Stream(daemon.broker, EVERY) as stream:
        stream.until(lambda s: len(s.samples) >= 5, "readings")
        way.receiver.talking.clear()
        stream.until(lambda s: s.states[-1][1] == "stale", "word of the silence")
        assert stream.states[-1][2], "stale without a reason"
        way.receiver.talking.set()
        stream.until(lambda s: s.states[-1][1] == "active", "word of its end")


def test_a_missing_gpsd_is_a_state_and_not_an_error(start):
    daemon = start("--gpsd", f"localhost:{free_port()}")
    with Stream(daemon.broker, EVERY) as stream:
        stream.until(lambda s: s.states and s.states[-1][1] == "unavailable", "word of a missing gpsd")
        assert "gpsd" in stream.states[-1][2]


SCENES = {
    "bad checksums": lambda drive, number: (with_bad_checksums if number % 3 == 2 else str)(drive.epoch(number)),
    "half sentences": lambda drive, number: (with_half_sentences if number % 3 == 2 else str)(drive.epoch(number)),
    "week rollover": after_rollover,
    "flaps": lambda drive, number: drive.epoch(number, flap=True),
    "a fix that goes and comes": lambda drive, number: drive.epoch(number, fix=not 10 <= number < 16),
}


def test_satellites_are_sent_on_request(road, start):
    way = road(drive())
    daemon = start(*way.option)
    way.receiver.talking.set()
    streams = [Stream(daemon.broker, EVERY), Stream(daemon.broker, {**EVERY, "satellites": True})]
    with streams[0] as plain, streams[1] as detailed:
        read_all(streams, lambda: len(detailed.samples) >= 5 and len(plain.samples) >= 5, "readings")
        assert not any("satellites" in location for _, _, location in plain.samples)
        seen = detailed.samples[-1][2]["satellites"]
    assert seen == [{"prn": number, "system": "gps", "systemNumber": number, "elevationDegrees": 20.0 + number,
                     "azimuthDegrees": 10.0 * number, "signalDecibelHertz": 40.0 - number, "used": number in USED}
                    for number in VISIBLE]
    with Connection(daemon.broker) as connection:
        read = connection.result(f"{BROKER}.Read", {"resource": "location", "satellites": True})
        assert len(read["reading"]["location"]["satellites"]) == len(VISIBLE)


@contextlib.contextmanager
def drive_along(epochs):
    """A receiver that sends epochs, its gpsd, and a stream of a daemon of their own, up to the last epoch."""
    with tempfile.TemporaryDirectory(prefix="sb-") as directory, contextlib.closing(Road(epochs, INTERVAL, directory)) as way:
        with contextlib.closing(Daemon(directory, *way.option)) as daemon, Stream(daemon.await_ready().broker, EVERY) as stream:
            read_to_the_last_epoch(way, stream)
            yield way, stream
            daemon.stop()


def test_recorded_logs_with_bad_reception():
    def play(name):
        made = Drive(interval=INTERVAL)
        epochs = [SCENES[name](made, number) for number in range(25)]
        with drive_along(epochs) as (way, stream):
            check_all(stream, way.watcher)
            assert check_by_receiver(stream, epochs) >= 8
            assert len(stream.samples) >= 10 and not stream.losses

    at_once(SCENES, play, MOST)


def test_logs_of_real_receivers():
    logs = {log.name: epochs_of_log(log.read_text(errors="replace"))[:LOG_EPOCHS] for log in sorted(LOGS.glob("*.log"))}
    if not any(map(any, logs.values())):
        pytest.skip(NO_LOGS)

    def play(name):
        with drive_along(logs[name]) as (way, stream):
            check_by_receiver(stream, logs[name])
            if way.watcher.fixes:
                check_all(stream, way.watcher, way.receiver.interval)
            else:
                modes = {report["mode"] for report in way.watcher.timeless}
                assert {location["fix"] for _, _, location in stream.samples} <= {"none", *(FIXES[mode] for mode in modes)}
            assert not stream.losses

    # Those without NMEA sentences are not tried.
    at_once([name for name in logs if any(logs[name])], play, MOST)


def test_a_receiver_without_a_fix_has_no_position(road, start):
    log = LOGS / "eXplorist110.log"
    if not log.exists():
        pytest.skip(f"{log} is not there (GPS_LOGS names the folder): a receiver without a fix was not tried")
    way = road(itertools.cycle(epochs_of_log(log.read_text(errors="replace"))))
    daemon = start(*way.option)
    way.receiver.talking.set()
    with Stream(daemon.broker, EVERY) as stream:
        stream.until(lambda s: len(s.samples) >= 3, "readings without a fix")
        for _, _, location in stream.samples:
            assert location["fix"] == "none"
            assert "latitudeDegrees" not in location and "altitudeMeters" not in location
