"""Each directive of the unit's sandbox, tested by a program that runs in place of the daemon."""

import grp
import json
import os
import pathlib
import re
import shutil

import pytest

from host import SERVICE, run, show

HERE = pathlib.Path(__file__).parent
UNIT = pathlib.Path("/run/systemd/system/probe.service")

# What each directive removes, and how a program notices it.
REFUSED = {
    "ProtectSystem": {"write /usr": "EROFS", "write /etc": "EROFS", "write /var": "EROFS"},
    "ProtectHome": {"list /home": ("EACCES", "ENOENT")},
    "PrivateTmp": {"see the host's /tmp": "ENOENT"},
    "ProtectProc": {"see process 1": "ENOENT"},
    "ProcSubset": {"read /proc/meminfo": "ENOENT", "write /proc/sys": ("ENOENT", "EROFS")},
    "ProtectKernelTunables": {"write /sys/kernel": "EROFS"},
    "ProtectControlGroups": {"write the cgroup": "EROFS"},
    "DevicePolicy": {"open /dev/mem": ("EPERM", "EACCES", "ENOENT"), "open /dev/uhid": ("EPERM", "EACCES", "ENOENT")},
    "ProtectKernelLogs": {"open /dev/kmsg": ("EPERM", "EACCES", "ENOENT")},
    "ProtectClock": {"set the clock": "EPERM"},
    "ProtectHostname": {"set the host's name": "EPERM"},
    "ProtectKernelModules": {"load a module": "EPERM"},
    "LockPersonality": {"change the personality": "EPERM"},
    "SystemCallFilter": {"trace": "EPERM", "reboot": "EPERM", "load a filter": "EPERM", "mount": "EPERM",
                         "change the root": "EPERM", "run before others": "EPERM",
                         "change the owner": "EPERM"},
    "MemoryDenyWriteExecute": {"map memory to write and execute": ("EPERM", "EACCES")},
    "RestrictNamespaces": {"make a user namespace": "EPERM", "make a mount namespace": "EPERM",
                           "make a network namespace": "EPERM"},
    "RestrictRealtime": {"run in real time": "EPERM"},
    "RestrictSUIDSGID": {"make a program set-user-id": "EPERM"},
    "RestrictAddressFamilies": {"open a packet socket": "EAFNOSUPPORT", "open a vsock": "EAFNOSUPPORT"},
    "IPAddressDeny": {"send to another host": "EPERM"},
}
# What the daemon needs and has.
ALLOWED = ["write /run/sensorbroker", "read /proc/self/maps", "write an attribute of the sensor", "open the sensor",
           "open a Unix socket", "open a netlink socket", "send to this host"]


@pytest.fixture(scope="module")
def facts(installation):
    """The results of the probe in the daemon's sandbox."""
    sensor = installation[1]
    sensor.plug_again()
    run("udevadm", "settle")
    run("systemctl", "stop", SERVICE)
    # Readable in the sandbox, which hides the folder of these tests.
    shutil.copy(HERE / "probe.py", "/usr/local/lib/probe.py")
    pathlib.Path("/tmp/of-the-host").touch()
    # Otherwise the daemon's user would not get as far as the mount.
    tunable = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    tunable.chmod(0o666)
    run("ip", "address", "add", "192.0.2.1/32", "dev", "lo")
    text = pathlib.Path(f"/lib/systemd/system/{SERVICE}").read_text()
    text = re.sub("^ExecStart=.*$", f"ExecStart=/usr/bin/python3 /usr/local/lib/probe.py {sensor.id}\n"
                  "StandardOutput=file:/run/probe.json", text, flags=re.MULTILINE)
    text = re.sub("^(Type|Requires|After|Sockets|ExecReload|Restart|WatchdogSec)=.*\n", "", text, flags=re.MULTILINE)
    UNIT.write_text(text.replace("[Service]\n", "[Service]\nType=oneshot\n"))
    run("systemctl", "daemon-reload")
    run("systemctl", "start", UNIT.name)
    yield json.loads(pathlib.Path("/run/probe.json").read_text())
    UNIT.unlink()
    tunable.chmod(0o644)
    run("ip", "address", "del", "192.0.2.1/32", "dev", "lo")
    for path in ("/usr/local/lib/probe.py", "/run/sensorbroker/x", "/tmp/of-the-host", "/run/probe.json"):
        pathlib.Path(path).unlink(missing_ok=True)
    run("systemctl", "daemon-reload")


@pytest.mark.parametrize("directive", REFUSED)
def test_it_forbids(facts, directive):
    assert re.search(f"^{directive}=", pathlib.Path(f"/lib/systemd/system/{SERVICE}").read_text(), re.MULTILINE)
    for what, wanted in REFUSED[directive].items():
        wanted = (wanted,) if isinstance(wanted, str) else wanted
        assert facts["tries"][what] in wanted, (what, facts["tries"][what])


@pytest.mark.parametrize("what", ALLOWED)
def test_it_allows(facts, what):
    assert facts["tries"][what] == "done"


def test_every_attempt_has_an_expected_result(facts):
    expected = {what for tries in REFUSED.values() for what in tries} | set(ALLOWED)
    assert set(facts["tries"]) - {"write another attribute of it"} == expected
    # Attributes that a capture does not need still belong to root.
    assert facts["tries"]["write another attribute of it"] == "EACCES"


def test_limits_and_identity_are_those_of_the_unit(facts):
    assert facts["limits"]["RLIMIT_NOFILE"] == 8192
    assert facts["umask"] == "0o77" and facts["oom"] == "-100"
    assert {grp.getgrgid(number).gr_name for number in facts["groups"]} == {"sensorbroker", "iio"}
    assert len(facts["processes"]) <= 2, "processes of others are seen"
    assert facts["ipc"] != os.readlink("/proc/self/ns/ipc")
    # gpsd, and udev's reports about devices, are in this namespace.
    assert facts["net"] == os.readlink("/proc/self/ns/net")
    for name, value in (("TasksMax", "640"), ("MemoryMax", str(256 << 20)), ("KeyringMode", "private"),
                        ("RuntimeDirectoryPreserve", "yes"), ("StateDirectory", "sensorbroker"),
                        ("StateDirectoryMode", "0700"), ("RemoveIPC", "yes"), ("PrivateMounts", "yes"),
                        ("SystemCallArchitectures", "native"), ("PrivateUsers", "no")):
        assert show(name) == value, name
