"""The configuration read again: under load, refused as a whole if it has an error, and with other hardware."""

import itertools
import os
import signal

import pytest

from tools.administration import admin, await_state, device, refusal
from tools.commands import sensorctl
from tools.daemon import Daemon
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import BROKER
from tools.rates import Part, Witnesses, check_account
from tools.receiver import GPSD
from tools.road import EVERY, Road, drive
from tools.settingsfile import file, limits, reload  # noqa: F401  a fixture
from tools.stream import MILLISECOND, SECOND, Stream, boot_nanoseconds, read_all
from tools.wire import Connection

TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}


class TestReload:
    def test_under_load_nothing_is_lost(self, start, file):
        """Settings of all kinds change while clients of all kinds read; sequence numbers show any loss."""
        texts = [
            "[Accelerometer]\nWarmGraceSec=1\nDefaultIntervalSec=20ms\n[Clients]\nStuckTimeoutSec=20\n",
            "[Location]\nMinimumIntervalSec=1\n[Accelerometer]\nWarmGraceSec=infinity\nMinimumIntervalSec=1ms\n",
            "",
        ]
        file.write_text("")
        daemon = start("--mock", "--config", file)
        fast = {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}
        streams = [Stream(daemon.broker, TAP, {"resource": "location"}), *(Stream(daemon.broker, fast) for _ in range(20))]
        read_all(streams, lambda: all(len(s.samples) >= 5 for s in streams), "readings")
        for number in range(30):
            file.write_text(texts[number % len(texts)])
            if number % 2:
                admin(daemon, "Reload")
            else:
                daemon.send_signal(signal.SIGHUP)
            seen = len(streams[1].samples)
            read_all(streams, lambda: len(streams[1].samples) >= seen + 3, "readings meanwhile")
        now = boot_nanoseconds()
        read_all(streams, lambda: all(s.samples[-1][0] > now for s in streams), "readings after it")
        parts = [Part(stream, "accelerometer", tuple) for stream in streams]
        for part in parts:
            check_account(part, 0, Witnesses(parts))
        for stream in streams:
            stream.close()
        assert device(daemon)["opens"] == 1

    def test_grants_change_live_and_are_announced(self, start, file):
        file.write_text("")
        daemon = start("--mock", "--config", file)
        with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 20 * MILLISECOND}) as stream:
            stream.until(lambda s: len(s.samples) >= 5, "readings")
            file.write_text("[Accelerometer]\nMinimumIntervalSec=100ms\n")
            reload(daemon)
            grant = None
            while grant != 100 * MILLISECOND:
                for item in stream.receive().get("grants", []):
                    grant = item["intervalNanoseconds"]
            seen = len(stream.samples)
            stream.until(lambda s: len(s.samples) >= seen + 6, "readings")
            stamps = [stamp for stamp, _, _ in stream.samples[seen + 1:]]
            assert stamps[-1] - stamps[0] >= (len(stamps) - 1) * 90 * MILLISECOND
            # The request is not forgotten.
            file.write_text("")
            reload(daemon)
            while grant != 20 * MILLISECOND:
                for item in stream.receive().get("grants", []):
                    grant = item["intervalNanoseconds"]

    def test_a_shorter_grace_time_that_has_already_passed_takes_effect_at_once(self, start, file):
        file.write_text("[Accelerometer]\nWarmGraceSec=infinity\n")
        daemon = start("--mock", "--config", file)
        with Stream(daemon.broker, TAP) as stream:
            stream.until(lambda s: s.samples, "a reading")
        await_state(daemon, "warm")
        file.write_text("[Accelerometer]\nWarmGraceSec=0\n")
        reload(daemon)
        await_state(daemon, "idle")

    @pytest.mark.parametrize("by", ["signal", "call"])
    def test_an_error_leaves_the_running_configuration_unchanged(self, start, file, by):
        file.write_text("[Accelerometer]\nDefaultIntervalSec=40ms\n")
        daemon = start("--mock", "--config", file)
        for text, line in [("[Accelerometer]\nDefaultIntervalSec=50ms\n[Location]\nDefaultIntervalSec=x\n", 4),
                           ("\0\1\2\n", 1), ("[Accelerometer]\nDefaultIntervalSec=50ms\nColour=red\n", 3)]:
            file.write_text(text)
            if by == "signal":
                reload(daemon)
            else:
                name, details = refusal(daemon, "Reload")
                assert name == "InvalidConfiguration"
                assert details["file"] == str(file) and details["line"] == line and details["message"]
            assert f"{file}:{line}: " in daemon.output()
            assert limits(daemon)[1] == 40 * MILLISECOND
        file.unlink()
        name, details = refusal(daemon, "Reload")
        assert name == "InvalidConfiguration" and "line" not in details
        assert limits(daemon)[1] == 40 * MILLISECOND
        file.write_text("[Accelerometer]\nDefaultIntervalSec=50ms\n")
        assert admin(daemon, "Reload") == {}
        assert limits(daemon)[1] == 50 * MILLISECOND
        assert "[Accelerometer] DefaultIntervalSec=50ms" in daemon.output()

    def test_the_service_manager_is_notified_of_its_start_and_end(self, start, file):
        file.write_text("")
        daemon = start("--mock", "--config", file)
        for text in ("", "garbage"):
            file.write_text(text)
            reload(daemon)
        daemon.manager.drain()
        told = [message for message in daemon.manager.messages if "RELOADING" in message or "READY" in message]
        assert [message.get("RELOADING") or message["READY"] for message in told] == ["1"] * 5
        assert ["RELOADING" in message for message in told] == [False, True, False, True, False]
        assert all(message["MONOTONIC_USEC"].isdigit() for message in told if "RELOADING" in message)

    def test_sensorctl_prints_the_error_and_exits_with_78(self, start, file):
        file.write_text("")
        daemon = start("--mock", "--config", file)

        assert sensorctl("reload", broker=daemon) == ""
        file.write_text("[Locaton]\nx\n")
        told = sensorctl("reload", broker=daemon, status=78)
        assert f"{file}:1: " in told and "[Location]" in told and "1 more" in told


@pytest.mark.skipif(not os.path.exists(GPSD), reason="gpsd is not installed: a move to another gpsd was not tried")
class TestMove:
    """From one real gpsd to another and back, under a running stream."""

    @pytest.fixture
    def roads(self, tmp_path):
        made = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            made.append(Road(drive(), 0.2, tmp_path / name))
            made[-1].receiver.talking.set()
        yield made
        for way in made:
            way.close()

    @staticmethod
    def point(file, way, more=""):
        file.write_text(f"[Location]\nGpsd=localhost:{way.gpsd.port}\n{more}")

    def test_the_stream_continues_after_a_gap(self, roads, start, file):
        self.point(file, roads[0])
        daemon = start("--config", file)
        with Stream(daemon.broker, EVERY) as stream:
            stream.until(lambda s: len(s.samples) >= 5, "readings")
            for way in (roads[1], roads[0], roads[1]):
                self.point(file, way)
                marks, now = len(stream.gaps), boot_nanoseconds()
                admin(daemon, "Reload")
                stream.until(lambda s: len(s.gaps) > marks and s.samples[-1][0] > now + SECOND, "readings of the other")
                assert [gap["cause"] for gap in stream.gaps[marks:]].count("reconfigured") == 1
                assert stream.states[-1][1] == "active"
            for (one, number, _), (following, next_number, _) in itertools.pairwise(stream.samples):
                assert following > one
                assert next_number == number + 1 or any(
                    gap["fromNanoseconds"] <= one and following <= gap["untilNanoseconds"] for gap in stream.gaps)
        assert device(daemon, "location")["opens"] >= 4

    def test_hardware_of_another_broker_is_refused_with_all_the_rest(self, roads, start, file, tmp_path_factory):
        self.point(file, roads[0])
        daemon = start("--config", file)
        directory = tmp_path_factory.mktemp("o")
        other = Daemon(directory, "--gpsd", f"localhost:{roads[1].gpsd.port}", "--iio", f"ip:127.0.0.1:{free_port()}")
        try:
            other.await_ready()
            with Stream(daemon.broker, EVERY) as stream:
                stream.until(lambda s: len(s.samples) >= 3, "readings")
                self.point(file, roads[1], "DefaultIntervalSec=3\n")
                name, details = refusal(daemon, "Reload")
                assert name == "InvalidConfiguration" and details["line"] == 2
                assert "another broker uses" in details["message"] and str(other.pid) in details["message"]
                assert limits(daemon, "location")[1] == SECOND, "half of it was applied"
                seen = len(stream.samples)
                stream.until(lambda s: len(s.samples) >= seen + 3, "readings as before")
                assert stream.losses == []
                other.stop()
                admin(daemon, "Reload")
                stream.until(lambda s: s.gaps and s.states[-1][1] == "active", "the other gpsd")
                assert limits(daemon, "location")[1] == 3 * SECOND
        finally:
            other.close()
        # The rest is free for others.
        third = Daemon(directory, "--gpsd", f"localhost:{roads[0].gpsd.port}", "--iio", f"ip:127.0.0.1:{free_port()}")
        try:
            third.await_ready()
            third.stop()
        finally:
            third.close()


def test_a_new_mount_matrix_rotates_the_axes_of_a_running_stream(request, start, file):
    """The chip is behind an iiod, and its y is the negative of its x."""
    iiod = Imu("--type", "accel")
    request.addfinalizer(iiod.close)
    context = f"[Accelerometer]\nContext=ip:127.0.0.1:{iiod.port}\n"
    file.write_text(context)
    daemon = start("--config", file, "--gpsd", f"localhost:{free_port()}")
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}) as stream:
        stream.until(lambda s: len(s.samples) >= 10, "readings")
        assert all(x == -y for _, _, (x, y, _) in stream.samples)
        file.write_text(context + "MountMatrix=-1, 0, 0; \\\n 0, 1, 0; \\\n 0, 0, 1\n")
        admin(daemon, "Reload")
        now = boot_nanoseconds()
        stream.until(lambda s: s.losses and s.samples[-1][0] > now + SECOND // 5, "readings of the other driver")
        [gap] = stream.losses
        assert gap["cause"] == "reconfigured"
        for stamp, _, (x, y, _) in stream.samples:
            assert x == (-y if stamp <= gap["fromNanoseconds"] else y), "a reading by both matrices"
        assert {stamp <= gap["fromNanoseconds"] for stamp, _, _ in stream.samples} == {True, False}
        with Connection(daemon.broker) as client:
            described = client.result(f"{BROKER}.ListResources")["resources"][1]["description"]
        assert "mount matrix from the configuration" in described


def test_more_connections_than_descriptors_are_refused_at_a_reload(start, file):
    file.write_text("[Clients]\nMaxConnections=500\n")
    daemon = start("--mock", "--config", file, prefix=["prlimit", "--nofile=1000:1000"])
    file.write_text("[Clients]\nMaxConnections=2000\n")
    name, details = refusal(daemon, "Reload")
    assert name == "InvalidConfiguration" and details["line"] == 2 and "LimitNOFILE=2384" in details["message"]


def test_a_new_address_without_gpsd_makes_the_resource_unavailable(start, file):
    file.write_text(f"[Location]\nGpsd=localhost:{free_port()}\n")
    daemon = start("--config", file)
    with Stream(daemon.broker, {"resource": "location"}) as stream:
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word of a missing gpsd")
        port = free_port()
        file.write_text(f"[Location]\nGpsd=localhost:{port}\n")
        marks = len(stream.states)
        admin(daemon, "Reload")
        stream.until(lambda s: len(s.states) > marks and s.states[-1][1] == "unavailable", "word of the other")
        assert str(port) in stream.states[-1][2]
