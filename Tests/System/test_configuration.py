"""The configuration: checked, each error named with its remedy, and what the daemon makes of it at the start."""

import os
import re
import subprocess

import pytest

from tools import commands
from tools.administration import admin
from tools.programs import ROOT, SENSORBROKERD
from tools.settingsfile import file, limits  # noqa: F401  a fixture
from tools.stream import MILLISECOND, Stream
from tools.users import everybodys
from tools.waiting import until

TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
EXAMPLE = ROOT / "docs/sensorbrokerd.conf"


def run(*arguments):
    return commands.run(SENSORBROKERD, *arguments)


def check(file, *arguments):
    return run("--check-config", "--config", file, *arguments)


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
