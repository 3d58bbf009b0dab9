#!/usr/bin/env python3
"""An iiod of our own for tests and demos of libiio's network backend: paced, and faulty on command. Loopback only.

usage: fakeiiod.py [--port N] [--hz N] [--available TEXT] [--matrix TEXT] [--no-buffer]

It has one accelerometer. Sample n reads x = n % 1000, y = -(n % 1000), z = n, times 0.009806650, so that every loss
shows, and is stamped with this host's boot clock at the moment at which it was due.

Commands on standard input, each answered by `ok COMMAND`:
  stall | resume        the sensor makes no samples | makes them again
  lose N                the next N samples are never seen
  hz N                  the sensor runs at another rate
  fail ERRNO | ok       every command is refused with an errno | no longer
  late MS               the next READ is answered so late, and all else at once
  mute | talk           nothing is answered | all is, late
  cut                   the next block of samples ends in the middle, and with it the connection
  drop                  all connections are closed
  unplug | plug         the device goes | comes back
  stats                 prints commands, samples, connections
  quit
"""
import argparse, errno, socket, struct, sys, threading, time

AXES = ("accel_x", "accel_y", "accel_z")
SCALE = "0.009806650"

# libiio validates what it gets: a grammar keeps libxml2 quiet.
ELEMENTS = {"context": "name description", "context-attribute": "name value", "device": "id name",
            "channel": "id type name", "scan-element": "index format scale", "attribute": "name filename",
            "buffer-attribute": "name"}
DTD = "<!DOCTYPE context [" + "".join(
    f"<!ELEMENT {element} ANY>" + "".join(f"<!ATTLIST {element} {name} CDATA #IMPLIED>" for name in names.split())
    for element, names in ELEMENTS.items()) + "]>"


class Sensor:
    """The samples that there have been by now, and the faults that all connections share."""

    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.hz, self.since, self.made = options.hz, now(), 0
        self.stalled = self.gone = self.mute = self.cut = False
        self.refusal = self.late = self.commands = self.samples = 0
        self.timeout, self.holes = 2.5, []
        self.stamps = {}  # number of the first sample made at a pace: when it was due, and the pace
        self.attributes = {"scale": SCALE, "offset": "0", "current_timestamp_clock": "realtime"}
        if options.matrix is not None:
            self.attributes["mount_matrix"] = options.matrix
        if options.available:
            self.attributes["sampling_frequency_available"] = options.available
        self.stamps[0] = (self.since, self.hz)

    def count(self):
        with self.lock:
            return self._count()

    def _count(self):
        if self.stalled or self.gone:
            return self.made
        return self.made + int((now() - self.since) * self.hz / 1e9)

    def change(self, **values):
        """Changes what samples depend on, keeping those that there have been."""
        with self.lock:
            self.made, self.since = self._count(), now()
            for name, value in values.items():
                setattr(self, name, value)
            self.stamps[self.made] = (self.since, self.hz)

    def stamp(self, number):
        with self.lock:
            first = max(n for n in self.stamps if n <= number)
            since, hz = self.stamps[first]
        return int(since + (number - first + 1) * 1e9 / hz)

    def bytes(self, number, mask):
        block = b"".join(struct.pack("<i", value) for bit, value in
                         ((1, number % 1000), (2, -(number % 1000)), (4, number)) if mask & bit)
        if mask & 8:
            block += bytes(-len(block) % 8) + struct.pack("<q", self.stamp(number))
        return block

    def read(self, words):
        """The value of an attribute; None where there is none."""
        name = words[-1]
        if self.gone:
            return None
        if name == "raw":
            number = self.count()
            return str({"accel_x": number % 1000, "accel_y": -(number % 1000)}.get(words[-2], number))
        if name == "sampling_frequency":
            return f"{self.hz:.6f}"
        return self.attributes.get(name)

    def write(self, name, text):
        """0, or an errno."""
        if self.gone:
            return errno.ENODEV
        if name == "sampling_frequency":
            try:
                self.change(hz=float(text))
            except ValueError:
                return errno.EINVAL
        elif name == "current_timestamp_clock" and text in ("realtime", "monotonic", "boottime"):
            self.attributes[name] = text
        else:
            return errno.EINVAL
        return 0

    def xml(self):
        shared = ["scale", "offset"]
        device = [name for name in self.attributes if name not in shared] + ["sampling_frequency"]
        channels = ""
        for index, name in enumerate((*AXES, "timestamp")):
            form = "le:s64/64&gt;&gt;0" if name == "timestamp" else "le:s32/32&gt;&gt;0"
            scan = "" if self.options.no_buffer else f'<scan-element index="{index}" format="{form}" />'
            own = [("raw", f"in_{name}_raw")] + [(text, f"in_accel_{text}") for text in shared]
            attributes = "".join(f'<attribute name="{a}" filename="{f}" />' for a, f in own) if name in AXES else ""
            if scan or attributes:
                channels += f'<channel id="{name}" type="input">{scan}{attributes}</channel>'
        return ('<?xml version="1.0" encoding="utf-8"?>' + DTD + '<context name="network" description="fakeiiod">'
                f'<device id="iio:device0" name="accel_3d">{channels}'
                + "".join(f'<attribute name="{name}" />' for name in device)
                + '</device><device id="trigger0" name="accel_3d-dev0"></device></context>').encode()


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Connection(threading.Thread):
    """One client's connection: a line is a command, its answer a number and perhaps bytes."""

    def __init__(self, sensor, sock, others):
        super().__init__(daemon=True)
        self.sensor, self.socket, self.others, self.unread = sensor, sock, others, b""
        self.size = self.mask = self.next = 0
        self.timeout = sensor.timeout

    def run(self):
        self.others.add(self.socket)
        try:
            while self.answer(self.line()):
                pass
        except (EOFError, OSError, ValueError, IndexError):
            pass
        self.others.discard(self.socket)
        self.socket.close()

    def receive(self):
        data = self.socket.recv(4096)
        if not data:
            raise EOFError
        self.unread += data

    def line(self):
        while b"\n" not in self.unread:
            self.receive()
        line, self.unread = self.unread.split(b"\n", 1)
        return line.strip().decode()

    def exactly(self, count):
        while len(self.unread) < count:
            self.receive()
        data, self.unread = self.unread[:count], self.unread[count:]
        return data

    def code(self, number):
        self.socket.sendall(b"%d\n" % number)

    def data(self, data):
        self.socket.sendall(b"%d\n" % len(data) + data + b"\n")

    def answer(self, line):
        sensor, words = self.sensor, line.split()
        if not words:
            return True
        sensor.commands += 1
        verb = words[0]
        if verb == "EXIT":
            return False
        while sensor.mute:
            time.sleep(0.01)
        payload = self.exactly(int(words[-1])) if verb == "WRITE" else b""
        if sensor.refusal:
            self.code(-sensor.refusal)
        elif verb == "PRINT":
            self.data(sensor.xml())
        elif verb == "TIMEOUT":
            # As in iiod: one context, so one client's time-out is everybody's.
            sensor.timeout = int(words[1]) / 1000
            self.code(0)
        elif verb == "READ":
            delay, sensor.late = sensor.late, 0
            time.sleep(delay / 1000)
            value = sensor.read(words)
            self.code(-errno.ENOENT) if value is None else self.data(value.encode() + b"\0")
        elif verb == "WRITE":
            refusal = sensor.write(words[-2], payload.rstrip(b"\0\n").decode())
            self.code(-refusal if refusal else len(payload))
        elif verb == "OPEN":
            self.size, self.mask, self.next = int(words[2]), int(words[3], 16), sensor.count()
            self.timeout = sensor.timeout
            self.code(-errno.ENODEV if sensor.gone else 0)
        elif verb == "READBUF":
            self.blocks(int(words[2])) if self.size else self.code(-errno.EBADF)
        elif verb == "CLOSE":
            self.code(0 if self.size else -errno.EBADF)
            self.size = 0
        elif verb == "GETTRIG":
            self.data(b"accel_3d-dev0")
        elif verb in ("SET", "SETTRIG"):
            self.code(0)
        else:
            self.code(-errno.EINVAL)
        return True

    def blocks(self, wanted):
        """Answers READBUF: a block when a whole buffer of samples is there, as the kernel's watermark has it."""
        sensor, first = self.sensor, True
        while wanted > 0:
            numbers = self.numbers()
            if not numbers:
                self.size = 0  # as iiod does: after a time-out the buffer is of no more use
                return self.code(-errno.ETIMEDOUT)
            block = b"".join(sensor.bytes(number, self.mask) for number in numbers)[:wanted]
            sensor.samples += len(numbers)
            head = b"%d\n" % len(block) + (b"%08x\n" % self.mask if first else b"")
            if sensor.cut:
                sensor.cut = False
                self.socket.sendall(head + block[: len(block) // 2])
                raise EOFError
            self.socket.sendall(head + block)
            wanted, first = wanted - len(block), False

    def numbers(self):
        """The numbers of the next samples, one buffer of them; nothing after the time-out."""
        sensor, start, numbers = self.sensor, time.monotonic(), []
        while True:
            made = sensor.count()
            while len(numbers) < self.size and self.next < made:
                if not any(self.next in hole for hole in sensor.holes):
                    numbers.append(self.next)
                self.next += 1
            if len(numbers) == self.size:
                return numbers
            if time.monotonic() - start > self.timeout:
                return None
            time.sleep(min(0.002, 0.5 / sensor.hz))


def obey(sensor, connections, name, value):
    if name in ("stall", "resume"):
        sensor.change(stalled=name == "stall")
    elif name in ("unplug", "plug"):
        sensor.change(gone=name == "unplug")
    elif name == "hz":
        sensor.change(hz=float(value))
    elif name == "lose":
        first = sensor.count() + 1
        sensor.holes.append(range(first, first + int(value)))
    elif name in ("fail", "ok"):
        sensor.refusal = int(value)
    elif name == "late":
        sensor.late = int(value)
    elif name in ("mute", "talk"):
        sensor.mute = name == "mute"
    elif name == "cut":
        sensor.cut = True
    elif name == "drop":
        for connection in list(connections):
            connection.shutdown(socket.SHUT_RDWR)
    elif name == "stats":
        print(f"stats commands {sensor.commands} samples {sensor.samples} connections {len(connections)}", flush=True)


def listen(sensor, port):
    listener, connections = socket.create_server(("127.0.0.1", port), backlog=64), set()

    def accept():
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Connection(sensor, client, connections).start()

    threading.Thread(target=accept, daemon=True).start()
    print(f"fakeiiod: 127.0.0.1:{listener.getsockname()[1]}", flush=True)
    return connections


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--hz", type=float, default=100)
    parser.add_argument("--available")
    parser.add_argument("--matrix")
    parser.add_argument("--no-buffer", action="store_true")
    sensor = Sensor(parser.parse_args())
    connections = listen(sensor, sensor.options.port)
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "quit":
            break
        obey(sensor, connections, words[0], words[1] if len(words) > 1 else "0")
        print("ok", *words, flush=True)


main()
