#!/usr/bin/env python3
"""Runs a command in namespaces of its own where sysfs and /dev hold one IIO accelerometer; needs no root.

usage: fakeiio.py [--hz N] [--polled] [--imu] [--steady] [--shared] [--set FILE=TEXT]... [--remove FILE]... [FAULT]... -- COMMAND...

The device is a FIFO that gets three s32 and an s64 of CLOCK_BOOTTIME while buffer/enable holds 1: x counts, y is -1,
z is 1000. With --polled there is no buffer, no trigger and no node. --set and --remove change files of the device
(`--set mount_matrix="0, 1, 0; ..."`, `--set name=accel_3d` for a HID sensor). With --imu it is also a gyroscope, whose x is -1, y counts and z is 1000, in the same scans;
that is for programs which capture both. With --proximity it is a proximity sensor without a buffer instead, whose count is 100; --events gives that
sensor thresholds, and events that come through the pipe /sys/.events (see fakeevents.c):
  approach              whenever a threshold is set above the count, the count rises beyond it, and an event says so
  flood                 events come all the time, but nothing changes
  bad                   what comes is no event
  quiet                 nothing comes
Faults:
  --skip-every N        every Nth sample is left out, as by a buffer that ran over
  --stamp-shift S       stamps are S seconds ahead
  --switch-off-after N  buffer/enable is set to 0 after N samples, as by another program
  --broken-node         the node cannot be opened
  --delivers-by TRIGGER nothing comes unless this trigger is set; "" for the device by itself
  --timers              the kernel can make timer triggers
  --steady              a timer of 100 Hz is set as the trigger
  --shared              with --steady: another device has it, too

Not as in the kernel: no watermark, no second opener refused, no ENODEV after unplugging, rates without effect.
After the command it prints what the files hold: `left FILE=TEXT`, on standard output.
"""
import argparse, os, struct, subprocess, sys, threading, time

ROOT = "/sys/bus/iio/devices"
DEVICE = f"{ROOT}/iio:device0"
NODE = "/dev/iio:device0"
THRESHOLDS = {"events/in_proximity_thresh_rising_value": "60000", "events/in_proximity_thresh_falling_value": "3",
              "events/in_proximity_thresh_either_en": "0"}
REPORTED = (*THRESHOLDS, "in_proximity_raw", "in_accel_sampling_frequency", "current_timestamp_clock", "buffer/length", "buffer/watermark",
            "buffer/enable", "trigger/current_trigger")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hz", type=float, default=100)
    parser.add_argument("--polled", action="store_true")
    parser.add_argument("--imu", action="store_true")
    parser.add_argument("--proximity", action="store_true")
    parser.add_argument("--events", choices=["approach", "flood", "bad", "quiet"])
    parser.add_argument("--skip-every", type=int, default=0)
    parser.add_argument("--stamp-shift", type=int, default=0)
    parser.add_argument("--switch-off-after", type=int, default=0)
    parser.add_argument("--broken-node", action="store_true")
    parser.add_argument("--delivers-by")
    parser.add_argument("--timers", action="store_true")
    parser.add_argument("--steady", action="store_true")
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--remove", action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def enter():
    """Starts this program again inside new user, mount and process namespaces."""
    os.environ["FAKEIIO_INSIDE"] = "1"
    flags = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    os.execvp("unshare", ["unshare", *flags, sys.executable, *sys.argv])


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text + "\n")


def build(options):
    mount("-t", "tmpfs", "tmpfs", "/sys")
    files = {"name": "chip", "in_accel_scale": "0.009806650", "in_accel_offset": "0",
             "in_accel_sampling_frequency": f"{options.hz:.6f}", "in_accel_x_raw": "1", "in_accel_y_raw": "2",
             "in_accel_z_raw": "1000", "current_timestamp_clock": "realtime"}
    types = ["accel"] + (["anglvel"] if options.imu else [])
    if options.imu:
        files |= {"in_anglvel_scale": "0.001"} | {f"in_anglvel_{axis}_raw": str(raw) for axis, raw in zip("xyz", (2, 1, 1000))}
    if options.proximity:
        options.polled = True
        files = {"name": "chip", "in_proximity_raw": "100"} | (THRESHOLDS if options.events else {})
    if not options.polled:
        files |= {"buffer/enable": "0", "buffer/length": "2", "buffer/watermark": "1",
                  "trigger/current_trigger": "chip-dev0"}
        for index, channel in enumerate([f"{name}_{axis}" for name in types for axis in "xyz"] + ["timestamp"]):
            kind = "le:s64/64>>0" if channel == "timestamp" else "le:s32/32>>0"
            files |= {f"scan_elements/in_{channel}_en": "0", f"scan_elements/in_{channel}_index": str(index),
                      f"scan_elements/in_{channel}_type": kind}
        put(f"{ROOT}/trigger0/name", "chip-dev0")
    if options.timers:
        # The kernel lists it when it is made; here it stands there from the beginning.
        os.makedirs("/sys/kernel/config/iio/triggers/hrtimer")
        put(f"{ROOT}/trigger1/name", "sensorbroker-0")
        put(f"{ROOT}/trigger1/sampling_frequency", "100")
    if options.steady:
        put(f"{ROOT}/trigger2/name", "steady")
        put(f"{ROOT}/trigger2/sampling_frequency", "100")
        files["trigger/current_trigger"] = "steady"
    if options.shared:
        put(f"{ROOT}/iio:device1/name", "other")
        put(f"{ROOT}/iio:device1/trigger/current_trigger", "steady")
    files |= dict(text.split("=", 1) for text in options.set)
    for name in options.remove:
        files.pop(name, None)
    for name, text in files.items():
        put(f"{DEVICE}/{name}", text)
    build_dev(options)


def build_dev(options):
    dev = "/sys/.dev"
    os.makedirs(f"{dev}/shm")
    for name in ("null", "zero", "urandom", "random"):
        put(f"{dev}/{name}", "")
        mount("--bind", f"/dev/{name}", f"{dev}/{name}")
    os.symlink("/proc/self/fd", f"{dev}/fd")
    if options.broken_node:
        os.symlink("iio:device0", f"{dev}/iio:device0")
    elif options.events:
        put(f"{dev}/iio:device0", "")
        os.mkfifo("/sys/.events")
    elif not options.polled:
        os.mkfifo(f"{dev}/iio:device0")
    mount("--rbind", dev, "/dev")


def enabled():
    with open(f"{DEVICE}/buffer/enable", "rb") as file:
        return file.read(1) == b"1"


def delivers(options):
    if options.delivers_by is None:
        return True
    with open(f"{DEVICE}/trigger/current_trigger") as file:
        return file.read().strip("\0\n") == options.delivers_by


def feed(options):
    """Writes samples while the buffer is enabled; a full FIFO drops whole samples, as writes this short are atomic."""
    fifo = os.open(NODE, os.O_RDWR | os.O_NONBLOCK)
    made, due, step = 0, time.clock_gettime_ns(time.CLOCK_BOOTTIME), int(1e9 / options.hz)
    while True:
        if enabled() and delivers(options):
            made += 1
            # A sensor stamps when a sample is due, however late this program runs.
            stamp = due + options.stamp_shift * 10**9
            if not options.skip_every or made % options.skip_every:
                try:
                    values = struct.pack("<iiiiiiq", made, -1, 1000, -1, made, 1000, stamp) if options.imu \
                        else struct.pack("<iiiiq", made, -1, 1000, 0, stamp)
                    os.write(fifo, values)
                except BlockingIOError:
                    pass
            if made == options.switch_off_after:
                put(f"{DEVICE}/buffer/enable", "0")
        due += step
        time.sleep(max(due - time.clock_gettime_ns(time.CLOCK_BOOTTIME), 0) / 1e9)


def hold(name):
    """What a file of the device holds; nothing while it is being written."""
    with open(f"{DEVICE}/{name}") as file:
        return file.read().strip("\0\n")


def tell(options, pipe):
    """Sends events; the count changes at once, since a program may read it at any time."""
    count = 100
    event = struct.pack("<Qq", 1 << 56 | 13 << 32, time.time_ns())
    while options.events != "quiet":
        time.sleep(0.002)
        high, _, switch = THRESHOLDS
        # The threshold is the program's while the events are on: before and after it is what was found.
        was_on, limit, is_on = hold(switch), hold(high), hold(switch)
        if not was_on == is_on == "1" or not limit:
            continue
        if options.events == "approach":
            if count > int(limit):
                continue
            count = int(limit) + 10
            put(f"{DEVICE}/.next", str(count))
            os.rename(f"{DEVICE}/.next", f"{DEVICE}/in_proximity_raw")
        try:
            os.write(pipe, b"bad" if options.events == "bad" else event)
        except BlockingIOError:
            pass


def report():
    for name in REPORTED:
        path = f"{DEVICE}/{name}"
        if os.path.exists(path):
            with open(path) as file:
                print(f"left {name}={file.read().rstrip(chr(10) + chr(0))}", flush=True)
    if os.path.isdir(f"{ROOT}/trigger2"):
        with open(f"{ROOT}/trigger2/sampling_frequency") as file:
            print("left steady rate=" + file.read().strip("\0\n "), flush=True)
    if os.path.isdir("/sys/kernel/config/iio/triggers/hrtimer"):
        print("left timers=" + " ".join(os.listdir("/sys/kernel/config/iio/triggers/hrtimer")), flush=True)
        with open(f"{ROOT}/trigger1/sampling_frequency") as file:
            print("left timer rate=" + file.read().strip("\0\n"), flush=True)


def main():
    options = arguments()
    if os.environ.get("FAKEIIO_INSIDE") != "1":
        enter()
    build(options)
    if not options.polled and not options.broken_node:
        threading.Thread(target=feed, args=(options,), daemon=True).start()
    if options.events:
        # Open before anybody reads from it, since a pipe without a writer is at its end.
        pipe = os.open("/sys/.events", os.O_RDWR | os.O_NONBLOCK)
        threading.Thread(target=tell, args=(options, pipe), daemon=True).start()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    status = subprocess.run(command).returncode
    report()
    sys.stdout.flush()
    os._exit(status if status >= 0 else 128 - status)


main()
