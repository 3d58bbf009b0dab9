"""sensorctl as people and scripts use it: its output in each format, its exit statuses, and its errors."""

import csv
import itertools
import json
import os
import re
import socket

import pytest

from tools.administration import resources
from tools.commands import Command, run
from tools.programs import PATIENCE, SENSORCTL
from tools.stream import Stream, samples_of
from tools.users import everybodys
from tools.waiting import until


def lines_of_json(text):
    return [json.loads(line) for line in text.splitlines()]


class TestList:
    def test_text(self, sensorctl):
        text = sensorctl.output("list")
        for name in ("location", "accelerometer"):
            assert re.search(rf"^{name}\b", text, re.MULTILINE), text
        assert "\x1b" not in text, "colours without a terminal"

    def test_json(self, sensorctl):
        resources = lines_of_json(sensorctl.output("list", "--format", "json"))
        assert {item["name"] for item in resources} >= {"location", "accelerometer"}
        assert all(item["simulated"] is True for item in resources)

    def test_csv(self, sensorctl):
        rows = list(csv.DictReader(sensorctl.output("list", "--format", "csv").splitlines()))
        assert {row["name"] for row in rows} >= {"location", "accelerometer"}
        assert {"kind", "state"} <= set(rows[0])


class TestGet:
    def test_text(self, sensorctl):
        text = sensorctl.output("get", "accelerometer")
        assert "m/s²" in text and "\x1b" not in text
        assert "°" in sensorctl.output("get", "location")

    def test_json(self, sensorctl):
        (reading,) = lines_of_json(sensorctl.output("get", "location", "--format", "json"))
        assert reading["resource"] == "location" and "latitudeDegrees" in reading["location"]

    def test_csv(self, sensorctl):
        (row,) = csv.DictReader(sensorctl.output("get", "accelerometer", "--format", "csv").splitlines())
        assert all(float(row[axis]) is not None for axis in ("x", "y", "z"))


class TestWatch:
    def test_json_has_an_object_per_line(self, sensorctl):
        text = sensorctl.output("watch", "accelerometer@20ms", "--count", "5", "--format", "json")
        readings = [item for item in lines_of_json(text) if "sequence" in item]
        # One sample each, or on a busy host what the device handed over at once.
        stamps = [stamp for reading in readings for stamp, _, _ in samples_of(reading)]
        assert len(stamps) == 5
        assert {after - before for before, after in itertools.pairwise(stamps)} == {20_000_000}

    def test_csv_has_one_header_and_a_row_per_reading(self, sensorctl):
        # Lines other than readings do not belong in a table: they go to standard error.
        result = sensorctl.run("watch", "accelerometer@20ms", "--count", "5", "--format", "csv", "--verbose")
        assert result.returncode == 0 and "subscription" in result.stderr
        rows = list(csv.reader(result.stdout.splitlines()))
        assert len(rows) == 6
        assert {"x", "y", "z"} <= set(rows[0])
        assert all(len(row) == len(rows[0]) for row in rows)

    def test_text_of_several_resources(self, sensorctl):
        text = sensorctl.output("watch", "accelerometer@50ms", "location@0", "--for", "3s")
        assert "accelerometer" in text and "location" in text

    @pytest.mark.parametrize("rate", [["--interval", "100ms"], ["--rate", "10Hz"], ["--rate", "10"]], ids=" ".join)
    def test_interval_and_rate(self, sensorctl, rate):
        text = sensorctl.output("watch", "accelerometer", *rate, "--count", "6", "--format", "json")
        stamps = [stamp for item in lines_of_json(text) if "sequence" in item for stamp, _, _ in samples_of(item)]
        assert 85_000_000 <= (stamps[-1] - stamps[1]) / (len(stamps) - 2) <= 115_000_000

    def test_each_reading_is_flushed(self, sensorctl):
        process = sensorctl.start("watch", "accelerometer@100ms", "--format", "json")
        try:
            while '"sequence"' not in (line := process.stdout.readline()):
                assert line, "it ended before its first reading"
            assert process.poll() is None
        finally:
            process.kill()
            process.communicate()

    def test_a_broken_pipe_ends_it_quietly(self, sensorctl):
        process = sensorctl.start("watch", "accelerometer@10ms", "--format", "json")
        process.stdout.readline()
        process.stdout.close()
        # As in `sensorctl watch … | head -n 1`.
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE) in (0, -13)
        process.stderr.close()

    def test_the_end_of_the_broker_ends_it_with_a_reason(self, sensorctl, daemon):
        process = sensorctl.start("watch", "accelerometer@50ms", "--format", "json")
        process.stdout.readline()
        daemon.stop()
        _, words = process.communicate(timeout=PATIENCE)
        assert process.returncode == 69 and "broker" in words


class TestSet:
    def test_changes_a_running_stream(self, sensorctl, daemon):
        with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 500_000_000}) as stream:
            text = sensorctl.output("set", stream.subscription, "accelerometer@20ms")
            assert "20 ms" in text or "20ms" in text
            while stream.receive().get("revision") != 2:
                pass
            first = len(stream.samples)

            def steps(samples):
                return [later - former for (former, *_), (later, *_) in zip(samples, samples[1:])]

            # On a host that stands still, not all of them in a row.
            stream.until(lambda s: steps(s.samples[first:]).count(20_000_000) >= 8, "readings at the new interval")

    def test_unknown_subscription(self, sensorctl):
        words = sensorctl.failure(69, "set", "none", "location@1s")
        assert "subscription" in words and "watch" in words


class TestStatus:
    def test_text(self, sensorctl, daemon):
        with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
            text = sensorctl.output("status")
            assert str(daemon.pid) in text and stream.subscription in text
            assert str(os.getpid()) in text, "the client's process is not shown"

    def test_json(self, sensorctl, daemon):
        with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
            status = json.loads(sensorctl.output("status", "--format", "json"))
            assert status["processId"] == daemon.pid
            assert stream.subscription in {client.get("subscription") for client in status["clients"]}


class TestRelease:
    def test_release_and_reacquire_print_their_resources_in_each_format(self, sensorctl):
        assert sensorctl.output("release", "accelerometer") == "accelerometer: released\n"
        assert sensorctl.output("reacquire", "--kind", "acceleration") == "accelerometer: reacquired\n"
        assert json.loads(sensorctl.output("release", "--all", "--for", "10min", "--format", "json")) == {
            "released": ["location", "accelerometer"]}
        assert list(csv.reader(sensorctl.output("reacquire", "--all", "--format", "csv").splitlines())) == [
            ["resource"], ["location"], ["accelerometer"]]

    def test_a_release_that_is_too_long_is_told_by_the_name_of_its_option(self, sensorctl):
        assert "--for is too long" in sensorctl.failure(64, "release", "accelerometer", "--for", "400d")

    def test_reacquiring_an_unreleased_device_is_not_an_error(self, sensorctl):
        result = sensorctl.run("reacquire", "--all")
        assert (result.returncode, result.stdout) == (0, "") and "nothing" in result.stderr

    def test_an_unavailable_resource_is_listed_with_its_reason(self, sensorctl):
        assert "this broker has location, accelerometer" in sensorctl.failure(69, "release", "compass")
        assert "did you mean accelerometer?" in sensorctl.failure(69, "release", "acelerometer")
        assert "did you mean 'acceleration'?" in sensorctl.failure(64, "release", "--kind", "acelleration")
        assert "kind" in sensorctl.failure(64, "release", "--kind", "smell")
        assert "one of the three" in sensorctl.failure(64, "release")

    def test_what_is_derived_is_released_with_its_source(self, sensorctl):
        for verb in ("release", "reacquire"):
            message = sensorctl.failure(69, verb, "orientation")
            assert "orientation has no device of its own" in message and "from accelerometer" in message, message
        assert "derived" in sensorctl.failure(69, "release", "--kind", "orientation")

    def test_the_error_of_a_read_has_a_remedy(self, sensorctl):
        sensorctl.output("release", "location")
        assert "sensorctl reacquire" in sensorctl.failure(69, "get", "location")


class TestErrors:
    def test_no_broker(self, directory):
        words = Command(f"{directory}/io.sensorbroker.Broker").failure(69, "list")
        assert f"sensorbrokerd --runtime-directory {directory}," in words and "systemctl" not in words

    def test_a_socket_that_nobody_serves(self, start):
        daemon = start("--mock")
        daemon.kill()
        assert "sensorbrokerd" in Command(daemon.broker).failure(69, "list")

    @pytest.mark.skipif(
        os.geteuid() != 0, reason="only root can become a user without rights: not permitted was not tried")
    def test_not_permitted(self, daemon, directory):
        os.chmod(directory, 0o755)
        result = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", everybodys(SENSORCTL), "list", broker=daemon)
        assert result.returncode == 77, result
        # Root's group may use it as well, which is nobody's to join.
        assert "it is root's alone" in result.stderr and "usermod" not in result.stderr
        os.chown(daemon.broker, 0, 65533)
        result = run(*result.args, broker=daemon)
        assert result.returncode == 77 and "usermod -aG 65533" in result.stderr
        # Which broker an administrator would ask with sudo alone, which drops the variable, is another matter.
        result = run(*result.args[:-1], "release", "accelerometer", broker=daemon)
        assert result.returncode == 77 and f"try it with: sudo sensorctl --socket {daemon.broker} " in result.stderr

    @pytest.mark.parametrize("arguments", [["get", "thermometer"], ["watch", "thermometer@1s"]], ids=" ".join)
    def test_unknown_resource_names_the_known_ones(self, sensorctl, arguments):
        words = sensorctl.failure(69, *arguments)
        assert "thermometer" in words and "location" in words and "accelerometer" in words

    @pytest.mark.parametrize("arguments, word", [
        ([], "command"), (["frobnicate"], "frobnicate"), (["list", "--frobnicate"], "--frobnicate"), (["get"], "resource"),
        (["watch"], "resource"), (["watch", "location@soon"], "soon"), (["watch", "location@-1s"], "-1s"),
        (["watch", "location@1fortnight"], "fortnight"), (["watch", "location", "--rate", "0Hz"], "0Hz"),
        (["watch", "location", "--interval"], "--interval"), (["watch", "location", "--count", "-3"], "-3"),
        (["watch", "location", "--interval", "1s", "--rate", "1Hz"], "--rate"),
        (["list", "--format", "xml"], "xml"), (["set"], "subscription"), (["set", "abc"], "accelerometer@200ms"),
    ], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
    def test_wrong_usage(self, sensorctl, arguments, word):
        result = sensorctl.run(*arguments)
        assert (result.returncode, result.stdout) == (64, ""), result
        assert word.lower() in result.stderr.lower()
        assert "--help" in result.stderr or "usage" in result.stderr.lower()

    def test_help_and_version(self, sensorctl):
        text = sensorctl.output("--help")
        for command in ("list", "get", "watch", "set", "status"):
            assert command in text
        assert "--interval" in sensorctl.output("watch", "--help")
        assert re.match(r"sensorctl \S+\n$", sensorctl.output("--version"))


class TestDoctor:
    def test_a_healthy_broker_has_no_findings(self, daemon):
        result = run(SENSORCTL, "doctor", "--socket", daemon.broker, "--format", "json")
        findings = [json.loads(line) for line in result.stdout.splitlines()]
        assert result.returncode == 0 and result.stderr == "", findings
        assert {finding["subject"] for finding in findings} >= {"socket", "location", "accelerometer"}
        assert all(finding["verdict"] in ("ok", "note") for finding in findings)

    def test_a_missing_broker_is_reported_with_a_remedy(self, tmp_path):
        result = run(SENSORCTL, "doctor", "--socket", tmp_path / "none")
        assert result.returncode == 69 and result.stderr == ""
        assert "there is no socket" in result.stdout and "to do: " in result.stdout

    def test_the_gpsd_that_the_broker_misses_is_looked_for(self, start):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            place = f"127.0.0.1:{closed.getsockname()[1]}"
            daemon = start("--gpsd", place, "--iio", "ip:127.0.0.1:1")
            until(lambda: resources(daemon)["location"].get("reason"), "a location without gpsd")
            result = run(SENSORCTL, "doctor", "--socket", daemon.broker, "--format", "json")
        [finding] = [one for one in map(json.loads, result.stdout.splitlines()) if one["subject"] == "gpsd"]
        assert finding["verdict"] == "bad" and f"no gpsd answers at {place}:" in finding["words"]

    def test_from_cron_the_configuration_is_examined_too(self):
        """What `make install` installs is in no directory that cron names, but the programs are beside each other."""
        result = run(SENSORCTL, "doctor", "--format", "json", "--instance", "of-a-test", env={"PATH": "/usr/bin:/bin"})
        assert "configuration" in {json.loads(line)["subject"] for line in result.stdout.splitlines()}

    @pytest.mark.parametrize("where", [["--instance", "of-a-test"], ["--socket", "{}/io.sensorbroker.Broker.of-a-test"]],
                             ids=["instance", "socket"])
    def test_an_instance_is_examined_with_its_own_configuration(self, tmp_path, where):
        """The daemon's program is replaced by a script that knows only this instance."""
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            place = f"127.0.0.1:{closed.getsockname()[1]}"
            program = tmp_path / "sensorbrokerd"
            program.write_text(f'''#!/bin/sh
[ "$*" = "--check-config --instance of-a-test" ] || exit 78
echo Gpsd={place}
''')
            program.chmod(0o755)
            environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
            result = run(SENSORCTL, "doctor", "--format", "json", *(word.format(tmp_path) for word in where), env=environment)
        findings = {finding["subject"]: finding for finding in map(json.loads, result.stdout.splitlines())}
        assert place in findings["gpsd"]["words"] and "sensorbrokerd.of-a-test.conf" in findings["gpsd"]["remedy"]
        if "--instance" in where:
            assert findings["configuration"]["verdict"] == "ok"
            has_systemd = os.path.exists("/run/systemd/system")
            start = "sensorbrokerd@of-a-test.socket" if has_systemd else "sensorbrokerd --instance of-a-test"
            assert start in findings["socket"]["remedy"]
