"""An iiod of the tests' own, and an IMU behind it."""

import json
import struct
import subprocess
import sys

from tools.daemon import die_with_parent
from tools.programs import ROOT


class Iiod:
    """A script of Tests/Support as a process."""

    def __init__(self, script, *options):
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "Tests/Support" / script), *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def close(self):
        self.process.kill()
        self.process.wait()


class FakeIiod(Iiod):
    """One that does as it is ordered."""

    def __init__(self, *options):
        super().__init__("fakeiiod.py", *options)

    def order(self, command):
        print(command, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == f"ok {command}\n"


class Imu(FakeIiod):
    """One with channels of two kinds in its device, unless the options say otherwise."""

    def __init__(self, *options):
        super().__init__("--type", "accel,anglvel", *options)


class Played(Iiod):
    """One with devices that play samples."""

    KINDS = ("anglvel", "accel", "magn")
    #: The least count in the unit of the kernel: rad/s, m/s², gauss.
    COUNTS = (1e-5, 1e-4, 1e-5)

    def __init__(self, folder, *devices, **more):
        """Of each device the hertz that it claims, its kinds, and rows of seconds and a vector of each kind, in the broker's units."""
        described = {}
        for number, (hertz, kinds, rows) in enumerate(devices):
            path = folder / f"{number}.rows"
            scales = [self.COUNTS[self.KINDS.index(kind)] for kind in kinds]
            with open(path, "wb") as file:
                for seconds, *vectors in rows:
                    counts = [round(value / scale / (100 if kind == "magn" else 1))
                              for kind, scale, vector in zip(kinds, scales, vectors, strict=True) for value in vector]
                    file.write(struct.pack(f"<{1 + len(counts)}q", round(seconds * 1e9), *counts))
            described[f"iio:device{number}"] = {
                "types": kinds, "hz": hertz, "rows": str(path), "scales": {kind: f"{scale:.5f}" for kind, scale in zip(kinds, scales)}, **more}
        (folder / "devices.json").write_text(json.dumps(described))
        super().__init__("playediiod.py", str(folder / "devices.json"))

    def began(self):
        """The instant from which the seconds of the rows count; it waits until a buffer is opened."""
        return int(self.process.stdout.readline().split()[1])
