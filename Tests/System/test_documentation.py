"""What the documentation says about tests is true."""

import os
import re
import signal
import subprocess
import time

import pytest

from daemon import die_with_parent
from programs import PATIENCE, ROOT, SENSORCTL
from stream import Stream

FAULTS = (ROOT / "docs/faults.md").read_text()


@pytest.mark.parametrize("module, name", sorted(set(re.findall(r"`(test_\w+)::(test_\w+)`", FAULTS))))
def test_a_test_that_is_named_is_there(module, name):
    assert any(re.search(rf"def {name}\b", path.read_text()) for path in ROOT.glob(f"Tests/*/{module}.py"))


@pytest.mark.parametrize("suite, title", sorted(set(re.findall(r'`(\w+Tests)` "([^"]+)"', FAULTS))))
def test_a_unit_test_that_is_named_is_there(suite, title):
    assert any(f'"{title}"' in path.read_text() for path in ROOT.glob(f"Tests/*/{suite}.swift"))


def test_the_table_has_all_rows_and_each_has_a_test():
    rows = [line for line in FAULTS.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, len(rows) + 1)) and len(rows) > 26
    assert all(re.search(r"`test_\w+::test_|Tests` \"", row) for row in rows)


def commands_of_the_readme():
    """The lines below "From the shell", without their comments, and what the comments say can stand for "unplug"."""
    block = re.search(r"^## From the shell\n\n((?:    .*\n)+)", (ROOT / "README.md").read_text(), re.MULTILINE)[1]
    lines = [re.sub(r"\s+#.*", "", line.strip()) for line in block.splitlines()]
    faults = re.search(r"# a fault of a simulated device; (.*), \.\.\.", block)[1].split(", ")
    assert len(lines) > 10 and len(faults) > 2
    return lines + [f"sensorctl mock {fault}" for fault in faults]


def has_output(folder):
    """Whether a command has got as far as its output, which is a position where it records."""
    for path in folder.iterdir():
        text = path.read_text()
        if text and (path.suffix != ".ndjson" or "latitudeDegrees" in text):
            return True
    return False


def test_the_commands_of_the_readme_do_what_they_say(daemon, tmp_path):
    environment = {**os.environ, "PATH": f"{os.path.dirname(SENSORCTL)}:{os.environ['PATH']}",
                   "SENSORBROKER_SOCKET": daemon.broker}
    with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
        for number, line in enumerate(commands_of_the_readme()):
            line = line.replace("SUBSCRIPTION", stream.subscription)
            folder = tmp_path / str(number)
            folder.mkdir()
            # An export is of what was recorded before.
            for recording in tmp_path.glob("*/*.ndjson"):
                if " export " in line:
                    (folder / recording.name).write_text(recording.read_text())
            with open(folder / "output", "w") as output:
                process = subprocess.Popen(["bash", "-c", f"exec {line}"], stdin=subprocess.DEVNULL, stdout=output,
                                           stderr=subprocess.PIPE, text=True, cwd=folder, env=environment,
                                           preexec_fn=die_with_parent)
            endless = " watch " in line and "--count" not in line or " record " in line
            deadline = time.monotonic() + PATIENCE
            while endless and not has_output(folder) and process.poll() is None:
                assert time.monotonic() < deadline, line
                time.sleep(0.02)
            if endless:
                process.send_signal(signal.SIGINT)
            _, notes = process.communicate(timeout=PATIENCE)
            assert process.returncode in ((0, -signal.SIGINT) if endless else (0,)), (line, notes)
