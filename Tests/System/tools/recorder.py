"""`sensorctl record` as a process."""

import os
import subprocess

from tools.daemon import die_with_parent
from tools.programs import PATIENCE, SENSORCTL


class Recorder:
    """`sensorctl record` with a daemon."""

    def __init__(self, daemon, *words, **options):
        environment = {**os.environ, "SENSORBROKER_SOCKET": daemon.broker, "LC_ALL": "C"}
        self.process = subprocess.Popen(
            [SENSORCTL, "record", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=options.pop("before", die_with_parent))

    def wait(self, status=0):
        output, notes = self.process.communicate(timeout=PATIENCE * 2)
        assert (self.process.returncode, output) == (status, ""), notes
        return notes

    def stop(self, number, status=0):
        self.process.send_signal(number)
        return self.wait(status)


def record(daemon, *words, **options):
    return Recorder(daemon, *words, **options).wait()
