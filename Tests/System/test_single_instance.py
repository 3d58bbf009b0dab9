"""One owner in any case: a second copy touches nothing and names the owner."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import pytest

from tools import commands, users
from tools.daemon import Daemon, ServiceManager, die_with_parent
from tools.ports import free_port
from tools.programs import ADMIN, PATIENCE, ROOT, SENSORBROKERD
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Connection

ROUNDS = int(os.environ.get("SINGLE_INSTANCE_ROUNDS", "20"))
COPIES = 8
HELD = re.compile(r"pid (\d+) holds ([^)\s]+)")


def identity(path):
    """Properties that change if a file is replaced or created again."""
    status = os.lstat(path)
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_mode, status.st_uid, status.st_gid


def snapshot(directory):
    return {name: identity(os.path.join(directory, name)) for name in sorted(os.listdir(directory))}


def refused(directory):
    """Starts a second copy, which must be refused; returns the pid and the path that it prints."""
    second = Daemon(directory, "--mock")
    status = second.wait()
    text = second.output()
    second.manager.drain()
    notifications = list(second.manager.messages)
    second.close()
    assert status == 69, f"{status}: {text}"
    assert not notifications, notifications
    lines = text.splitlines()
    assert len(lines) == 1, text
    found = HELD.search(lines[0])
    assert found, text
    return int(found.group(1)), found.group(2)


def lock_path(start, directory):
    """The path of the instance lock, from the message of a second copy; nobody holds it afterwards."""
    first = start("--mock")
    _, path = refused(directory)
    first.stop()
    return path


def test_second_copy_names_holder_and_touches_nothing(daemon, directory):
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 50_000_000}) as stream:
        before = snapshot(directory)
        pid, path = refused(directory)
        assert pid == daemon.pid
        assert os.path.dirname(path) == directory and os.path.basename(path) in before
        assert snapshot(directory) == before
        seen = len(stream.samples)
        stream.until(lambda s: len(s.samples) >= seen + 10, "the first copy to go on streaming")
    with Connection(daemon.broker) as other:
        other.result("org.varlink.service.GetInfo")


def test_second_copy_does_not_open_a_device_or_a_socket(daemon, directory, tmp_path):
    """Its system calls are traced, in a second copy that would use real devices."""
    trace = tmp_path / "trace"
    second = Daemon(directory, prefix=["strace", "-f", "-qq", "-o", str(trace), "-s", "200"])
    status = second.wait()
    text = second.output()
    second.close()
    calls = trace.read_text() if trace.exists() else ""
    if "ptrace" in text or not calls:
        pytest.skip(f"strace may not trace here, so the system calls of a second copy went unseen: {text}")
    assert status == 69, text
    locked = calls.index("flock(")
    assert "EAGAIN" in calls[locked : calls.index("\n", locked)]
    for forbidden in ("bind(", "unlink(", "unlinkat(", "/sys/bus/iio", "/dev/iio", "AF_INET", "ftruncate("):
        assert forbidden not in calls, f"{forbidden} in the calls of a second copy"


class Contest:
    """Copies that wait for one signal, and then all start at once."""

    def __init__(self, directory):
        self.directory = directory
        self.manager = ServiceManager()
        gate, self.opener = os.pipe()
        script = 'read -r _; exec "$0" "$@" </dev/null'
        command = ["sh", "-c", script, SENSORBROKERD, "--mock", "--runtime-directory", directory]
        self.copies = [
            subprocess.Popen(command, stdin=gate, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             preexec_fn=die_with_parent, env={**os.environ, **self.manager.environment})
            for _ in range(COPIES)
        ]
        os.close(gate)

    def run(self):
        """Starts all of them; returns the one that remains when all others have ended, and the others."""
        os.close(self.opener)
        running = self.copies

        def is_decided():
            nonlocal running
            running = [copy for copy in self.copies if copy.poll() is None]
            self.manager.receive(0.005)
            return len(running) <= 1 and (self.manager.count("READY", "1") or not running)

        until(is_decided, lambda: f"{len(running)} copies to end")
        self.manager.drain()
        assert len(running) == 1, [copy.communicate()[1] for copy in self.copies]
        return running[0], [copy for copy in self.copies if copy is not running[0]]

    def close(self):
        for copy in self.copies:
            copy.kill()
            copy.communicate()
        self.manager.close()


def contest(directory, ending):
    """Eight copies at once: one owner, and seven that exit with 69 and name it; then the owner is stopped."""
    copies = Contest(directory)
    try:
        owner, others = copies.run()
        assert copies.manager.count("READY", "1") == 1
        for other in others:
            text = other.stderr.read().decode()
            assert other.returncode == 69, f"{other.returncode}: {text}"
            found = HELD.search(text)
            assert found and int(found.group(1)) == owner.pid, f"owner is {owner.pid}: {text}"
        with Connection(os.path.join(directory, ADMIN)) as admin:
            assert admin.result(f"{ADMIN}.GetStatus")["processId"] == owner.pid
        owner.send_signal(ending)
        assert owner.wait(PATIENCE) == (0 if ending == signal.SIGTERM else -ending)
    finally:
        copies.close()


@pytest.mark.timeout(180 + 2 * ROUNDS)
def test_copies_started_at_the_same_instant_have_one_owner(directory):
    lock = None
    for number in range(ROUNDS):
        # Every other owner dies without cleaning up, so that the next round finds stale sockets.
        contest(directory, signal.SIGKILL if number % 2 else signal.SIGTERM)
        locks = {name: inode for name, (inode, *_) in snapshot(directory).items() if "." not in name or "lock" in name}
        assert locks, "no lock file is left"
        assert lock in (None, locks), "a lock file was made anew"
        lock = locks


def test_stale_sockets_are_replaced(start, directory):
    first = start("--mock")
    first.kill()
    assert os.path.exists(first.broker) and os.path.exists(first.admin)
    second = start("--mock")
    with Connection(second.admin) as admin:
        assert admin.result(f"{ADMIN}.GetStatus")["processId"] == second.pid


def test_lock_file_outlives_its_holders(start, directory):
    path = lock_path(start, directory)
    inode = os.stat(path).st_ino
    start("--mock").kill()
    assert os.stat(path).st_ino == inode
    start("--mock").stop()
    assert os.stat(path).st_ino == inode
    assert os.stat(path).st_mode & 0o777 == 0o600


def refuses(start, text):
    """A start that must fail before READY=1, with a message that contains the text."""
    daemon = start("--mock", ready=False)
    status = daemon.wait()
    assert status in (71, 73, 77), f"{status}: {daemon.output()}"
    assert text in daemon.output()
    daemon.manager.drain()
    assert not daemon.manager.messages


def test_link_at_the_lock_is_refused(start, directory, tmp_path):
    path = lock_path(start, directory)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    os.unlink(path)
    os.symlink(victim, path)
    before = identity(victim)
    refuses(start, path)
    assert os.readlink(path) == str(victim)
    assert identity(victim) == before and victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["io.sensorbroker.Broker", "io.sensorbroker.Admin", "io.sensorbroker.Feed"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_another_file_at_the_sockets_path_is_refused(start, directory, tmp_path, name, kind):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = os.path.join(directory, name)
    if kind == "link":
        os.symlink(victim, path)
    else:
        shutil.copy(victim, path)
    before = identity(path), identity(victim)
    refuses(start, path)
    assert (identity(path), identity(victim)) == before
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("writable", [0o777, 0o775])
def test_directory_that_others_may_write_is_refused(start, directory, writable):
    os.chmod(directory, writable)
    refuses(start, directory)


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_sockets_have_their_modes_whatever_the_umask(start, umask):
    daemon = start("--mock", umask=umask)
    assert os.stat(daemon.broker).st_mode & 0o777 == 0o660
    assert os.stat(daemon.admin).st_mode & 0o777 == 0o600


def test_sockets_have_their_modes_from_the_start(start, directory, tmp_path):
    """The mode is set on the descriptor before bind, so it is never wider; the bits that the umask removed are never
    restored through a link.
    """
    trace = tmp_path / "trace"
    daemon = start("--mock", ready=False, prefix=["strace", "-D", "-f", "-qq", "-o", str(trace), "-e",
                                                  "trace=bind,listen,chmod,fchmod,fchmodat"])
    try:
        daemon.await_ready()
    except AssertionError as fault:
        if "ptrace" not in str(fault):
            raise
        pytest.skip(f"strace may not trace here, so the order of bind and fchmod went unseen: {fault}")
    calls = [line.split(None, 1)[1] for line in trace.read_text().splitlines()]
    binds = [index for index, text in enumerate(calls) if directory in text and text.startswith("bind(")]
    assert len(binds) == 3, calls
    for index in binds:
        number = calls[index].split("(")[1].split(",")[0]
        assert any(text.startswith(f"fchmod({number}, ") for text in calls[:index]), calls
    changes = [index for index, text in enumerate(calls) if text.startswith(("chmod(", "fchmodat"))]
    # Nobody can connect before it has its mode.
    listens = [index for index, text in enumerate(calls) if text.startswith("listen(")]
    # One socket is made after the other.
    assert sorted(binds + listens) == [index for pair in zip(binds, listens) for index in pair], calls
    assert all(any(bind < change < listen for bind, listen in zip(binds, listens)) for change in changes), calls
    # By its path the call would follow links; glibc uses a descriptor of it, or fchmodat2.
    by_path = [calls[index] for index in changes if f"{directory}/" in calls[index]]
    assert not [text for text in by_path if "AT_SYMLINK_NOFOLLOW" not in text], calls


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
