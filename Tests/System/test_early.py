"""A program that asks a broker which was started just before waits for its socket: `sensorbrokerd & sensorctl list`."""

import shutil
import subprocess
import sys

import pytest

from tools.commands import start
from tools.programs import PATIENCE, ROOT, SENSORCTL

sys.path.insert(0, str(ROOT / "Clients/conformance"))

import clients  # noqa: E402
from scripted_broker import ScriptedBroker  # noqa: E402

# Each client's own program, which asks for the list; `list` is its command on standard input.
PROGRAMS = {
    "sensorctl": lambda path: [SENSORCTL, "list", "--format", "json", "--socket", path],
    **{client.name: (lambda path, client=client: client(path).command_line(())) for client in clients.ALL if client.name != "sensorctl"},
}
# The sanitizers' search for leaks does not work under strace.
ENVIRONMENT = {"PYTHONPATH": str(ROOT / "Clients/python"), "ASAN_OPTIONS": "detect_leaks=0"}


@pytest.mark.skipif(not shutil.which("strace"), reason="NOT RUN: strace is not installed")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_waits_for_a_socket_that_is_about_to_be(name, tmp_path):
    server = ScriptedBroker(tmp_path / "broker")
    server.listen()
    # Its first look finds nothing, however fast or slow the host is.
    process = start("strace", "-f", "-qq", "-e", "trace=connect", "-e", "inject=connect:error=ENOENT:when=1", "-e", "signal=none",
                    "-o", tmp_path / "trace", *PROGRAMS[name](server.path), stdin=subprocess.PIPE, environment=ENVIRONMENT)
    try:
        process.stdin.write("list\n")
        process.stdin.flush()
        server.next("ListResources").reply({"resources": [{
            "name": "accelerometer", "kind": "acceleration", "state": "active", "simulated": True, "minimumIntervalNanoseconds": 1,
            "maximumIntervalNanoseconds": 2, "defaultIntervalNanoseconds": 2}]})
        assert '"accelerometer"' in process.stdout.readline()
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert "INJECTED" in (tmp_path / "trace").read_text().splitlines()[0]
    finally:
        process.kill()
        process.wait()
        server.close()
