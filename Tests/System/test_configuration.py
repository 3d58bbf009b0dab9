"""The configuration: read at the start, checked, reloaded under load, and refused as a whole if it has an error."""

import itertools
import os
import re
import signal
import subprocess

import pytest

from tools import commands
from tools.administration import admin, await_state, device, refusal
from tools.commands import sensorctl
from tools.daemon import Daemon
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import BROKER, ROOT, SENSORBROKERD
from tools.rates import Part, Witnesses, check_account
from tools.receiver import GPSD
from tools.road import EVERY, Road, drive
from tools.stream import MILLISECOND, SECOND, Stream, boot_nanoseconds, read_all
from tools.users import everybodys
from tools.waiting import until
from tools.wire import Connection

TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
EXAMPLE = ROOT / "docs/sensorbrokerd.conf"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "sensorbrokerd.conf"


def run(*arguments):
    return commands.run(SENSORBROKERD, *arguments)


def check(file, *arguments):
    return run("--check-config", "--config", file, *arguments)


def reload(daemon):
    """Reloads the configuration, and waits until that is done."""
    before = daemon.output().count("read again") + daemon.output().count("is unchanged")
    daemon.send_signal(signal.SIGHUP)
    until(lambda: daemon.output().count("read again") + daemon.output().count("is unchanged") > before,
          "the reload")


def limits(daemon, resource="accelerometer"):
    with Connection(daemon.broker) as client:
        for item in client.result(f"{BROKER}.ListResources")["resources"]:
            if item["name"] == resource:
                return item["minimumIntervalNanoseconds"], item["defaultIntervalNanoseconds"]


class TestCheck:
    def test_every_error_is_named_by_file_and_line_with_its_remedy(self, file, tmp_path):
        file.write_text("[Location]\nGspd=x\n\n[Locaton]\nA=1\n[Accelerometer]\nMountMatrix=1, 0\nWarmGraceSec=soon\n"
                        "DefaultIntervalSec=1ms\nMinimumIntervalSec=10ms\njunk\n[Clients]\nStuckTimeoutSec=0\n")
        drop_ins = tmp_path / "sensorbrokerd.conf.d"
        drop_ins.mkdir()
        (drop_ins / "50-more.conf").write_text("[Location]\nGpsd=host:99999\n[Accelerometer]\nContext=usb:\n")
        result = check(file)
        assert result.returncode == 78 and result.stdout == ""
        lines = result.stderr.splitlines()
        expected = [
            (file, 2, "did you mean Gpsd="), (file, 4, r"did you mean \[Location\]"), (file, 7, "three rows of three"),
            (file, 8, "write it like"), (file, 11, "write Key=value"), (file, 13, "write 1s to 1d"),
            (drop_ins / "50-more.conf", 2, "localhost:2947"), (drop_ins / "50-more.conf", 4, "local:"),
            (file, 9, "shorter than MinimumIntervalSec=10ms"),
        ]
        assert len(lines) == len(expected), result.stderr
        for path, number, words in expected:
            assert any(line.startswith(f"{path}:{number}: ") and re.search(words, line) for line in lines), (number, lines)

    def test_its_output_for_a_valid_configuration_is_an_equivalent_configuration(self, file, tmp_path):
        file.write_text("[Location]\nGpsd=gps.example\nWarmGraceSec=1min 30s\n[Accelerometer]\nContext=ip:box:99\n"
                        "MountMatrix=0, 1, 0; \\\n  -1, 0, 0; \\\n  0, 0, -1\nMinimumIntervalSec=0.25ms\n")
        first = check(file)
        assert first.returncode == 0 and first.stderr == ""
        for text in ("Gpsd=gps.example:2947", "WarmGraceSec=1min 30s", "MountMatrix=0, 1, 0; -1, 0, 0; 0, 0, -1",
                     "MinimumIntervalSec=250us", f"# {file}:6", "Context=ip:box:99", "StuckTimeoutSec=30s"):
            assert text in first.stdout, (text, first.stdout)
        again = tmp_path / "again.conf"
        again.write_text(first.stdout)

        def values(text):
            return [line for line in text.splitlines() if line and not line.startswith("# ")]

        assert values(check(again).stdout) == values(first.stdout)

    def test_later_files_override_earlier_ones_and_an_empty_value_restores_the_default(self, file, tmp_path):
        file.write_text("[Location]\nWarmGraceSec=1\nGpsd=one\n[Accelerometer]\nWarmGraceSec=5\n")
        drop_ins = tmp_path / "sensorbrokerd.conf.d"
        drop_ins.mkdir()
        (drop_ins / "20-b.conf").write_text("[Location]\nWarmGraceSec=3\n[Accelerometer]\nWarmGraceSec=\n")
        (drop_ins / "10-a.conf").write_text("[Location]\nWarmGraceSec=2\nGpsd=two\n")
        (drop_ins / "30-masked.conf").symlink_to("/dev/null")
        (drop_ins / "40.conf.bak").write_text("garbage")
        text = check(file).stdout
        assert "WarmGraceSec=3s" in text and "Gpsd=two:2947" in text and "WarmGraceSec=10s" in text
        assert "garbage" not in text

    def test_the_command_line_overrides_the_files(self, file):
        file.write_text("[Location]\nGpsd=one\n[Accelerometer]\nContext=ip:two\n")
        text = check(file, "--gpsd", "three:1", "--iio", "ip:four").stdout
        assert "Gpsd=three:1" in text and "Context=ip:four" in text and text.count("# from the command line") == 2

    @pytest.mark.parametrize("kind", ["nothing", "directory", "fifo", "huge", "binary", "loop"])
    def test_a_file_that_is_not_text_is_refused_without_waiting(self, file, kind):
        if kind == "directory":
            file.mkdir()
        elif kind == "fifo":
            os.mkfifo(file)
        elif kind == "huge":
            file.write_bytes(b"# a comment\n" * 1_000_000)
        elif kind == "binary":
            file.write_bytes(os.urandom(100_000))
        elif kind == "loop":
            file.symlink_to(file)
        result = check(file)
        assert result.returncode == 78 and str(file) in result.stderr
        assert len(result.stderr.splitlines()) < 100
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.stderr)
        # A start does so too, before anything else happens.
        assert run("--mock", "--config", file).returncode == 78

    @pytest.mark.parametrize("line, words", [
        ("[Clients]\nMaxConnections=4096", "LimitNOFILE=4480.* or write 616 or less"),
        ("[Clients]\nMaxConnections=-1", "from 8 to 65536"), ("[Clients]\nMaxConnections=1e9", "from 8 to 65536"),
        ("[Clients]\nMaxConnectionsPerUser=3000", "more than MaxConnections=2048"),
        ("[Clients]\nStuckTimeoutSec=-5", "write it like"), ("[Clients]\nStuckTimeoutSec=5Hz", "write it like"),
        ("[Clients]\nStuckTimeoutSec=99999999999999999999", "too long: at most 106751d"),
        ("[Location]\nWarmGraceSec=30x", "write it like"),
        ("[Location]\nMinimumIntervalSec=0", "1us to 1d"), ("[Location]\nDefaultIntervalSec=2d", "1us to 1d"),
        ("[Location]\nGpsd=:0", "HOST:PORT"), ("[Location]\nGpsd=a b", "HOST:PORT"), ("[Location]\nGpsd=x:65536", "HOST:PORT"),
        ("[Accelerometer]\nContext=ip:", "ip:HOST"), ("[Accelerometer]\nContext=ip:x:0", "ip:HOST"),
        ("[Accelerometer]\nMountMatrix=2,0,0;0,2,0;0,0,2", "length 2 instead of 1"),
        ("[Accelerometer]\nMountMatrix=1,0,0;1,0,0;0,0,1", "right angles"),
        ("[Accelerometer]\nMountMatrixSources=udev udev", "twice"),
        ("[Accelerometer]\nFastGroups=no-such-group", "groupadd no-such-group"),
    ])
    def test_a_value_that_would_not_work_is_refused_with_its_line_and_a_remedy(self, file, line, words):
        file.write_text(line + "\n")
        result = commands.run("prlimit", "--nofile=1000:1000", SENSORBROKERD, "--check-config", "--config", file)
        assert result.returncode == 78 and result.stderr.startswith(f"{file}:2: "), result.stderr
        assert re.search(words, result.stderr), result.stderr

    def test_a_valid_setting_without_its_intended_effect_is_noted(self, file):
        file.write_text("[Clients]\nMaxConnections=500\n")
        command = ["prlimit", "--nofile=1000:1000", SENSORBROKERD, "--check-config", "--config", file]
        assert "descriptors" not in subprocess.run(command, capture_output=True, check=True, text=True).stdout
        file.write_text("")
        text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        assert re.search("# note: .*LimitNOFILE=2432.*\nMaxConnections=2048\n", text), text

    def test_each_line_of_the_example_is_valid(self, file):
        assert check(EXAMPLE).returncode == 0, check(EXAMPLE).stderr
        text = re.sub(r"^#(?=[A-Z][A-Za-z]+=|\[)", "", EXAMPLE.read_text(), flags=re.MULTILINE)
        file.write_text(text)
        assert check(file).returncode == 0, check(file).stderr


def test_configured_intervals_are_granted(start, file):
    file.write_text("[Accelerometer]\nMinimumIntervalSec=50ms\nDefaultIntervalSec=0.2\n")
    daemon = start("--mock", "--config", file)
    assert limits(daemon) == (50 * MILLISECOND, 200 * MILLISECOND)
    with Stream(daemon.broker, {"resource": "accelerometer"}) as usual, Stream(daemon.broker, TAP) as tap, \
            Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": MILLISECOND}) as fast:
        assert usual.grants["accelerometer"]["intervalNanoseconds"] == 200 * MILLISECOND
        assert fast.grants["accelerometer"]["intervalNanoseconds"] == 50 * MILLISECOND
        # Not even a client that requests every sample gets them faster.
        assert tap.grants["accelerometer"]["intervalNanoseconds"] == 50 * MILLISECOND
        tap.until(lambda s: len(s.samples) >= 10, "readings")
        stamps = [stamp for stamp, _, _ in tap.samples]
        assert stamps[-1] - stamps[0] >= 9 * 45 * MILLISECOND


def test_a_client_that_reads_nothing_is_disconnected_after_the_configured_time(start, file):
    file.write_text("[Clients]\nStuckTimeoutSec=1\n")
    daemon = start("--mock", "--config", file)
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 2 * MILLISECOND}) as stuck:
        mine = stuck.subscription
        until(lambda: mine not in [client.get("subscription") for client in admin(daemon, "GetStatus")["clients"]],
              "the end of a client that does not read")
        assert stuck.read_to_end() == "slowClient"


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


@pytest.mark.parametrize("variable", ["", "relative"])
def test_an_invalid_XDG_RUNTIME_DIR_counts_as_not_set(variable, tmp_path):
    """Run as a user other than root, since root uses the service's directory."""
    home = tmp_path / "home"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    result = commands.run(*command, everybodys(SENSORBROKERD), "--mock", cwd=home, environment={"XDG_RUNTIME_DIR": variable})
    assert "/run/sensorbroker" in result.stderr and "relative" not in result.stderr, result.stderr
    assert result.returncode != 0 and list(home.iterdir()) == []


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
