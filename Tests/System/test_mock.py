"""Simulated devices from the users' point of view: scenarios, faults on demand, and brokers for a single test run."""

import json
import math
import os
import pathlib
import re
import signal
import subprocess

import pytest

from tools.administration import await_state
from tools.commands import run
from tools.daemon import die_with_parent
from tools.ports import free_port
from tools.programs import ADMIN, MOCK, PATIENCE, ROOT, SENSORBROKERD, SENSORCTL
from tools.stream import SECOND, Stream, samples_of
from tools.wire import Connection

SHIPPED = sorted(path.stem for path in (ROOT / "Sources/Devices/Scenarios/Shipped").glob("*.scenario"))
ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}
LOCATION = {"resource": "location", "intervalNanoseconds": 1_000_000_000}


def broker(*words, **options):
    return run(SENSORBROKERD, *words, **options)


class Watch(Stream):
    """A stream whose samples are stored by resource: (timestamp, sequence, values)."""

    def __init__(self, path, *requests):
        self.by = {request["resource"]: [] for request in requests}
        super().__init__(path, *requests)

    def note(self, reply):
        for reading in reply.get("parameters", {}).get("readings", []):
            self.by[reading["resource"]] += samples_of(reading)
        return super().note(reply)


def of(stream, resource):
    return stream.by[resource]


def watch(daemon, seconds, *requests):
    """A stream of this many seconds of the devices' own time."""
    stream = Watch(daemon.broker, *requests)
    first = requests[0]["resource"]
    stream.until(lambda s: len(of(s, first)) > 1 and of(s, first)[-1][0] - of(s, first)[0][0]
                 >= seconds * SECOND, f"{seconds} s of {first}")
    return stream


def text_of(name):
    return (ROOT / f"Sources/Devices/Scenarios/Shipped/{name}.scenario").read_text()


@pytest.mark.parametrize("name", SHIPPED)
def test_every_sensor_of_a_shipped_scenario_is_measured(start, name):
    sections = [word for word in re.findall(r"^\[(\S+)\]$", text_of(name), re.MULTILINE) if word.islower()]
    daemon = start(f"--mock={name}", "--speed", "max")
    stream = Watch(daemon.broker, *({"resource": word, "intervalNanoseconds": 0} for word in sections))
    stream.until(lambda s: all(len(of(s, word)) > 3 for word in sections), "readings of all")
    stream.close()
    words = f"{', '.join(sections[:-1])} and {sections[-1]}" if len(sections) > 1 else sections[0]
    assert f"serving mock {words} at " in daemon.output()


@pytest.mark.parametrize("name", ["drone-imu", "laptop", "phone", "robot-arm"])
def test_a_host_that_moves_is_listed_and_watched(start, name):
    sections = [word for word in re.findall(r"^\[(\S+)\]$", text_of(name), re.MULTILINE) if word.islower()]
    daemon = start(f"--mock={name}", "--speed", "max")
    listed = [line.split()[0] for line in run(SENSORCTL, "list", broker=daemon).stdout.splitlines() if line.strip()]
    assert set(sections) <= set(listed)
    moving = [word for word in sections if word.split(":")[0] in ("accelerometer", "gyroscope", "magnetometer")]
    result = run(SENSORCTL, "watch", *(f"{word}@40ms" for word in moving), "--count", "1500", "--format", "json", broker=daemon)
    values = {word: [] for word in moving}
    for line in result.stdout.splitlines():
        reading = json.loads(line)
        if "values" in reading:
            values[reading["resource"]] += zip(*(reading["values"]["columns"][axis] for axis in "xyz"))
    for word, vectors in values.items():
        assert len(vectors) > 100 and len(set(vectors)) > 10, word
        lengths = [math.hypot(*vector) for vector in vectors]
        if word.startswith("accelerometer"):
            assert 9 < sum(lengths) / len(lengths) < 13, word
        elif word == "magnetometer":
            # The field of each place is one of some 50 µT.
            assert all(45 < length < 55 for length in lengths), word


@pytest.mark.parametrize("name", [name for name in SHIPPED if {"[location]", "[accelerometer]"} <= set(text_of(name).split())])
def test_a_shipped_scenario_runs_and_every_loss_is_reported(start, name):
    daemon = start(f"--mock={name}", "--speed", "max")
    with watch(daemon, 62, ACCELEROMETER, LOCATION) as stream:
        pass
    assert len(of(stream, "location")) > 40
    assert all(resource["simulated"] for resource in stream.resources)
    samples = of(stream, "accelerometer")
    lost = 0
    for one, following in zip(samples, samples[1:]):
        assert following[0] > one[0]
        # An opened device counts from 0 again.
        if following[1] > one[1]:
            lost += following[1] - one[1] - 1
    # A reader that a busy host holds up loses some, too, and is told.
    told = sum(gap.get("count", 0) for gap in stream.gaps
               if gap["resource"] == "accelerometer" and gap["cause"] in ("deviceOverflow", "slowClient"))
    if name not in ("quadcopter", "drone-imu"):
        assert lost == told
    else:
        assert told > 0


def test_the_scenario_flaky_cable_has_its_faults(start):
    daemon = start("--mock=flaky-cable", "--speed", "max")
    with watch(daemon, 70, ACCELEROMETER, LOCATION) as stream:
        pass
    states = {(name, state) for name, state, _ in stream.states}
    assert {("accelerometer", "unavailable"), ("accelerometer", "stale"), ("accelerometer", "active"),
            ("location", "unavailable"), ("location", "active")} <= states
    reasons = {reason for _, _, reason in stream.states if reason}
    assert any("unplugged" in reason for reason in reasons) and any("gpsd" in reason for reason in reasons)
    # A reader that a busy host holds up loses some, too, and is told.
    assert {gap["cause"] for gap in stream.gaps} - {"slowClient"} == {"deviceLost", "deviceOverflow"}
    utc = [sample[2]["utcMicroseconds"] for sample in of(stream, "location")]
    steps = [following - one for one, following in zip(utc, utc[1:])]
    assert any(step < -600 * 604_800 * 1_000_000 for step in steps), "weeks rolled over"
    assert any(-6_000_000 < step < 0 for step in steps), "UTC went back by some seconds"


def test_two_runs_measure_the_same(start, tmp_path):
    scenario = tmp_path / "a.scenario"
    scenario.write_text(
        "[Scenario]\nSeed=7\nStart=2026-05-01T12:00:00Z\n[location]\nRates=10Hz\nNoise=3m\nCircle=52, 13 radius 100m\n"
        "[accelerometer]\nRates=100Hz\nNoise=0.1\nMotion=walk for 5s\n[Events]\nAt=2s drop 7 accelerometer\n"
        "At=3s unplug accelerometer for 1s\nAt=4s no-fix for 1s\n")

    def play():
        daemon = start(f"--mock={scenario}", "--speed", "max")
        with watch(daemon, 6, ACCELEROMETER, {**LOCATION, "intervalNanoseconds": 0}) as stream:
            pass
        daemon.stop()
        missed.append(sum(gap["count"] for gap in stream.gaps if gap["cause"] == "slowClient"))
        # By the receiver's clock: a client on a busy host may miss the first reading.
        stamp, location = next((stamp, value) for stamp, _, value in of(stream, "location") if "utcMicroseconds" in value)
        origin = stamp - (location["utcMicroseconds"] - 1_777_636_800_000_000) * 1_000
        return [{stamp - origin: value for stamp, _, value in of(stream, name)} for name in ("accelerometer", "location")]

    missed = []
    first, second = play(), play()
    for one, other, count in zip(first, second, (300, 40)):
        common = set(one) & set(other)
        assert len(common) + sum(missed) > count
        assert all(one[stamp] == other[stamp] for stamp in common)
    assert min(first[0]) == 0 or missed[0]


def test_errors_of_a_scenario_are_printed_with_their_lines(tmp_path):
    scenario = tmp_path / "bad.scenario"
    scenario.write_text("[locatoin]\n[accelerometer]\nMotion=fly for 3s\nRates=100Hz\n[Events]\nAt=5s explode\n")
    for words in ([f"--mock={scenario}", "--check"], [f"--mock={scenario}", "--exec", "true"]):
        result = broker(*words)
        assert result.returncode == 78
        lines = result.stderr.splitlines()
        assert [line[line.index(":", line.index("bad.scenario")):].split(" ")[0] for line in lines] == [
            ":1:", ":3:", ":6:"], lines
        assert "did you mean [location]?" in lines[0]
    assert broker("--mock=no-such", "--check").returncode == 78


@pytest.mark.parametrize("size", [0, 1, 1000, 300_000])
def test_a_file_of_garbage_is_refused_in_few_lines(tmp_path, size):
    path = tmp_path / "garbage.scenario"
    path.write_bytes(os.urandom(size) if size else b"\xff\xfe[location")
    result = broker(f"--mock={path}", "--check")
    assert result.returncode == 78 or size == 1
    assert len(result.stderr.splitlines()) <= 60


@pytest.mark.parametrize("name", SHIPPED)
def test_check_prints_a_summary(name):
    result = broker(f"--mock={name}", "--check")
    assert (result.returncode, result.stderr) == (0, "")
    sections = [word for word in re.findall(r"^\[\S+\]$", text_of(name), re.MULTILINE) if word.islower()]
    assert sections and all(word in result.stdout.splitlines() for word in sections)


def test_the_documentation_has_every_key_and_fault_and_its_example_is_right(tmp_path):
    text = (ROOT / "docs/mock.md").read_text()
    sources = "".join(path.read_text() for path in (ROOT / "Sources/Devices/Scenarios").glob("*.swift"))
    for key in re.findall(r'ScenarioKey\(\s*"(\w+)"', sources):
        assert f"`{key}=" in text, key
    for word in re.findall(r'^\s+case \w+(?: = "([\w-]+)")?$|', (ROOT / "Sources/Devices/Mock/Fault.swift").read_text(), re.M):
        assert not word or word in text, word
    for name in SHIPPED:
        assert f"`{name}`" in text
    start = text.index("    [Scenario]\n")
    example = text[start:text.index("\n\nThe form is", start)]
    scenario = tmp_path / "example.scenario"
    scenario.write_text("\n".join(line[4:] for line in example.splitlines()))
    result = broker(f"--mock={scenario}", "--check")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Every=2min from 1min 30s overflow 20 accelerometer" in result.stdout


def inject(daemon, fault, **parameters):
    with Connection(daemon.admin) as connection:
        return connection.result(f"{MOCK}.Inject", {"fault": fault, **parameters})


def clear(daemon, **parameters):
    with Connection(daemon.admin) as connection:
        return connection.result(f"{MOCK}.Clear", parameters)["cleared"]


def test_a_fault_begins_on_demand_and_ends(start):
    daemon = start("--mock")
    with Watch(daemon.broker, ACCELEROMETER, LOCATION) as stream:
        stream.until(lambda s: of(s, "accelerometer") and of(s, "location"), "readings")
        assert inject(daemon, "unplug", resource="accelerometer") == {"resource": "accelerometer"}
        stream.until(lambda s: ("accelerometer", "unavailable") in [state[:2] for state in s.states], "the unplugging")
        assert clear(daemon) == ["accelerometer"]
        stream.until(lambda s: s.states[-1][:2] == ("accelerometer", "active"), "the plugging in")
        stream.until(lambda s: any(gap["cause"] == "deviceLost" for gap in s.gaps), "the gap")
        inject(daemon, "overflow", resource="accelerometer", count=20)
        stream.until(lambda s: any(gap.get("count") == 20 for gap in s.gaps), "the loss of 20")
        before = of(stream, "location")[-1][2]
        assert inject(daemon, "jump", meters=2000) == {"resource": "location"}
        stream.until(lambda s: of(s, "location")[-1][2]["latitudeDegrees"] > before["latitudeDegrees"] + 0.01,
                     "the jump")
        assert clear(daemon, fault="jump") == ["location"]
        inject(daemon, "no-fix")
        stream.until(lambda s: of(s, "location")[-1][2]["fix"] == "none", "no fix")


def test_an_idle_device_can_be_unplugged_and_comes_back_by_itself(start):
    daemon = start("--mock")
    inject(daemon, "unplug", resource="accelerometer", durationNanoseconds=5_000_000_000)
    await_state(daemon, "unavailable")
    await_state(daemon, "idle")


def test_grants_have_the_devices_interval_while_it_has_one(start, tmp_path):
    """Even if the broker learns no new one: the second time it knows the device, which is closed as the stream begins."""
    (tmp_path / "conf").write_text("[Accelerometer]\nWarmGraceSec=0\n")
    daemon = start("--mock", "--config", str(tmp_path / "conf"))
    for _ in range(2):
        with Watch(daemon.broker, ACCELEROMETER) as stream:
            def has_interval(one):
                return "deviceIntervalNanoseconds" in one.grants["accelerometer"]

            assert not has_interval(stream)
            stream.until(has_interval, "the interval of the open device")
            inject(daemon, "unplug", resource="accelerometer")
            stream.until(lambda one: not has_interval(one), "that it has none")
            clear(daemon)
            stream.until(has_interval, "the interval of the device that is there again")
        await_state(daemon, "idle")


@pytest.mark.parametrize("parameters, name, details", [
    ({"fault": "explode"}, "NoSuchFault", {"fault": "explode"}),
    ({"fault": "stall", "resource": "no"}, "NoSuchResource", {"resource": "no"}),
    ({"fault": "stall"}, "ImpossibleFault", None),
    ({"fault": "no-fix", "resource": "accelerometer"}, "ImpossibleFault", None),
    ({"fault": "jump"}, "InvalidParameter", {"parameter": "meters"}),
    ({"fault": "jump", "meters": 1e9}, "InvalidParameter", {"parameter": "meters"}),
    ({"fault": "unplug", "resource": "accelerometer", "count": 5}, "InvalidParameter", {"parameter": "count"}),
    ({"fault": "overflow", "resource": "accelerometer", "count": -9223372036854775808}, "InvalidParameter",
     {"parameter": "count"}),
    ({"fault": "stall", "resource": "location", "durationNanoseconds": 0}, "InvalidParameter",
     {"parameter": "durationNanoseconds"}),
    ({"fault": "utc-back", "backNanoseconds": 9223372036854775807}, "InvalidParameter",
     {"parameter": "backNanoseconds"}),
])
def test_an_impossible_fault_is_refused(daemon, parameters, name, details):
    with Connection(daemon.admin) as connection:
        error, said = connection.error(f"{MOCK}.Inject", parameters)
    assert error.rsplit(".", 1)[1] == name
    assert details is None or said == details


def test_faults_are_refused_for_real_devices(start):
    daemon = start("--gpsd", f"localhost:{free_port()}")
    with Connection(daemon.admin) as connection:
        error, said = connection.error(f"{MOCK}.Inject", {"fault": "unplug", "resource": "location"})
        assert (error, said) == (f"{MOCK}.NotSimulated", {"resource": "location"})
        error, said = connection.error(f"{MOCK}.Clear", {})
        assert (error, said) == (f"{MOCK}.NotSimulated", {})
    result = run(SENSORCTL, "mock", "unplug", "location", broker=daemon)
    assert result.returncode == 69
    assert "location is real" in result.stderr


def test_sensorctl_mock_prints_its_effects(daemon):
    def told(*words):
        return run(SENSORCTL, "mock", *words, broker=daemon)

    assert told("unplug", "accelerometer", "--for", "1h").stdout == "accelerometer: unplug\n"
    assert told("replug", "accelerometer").stdout == "accelerometer: replugged\n"
    assert "no such fault to end" in told("clear").stderr
    assert told("jump", "2km", "east", "for", "10s").stdout == "location: jump\n"
    assert told("drop", "20", "accelerometer", "--format", "json").stdout == '{"resource":"accelerometer"}\n'
    for words, remedy in [(["unplg"], "did you mean unplug?"), (["stall"], "to which device?"), (["jump"], "a distance"),
                          ([], "sensorctl mock unplug accelerometer --for 5s")]:
        result = told(*words)
        assert result.returncode == 64
        assert remedy in result.stderr


# MARK: brokers that belong to a command

@pytest.fixture
def temporary(tmp_path):
    """An environment in which temporary directories are counted; none may be left behind."""
    directory = tmp_path / "t"
    directory.mkdir()
    # Longer paths are not used: a socket's path must fit.
    link = pathlib.Path(f"/tmp/sb-t{os.getpid()}")
    link.symlink_to(directory)
    yield {**os.environ, "TMPDIR": str(link)}
    left = list(directory.iterdir())
    link.unlink()
    assert left == []


def test_a_command_has_its_own_broker_which_returns_its_exit_status(temporary):
    result = broker("--mock", "--exec", "sh", "-c", 'echo "$SENSORBROKER_SOCKET"; test -S "$SENSORBROKER_SOCKET"; '
                    f'"{SENSORCTL}" get accelerometer >/dev/null && exit 7', env=temporary)
    assert (result.returncode, result.stderr) == (7, "")
    assert result.stdout.startswith(temporary["TMPDIR"])
    assert broker("--mock", "--exec", "sh", "-c", "kill -KILL $$", env=temporary).returncode == 137


def test_a_command_that_cannot_be_run_is_an_error(temporary):
    result = broker("--mock", "--exec", "no-such-command", env=temporary)
    assert result.returncode == 127
    assert "no-such-command" in result.stderr
    assert broker("--mock", "--exec", "/etc/passwd", env=temporary).returncode == 126


def test_a_broker_that_is_stopped_waits_for_its_command(temporary):
    script = 'trap "echo asked; exit 3" TERM; echo ready; while :; do sleep 0.05; done'
    process = subprocess.Popen([SENSORBROKERD, "--mock", "--exec", "sh", "-c", script], stdout=subprocess.PIPE,
                               text=True, env=temporary, preexec_fn=die_with_parent)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "asked\n"
    assert process.wait(PATIENCE) == 3


def test_a_temporary_broker_prints_its_socket_and_leaves_nothing_behind(temporary):
    process = subprocess.Popen([SENSORBROKERD, "--mock=hand-held", "--temporary"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env=temporary, preexec_fn=die_with_parent)
    path = process.stdout.readline().strip()
    with Watch(path, ACCELEROMETER) as stream:
        stream.until(lambda s: s.samples, "a reading")
    with Connection(path.replace("Broker", "Admin")) as admin:
        assert admin.result(f"{ADMIN}.GetStatus")["processId"] == process.pid
    process.terminate()
    assert process.wait(PATIENCE) == 0


def test_twenty_brokers_serve_twenty_test_runs_independently(temporary):
    script = (f'set -e; "{SENSORCTL}" watch accelerometer@10ms location@200ms --count 60 --format csv >/dev/null 2>&1 || '
              f'"{SENSORCTL}" watch accelerometer@10ms --count 60 --format csv >/dev/null; '
              f'"{SENSORCTL}" mock unplug accelerometer >/dev/null; until "{SENSORCTL}" list | grep -q unavailable; do sleep 0.05; done; '
              f'"{SENSORCTL}" mock clear >/dev/null; until "{SENSORCTL}" get accelerometer >/dev/null 2>&1; do sleep 0.05; done; '
              f'"{SENSORCTL}" status --format json | grep -o \'"processId":[0-9]*\' | head -n 1; '
              'echo "$SENSORBROKER_SOCKET"')
    processes = [subprocess.Popen([SENSORBROKERD, "--mock=hand-held", "--exec", "sh", "-c", script],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=temporary, preexec_fn=die_with_parent) for _ in range(20)]
    answers = [process.communicate(timeout=PATIENCE * 4) for process in processes]
    assert [process.returncode for process in processes] == [0] * 20, answers
    owners = [out.splitlines()[0] for out, _ in answers]
    sockets = [out.splitlines()[1] for out, _ in answers]
    assert owners == [f'"processId":{process.pid}' for process in processes]
    assert len(set(sockets)) == 20
