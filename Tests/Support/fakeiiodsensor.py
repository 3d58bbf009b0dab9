"""The device that fakeiiod.py shows: its channels and attributes, its samples, and what libiio reads of it."""

import errno
import struct
import threading
import time

AXES = ("x", "y", "z")
SINGLE = {"temp", "pressure", "humidityrelative", "illuminance", "proximity", "voltage0", "voltage1", "voltage0-voltage1", "current0",
          "power2", "temp_object", "temp_ambient", "concentration_co2", "massconcentration_pm2p5",
          "rot_from_north_magnetic_tilt_comp", "rot_from_north_magnetic", "intensity_both"}
QUATERNION = "rot_quaternion"
SCALES = {QUATERNION: "0.000001", "rot_from_north_magnetic_tilt_comp": "1.000000", "rot_from_north_magnetic": "1.000000"}
SCALE = "0.009806650"

# libiio validates what it gets: a grammar keeps libxml2 quiet.
ELEMENTS = {"context": "name description", "context-attribute": "name value", "device": "id name",
            "channel": "id type name", "scan-element": "index format scale", "attribute": "name filename",
            "buffer-attribute": "name"}
DTD = "<!DOCTYPE context [" + "".join(
    f"<!ELEMENT {element} ANY>" + "".join(f"<!ATTLIST {element} {name} CDATA #IMPLIED>" for name in names.split())
    for element, names in ELEMENTS.items()) + "]>"


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Sensor:
    """The samples that there have been by now, and the faults that all connections share."""

    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.types = options.type.split(",")
        own = options.own_rates.split(",") if options.own_rates else []
        self.lists = dict(zip(self.types, own))
        self.rates = {name: options.hz for name in self.lists}
        self.flat = self.bad = "none"
        self.hz, self.since, self.made = options.hz, now(), 0
        self.stalled = self.gone = self.mute = self.cut = False
        self.refusal = self.skip = self.open = self.commands = self.samples = 0
        self.timeout, self.holes, self.lie = 2.5, [], "none"
        self.late, self.may_answer = False, threading.Event()
        self.stamps = {}  # number of the first sample made at a pace: when it was due, and the pace
        self.attributes = {"scale": SCALE, "offset": "0"}
        if options.unscaled:
            del self.attributes["scale"]
        if options.near:
            self.attributes["nearlevel"] = options.near
        if not options.no_stamp:
            self.attributes["current_timestamp_clock"] = "realtime"
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

    def values(self, number, place):
        """What sample n reads of the type at a place, along each axis."""
        x, y = number % 1000, -(number % 1000)
        if self.types[place] == QUATERNION:
            return tuple(value * (-1) ** number for value in (0, 0, 707107, 707107))
        if self.types[place] in SINGLE:
            # Channels of one kind are told apart by their values.
            return (x + 1000 * place if self.types[place].startswith("voltage") else x,)
        return (y, x, number) if place or self.options.whole else (x, y, number)

    def channels(self):
        """The name of each channel, its type, and how many numbers it has."""
        for name in self.types:
            if name == QUATERNION:
                yield name, name, 4
            elif name in SINGLE:
                yield name, name, 1
            else:
                for axis in AXES:
                    yield f"{name}_{axis}", name, 1

    def is_processed(self, name):
        return self.options.processed and name in SINGLE

    def cannot(self, mask):
        """Whether the kernel and libiio disagree on the length of such a scan."""
        channels = [name for name, kind, _ in self.channels() if not self.is_processed(kind)]
        return QUATERNION in channels and mask & 1 << len(channels) and mask & 1 << channels.index(QUATERNION)

    def bytes(self, number, mask):
        words = []
        for place, name in enumerate(self.types):
            if self.is_processed(name):
                continue
            packed = [struct.pack("<i", value) for value in self.values(number, place)]
            words += [b"".join(packed)] if name == QUATERNION else packed
        if self.options.whole:
            block = b"".join(words[:(mask & (1 << len(words)) - 1).bit_count()])
        else:
            block = b"".join(word for bit, word in enumerate(words) if mask & 1 << bit)
        if mask & 1 << len(words):
            block += bytes(-len(block) % 8) + struct.pack("<q", self.stamp(number))
        return block

    def kind(self, channel):
        """The type of a channel."""
        return channel if channel in self.types else channel.rsplit("_", 1)[0]

    def read(self, words):
        """The value of an attribute; None where there is none."""
        name, kind = words[-1], self.kind(words[-2])
        if words[-2] == "power1" and self.options.hwmon:
            return "6500000"
        if self.gone or name == "scale" and kind == self.flat:
            return None
        if self.bad in (name, f"{kind}_{name}"):
            raise OSError(errno.EIO, "as of a bus that is disturbed")
        if name == "hysteresis":
            raise OSError(errno.EINVAL, "as HID sensors of rotation have it")
        if name in ("raw", "input"):
            values = self.values(self.count(), self.types.index(kind))
            if kind == QUATERNION:
                return " ".join(map(str, values)) + " "
            return f"{values[0]}.500000" if name == "input" else str(values[0 if kind in SINGLE else AXES.index(words[-2][-1])])
        if name == "scale" and kind in SCALES and name in self.attributes:
            return SCALES[kind]
        if name == "sampling_frequency":
            return f"{self.rates.get(kind, self.hz):.6f}"
        if name == "sampling_frequency_available" and kind in self.lists:
            return self.lists[kind]
        return self.attributes.get(name)

    def write(self, words, text):
        """0, or an errno."""
        name, kind = words[-1], self.kind(words[-2])
        if self.gone:
            return errno.ENODEV
        if name == "sampling_frequency":
            if self.options.stubborn and self.open:
                return errno.EBUSY
            try:
                if kind in self.rates:
                    self.rates[kind] = float(text)
                self.change(hz=min(self.rates.values(), default=float(text)))
            except ValueError:
                return errno.EINVAL
        elif name == "current_timestamp_clock" and text in ("realtime", "monotonic", "boottime"):
            self.attributes[name] = text
        else:
            return errno.EINVAL
        return 0

    @property
    def name(self):
        name = self.types[0]
        if self.options.whole:
            return f"{name}_3d"
        if len(self.types) > 1:
            return "imu"
        # None of a HID sensor, whose signs are others.
        return "chip" if name == "accel" else name if name in SINGLE or name == QUATERNION else f"{name}_3d"

    def xml(self):
        shared = [name for name in ("scale", "offset", "nearlevel") if name in self.attributes]
        rates = ["sampling_frequency", "sampling_frequency_available"]
        device = [name for name in self.attributes if name not in shared] + ([] if self.lists else rates[:1])
        channels = ""
        index = 0
        for name, kind, count in [*self.channels(), ("timestamp", None, 1)]:
            if name == "timestamp" and self.options.no_stamp:
                continue
            form = "le:s64/64&gt;&gt;0" if name == "timestamp" else f"le:s32/32{'X4' if count == 4 else ''}&gt;&gt;0"
            is_scanned = not self.options.no_buffer and not self.is_processed(kind)
            scan = f'<scan-element index="{index}" format="{form}" />' if is_scanned else ""
            index += is_scanned
            value = "input" if self.is_processed(kind) else "raw"
            extra = ["hysteresis"] if kind == QUATERNION else []
            own = [(value, f"in_{name}_{value}")] + [
                (text, f"in_{kind}_{text}") for text in [*shared, *extra, *(rates if self.lists else [])]
                if not (self.is_processed(kind) and text in shared)]
            attributes = "".join(f'<attribute name="{a}" filename="{f}" />' for a, f in own) if kind else ""
            if scan or attributes:
                channels += f'<channel id="{name}" type="input">{scan}{attributes}</channel>'
        supply = '<device id="hwmon0" name="supply"><channel id="power1" type="input"><attribute name="input" filename="power1_input" />' \
                 '</channel></device>' if self.options.hwmon else ""
        return ('<?xml version="1.0" encoding="utf-8"?>' + DTD + f'<context name="network" description="fakeiiod">{supply}'
                f'<device id="iio:device0" name="{self.name}">{channels}'
                + "".join(f'<attribute name="{name}" />' for name in device)
                + '</device><device id="trigger0" name="' + self.name + '-dev0"></device></context>').encode()
