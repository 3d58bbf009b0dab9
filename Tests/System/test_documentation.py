"""The documentation's statements about tests, files and commands are true."""

import os
import re
import signal
import subprocess

import pytest

from tools.commands import run
from tools.daemon import die_with_parent
from tools.programs import PATIENCE, ROOT, SENSORBROKERD, SENSORCTL
from tools.stream import Stream
from tools.waiting import until

FAULTS = (ROOT / "docs/faults.md").read_text()
SENSORS = (ROOT / "docs/sensors.md").read_text()
FLEET = (ROOT / "docs/fleet.md").read_text()


@pytest.mark.parametrize("module, name", sorted(set(re.findall(r"`(test_\w+)::(test_\w+)`", FAULTS + SENSORS + FLEET))))
def test_each_named_test_exists(module, name):
    assert any(re.search(rf"def {name}\b", path.read_text()) for path in ROOT.glob(f"Tests/*/{module}.py"))


@pytest.mark.parametrize("suite, title", sorted(set(re.findall(r'`(\w+Tests)` "([^"]+)"', FAULTS + FLEET))))
def test_each_named_unit_test_exists(suite, title):
    assert any(f'"{title}"' in path.read_text() for path in ROOT.glob(f"Tests/**/{suite}.swift"))


def test_each_named_file_and_folder_exists():
    """`Room/File`: a file of a room, in whichever folder of it."""
    rooms = {path.name: path for path in (ROOT / "Sources").glob("*/*")}
    named = {(room, file) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
             for room, file in re.findall(r"`(\w+)/([\w+/]+)(?:\.\w+)?`", page.read_text()) if room in rooms}
    assert len(named) > 60
    assert not [(room, file) for room, file in named
                if not [*rooms[room].rglob(file), *rooms[room].rglob(f"{file}.swift")]]


def test_each_state_and_each_cause_of_a_gap_is_explained():
    """Where pages link to, and in the manual: those of the interface, and no others."""
    interface = (ROOT / "Sources/Ground/Varlink/Interfaces/io.sensorbroker.Broker.varlink").read_text()
    states = re.findall(r"'(\w+)' \(", re.search(r"((?:  #.*\n)+)  state: string", interface)[1]) + ["starting", "active"]
    causes = re.findall(r"# '(\w+)':", re.search(r"((?:  #.*\n)+)  cause: string", interface)[1])
    assert len(states) == 7 and len(causes) == 6
    tables = document("delivery.md").split("## States and gaps\n")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", tables, re.M)) == sorted(states + causes)
    manual = (ROOT / "docs/man/sensorbroker.7").read_text().split(".It gap\n")[1].split(".Ss Guarantees")[0]
    assert sorted(re.findall(r"^\.It Li (\w+)$", manual, re.M)) == sorted(states + causes)


def test_the_table_has_all_rows_and_each_has_a_test():
    rows = [line for line in FAULTS.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, len(rows) + 1)) and len(rows) > 26
    assert all(re.search(r"`test_\w+::test_|Tests` \"", row) for row in rows)


def test_the_architecture_names_each_part_of_the_repository():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    parts = {re.match(r"(?:Clients/)?[^/]+/", path)[0].rstrip("/") for path in listed if path.count("/") > 1}
    named = set(re.findall(r"\]\(\.\./(\w[\w/-]*)\)", document("architecture.md")))
    assert not sorted(part for part in parts - named - {".ci"} if not part.startswith("Tests"))


def test_each_kind_of_sensor_has_a_row_of_where_it_is_tested_or_a_test_with_files_as_in_sysfs():
    kinds, tested = (re.findall(r"^\| `(\w+)` \|", SENSORS[SENSORS.index(heading):].partition("\n\n#")[0], re.MULTILINE)
                     for heading in ("| resource | kind |", "## Where each kind is tested"))
    assert set(tested) < set(kinds) and len(tested) == len(set(tested)) > 14
    served = re.findall(r'"(\w+)": ', (ROOT / "Tests/System/test_converters.py").read_text())
    assert set(kinds) - set(tested) <= set(served)


def commands_of_the_shell():
    """The lines of the page, without their comments, and with the alternatives that the comments name for
    "unplug".
    """
    block = re.search(r"((?:^    .*\n)+)", document("shell.md"), re.MULTILINE)[1]
    lines = [re.sub(r"\s+#.*", "", line.strip()) for line in block.splitlines()]
    faults = re.search(r"# a fault of a simulated device; (.*), \.\.\.", block)[1].split(", ")
    assert len(lines) > 10 and len(faults) > 2
    return lines + [f"sensorctl mock {fault}" for fault in faults]


def has_output(folder):
    """Whether a command has produced its output; for one that records, that is a position."""
    for path in folder.iterdir():
        text = path.read_text()
        if text and (path.suffix != ".ndjson" or "latitudeDegrees" in text):
            return True
    return False


def test_the_commands_of_the_page_work(daemon, tmp_path):
    environment = {**os.environ, "PATH": f"{os.path.dirname(SENSORCTL)}:{os.environ['PATH']}",
                   "SENSORBROKER_SOCKET": daemon.broker}
    with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
        for number, line in enumerate(commands_of_the_shell()):
            # The stream has served its purpose by the time that its process is disconnected.
            line = line.replace("SUBSCRIPTION", stream.subscription).replace(" 4242", f" {os.getpid()}")
            # test_top has a terminal.
            line += " --once" if line.endswith(" top") else ""
            folder = tmp_path / str(number)
            folder.mkdir()
            # An export and a report need the recording that was made before.
            for recording in tmp_path.glob("*/*.ndjson"):
                if " export " in line or " plot " in line:
                    (folder / recording.name).write_text(recording.read_text())
            endless = " watch " in line and "--count" not in line or " record " in line
            status, notes = play(line, folder, environment, endless)
            assert status in ((0, -signal.SIGINT) if endless else (0,)), (line, notes)


def test_the_page_has_each_exit_status():
    """But those of a monitoring plugin."""
    told = re.search(r"Exit status: (.*?)\.", document("shell.md"), re.DOTALL)[1]
    manual = (ROOT / "docs/man/sensorctl.1").read_text().split(".Sh EXIT STATUS")[1].split(".El")[0]
    assert re.findall(r"\b\d+\b", told) == [number for number in re.findall(r"^\.It (\d+)$", manual, re.M) if number not in "123"]


def play(line, folder, environment, endless):
    """Runs a command, an endless one until it has said something; returns its status and what it wrote to standard error."""
    with open(folder / "output", "w") as output:
        process = subprocess.Popen(["bash", "-c", f"exec {line}"], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.PIPE, text=True, cwd=folder, env=environment,
                                   preexec_fn=die_with_parent)
    if endless:
        until(lambda: has_output(folder) or process.poll() is not None, f"output of {line}")
        process.send_signal(signal.SIGINT)
    _, notes = process.communicate(timeout=PATIENCE)
    return process.returncode, notes


def document(name):
    return (ROOT / "docs" / name).read_text()


def blocks(text):
    """The indented examples, each as a list of lines."""
    return [[line[4:] for line in block.splitlines()] for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))*)+", text, re.MULTILINE)]


def commands(text):
    """The lines of the examples that run one of the programs, without their comments."""
    lines = [re.sub(r"\s+#.*", "", line) for block in blocks(text) for line in block]
    return [line for line in lines if re.match(r"(sudo )?(sensorctl|sensorbrokerd) ", line)]


PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]


def test_packages_are_installed_from_where_they_are_made():
    """And Python's outside of a package only where Debian's Python takes any."""
    text = "".join(page.read_text() for page in PAGES)
    packages = re.findall(r"\S+_\*\.deb", text)
    assert len(packages) > 4 and all(package.startswith("./.build/deb/") for package in packages), packages
    assert [line for line in text.splitlines() if "pip install" in line and "virtual environment" not in line] == []


def test_a_broker_of_the_readme_ends_before_the_service_begins():
    """It would hold the hardware's locks, and the service end with 69."""
    readme = PAGES[0].read_text()
    begun = [lines for lines in blocks(readme) if any(re.search(r"sensorbrokerd .*&( |$)", line) for line in lines)]
    assert begun and all(lines[-1].startswith("kill %1; unset SENSORBROKER_SOCKET") for lines in begun)


def test_a_serial_line_is_told_nothing_of_what_it_says():
    """`stty raw` leaves the echo on: a sketch would read its own lines."""
    lines = [line for page in PAGES for line in page.read_text().splitlines() if re.search(r"\bstty\b.* raw", line)]
    assert len(lines) > 2 and all("-echo" in line for line in lines), lines


class Newcomer:
    """Types the examples of a document into a shell, in a folder with the files that they name.

    If an example runs a broker until Ctrl-C, the broker runs one command instead. `pytest` is a program that requests a
    reading from its broker.
    """

    def __init__(self, folder):
        self.folder = folder
        programs = folder / "programs"
        programs.mkdir()
        for name, program in (("sensorctl", SENSORCTL), ("sensorbrokerd", SENSORBROKERD)):
            (programs / name).symlink_to(program)
        (programs / "pytest").write_text("#!/bin/sh\nexec sensorctl get accelerometer\n")
        (programs / "pytest").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

    def types(self, line, **environment):
        if line.startswith("sensorbrokerd ") and "--check" not in line and "--exec" not in line:
            line += " --exec sensorctl list"
        result = run("bash", "-c", line, cwd=self.folder, env={**self.environment, **environment})
        assert result.returncode == 0, (line, result)
        return result.stdout


@pytest.fixture
def newcomer(tmp_path):
    return Newcomer(tmp_path)


def test_the_commands_of_the_guide_to_recordings_work_in_sequence(daemon, newcomer):
    lines = commands(document("recording.md"))
    assert len(lines) == 9
    first, *others = lines
    # Ctrl-C ends it.
    assert first.startswith("sensorctl record ")
    process = subprocess.Popen(["bash", "-c", f"exec {first}"], cwd=newcomer.folder, stderr=subprocess.DEVNULL,
                               env={**newcomer.environment, "SENSORBROKER_SOCKET": daemon.broker}, preexec_fn=die_with_parent)
    until(lambda: process.poll() is not None or any("latitudeDegrees" in path.read_text() for path in newcomer.folder.glob("*.ndjson")),
          "a recorded location")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    for line in others:
        if " import tour.gpx" in line:
            (newcomer.folder / "tour.gpx").write_text((newcomer.folder / "drive.gpx").read_text())
        if line.startswith("sensorctl record"):
            newcomer.types(line + " --for 1s", SENSORBROKER_SOCKET=daemon.broker)
        else:
            newcomer.types(line)
    assert len(list(newcomer.folder.glob("log-*.ndjson.zst"))) >= 1
    assert {path.name for path in newcomer.folder.iterdir()} >= {"drive.gpx", "drive.csv", "drive.html", "drive.mcap", "tour.ndjson"}


def test_the_commands_of_the_guide_to_simulated_sensors_work(newcomer):
    text = document("mock.md")
    (scenario,) = [block for block in blocks(text) if block[0] == "[Scenario]"]
    (newcomer.folder / "my.scenario").write_text("\n".join(scenario) + "\n")
    lines = [line for line in commands(text) if " watch " not in line]
    assert len(lines) == 7
    for line in lines:
        assert newcomer.types(line)


def rows(text, heading):
    """The first cells of the table under a heading, as far as they are in backticks."""
    table = text.split(heading, 1)[1].split("|\n\n")[0]
    return [cell for cells in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for cell in re.findall(r"`([^`]+)`", cells)]


@pytest.mark.parametrize("fault", rows(document("mock.md"), "| fault | what happens |"))
def test_each_fault_of_the_guide_can_be_caused(daemon, newcomer, fault):
    newcomer.types(f"sensorctl mock {fault}", SENSORBROKER_SOCKET=daemon.broker)


@pytest.mark.parametrize("section, key", [
    (section, key) for section, heading in [
        ("Scenario", "`[Scenario]`:"), ("location", "`[location]` and `[location:NAME]`:"),
        ("accelerometer", "`[accelerometer]` and `[accelerometer:1]`"), ("magnetometer", "`[magnetometer]` has a further one"),
    ] for key in rows(document("mock.md"), heading) if "=" in key and not key.endswith("=")])
def test_each_key_of_the_guide_is_accepted(newcomer, section, key):
    points = "".join(f'<trkpt lat="52.{place}" lon="13.4"><time>2026-01-01T00:00:0{place}Z</time></trkpt>' for place in range(1, 4))
    (newcomer.folder / "track.gpx").write_text(f"<gpx><trk><trkseg>{points}</trkseg></trk></gpx>")
    (newcomer.folder / "log.csv").write_text("t,ax,ay,az\n0,0,0,9.8\n1,0,0,9.9\n")
    others = {"Columns": "Csv=log.csv", "Unit": "Csv=log.csv", "TimeUnit": "Csv=log.csv",
              "Waypoint": "Waypoint=52.5, 13.5\nSpeed=10m/s", "Speed": "Waypoint=52.5, 13.5\nWaypoint=52.6, 13.5",
              "AtEnd": "Waypoint=52.5, 13.5\nWaypoint=52.6, 13.5" if section == "location" else "Motion=still for 10s"}
    other = others.get(key.split("=")[0], "") if section != "Scenario" else ""
    device = {"PartOf": "[gyroscope]\n", "MountedOn": "[gyroscope]\n", "TemperatureDrift": "[temperature]\n"}.get(
        key.split("=")[0], "") if section == "accelerometer" else ""
    (newcomer.folder / "one.scenario").write_text(f"{device}[{section}]\n{other}\n{key}\n")
    newcomer.types("sensorbrokerd --mock=one.scenario --check")


@pytest.mark.parametrize("motion", rows(document("mock.md"), "| motion | |"))
def test_each_motion_of_the_guide_is_accepted(newcomer, motion):
    (newcomer.folder / "one.scenario").write_text(f"[accelerometer]\nMotion={motion}\n")
    newcomer.types("sensorbrokerd --mock=one.scenario --check")


def test_a_broker_for_several_steps_of_a_test_works_as_in_the_guide(newcomer):
    (block,) = [block for block in blocks(document("mock.md")) if block[0].startswith("read -r SENSORBROKER_SOCKET")]
    said = newcomer.types("\n".join(block + ["sensorctl list", "echo $SENSORBROKER_SOCKET $broker"]))
    assert "accelerometer" in said
    path, broker = said.split()[-2:]
    # It ends with the shell, and leaves nothing.
    until(lambda: not os.path.exists(os.path.dirname(path)) and not os.path.exists(f"/proc/{broker}"), "the end of the broker")
