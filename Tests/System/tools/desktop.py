"""A private bus with sensorbroker-desktop on it, and programs of the desktop: Debian's own, unpacked and not installed."""

import ctypes
import ctypes.util
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

from tools.daemon import die_with_parent
from tools.programs import PATIENCE, ROOT, SENSORBROKER_DESKTOP
from tools.waiting import until

MADE = ROOT / ".build/desktop"
PACKAGES = ["iio-sensor-proxy", "geoclue-2.0", "geoclue-2-demo", "python3-pyqt5.qtsensors", "python3-pyqt6.qtsensors", "mutter",
            "python3-gi", "python3-dbus", "phoc", "phosh", "xwayland"]
# mutter depends on zenity for a dialog, and that on a browser.
UNUSED = re.compile(r"zenity|libwebkit|libjavascriptcore|gstreamer|libgstreamer|hunspell|aspell|sound-theme")
NAME = "net.hadess.SensorProxy"
SENSORS = ("/net/hadess/SensorProxy", NAME)
COMPASS = ("/net/hadess/SensorProxy/Compass", NAME + ".Compass")

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
  <allow eavesdrop="true"/></policy>
  <limit name="max_connections_per_user">2000</limit><limit name="max_completed_connections">2000</limit>
  <limit name="max_replies_per_connection">4096</limit>
</busconfig>
"""


def fetch():
    """Unpacks the clients, with what they need and this host lacks; returns why that failed, or None."""
    MADE.mkdir(parents=True, exist_ok=True)
    with open(MADE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_fetched():
            return None
        if not shutil.which("apt-get"):
            return "there is no apt-get to fetch the clients with"
        packages, root = MADE / "packages", MADE / "unpacked"
        for path in (packages, root):
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        plan = subprocess.run(["apt-get", "-s", "--no-install-recommends", "install", *PACKAGES], capture_output=True, text=True)
        names = [name for name in re.findall(r"^Inst (\S+)", plan.stdout, re.MULTILINE) if not UNUSED.match(name)]
        loaded = subprocess.run(["apt-get", "-q", "download", *names], cwd=packages, capture_output=True, text=True)
        if plan.returncode or loaded.returncode:
            return f"the clients could not be fetched: {(plan.stderr + loaded.stderr)[-400:]}"
        for package in packages.iterdir():
            subprocess.run(["dpkg", "-x", package, root], check=True)
        compile_schemas(root)
        shutil.rmtree(packages)
        shutil.rmtree(MADE / "root", ignore_errors=True)
        root.rename(MADE / "root")
        (MADE / "contents").write_text("\n".join(PACKAGES))
        return None


def is_fetched():
    """Whether the clients are there, and all of them."""
    contents = MADE / "contents"
    return contents.exists() and contents.read_text() == "\n".join(PACKAGES)


def compile_schemas(root):
    """Compiles the settings' schemas of the clients together with those of this host, as their installation would."""
    schemas = root / "usr/share/glib-2.0/schemas"
    for path in pathlib.Path("/usr/share/glib-2.0/schemas").glob("*.xml"):
        shutil.copy(path, schemas)
    [compiler] = pathlib.Path("/usr/lib").glob("*/glib-2.0/glib-compile-schemas")
    subprocess.run([compiler, schemas], check=True, capture_output=True)


class Program:
    """A running program whose lines are read as they come."""

    def __init__(self, *words, environment=None, **options):
        self.lines = []
        self.process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", env={**os.environ, **(environment or {})}, preexec_fn=die_with_parent,
            start_new_session=True, **options)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def matches(self, pattern):
        """What a pattern found in the lines so far, in order."""
        return [found for line in list(self.lines) for found in re.findall(pattern, line)]

    def until(self, condition, what):
        until(lambda: condition(self), lambda: f"{what}; {self.lines[-40:]}")
        return self

    def end(self):
        """Ends it, and what it has started, such as a session's bus."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(PATIENCE)


class Bus:
    """A system bus of its own, which can be stopped and started."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.socket = self.directory / "bus"
        self.address = f"unix:path={self.socket}"
        (self.directory / "bus.conf").write_text(BUS.format(self.socket))
        self.programs = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={self.directory}/bus.conf"],
            stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
        until(lambda: subprocess.run(["busctl", f"--address={self.address}", "list"], capture_output=True).returncode == 0,
              "the bus to answer")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.socket.unlink(missing_ok=True)

    def program(self, *words, environment=None, **options):
        """A program on this bus, with this host's files."""
        self.programs.append(Program(
            *words, environment={"DBUS_SYSTEM_BUS_ADDRESS": self.address, **(environment or {})}, **options))
        return self.programs[-1]

    def client(self, *words, environment=None, files=None):
        """One of Debian's programs, in a view of this host where their packages are installed, and these files in /etc."""
        etc = self.directory / f"etc{len(self.programs)}"
        for name in ("upper", "work"):
            (etc / name).mkdir(parents=True)
        for name, text in (files or {}).items():
            path = etc / "upper" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        root = MADE / "root"
        script = (f"mount -t overlay overlay -o lowerdir={root}/usr:/usr /usr && "
                  f"mount -t overlay overlay -o lowerdir={root}/etc:/etc,upperdir={etc}/upper,workdir={etc}/work /etc && "
                  'exec "$@"')
        return self.program("unshare", "-m", "sh", "-c", script, "sh", *words, environment={
            "LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu/mutter-11", **(environment or {})})

    def busctl(self, *words):
        return subprocess.run(["busctl", f"--address={self.address}", *words], capture_output=True, text=True, timeout=PATIENCE)

    def get(self, name, where=SENSORS):
        """The value of a property, as busctl shows it; nothing while nobody has the name."""
        return self.busctl("get-property", NAME, *where, name).stdout.strip()

    def close(self):
        for program in self.programs:
            program.end()
        self.process.terminate()
        self.process.wait()


class Desktop(Program):
    """sensorbroker-desktop on a bus, as a client of a broker; with a directory that the service manager keeps over restarts, if
    there is one."""

    def __init__(self, bus, broker, *arguments, directory=None):
        super().__init__(SENSORBROKER_DESKTOP, *arguments, environment={
            "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "SENSORBROKER_SOCKET": str(broker),
            **({"RUNTIME_DIRECTORY": str(directory)} if directory else {})})

    def serving(self):
        return self.until(lambda self: "serving net.hadess.SensorProxy" in "\n".join(self.lines), "the service")

    @property
    def wakeups(self):
        """How often it has waited for something: an idle program does not."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE).group(1))

    @property
    def most_memory(self):
        """The most memory that it has ever had, in KiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+)", status, re.MULTILINE).group(1))


SD_BUS = ctypes.CDLL(ctypes.util.find_library("systemd") or "libsystemd.so.0")


class Caller:
    """A connection to a bus by sd-bus, which calls methods without waiting, and notes signals and replies."""

    def __init__(self, address):
        self.bus = ctypes.c_void_p()
        check(SD_BUS.sd_bus_new(ctypes.byref(self.bus)))
        check(SD_BUS.sd_bus_set_address(self.bus, address.encode()))
        check(SD_BUS.sd_bus_set_bus_client(self.bus, 1))
        check(SD_BUS.sd_bus_start(self.bus))
        self.signals, self.replies, self.errors = [], 0, []
        # How many signals had come before the newest reply: the bus keeps the order.
        self.signals_before_reply = 0

    def call(self, method, where=SENSORS, expects=True):
        """Sends a call; its reply is counted when it comes, if one is expected."""
        message = ctypes.c_void_p()
        path, interface = where
        check(SD_BUS.sd_bus_message_new_method_call(
            self.bus, ctypes.byref(message), NAME.encode(), path.encode(), interface.encode(), method.encode()))
        # Without a place for the number of the call, no reply is asked for.
        check(SD_BUS.sd_bus_send(self.bus, message, ctypes.byref(ctypes.c_uint64()) if expects else None))
        SD_BUS.sd_bus_message_unref(message)
        SD_BUS.sd_bus_flush(self.bus)

    def process(self):
        """Notes what has come."""
        message = ctypes.c_void_p()
        while check(SD_BUS.sd_bus_process(self.bus, ctypes.byref(message))) > 0:
            if not message.value:
                continue
            kind = ctypes.c_uint8()
            SD_BUS.sd_bus_message_get_type(message, ctypes.byref(kind))
            if kind.value == 4 and SD_BUS.sd_bus_message_is_signal(message, None, b"PropertiesChanged"):
                self.signals.append(properties(message))
            elif kind.value == 2:
                self.replies += 1
                self.signals_before_reply = len(self.signals)
            elif kind.value == 3:
                self.errors.append(SD_BUS.sd_bus_message_get_errno(message))
            SD_BUS.sd_bus_message_unref(message)
            message = ctypes.c_void_p()

    def until(self, condition, what):
        def is_so():
            self.process()
            return condition(self)

        until(is_so, what, lambda: f"{self.replies} {self.errors} {self.signals}")
        return self

    def claimed(self, sensor, where=SENSORS):
        """Claims and waits for the reply."""
        before = self.replies
        self.call(f"Claim{sensor}", where)
        return self.until(lambda self: self.replies > before, f"the reply to Claim{sensor}")

    def close(self):
        SD_BUS.sd_bus_flush_close_unref.restype = ctypes.c_void_p
        SD_BUS.sd_bus_flush_close_unref(self.bus)
        self.bus.value = None


def check(result):
    assert result >= 0, os.strerror(-result)
    return result


def properties(message):
    """The changed properties of a signal."""
    text, content, found = ctypes.c_char_p(), ctypes.c_char_p(), {}
    SD_BUS.sd_bus_message_skip(message, b"s")
    SD_BUS.sd_bus_message_enter_container(message, ctypes.c_char(b"a"), b"{sv}")
    while SD_BUS.sd_bus_message_enter_container(message, ctypes.c_char(b"e"), b"sv") > 0:
        SD_BUS.sd_bus_message_read_basic(message, ctypes.c_char(b"s"), ctypes.byref(text))
        name = text.value.decode()
        kind = ctypes.c_char()
        SD_BUS.sd_bus_message_peek_type(message, ctypes.byref(kind), ctypes.byref(content))
        signature = content.value
        value = {b"s": ctypes.c_char_p, b"b": ctypes.c_int, b"d": ctypes.c_double}[signature]()
        SD_BUS.sd_bus_message_enter_container(message, ctypes.c_char(b"v"), signature)
        SD_BUS.sd_bus_message_read_basic(message, ctypes.c_char(signature), ctypes.byref(value))
        found[name] = value.value.decode() if signature == b"s" else bool(value.value) if signature == b"b" else value.value
        SD_BUS.sd_bus_message_exit_container(message)
        SD_BUS.sd_bus_message_exit_container(message)
    return found
