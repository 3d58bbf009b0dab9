"""Samples of a real IIO device: their values, their rate, and the losses when nobody reads."""

import os
import pathlib
import signal

from tools.programs import PATIENCE
from registers import Registers
from sensor import DEVICES, SCALE, assert_all_told, check_overflows, counters, device_gaps, devices, missing
from tools.stream import Stream
from tools.waiting import until

SECONDS = float(os.environ.get("VM_SECONDS", "5"))


def request(hertz, batch=None):
    wanted = {"resource": "accelerometer", "intervalNanoseconds": int(1e9 / hertz)}
    return wanted | ({"batchNanoseconds": int(batch * 1e9)} if batch else {})


def test_the_values_are_those_of_the_raw_attributes_with_the_signs_of_android(sensor, daemon):
    sensor.tell("still 12 -345 1001")
    with Stream(daemon.broker, request(100)) as stream:
        stream.until(lambda stream: len(stream.samples) >= 10, "ten samples")
        raw = [int(sensor.read(f"in_accel_{axis}_raw")) for axis in "xyz"]
        assert raw == [12, -345, 1001] and sensor.read("in_accel_scale") == f"{-SCALE:.9f}"
        for _, _, values in stream.samples:
            assert all(abs(value - count * SCALE) < 1e-9 for value, count in zip(values, raw))


def test_the_buffer_uses_the_devices_own_trigger_and_a_clock_that_never_steps(sensor, daemon):
    with Stream(daemon.broker, request(100, batch=0.05)) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        assert sensor.read("buffer/enable") == "1"
        assert sensor.read("current_timestamp_clock") == "boottime"
        assert sensor.read("buffer/watermark") == "5", "the tightest batch"
        assert int(sensor.read("buffer/length")) >= 500, "half a second at the fastest rate"
        trigger = sensor.read("trigger/current_trigger")
        assert f"buffered by trigger {trigger}" in stream.resources[-1]["description"]


def test_a_thousand_samples_a_second_all_arrive(sensor, daemon):
    with Stream(daemon.broker, request(1000, batch=0.1)) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        end = stream.samples[0][0] + SECONDS * 1e9
        stream.until(lambda stream: stream.samples[-1][0] >= end, f"{SECONDS} s of samples", patience=SECONDS + PATIENCE)
        assert_all_told(stream)
        check_overflows(stream)
        assert sensor.tell("stats")["interval"] == 1
        assert len(stream.samples) + missing(stream.samples) >= 0.95 * SECONDS * 1000


def test_half_a_second_without_reading_loses_nothing(sensor, daemon):
    with Stream(daemon.broker, request(1000, batch=0.05)) as stream:
        stream.until(lambda stream: len(stream.samples) > 100, "a hundred samples")
        lost = -1
        # On a busy host it may be more than half a second: try again.
        while missing(stream.samples) != lost:
            lost = missing(stream.samples)
            daemon.send_signal(signal.SIGSTOP)
            sent = sensor.tell("stats")["sent"]
            until(lambda: sensor.tell("stats")["sent"] > sent + 400, "the sensor has sent some more")
            daemon.send_signal(signal.SIGCONT)
            stream.until(lambda stream: counters(stream.samples)[-1] > sent + 1000, "what came meanwhile")
            assert_all_told(stream)
            check_overflows(stream)


def test_the_loss_of_a_longer_stall_is_reported_exactly(sensor, daemon):
    with Stream(daemon.broker, request(1000, batch=0.05)) as stream:
        stream.until(lambda stream: len(stream.samples) > 100, "a hundred samples")
        daemon.send_signal(signal.SIGSTOP)
        sent = sensor.tell("stats")["sent"]
        until(lambda: sensor.tell("stats")["sent"] > sent + 3000, "the kernel's buffer has run over")
        daemon.send_signal(signal.SIGCONT)
        stream.until(lambda stream: counters(stream.samples)[-1] > sent + 3500, "samples of after the stall")
        assert_all_told(stream)
        assert missing(stream.samples) > 0
        assert set(device_gaps(stream)) == {"deviceOverflow"}


def test_rates_change_under_load_and_losses_are_reported(sensor, daemon):
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 0}) as tap:
        tap.until(lambda stream: len(stream.samples) > 3, "some samples")
        for hertz in (50, 200, 500, 1000):
            with Stream(daemon.broker, request(hertz)) as other:
                # On a busy host, samples at the former rate come before the device has the new one.
                other.until(lambda stream: sensor.tell("stats")["interval"] == 1000 // hertz, f"a sensor at {hertz} Hz")
                count = len(other.samples)
                other.until(lambda stream: len(stream.samples) > count + 20, f"samples at {hertz} Hz")
                assert_all_told(other)
        until(lambda: sensor.tell("stats")["interval"] == 100, "the sensor runs slowly again")
        count = sensor.tell("stats")["sent"]
        tap.until(lambda stream: counters(stream.samples)[-1] > count + 3, "samples of the slow sensor")
        assert_all_told(tap)


def test_a_wrong_device_rate_is_measured_and_clients_get_their_rates(sensor, daemon):
    """It reports 100 Hz but measures every 20 ms; then it reports 10 Hz but measures every 10 ms."""
    for hertz, lie, wanted in ((100, 20, 20_000_000), (10, 10, 100_000_000)):
        sensor.tell(f"lie {lie}")
        with Stream(daemon.broker, {**request(hertz), "intervalNanoseconds": int(1e9 / hertz)}) as stream:
            stream.until(lambda stream: near(stream.resources[-1].get("deviceIntervalNanoseconds"), lie * 1_000_000),
                         "the pace that it really has")
            count = len(stream.samples)
            stream.until(lambda stream: len(stream.samples) > count + 20, "further samples")
            stamps = [stamp for stamp, _, _ in stream.samples[count + 1 :]]
            told = sum(gap.get("count", 0) for gap in stream.gaps if stamps[0] <= gap["fromNanoseconds"] < stamps[-1])
            assert near((stamps[-1] - stamps[0]) / (len(stamps) - 1 + told), wanted)
        sensor.tell("lie 0")


def near(value, wanted):
    return value is not None and abs(value - wanted) < wanted / 10


def test_a_silent_sensor_becomes_stale_and_then_active_again(sensor, daemon):
    with Stream(daemon.broker, request(100)) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        sensor.tell("stall")
        stream.until(lambda stream: stream.states[-1][1] == "stale", "the silence to be told")
        count = len(stream.samples)
        sensor.tell("resume")
        stream.until(lambda stream: stream.states[-1][1] == "active", "the sensor's return")
        stream.until(lambda stream: len(stream.samples) > count, "further samples")


def test_a_device_without_a_trigger_is_polled_and_its_description_says_why(start):
    """A kxcj91008 on a bus of registers: its driver has a buffer, but no trigger that fills it."""
    chip = Registers()
    chip.set(0x06, (0x1000, -0x2000, 0x0100))
    bus = pathlib.Path(f"/sys/bus/i2c/devices/i2c-{chip.bus}")
    (bus / "new_device").write_text("kxcj91008 0x0f")
    try:
        until(devices, "the driver has the chip")
        [device] = devices()
        raw = [int((DEVICES / device / f"in_accel_{axis}_raw").read_text()) for axis in "xyz"]
        scale = float((DEVICES / device / "in_accel_scale").read_text())
        assert raw == [256, -512, 16]
        daemon = start("--gpsd", "localhost:1")
        with Stream(daemon.broker, request(100)) as stream:
            stream.until(lambda stream: len(stream.samples) > 10, "samples")
            assert "polled (nothing fills its buffer)" in stream.resources[-1]["description"]
            for _, _, values in stream.samples:
                assert all(abs(value - count * scale) < 1e-9 for value, count in zip(values, raw))
    finally:
        (bus / "delete_device").write_text("0x0f")
