"""Runs a program as on Linux 5.4: a call that is newer fails with an error.

usage: oldkernel.py ERROR PROGRAM [ARGUMENT]...

ENOSYS is what an old kernel answers, EPERM what the filter of an old container does.
"""

import ctypes
import errno
import os
import struct
import sys

# New calls have one number on all architectures; this is the first one after those of 5.4.
FIRST_NEWER = 436
EPOLL_PWAIT2 = 441

NO_NEW_PRIVILEGES, SET_FILTER, FILTER_MODE = 38, 22, 2
LOAD, JUMP_IF_NOT_LESS, RETURN = 0x20, 0x35, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def forget_newer_calls(error):
    """Makes this process, and those that it starts, fail with an error number in each newer call. seccomp(2)"""
    instructions = b"".join(struct.pack("=HBBI", *instruction) for instruction in (
        (LOAD, 0, 0, 0),  # the number of the call
        (JUMP_IF_NOT_LESS, 0, 1, FIRST_NEWER), (RETURN, 0, 0, FAIL | error), (RETURN, 0, 0, ALLOW)))
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(instructions) // 8, instructions)
    for number, *arguments in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SET_FILTER, FILTER_MODE, ctypes.byref(program))):
        if libc.prctl(number, *arguments) != 0:
            sys.exit(f"prctl {number}: {os.strerror(ctypes.get_errno())}")
    assert libc.syscall(EPOLL_PWAIT2, -1, None, 0, None, None, 0) == -1 and ctypes.get_errno() == error


if __name__ == "__main__":
    forget_newer_calls(getattr(errno, sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
