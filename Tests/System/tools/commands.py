"""Programs as processes that end with the test run: sensorctl, and any other that a test starts for a moment."""

import os
import subprocess
import sys

from tools.daemon import die_with_parent
from tools.programs import PATIENCE, SENSORCTL


def settings(broker=None, environment=None, **options):
    """The options of `subprocess`: nothing to read if there is no `input`, and output and errors as text.

    The broker is a daemon, or the path of a socket; an environment is added to that of the tests.
    """
    socket = {} if broker is None else {"SENSORBROKER_SOCKET": str(getattr(broker, "broker", broker))}
    nothing = {} if "input" in options else {"stdin": subprocess.DEVNULL}
    return {**nothing, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
            "preexec_fn": die_with_parent, "env": {**os.environ, **socket, **(environment or {})}, **options}


def start(*words, **options):
    """Starts a program."""
    return subprocess.Popen([str(word) for word in words], **settings(**options))


def run(*words, patience=PATIENCE, **options):
    """Runs a program to its end, whatever its status is."""
    return subprocess.run([str(word) for word in words], timeout=patience, **settings(**options))


def must(*words, **options):
    """Runs a program, which must succeed; returns its output."""
    result = run(*words, **options)
    assert result.returncode == 0, result
    return result.stdout


def sensorctl(*words, status=0, **options):
    """Runs sensorctl, which must end with a status; returns its output, or its errors if it is to fail."""
    result = run(SENSORCTL, *words, **options)
    assert result.returncode == status, result
    return result.stdout if status == 0 else result.stderr


def peak(*words):
    """The peak memory of sensorctl during a command, in KiB. getrusage(2)

    Measured by a small helper process, since a child's figure includes the memory of its parent at the time of the
    fork; and at the same addresses each time, since those decide by hundreds of KiB what of the libraries is mapped. personality(2)
    """
    # ADDR_NO_RANDOMIZE; a container may forbid it.
    script = ("import ctypes, resource, subprocess, sys; ctypes.CDLL(None).personality(0x40000); subprocess.run(sys.argv[1:], check=True); "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    return int(must(sys.executable, "-S", "-c", script, SENSORCTL, *words))


class Command:
    """sensorctl with a fixed environment: no terminal, no colours, one broker."""

    def __init__(self, broker):
        self.options = {"broker": broker, "environment": {"TZ": "UTC", "LC_ALL": "C.UTF-8"}}

    def run(self, *arguments, **environment):
        return run(SENSORCTL, *arguments, **{**self.options, "environment": {**self.options["environment"], **environment}})

    def output(self, *arguments):
        """Standard output of a call that must succeed without messages."""
        result = self.run(*arguments)
        assert (result.returncode, result.stderr) == (0, ""), (arguments, result)
        return result.stdout

    def failure(self, status, *arguments, **environment):
        """Standard error of a call that must end with a status and without output."""
        result = self.run(*arguments, **environment)
        assert (result.returncode, result.stdout) == (status, ""), (arguments, result)
        assert result.stderr.startswith("sensorctl: ") and result.stderr.endswith("\n"), result.stderr
        return result.stderr

    def start(self, *arguments):
        return start(SENSORCTL, *arguments, **self.options)
