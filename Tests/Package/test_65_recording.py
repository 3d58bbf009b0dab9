"""Recording as a service, and metrics for node_exporter, as systemd runs them."""

import os
import pathlib
import shutil
import signal

import pytest

from host import attempt, eventually, forget_recordings, run, show

RECORDER = "sensorbroker-record@accelerometer.service"
RECORDED = pathlib.Path("/var/lib/sensorbroker-record/accelerometer")
METRICS = "sensorbroker-metrics.service"
COLLECTED = pathlib.Path("/var/lib/prometheus/node-exporter")


@pytest.fixture(scope="module", autouse=True)
def tidy():
    yield
    forget_recordings()
    shutil.rmtree(COLLECTED.parent, ignore_errors=True)


@pytest.fixture
def recorder(broker, sensor):
    former = files()
    run("systemctl", "start", RECORDER)
    eventually(lambda: len(files()) > len(former) and readings(files()[-1]) > 0, "readings in a file of its own")
    yield
    run("systemctl", "stop", RECORDER)


def files():
    return sorted(RECORDED.glob("accelerometer-*.ndjson.zst"))


def readings(path):
    """How many samples of a file can be read; 0 if it has none yet."""
    result = attempt("sensorctl", "export", path, "--to", "csv")
    return max(0, result.stdout.count("\n") - 1)


def test_a_resource_is_recorded_by_a_user_with_no_other_rights(recorder):
    eventually(lambda: files() and readings(files()[-1]) > 10, "readings in the file")
    user = os.stat(f"/proc/{show('MainPID', RECORDER)}").st_uid
    assert user != 0 and os.stat(files()[-1]).st_uid == user
    assert os.stat(files()[-1]).st_mode & 0o777 == 0o640


def test_reload_begins_a_new_file(recorder):
    before = files()
    run("systemctl", "reload", RECORDER)
    eventually(lambda: len(files()) > len(before) and readings(files()[-1]) > 0, "readings in another file")
    assert files()[:len(before)] == before and readings(before[-1]) > 0


def test_a_killed_recorder_goes_on_in_a_new_file(recorder):
    before = files()
    process = show("MainPID", RECORDER)
    os.kill(int(process), signal.SIGKILL)
    eventually(lambda: len(files()) > len(before) and readings(files()[-1]) > 0, "readings in another file")
    assert show("MainPID", RECORDER) != process
    assert files()[:len(before)] == before and readings(before[-1]) > 0


def test_metrics_are_written_where_node_exporter_reads_them(broker, sensor):
    COLLECTED.mkdir(parents=True, exist_ok=True)
    run("systemctl", "start", METRICS)
    assert (show("Result", METRICS), show("ExecMainStatus", METRICS)) == ("success", "0")
    text = (COLLECTED / "sensorbroker.prom").read_text()
    assert "sensorbroker_up 1\n" in text and 'resource="accelerometer"' in text
    assert [path.name for path in COLLECTED.iterdir()] == ["sensorbroker.prom"]


@pytest.mark.parametrize("unit", [RECORDER, METRICS])
def test_the_sandbox_scores_1_5_or_better(unit):
    result = attempt("systemd-analyze", "security", "--threshold=15", "--no-pager", unit)
    assert result.returncode == 0, result.stdout[-600:] + result.stderr
