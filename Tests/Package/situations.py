"""What an administrator meets, and what is said of it: the table of docs/troubleshooting.md, each row of which
test_62_situations.py brings about on a host with systemd."""

from typing import NamedTuple


class Situation(NamedTuple):
    # What is wrong with the host.
    name: str
    # What programs notice.
    effect: str
    # The subject of `sensorctl doctor`, words of its finding and of its remedy; none: it has nothing to say.
    subject: str = ""
    words: str = ""
    remedy: str = ""
    # Who has to ask: some things are wrong for a user only.
    user: str | None = None
    # What the finding is: a fault, or a note of what may become one.
    verdict: str = "bad"
    # The resource that is unavailable, and words of the reason that it has for its clients.
    resource: str = ""
    reason: str = ""


SITUATIONS = [
    Situation("there is no gpsd", "`location` is `unavailable`, other sensors work",
              "gpsd", "no gpsd answers at", "systemctl enable --now gpsd.socket", resource="location", reason="no gpsd at"),
    Situation("gpsd hangs", "`location` is `unavailable`, or `stale` if it had a receiver; it comes back by itself",
              "gpsd", "listens there and sends nothing", "sudo systemctl restart gpsd", resource="location", reason="restart gpsd"),
    Situation("a user is not in the group", "its programs are refused, with the remedy",
              "rights", "you are not in the group sensorbroker", "sudo usermod -aG sensorbroker bob", "bob"),
    Situation("there is no group", "programs of users are refused",
              "rights", "there is no group sensorbroker", "sudo systemd-sysusers", "alice"),
    Situation("the rights of a sensor are wrong", "its resource is `unavailable`",
              "{sensor} (accel_3d)", "may not use", "udevadm trigger"),
    Situation("another program holds the sensor", "its resource is `unavailable`",
              "{sensor} (accel_3d)", "only one program can", "sudo sensorctl release"),
    Situation("iio-sensor-proxy is installed", "readings go on; iio-sensor-proxy gets none while the broker has the sensor",
              "iio-sensor-proxy", "wants sensors for itself", "install the package sensorbroker-desktop", verdict="note"),
    Situation("the configuration has an error", "the service does not start; a reload keeps the settings that hold",
              "configuration", "/etc/sensorbroker/sensorbrokerd.conf.d/50-test.conf:1", "--check-config"),
    Situation("its sockets do not listen", "programs find no broker, and say how to start it",
              "sensorbrokerd.socket", "does not listen", "sudo systemctl enable --now sensorbrokerd.socket"),
    Situation("the process does not answer", "calls wait, until the watchdog starts it anew",
              "socket", "does not answer", "sudo systemctl restart sensorbrokerd"),
    Situation("the disk is full", "the broker writes none; `sensorctl record` ends with `the disk is full: make room`"),
    Situation("the clock is set", "nothing: readings are stamped by a clock that nobody can set"),
    Situation("a second broker is started", "it ends at once with status 69, and names the first one; nobody notices"),
    Situation("the process crashes (SEGV)", "it is started again; streams continue with a gap `restarted`"),
    Situation("the process is killed for want of memory", "the same"),
    Situation("the host is soft-rebooted", "streams end, as at a stop; the sockets listen again, and the next client is served"),
]
