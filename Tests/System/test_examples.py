"""The examples as separate programs, built as a user would, run with a daemon and without one."""

import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from tools.daemon import die_with_parent
from tools.programs import PATIENCE, ROOT, SENSORCTL
from tools.users import everybodys

pytestmark = pytest.mark.packages

EXAMPLES = ROOT / "Examples"
BINARIES = EXAMPLES / ".build/debug"

# The names that `features` knows are those in the table of the page.
PAGE_NAMES = re.findall(r"`features ([a-z-]+)`", (ROOT / "docs/programs.md").read_text())


@pytest.fixture(scope="session", autouse=True)
def build():
    command = ["swift", "build", "--build-tests", "--package-path", str(EXAMPLES)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stdout + result.stderr


def arguments(daemon, words, environment):
    """The arguments of `subprocess` for a run: the command, and the address of its broker."""
    transport = {"SENSORBROKER_TRANSPORT": "mock"} if daemon is None else {"SENSORBROKER_SOCKET": daemon.broker}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SENSORBROKER_")}
    return {"args": [str(BINARIES / words[0]), *words[1:]], "env": {**kept, **transport, **environment}, "text": True}


def run(daemon, *words, **environment):
    result = subprocess.run(**arguments(daemon, words, environment), capture_output=True, timeout=PATIENCE * 2)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


@pytest.fixture(params=["daemon", "in-process"])
def broker(request):
    return request.getfixturevalue("daemon") if request.param == "daemon" else None


def test_tests_of_the_examples():
    command = ["swift", "test", "--skip-build", "--package-path", str(EXAMPLES)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"Test run with [1-9]\d* tests .*passed", result.stdout), result.stdout


def test_tilt_logger(broker):
    lines = [line for line in run(broker, "tilt-logger", "5") if not line.startswith("#")]
    assert lines[0] == "nanoseconds,pitchDegrees,rollDegrees"
    rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
    assert len(rows) == 5
    assert all(-90 <= pitch <= 90 and -180 <= roll <= 180 for _, pitch, roll in rows)
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})


def test_the_library_links_neither_foundation_nor_the_daemons_libraries():
    linked = subprocess.run(["ldd", str(BINARIES / "tilt-logger")], capture_output=True, text=True, check=True).stdout
    assert "libswiftCore" in linked or "libc.so" in linked
    for stranger in ("Foundation", "libsystemd", "libgps", "libiio"):
        assert stranger not in linked


ARTICLES = ROOT / "Sources/Library/SensorBroker/SensorBroker.docc"
# What only a broker has, and a client has not.
BROKER = {"Admission", "Delivery", "Devices", "Formats", "GPX", "Gpsd", "IIO", "Mock", "Replay", "Scenarios", "Service",
          "SensorBrokerSimulation", "CExpat", "CGps", "CIio", "CSystemd"}


def test_a_thin_client_depends_on_nothing_of_a_broker():
    dump = subprocess.run(["swift", "package", "dump-package", "--package-path", str(ROOT)], capture_output=True, check=True,
                          timeout=300).stdout
    package = json.loads(dump)
    rooms = {target["name"]: {dependency["byName"][0] for dependency in target["dependencies"]}
             for target in package["targets"]}
    (product,) = [product for product in package["products"] if product["name"] == "SensorBroker"]
    carried, waiting = set(), set(product["targets"])
    while waiting:
        carried |= waiting
        waiting = set().union(*(rooms[room] for room in waiting)) - carried
    assert carried >= {"SensorBroker", "BrokerClient", "Varlink"} and not carried & BROKER


def test_a_thin_client_has_no_code_of_a_broker():
    def rooms(program):
        symbols = subprocess.run(["nm", "-j", str(BINARIES / program)], capture_output=True, text=True, check=True).stdout
        return {room for room in BROKER if re.search(rf"^\$s{len(room)}{room}", symbols, re.MULTILINE)}
    assert not rooms("hiker")
    assert rooms("tilt-logger") >= {"Service", "Delivery", "Mock", "Replay", "SensorBrokerSimulation"}


def test_a_thin_client_says_how_to_get_simulated_sensors():
    for name in ["mock", "mock:indoor", "replay:day.ndjson"]:
        result = subprocess.run(**arguments(None, ["hiker"], {"SENSORBROKER_TRANSPORT": name}), capture_output=True,
                                timeout=PATIENCE)
        assert result.returncode != 0
        assert f"'{name}'" in result.stderr and "add the product SensorBrokerSimulation" in result.stderr, result.stderr


def test_the_program_of_getting_started_is_that_example_and_works(daemon):
    first = re.search(r"^```swift\n(import SensorBroker\n.*?)^```", (ARTICLES / "GettingStarted.md").read_text(), re.DOTALL | re.MULTILINE)
    assert first[1] == (EXAMPLES / "Sources/Hiker/Hiker.swift").read_text()
    started = arguments(daemon, ["hiker"], {})
    started["args"] = ["stdbuf", "-oL", *started["args"]]
    with subprocess.Popen(**started, stdout=subprocess.PIPE, preexec_fn=die_with_parent) as process:
        while not re.match(r"52\.\d+, 13\.\d+ ±", process.stdout.readline()):
            assert process.poll() is None
        process.kill()


TUTORIAL = ARTICLES / "Tutorials"
STEPS = re.findall(r'@Code\(name: "([^"]+)", file: "([^"]+)"\)', (TUTORIAL / "TheTripMeter.tutorial").read_text())


def compile_module(folder, name, files, *options):
    modules = BINARIES / "Modules"
    command = ["swiftc", "-swift-version", "6", "-parse-as-library", "-module-name", name, "-I", str(modules), "-I", str(folder),
               "-Xcc", f"-fmodule-map-file={ROOT}/CLinux/module.modulemap", *options, *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)
    assert result.returncode == 0, result.stderr


def test_each_step_of_the_tutorial_compiles(tmp_path):
    assert len(STEPS) > 8 and {path.name for path in (TUTORIAL / "Code").iterdir()} == {file for _, file in STEPS}
    present = {}
    for name, file in STEPS:
        present[name] = TUTORIAL / "Code" / file
        program = [path for name, path in present.items() if "Tests" not in name]
        compile_module(tmp_path, "Trip", program, "-emit-module", "-enable-testing")
        if "Tests" in name:
            compile_module(tmp_path, "TripTests", [present[name]], "-typecheck")


def test_the_example_of_the_tutorial_is_its_last_step():
    last = dict(STEPS)
    for path in [*EXAMPLES.glob("Sources/Trip/*.swift"), *EXAMPLES.glob("Tests/TripTests/*.swift")]:
        assert path.read_text() == (TUTORIAL / "Code" / last.pop(path.name)).read_text()
    assert not last


def test_a_thousand_intervals_share_one_connection_and_each_gets_readings(daemon):
    lines = run(daemon, "thousand-intervals", "2")
    (streams,) = [line for line in lines if line.startswith("a thousand streams:")]
    # A second one carries changes.
    assert re.search(r", [12] connection$", streams), streams
    (readings,) = [int(line.split()[0]) for line in lines if " readings in " in line]
    # Each has one that was there, one to begin with, and one after that.
    assert readings >= 3_000


def test_a_scenario_is_chosen_by_the_environment():
    lines = run(None, "tilt-logger", "5", SENSORBROKER_TRANSPORT="mock:hand-held")
    assert len([line for line in lines if not line.startswith("#")]) == 6
    result = subprocess.run(**arguments(None, ["tilt-logger"], {"SENSORBROKER_TRANSPORT": "mock:hand-hold"}),
                            capture_output=True, timeout=PATIENCE)
    assert result.returncode == 1 and "did you mean hand-held?" in result.stderr, result


def test_an_error_of_permission_has_a_remedy(daemon):
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else, so a missing permission is NOT tested")
    # The fixture's directory is accessible only to its owner.
    command = arguments(daemon, ["features", "one-shot"], {})
    command["args"][0] = everybodys(command["args"][0])
    result = subprocess.run(**command, capture_output=True, timeout=PATIENCE, user=65534, group=65534, extra_groups=[])
    assert result.returncode != 0
    assert "usermod -aG sensorbroker" in result.stderr, result.stderr


def test_an_invalid_recording_is_an_error_and_not_a_crash(tmp_path):
    for text, words in [(None, "there is no file"), ("junk\n", "line 1 of the recording"), ("", "no reading")]:
        file = tmp_path / "recording"
        if text is not None:
            file.write_text(text)
        command = arguments(None, ["features", "one-instance"], {"SENSORBROKER_TRANSPORT": f"replay:{file}"})
        result = subprocess.run(**command, capture_output=True, timeout=PATIENCE)
        assert result.returncode == 1 and words in result.stderr, result
        assert "Fatal" not in result.stderr


@pytest.mark.parametrize("words", [["watch", "accelerometer@10ms", "--format", "json"], ["record", "accelerometer@10ms"]])
def test_a_recording_of_sensorctl_is_played(daemon, tmp_path, words):
    file = tmp_path / "recording"
    command = [SENSORCTL, "--socket", daemon.broker, *words, "--count", "300"]
    output = subprocess.run(command + ([str(file)] if words[0] == "record" else []), capture_output=True, check=True,
                            timeout=PATIENCE).stdout
    if words[0] == "watch":
        file.write_bytes(output)
    rows = [line for line in run(daemon, "tilt-logger", "5", SENSORBROKER_TRANSPORT=f"replay:{file}")
            if not line.startswith("#")]
    assert len(rows) == 6


def test_a_program_that_was_stopped_does_not_call_its_sensor_stale(daemon):
    """Readings wait in its socket: the broker was not silent."""
    started = arguments(daemon, ["tilt-logger", "1000000"], {})
    started["args"] = ["stdbuf", "-oL", *started["args"]]
    with subprocess.Popen(**started, stdout=subprocess.PIPE, preexec_fn=die_with_parent) as process:
        while process.stdout.readline().startswith(("#", "nanoseconds")):
            pass
        process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        process.send_signal(signal.SIGCONT)
        # The loss is told after what was in the socket.
        lines = list(itertools.takewhile(lambda line: "missing" not in line, process.stdout))
        process.kill()
    assert not [line for line in lines if "stale" in line]


def test_speedometer(broker):
    lines = run(broker, "speedometer", "4")
    assert len(lines) == 4
    assert all(re.fullmatch(r"\d+ km/h", line) for line in lines)


def test_geofence_alarm(broker):
    # Mock locations have an error of some metres: a fence that is left only by chance would be no test.
    lines = run(broker, "geofence-alarm", "5")
    assert lines[0].startswith("The fence is 5.0 m around 52.")
    assert lines[-1] == "Alarm: it has moved."


def test_dashboard(broker):
    lines = run(broker, "dashboard", "6")
    assert len(lines) == 6
    assert any(re.fullmatch(r"(\d+ km/h|no speed) \| x .* m/s²", line) for line in lines)


def test_old_singleton_beside_its_refactored_form(broker):
    lines = run(broker, "singleton", "5")
    assert [line.split(":")[0] for line in lines] == ["before", "after", "retrofitted", "and one connection"]
    assert lines[-1] == "and one connection: 1"


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_feature_of_the_table(broker, name):
    lines = run(broker, "features", name)
    assert any(line.startswith("✓") for line in lines)


def test_every_feature_is_in_the_table():
    usage = run(None, "features")[0].removeprefix("usage: features ").split(" | ")
    assert sorted(usage) == sorted(set(PAGE_NAMES))


def test_memory_pressure_ends_unused_subscriptions(daemon, directory):
    """The pipe is the one that systemd would name in the environment of a service."""
    pipe = os.path.join(directory, "pressure")
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    environment = {"MEMORY_PRESSURE_WATCH": pipe}
    with subprocess.Popen(
            **arguments(daemon, ["features", "memory"], environment), stdout=subprocess.PIPE,
            preexec_fn=die_with_parent) as process:
        assert "waiting" in process.stdout.readline()
        os.write(writer, b"x")
        lines = process.communicate(timeout=PATIENCE)[0].splitlines()
    os.close(writer)
    assert process.returncode == 0
    assert lines[0] == "memory is short: 1 given up"


def test_documentation_has_no_dead_links(tmp_path: pathlib.Path):
    result = subprocess.run([str(ROOT / ".ci/docs"), str(tmp_path / "out")], capture_output=True, text=True, timeout=600)
    if result.returncode == 69:
        pytest.fail("docc is not in this toolchain, so the documentation is NOT checked")
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "out/documentation/sensorbroker/fromsingletontoservice/index.html").exists() or list(
        (tmp_path / "out/data/documentation").rglob("fromsingletontoservice.json"))
