"""Hardware has one owner under any of its names, for all users and namespaces: a second broker is refused and touches nothing."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import pytest

from tools import commands, users
from tools.daemon import HELD, Daemon, die_with_parent
from tools.ports import free_port
from tools.programs import PATIENCE, ROOT, SENSORBROKERD

# All of them lead to this host. A name that the resolver does not know, or that leads elsewhere, is left out.
NAMES_OF_THIS_HOST = ["127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.1", "0", "0.0.0.0", "127.000.000.001",
                      "127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", socket.gethostname()]


def leads_here(name):
    try:
        addresses = socket.getaddrinfo(name.strip("[]"), 1, type=socket.SOCK_STREAM)
        return all(address[4][0] in ("0.0.0.0", "::1") or "127." in address[4][0] or is_own(address) for address in addresses)
    except OSError:
        return False


def is_own(address):
    """Only to its own address does the host send from that address."""
    with socket.socket(address[0], socket.SOCK_DGRAM) as probe:
        probe.connect(address[4])
        return probe.getsockname()[0] == address[4][0]


@pytest.fixture
def iiod():
    """The port of an iiod with an accelerometer of 100 Hz."""
    process = subprocess.Popen([sys.executable, str(ROOT / "Tests/Support/fakeiiod.py"), "--hz", "100"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    yield process.stdout.readline().rsplit(":", 1)[1].strip()
    process.kill()
    process.wait()


def second_owner(tmp_path, holder, what, *arguments, **options):
    """Starts a broker in another directory, which must be refused; returns its message."""
    second = Daemon(str(tmp_path), *arguments, **options)
    try:
        status, text = second.wait(), second.output()
    finally:
        second.close()
    assert status == 69, f"{status}: {text}"
    found = HELD.search(text)
    assert found and int(found.group(1)) == holder.process.pid and what in text, text
    assert not os.path.exists(tmp_path / "io.sensorbroker.Broker")
    return text


@pytest.mark.parametrize("name", NAMES_OF_THIS_HOST)
def test_one_gpsd_never_has_two_brokers_under_any_name(start, tmp_path, name):
    assert leads_here(name) or name == "localhost.", name
    port = free_port()
    first = start("--gpsd", f"localhost:{port}")
    if leads_here(name):
        second_owner(tmp_path, first, "gpsd", "--gpsd", f"{name}:{port}")


@pytest.mark.parametrize("name", NAMES_OF_THIS_HOST)
def test_one_iiod_never_has_two_brokers_under_any_name(start, tmp_path, iiod, name):
    assert leads_here(name) or name == "localhost.", name
    first = start("--iio", f"ip:127.0.0.1:{iiod}", "--gpsd", f"localhost:{free_port()}")
    if leads_here(name):
        second_owner(tmp_path, first, "iiod", "--iio", f"ip:{name}:{iiod}", "--gpsd", f"localhost:{free_port()}")


def test_brokers_of_different_devices_can_run_together(start, tmp_path):
    start("--gpsd", f"localhost:{free_port()}", "--iio", f"ip:localhost:{free_port()}")
    second = Daemon(str(tmp_path), "--gpsd", f"localhost:{free_port()}", "--iio", f"ip:localhost:{free_port()}")
    try:
        second.await_ready().stop()
    finally:
        second.close()


@users.needs_root
def test_a_lock_applies_to_all_users(start, tmp_path, iiod):
    """Either user may be the first; their directories are unrelated."""
    port = free_port()
    own = ["setpriv", f"--reuid={users.ALICE}", f"--regid={users.ALICE}", "--clear-groups"]
    theirs = tempfile.mkdtemp(prefix="sb-")
    os.chown(theirs, users.ALICE, users.ALICE)
    words = ("--iio", f"ip:127.0.0.1:{iiod}", "--gpsd", f"localhost:{port}")
    program = users.everybodys(SENSORBROKERD)
    try:
        first = start(*words)
        second_owner(pathlib.Path(theirs), first, "gpsd", *words, prefix=own, program=program)
        first.stop()
        hers = Daemon(theirs, *words, prefix=own, program=program).await_ready()
        try:
            second_owner(tmp_path, hers, "gpsd", *words)
            assert f"as user {users.ALICE}" in second_owner(tmp_path, hers, "iiod", "--iio", f"ip:localhost:{iiod}",
                                                           "--gpsd", f"localhost:{free_port()}")
        finally:
            hers.close()
    finally:
        shutil.rmtree(theirs)


@users.needs_root
def test_a_lock_applies_in_another_mount_namespace(start, tmp_path):
    """In a namespace with other run-time files."""
    words = ("--gpsd", f"localhost:{free_port()}")
    first = start(*words)
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run && exec "$0" "$@"']
    second_owner(tmp_path, first, "gpsd", *words, prefix=hidden)


def test_a_refused_broker_has_touched_nothing(start, tmp_path, iiod):
    """Its system calls contain no connection to the devices."""
    port = free_port()
    words = ("--iio", f"ip:127.0.0.1:{iiod}", "--gpsd", f"localhost:{port}")
    first = start(*words)
    trace = tmp_path / "trace"
    place = tmp_path / "place"
    place.mkdir(mode=0o755)
    try:
        second_owner(place, first, "gpsd", *words,
                     prefix=["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=connect,bind"])
    except AssertionError as fault:
        if "ptrace" not in str(fault):
            raise
        pytest.skip(f"strace may not trace here, so the calls of a refused broker went unseen: {fault}")
    calls = trace.read_text()
    assert "sensorbroker/gpsd" in calls
    assert f"htons({port})" not in calls and f"htons({iiod})" not in calls, calls


# In this namespace, the brokers and iiods of other tests belong to another host.
OWN_NETWORK = ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']
# Two brokers of the sensors in sysfs, if it has one.
TWO_BROKERS = """
import os, shutil, subprocess, sys, tempfile, time
program, fake, *words = sys.argv[1:]
iiod = subprocess.Popen([sys.executable, fake], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
port = iiod.stdout.readline().rsplit(":", 1)[1].strip()
first_arguments, second_arguments = (word.replace("IIOD", "ip:localhost:" + port).split() for word in words)
def broker(arguments):
    place = tempfile.mkdtemp(prefix="sb-")
    process = subprocess.Popen([program, "--runtime-directory", place, *arguments], stderr=subprocess.PIPE, text=True)
    return process, place
first, place = broker(first_arguments)
while not os.path.exists(place + "/io.sensorbroker.Broker"):
    assert first.poll() is None, first.stderr.read()
    time.sleep(0.02)
second, other = broker(second_arguments)
while second.poll() is None and not os.path.exists(other + "/io.sensorbroker.Broker"):
    time.sleep(0.02)
status = second.poll()
first.kill()
second.kill()
iiod.kill()
for directory in (place, other): shutil.rmtree(directory)
print(f"first {first.pid} second {status}:", " ".join(second.stderr.read().split()))
"""


def two_brokers(first, second):
    """How the second broker ended, and whether it named the first."""
    support = ROOT / "Tests/Support"
    result = commands.run(
        *OWN_NETWORK, sys.executable, support / "fakeiio.py", "--", sys.executable, "-c", TWO_BROKERS, SENSORBROKERD,
        support / "fakeiiod.py", first, second, patience=4 * PATIENCE)
    found = re.search(r"^first (\d+) second (\S+): (.*)$", result.stdout, re.MULTILINE)
    assert found, result.stdout + result.stderr
    holder = HELD.search(found[3])
    return found[2], bool(holder) and holder[1] == found[1], found[3]


def test_this_hosts_sensors_have_one_owner():
    status, is_named, text = two_brokers("--gpsd localhost:1", "--gpsd localhost:2")
    assert (status, is_named) == ("69", True), text
    assert "this host's IIO sensors" in text


@pytest.mark.parametrize("is_local_first", [True, False])
def test_this_hosts_sensors_and_its_iiod_exclude_each_other(is_local_first):
    words = ["--gpsd localhost:1", "--gpsd localhost:2 --iio IIOD"]
    status, is_named, text = two_brokers(*(words if is_local_first else reversed(words)))
    assert (status, is_named) == ("69", True), text


@users.needs_root
def test_a_user_without_access_to_the_sensors_cannot_block_them():
    """Another user holds the lock's name, with a full backlog or not: the broker starts, and names the user."""
    for knocks in (0, 400):
        squat = f"""
import os, socket, sys
status = os.stat("/sys/bus/iio/devices")
os.setgroups([]); os.setgid({users.BOB}); os.setuid({users.BOB})
s = socket.socket(socket.AF_UNIX)
s.bind("\\0sensorbroker/iio/%d.%d" % (status.st_dev, status.st_ino))
s.listen(1)
for _ in range({knocks}):
    c = socket.socket(socket.AF_UNIX); c.setblocking(False)
    try: c.connect("\\0sensorbroker/iio/%d.%d" % (status.st_dev, status.st_ino))
    except BlockingIOError: break
print("squats", flush=True); sys.stdin.read()
"""
        script = f"""
import os, shutil, subprocess, sys, tempfile, time
squatter = subprocess.Popen([sys.executable, "-c", {squat!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert squatter.stdout.readline().strip() == "squats"
place = tempfile.mkdtemp(prefix="sb-")
broker = subprocess.Popen([sys.argv[1], "--runtime-directory", place, "--gpsd", "localhost:{free_port()}"],
                          stderr=subprocess.PIPE, text=True)
while broker.poll() is None and not os.path.exists(place + "/io.sensorbroker.Broker"):
    time.sleep(0.02)
print("status", broker.poll(), "squatter", squatter.pid)
broker.kill()
print(broker.stderr.read())
squatter.kill()
shutil.rmtree(place)
"""
        result = commands.run(
            "unshare", "--mount", "--net", "sh", "-c", FAKE_SYSFS, sys.executable, "-c", script, SENSORBROKERD,
            patience=4 * PATIENCE)
        found = re.search(r"status None squatter (\d+)", result.stdout)
        assert found, result.stdout + result.stderr
        assert "end that process" in result.stdout, result.stdout
        assert knocks or f"pid {found[1]} holds" in result.stdout, result.stdout


# As root, without a user namespace, which would contain no other user.
FAKE_SYSFS = """
mount -t tmpfs none /sys && mkdir -p /sys/bus/iio/devices/iio:device0 && touch /sys/bus/iio/devices/iio:device0/in_accel_x_raw
exec "$0" "$@"
"""
