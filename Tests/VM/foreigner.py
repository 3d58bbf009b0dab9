"""Another program with libiio, which opens a device as if it were the only one."""

import subprocess
import sys

PROGRAM = """
import ctypes, sys
iio = ctypes.CDLL("libiio.so.0", use_errno=True)
for name in ("iio_create_local_context", "iio_context_find_device", "iio_device_find_channel", "iio_device_create_buffer"):
    getattr(iio, name).restype = ctypes.c_void_p
device = ctypes.c_void_p(iio.iio_context_find_device(ctypes.c_void_p(iio.iio_create_local_context()), sys.argv[1].encode()))
iio.iio_channel_enable(ctypes.c_void_p(iio.iio_device_find_channel(device, b"accel_x", False)))
buffer = iio.iio_device_create_buffer(device, ctypes.c_size_t(4), False)
print("has it" if buffer else ctypes.get_errno(), flush=True)
sys.stdin.read()
"""


class Foreigner:
    """Continues to run after its attempt; `answer` is the error, or says that it has the device."""

    def __init__(self, device):
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()

    def leave(self):
        self.process.communicate("")
