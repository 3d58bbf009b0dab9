"""An IMU behind an iiod of the tests' own."""

import json
import struct
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


class Played:
    """playediiod.py as a process: devices that play samples."""

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
        self.process = subprocess.Popen(
            ["python3", str(ROOT / "Tests/Support/playediiod.py"), str(folder / "devices.json")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def began(self):
        """The instant from which the seconds of the rows count; it waits until a buffer is opened."""
        return int(self.process.stdout.readline().split()[1])

    def close(self):
        self.process.kill()
        self.process.wait()
