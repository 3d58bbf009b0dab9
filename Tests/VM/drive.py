"""A drive with a volatile cache, as a block device of this kernel: what was written since its last flush is lost in part when its power
is cut, in whole sectors of the size that it announces, and in no order.
"""

import fcntl
import os
import random
import socket
import struct
import threading
import time

# linux/nbd.h
SET_SOCK, SET_BLKSIZE, DO_IT, CLEAR_SOCK, CLEAR_QUE, SET_SIZE_BLOCKS, DISCONNECT, SET_FLAGS = (
    0xAB00, 0xAB01, 0xAB03, 0xAB04, 0xAB05, 0xAB07, 0xAB08, 0xAB0A)
READ, WRITE, DISCONNECTED, FLUSH = range(4)
CAN_FLUSH, CAN_FORCE = 1 | 4, 8
FORCED = 1
# With sectors of 512 bytes ext4 does not survive for long: its superblock has two, and is not in its journal.
SECTOR = 4096


class Drive:
    """Serves /dev/nbdN from its thread, the kernel asks on another one."""

    def __init__(self, image, number=0):
        self.path = f"/dev/nbd{number}"
        # What the kernel sees; what survives; what was written since the last flush, and whether it had to be durable at once.
        self.seen, self.medium, self.cache = bytearray(image), bytearray(image), []
        self.has_power, self.flushes, self.lock = True, 0, threading.Lock()
        self.device = os.open(self.path, os.O_RDWR)
        ours, theirs = socket.socketpair()
        fcntl.ioctl(self.device, SET_BLKSIZE, SECTOR)
        fcntl.ioctl(self.device, SET_SIZE_BLOCKS, len(image) // SECTOR)
        fcntl.ioctl(self.device, SET_FLAGS, CAN_FLUSH | CAN_FORCE)
        fcntl.ioctl(self.device, SET_SOCK, theirs.fileno())
        self.threads = [threading.Thread(target=self.serve, args=(ours,), daemon=True),
                        threading.Thread(target=self.ask, args=(theirs,), daemon=True)]
        for thread in self.threads:
            thread.start()
        while open(f"/sys/block/nbd{number}/size").read().strip() == "0":
            time.sleep(0.01)

    def ask(self, connection):
        # The file's own descriptor: another one would end the connection when it is closed.
        fcntl.ioctl(self.device, DO_IT)
        connection.close()

    def serve(self, connection):
        def exactly(count):
            data = b""
            while len(data) < count:
                more = connection.recv(count - len(data))
                if not more:
                    raise EOFError
                data += more
            return data

        try:
            while True:
                _, flags, kind, cookie, offset, length = struct.unpack(">IHH8sQI", exactly(28))
                if kind == DISCONNECTED:
                    break
                data = exactly(length) if kind == WRITE else b""
                with self.lock:
                    answer = self.answer(kind, flags, offset, length, data)
                connection.sendall(struct.pack(">II8s", 0x67446698, 0, cookie) + answer)
        except (EOFError, OSError):
            pass
        connection.close()

    def answer(self, kind, flags, offset, length, data):
        if kind == READ:
            return bytes(self.seen[offset:offset + length])
        if kind == WRITE:
            self.seen[offset:offset + length] = data
            # Without power nobody notices yet, but nothing is kept.
            if self.has_power:
                self.cache.append((offset, data, bool(flags & FORCED)))
        elif kind == FLUSH and self.has_power:
            for place, data, _ in self.cache:
                self.medium[place:place + len(data)] = data
            self.cache = []
            self.flushes += 1
        return b""

    def cut(self, dice: random.Random):
        """Cuts the power: what survives. All that was flushed, and of the rest nothing, everything, or some sectors."""
        with self.lock:
            self.has_power = False
            survival = dice.choice([0, 1, dice.random()])
            for offset, data, is_forced in self.cache:
                for place in range(0, len(data), SECTOR):
                    if is_forced or dice.random() < survival:
                        sector = data[place:place + SECTOR]
                        self.medium[offset + place:offset + place + len(sector)] = sector
            return bytes(self.medium)

    def close(self):
        fcntl.ioctl(self.device, DISCONNECT)
        for thread in self.threads:
            thread.join()
        fcntl.ioctl(self.device, CLEAR_QUE)
        fcntl.ioctl(self.device, CLEAR_SOCK)
        os.close(self.device)
