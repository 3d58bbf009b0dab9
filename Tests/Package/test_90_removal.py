"""The host after the package is removed, and after it is purged."""

import grp
import os
import pwd

import layer
from host import SECOND, SECOND_CONFIGURATION, SECOND_SOCKETS, SERVICE, SOCKETS, dpkg, forget_recordings, main_process, owner, run, show
from sensor import DEVICES


#: Named by their administrator.
FURTHER = [SECOND, *SECOND_SOCKETS, "sensorbroker-record@accelerometer.service"]


def test_removing_stops_everything_and_gives_the_sensor_back_to_root(broker, sensor):
    run("sensorctl", "list")
    process = main_process()
    with open(SECOND_CONFIGURATION, "w") as file:
        file.write("[Location]\nGpsd=localhost:2\n[Accelerometer]\nContext=ip:localhost:2\n")
    run("systemctl", "start", *FURTHER)
    assert all(show("ActiveState", unit) == "active" for unit in FURTHER)
    dpkg("-r", "sensorbroker")
    forget_recordings()
    assert not os.path.exists(f"/proc/{process}") and not os.path.exists("/usr/bin/sensorbrokerd")
    for unit in (SERVICE, *SOCKETS, *FURTHER):
        assert show("ActiveState", unit) == "inactive" and show("LoadState", unit) == "not-found", unit
    assert owner(f"/dev/{sensor.id}") == ("0o600", "root", "root")
    group = grp.getgrnam("iio").gr_gid
    for directory, _, names in os.walk(DEVICES / sensor.id):
        for name in names:
            path = os.path.join(directory, name)
            assert os.path.islink(path) or os.stat(path).st_gid != group, path
    assert os.path.exists("/etc/sensorbroker/sensorbrokerd.conf"), "a configuration is kept until the purge"


def test_purging_leaves_nothing(before, installation):
    installation[1].unplug()
    dpkg("-P", "sensorbroker")
    run("userdel", "alice")
    run("userdel", "bob")
    assert layer.changes() - before == set()
    assert not [user for user in pwd.getpwall() if "sensor" in user.pw_name]
    assert not {group.gr_name for group in grp.getgrall()} & {"sensorbroker", "sensorbroker-fast", "sensorbroker-feed", "iio"}
    for path in ("/run/sensorbroker", "/etc/sensorbroker", "/run/varlink/registry/io.sensorbroker.Broker",
                 "/run/systemd/report/io.sensorbroker"):
        assert not os.path.lexists(path), path
