"""One owner in any case: a second copy touches nothing and names the owner."""

import os
import shutil
import signal
import subprocess

import pytest

from tools.daemon import HELD, Daemon, ServiceManager, die_with_parent
from tools.programs import ADMIN, PATIENCE, SENSORBROKERD
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Connection

ROUNDS = int(os.environ.get("SINGLE_INSTANCE_ROUNDS", "20"))
COPIES = 8


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
