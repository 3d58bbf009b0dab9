"""The registers of a chip on the i2c-stub bus, set by SMBus words as the chip itself would set them."""

import ctypes
import fcntl
import os
import pathlib

I2C_SLAVE_FORCE = 0x0706
I2C_SMBUS = 0x0720
WRITE, BYTE_DATA, WORD_DATA = 0, 2, 3
ADDRESS = 0x0F


class Transfer(ctypes.Structure):
    _fields_ = [("write", ctypes.c_uint8), ("command", ctypes.c_uint8), ("size", ctypes.c_uint32),
                ("data", ctypes.c_void_p)]


class Registers:
    def __init__(self, address=ADDRESS, registers=((0x0F, 0x08),)):
        names = {path.name: (path / "name").read_text() for path in pathlib.Path("/sys/class/i2c-dev").iterdir()}
        self.bus = next(int(name[4:]) for name, words in names.items() if "stub" in words)
        self.file = os.open(f"/dev/i2c-{self.bus}", os.O_RDWR)
        fcntl.ioctl(self.file, I2C_SLAVE_FORCE, address)
        for register, value in registers:
            self.transfer(register, BYTE_DATA, value)

    def transfer(self, register, size, value):
        data = ctypes.create_string_buffer(value.to_bytes(2, "little"), 34)
        fcntl.ioctl(self.file, I2C_SMBUS, Transfer(WRITE, register, size, ctypes.addressof(data)))

    def set(self, register, words):
        """Sets words one after the other."""
        for index, word in enumerate(words):
            self.transfer(register + 2 * index, WORD_DATA, word & 0xFFFF)
