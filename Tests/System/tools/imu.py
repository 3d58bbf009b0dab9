"""An IMU behind an iiod of the tests' own."""

import subprocess

from tools.daemon import die_with_parent
from tools.programs import ROOT


class Imu:
    """fakeiiod.py as a process, with channels of two kinds in its device."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            ["python3", str(ROOT / "Tests/Support/fakeiiod.py"), "--type", "accel,anglvel", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def tell(self, command):
        print(command, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == f"ok {command}\n"

    def close(self):
        self.process.kill()
        self.process.wait()
