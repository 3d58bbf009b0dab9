"""The Python package as it is built, installed, typed and described."""

import os
import pathlib
import re
import shutil
import signal
import sys
import tarfile
import threading
import time
import zipfile

import pytest

from tools import commands
from tools.commands import start
from tools.programs import ROOT, SENSORBROKERD
from tools.pythonclient import PACKAGE, mock  # noqa: F401  a fixture
from tools.waiting import until

import sensorbroker
from sensorbroker import testing


def test_a_command_runs_with_the_mock_broker(mock):
    script = "import sensorbroker; print(sensorbroker.Broker().read('accelerometer')['z'])"
    done = mock.run(
        [sys.executable, "-c", script], env={**mock.environment, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True)
    assert float(done.stdout) and done.returncode == 0, done


def test_a_scenario_with_an_error_is_told(directory):
    path = pathlib.Path(directory) / "wrong.scenario"
    path.write_text("[accelerometer]\nRatse=1kHz\n")
    with pytest.raises(sensorbroker.InvalidRequest, match="Ratse"):
        testing.MockBroker(path, program=SENSORBROKERD)


def blocks():
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs/clients-python.md").read_text(), re.S)


def test_it_and_the_programs_of_its_page_are_typed(directory):
    """At once: most of the time goes into NumPy's types."""
    for number, block in enumerate(blocks()):
        (pathlib.Path(directory) / f"block{number}.py").write_text(block.replace("import pandas\n", "import pandas  # type: ignore\n"))
    done = commands.run(
        sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "sensorbroker", "examples", directory, cwd=PACKAGE)
    assert done.returncode == 0, done.stdout + done.stderr


class Enough(Exception):
    """The program has shown what it does."""


@pytest.mark.parametrize("number", range(len(blocks()) - 1))
def test_the_programs_of_its_page_run(number, directory, monkeypatch, capsys):
    """Each until it has printed some lines; the last block has tests, which have a test of their own."""
    scenario = pathlib.Path(directory) / "page.scenario"
    scenario.write_text("[location]\nRates=1Hz\n[accelerometer]\nRates=50Hz 4kHz\n[gyroscope]\nRates=50Hz 100Hz\n")
    feeds = ["accelerometer:arm", "gyroscope:arm", "light:desk"]
    printed = []

    def take(*words, **_):
        printed.append(words)
        if len(printed) == 2:
            # A busy host: then a reading has several samples.
            mock._process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            mock._process.send_signal(signal.SIGCONT)
        if len(printed) >= 5:
            raise Enough

    def want(resource):
        """Somebody who wants what a program of the page provides."""
        try:
            until(lambda: any(one.name == resource for one in mock.broker().list()), resource)
            for _ in mock.broker().subscribe(resource):
                pass
        except (AssertionError, sensorbroker.SensorError):
            pass

    with testing.MockBroker(scenario, program=SENSORBROKERD, feeds=feeds) as mock:
        monkeypatch.setenv("SENSORBROKER_SOCKET", mock.socket)
        for resource in re.findall(r'provide\("(.*?)"', blocks()[number]):
            threading.Thread(target=want, args=[resource], daemon=True).start()
        try:
            exec(compile(blocks()[number], f"block {number}", "exec"), {"print": take, "__name__": "page"})
        except Enough:
            pass
    assert printed


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A directory with the package as wheel and as source, built from a copy: a build leaves files behind."""
    source, out = tmp_path_factory.mktemp("source") / "python", tmp_path_factory.mktemp("built")
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    done = commands.run(sys.executable, "-m", "build", "--outdir", out, source)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_the_tests_of_its_page_pass_where_it_is_installed(built, directory):
    """Nothing is imported or named there: pytest finds the fixtures."""
    place = pathlib.Path(directory)
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place / "site")
    (place / "test_mine.py").write_text(blocks()[-1])
    done = commands.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", place / "test_mine.py",
        cwd=directory, environment={"PYTHONPATH": str(place / "site"), "SENSORBROKERD": SENSORBROKERD})
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_it_builds_as_wheel_and_as_source(built):
    """With what an installed package needs: types, and the entry point by which pytest finds the fixtures."""
    [wheel], [source] = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    modules = {str(path.relative_to(PACKAGE)) for path in (PACKAGE / "sensorbroker").rglob("*.py")} | {"sensorbroker/py.typed"}
    assert modules <= names and not [name for name in names if "examples" in name]
    with tarfile.open(source) as archive:
        assert {name.split("/", 1)[-1] for name in archive.getnames()} >= modules | {"README.md", "pyproject.toml"}


def test_it_has_the_version_of_the_daemon():
    done = commands.run(SENSORBROKERD, "--version")
    assert sensorbroker.__version__ in done.stdout.split(), done.stdout


def test_the_example_of_a_logger_logs_what_is_missing():
    with testing.FakeBroker() as fake:
        fake.add("accelerometer", "acceleration", x="m/s²")
        logger = start(sys.executable, PACKAGE / "examples/logger.py", broker=fake.socket, environment={"PYTHONPATH": str(PACKAGE)})
        fake.await_stream("accelerometer")
        fake.reading("accelerometer", x=1.5, timestamp_ns=7)
        fake.gap("accelerometer", count=2)
        fake.reading("accelerometer", x=[2.5, 3.5], timestamp_ns=9, period_ns=1)
        lines = []
        while not lines or not lines[-1].startswith("10,"):
            lines.append(logger.stdout.readline().strip())
        logger.send_signal(2)
        assert logger.wait() == 0
    assert lines[-4:] == ["7,1.5", "# accelerometer: 2 readings missing in 1 s (deviceOverflow)", "9,2.5", "10,3.5"]
