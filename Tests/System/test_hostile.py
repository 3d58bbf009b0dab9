"""The contract of delivery when the host, a client or the service manager stalls."""

import itertools
import signal
import time

import pytest

from tools.road import needs_gpsd
from tools.daemon import Daemon
from tools.imu import FakeIiod
from tools.nmea import Drive
from tools.ports import free_port
from tools.programs import ADMIN, BROKER
from tools.rates import Witnesses, check_account, check_gaps, check_rate
from tools.stream import MILLISECOND, SECOND, Stream, accelerometer, boot_nanoseconds, read_all
from tools.waiting import until
from tools.wire import Connection


def account(daemon, stream):
    with Connection(daemon.admin) as admin:
        clients = admin.result(f"{ADMIN}.GetStatus")["clients"]
    return next(client for client in clients if client.get("subscription") == stream.subscription)


def test_a_stalled_host_causes_no_extra_readings(daemon):
    """Samples that arrive late do not count as a clock that jumped back: the mean rate is exact by the samples' own
    timestamps.
    """
    intervals = [(20 + 7 * number) * MILLISECOND + 13_577 * number for number in range(20)]
    streams = [Stream(daemon.broker, accelerometer(interval)) for interval in intervals]
    for _ in range(25):
        seen = len(streams[0].samples)
        read_all(streams, lambda: len(streams[0].samples) >= seen + 10, "readings between two stalls")
        daemon.send_signal(signal.SIGSTOP)
        time.sleep(0.06)
        daemon.send_signal(signal.SIGCONT)
    # However late they arrive, one reading per interval. The device runs as fast as the fastest client needs.
    witnesses = Witnesses(streams)
    for interval, stream in zip(intervals, streams):
        samples = stream.samples[3:]
        if len(samples) >= 3:
            gaps = check_gaps(stream, samples[0][0], witnesses)
            check_rate(samples, interval, intervals[0], witnesses, gaps)


def test_a_batch_client_that_wakes_gets_no_reading_twice(daemon):
    """The readings that a slow client of a batch lane receives, and those reported to it as lost, are all readings,
    each once.
    """
    interval = MILLISECOND
    pace = Stream(daemon.broker, accelerometer(interval))
    stuck = Stream(daemon.broker, accelerometer(interval, batchNanoseconds=100 * MILLISECOND))
    read_all([pace], lambda: account(daemon, stuck)["lostReadings"] >= 300, "readings lost by the one that does not read")
    # It wakes while a batch is being gathered.
    before = len(pace.samples)
    read_all([pace], lambda: len(pace.samples) >= before + 50, "half a batch more")
    seen = pace.samples[-1][0]
    read_all([pace, stuck], lambda: stuck.samples and stuck.samples[-1][0] > seen + SECOND, "the client to catch up")
    numbers = [number for _, number, _ in stuck.samples]
    assert numbers == sorted(set(numbers)), "a reading was delivered twice"
    assert sum(gap["count"] for gap in check_account(stuck, 0, Witnesses([pace, stuck]))) >= 299


def test_repeating_a_request_causes_no_extra_readings(daemon):
    """A Modify that results in the same grant changes only the revision."""
    interval = 200 * MILLISECOND
    pace = Stream(daemon.broker, accelerometer(5 * MILLISECOND))
    stream = Stream(daemon.broker, accelerometer(interval))
    with Connection(daemon.broker) as second:
        read_all([pace, stream], lambda: len(stream.samples) >= 3, "readings")
        for _ in range(30):
            second.result(f"{BROKER}.Modify", {"subscription": stream.subscription, "requests": [accelerometer(interval)]})
            seen = len(pace.samples)
            read_all([pace, stream], lambda: len(pace.samples) >= seen + 6, "a few samples between two calls")
    witnesses = Witnesses([pace, stream])
    samples = stream.samples[2:]
    check_rate(samples, interval, 5 * MILLISECOND, witnesses, check_gaps(stream, samples[0][0], witnesses))


def test_a_service_manager_that_does_not_listen_blocks_nothing(directory):
    """Its socket is full after a few messages; the daemon continues to serve."""
    daemon = Daemon(directory, "--mock").await_ready()
    try:
        with Stream(daemon.broker, accelerometer(20 * MILLISECOND)) as stream:
            # From here on, nobody reads the notifications, and there is no room for more; each change of the numbers is one.
            daemon.manager.fill()
            others = []
            for _ in range(3):
                others.append(Connection(daemon.broker))
                seen = len(stream.samples)
                stream.until(lambda s: len(s.samples) >= seen + 55, "readings of a daemon that nobody hears")
            for other in others:
                other.close()
    finally:
        daemon.kill()
        daemon.close()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_device_has_one_owner_across_runtime_directories(tmp_path, start, host):
    """A piece of hardware has one owner on the host, wherever the broker's sockets are."""
    # The locks apply to the host, and other tests run at the same time.
    port = free_port()
    start("--gpsd", f"localhost:{port}", "--iio", f"ip:localhost:{port}")
    other = tmp_path / "other"
    other.mkdir()
    second = Daemon(other, "--gpsd", f"{host}:{port}", "--iio", f"ip:{host}:{port}")
    try:
        until(lambda: second.manager.receive(0.1) and second.manager.count("READY", "1") or second.process.poll() is not None,
              "an answer")
        assert second.process.poll() == 69, "two brokers own one gpsd and one accelerometer"
    finally:
        second.close()


@needs_gpsd
def test_a_log_that_is_replayed_fast_does_not_break_the_rate(road, start):
    """The interval refers to the host's clock, by which readings are stamped, whatever the receiver's clock shows."""
    made = Drive(interval=1.0)
    way = road(map(made.epoch, itertools.count()), 0.2)
    daemon = start(*way.option)
    way.receiver.talking.set()
    with Stream(daemon.broker, {"resource": "location", "intervalNanoseconds": SECOND}) as stream:
        since = boot_nanoseconds() + 3 * SECOND
        stream.until(lambda s: s.samples and s.samples[-1][0] > since + 4 * SECOND, "four seconds of readings")
        stamps = [stamp for stamp, _, _ in stream.samples if stamp >= since]
        assert (stamps[-1] - stamps[0]) / (len(stamps) - 1) >= 0.8 * SECOND


def test_an_accelerometer_that_stalled_once_is_buffered_again(start, closing):
    """After a silence, a sensor must not be polled for ever, at a tenth of the granted rate."""
    iiod = closing(FakeIiod("--hz", "1000"))
    daemon = start("--iio", f"ip:127.0.0.1:{iiod.port}", "--gpsd", f"localhost:{free_port()}")
    with Stream(daemon.broker, accelerometer(MILLISECOND)) as stream:
        stream.until(lambda s: len(s.samples) >= 1000, "readings")
        iiod.order("stall")
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word of the silence")
        silent = len(stream.samples)
        time.sleep(3)
        stream.note_what_is_there()
        assert len({values for _, _, values in stream.samples[silent:]}) == len(stream.samples) - silent, (
            "a value that was not measured anew came as a new reading")
        iiod.order("resume")
        stream.until(lambda s: len(s.samples) > 5000 and s.samples[-1][0] - s.samples[-500][0] < SECOND, "the granted rate")
