"""The two programs as processes: closed descriptors, file size limits, children, and cleaners of temporary files."""

import os
import pathlib
import resource as limits
import shutil
import signal
import subprocess

import pytest

from tools.commands import must, run
from tools.daemon import LIBC, Daemon, die_with_parent
from tools.programs import (ADMIN, BROKER, FEED, PATIENCE, SENSORBROKER_DESKTOP, SENSORBROKER_FLEET, SENSORBROKER_MQTT, SENSORBROKERD,
                            SENSORCTL)
from tools.recordings import Recording
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Connection

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}
CLOSED = [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)]


def closing_descriptors(numbers):
    def close():
        die_with_parent()
        for number in numbers:
            os.close(number)
    return close


@pytest.mark.parametrize("program", [SENSORBROKERD, SENSORCTL, SENSORBROKER_MQTT, SENSORBROKER_FLEET, SENSORBROKER_DESKTOP],
                         ids=lambda path: os.path.basename(path))
def test_without_proc_a_program_says_that_it_cannot_read_its_arguments(program):
    """As in a chroot in which nothing is mounted. A broker would have served real sensors in the place of mocks."""
    script = 'mount -t tmpfs none /proc || exit 99; exec "$@"'
    result = run("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", program, "--version")
    if result.returncode == 99 or "unshare" in result.stderr:
        pytest.skip(f"NOT RUN: /proc cannot be hidden here: {result.stderr}")
    assert result.returncode == 64 and "mount -t proc proc /proc" in result.stderr, result


@pytest.fixture
def temporary(directory):
    """The environment of a program whose temporary files are all in a directory of this test."""
    return {**os.environ, "TMPDIR": directory}


# Closed descriptors


@pytest.mark.parametrize("numbers", CLOSED)
def test_a_recorder_with_closed_descriptors_writes_nothing_but_the_recording(daemon, tmp_path, numbers):
    path = tmp_path / "drive.ndjson"
    process = subprocess.Popen([SENSORCTL, "--socket", daemon.broker, "record", "accelerometer@10ms", str(path), "--count", "20"],
                               preexec_fn=closing_descriptors(numbers))
    assert process.wait(PATIENCE) == 0
    assert all(line.startswith(b"{") for line in path.read_bytes().splitlines())
    assert len(Recording(path).samples["accelerometer"]) >= 20
    assert run(SENSORBROKERD, "--replay", path, "--exec", "true").returncode == 0


@pytest.mark.parametrize("words", [["list"], ["watch", "accelerometer", "--count", "1"], ["--help"], ["--version"]])
def test_output_to_a_closed_descriptor_is_an_error(daemon, words):
    result = run(SENSORCTL, "--socket", daemon.broker, *words, preexec_fn=closing_descriptors((1,)))
    assert (result.returncode, "cannot write the output" in result.stderr) == (74, True), result


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["--check-config"], ["--mock=hand-held", "--check"]])
@pytest.mark.parametrize("full", [True, False])
def test_the_daemon_also_reports_output_that_it_cannot_write(words, full):
    with open("/dev/full", "w") as output:
        result = run(SENSORBROKERD, *words, stdout=output, preexec_fn=die_with_parent if full else closing_descriptors((1,)))
    assert (result.returncode, "cannot write the output" in result.stderr) == (74, True), result


@pytest.mark.parametrize("numbers", CLOSED)
def test_a_daemon_with_closed_descriptors_does_not_log_into_its_own_files(directory, numbers):
    process = subprocess.Popen([SENSORBROKERD, "--mock", "--runtime-directory", directory], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=closing_descriptors(numbers))
    path = f"{directory}/io.sensorbroker.Broker"
    # The socket exists a moment before it listens.
    until(lambda: answers(path), "its socket")
    with Stream(path, ACCELEROMETER) as stream:
        # Each one is a line in the log.
        process.send_signal(signal.SIGHUP)
        stream.until(lambda s: len(s.samples) > 10, "readings")
    for number in numbers:
        assert os.readlink(f"/proc/{process.pid}/fd/{number}") == "/dev/null"
    assert pathlib.Path(directory, "sensorbrokerd.lock").read_text() == f"{process.pid}\n"
    process.terminate()
    assert process.wait(PATIENCE) == 0


# A limit of files


def no_files():
    die_with_parent()
    limits.setrlimit(limits.RLIMIT_FSIZE, (0, 0))


def test_if_files_may_not_grow_the_broker_serves_and_the_recorder_reports_it(start, directory, tmp_path):
    limit = 'ulimit -f 0; exec "$0" "$@"'
    daemon = start("--mock", prefix=["sh", "-c", limit], stderr=subprocess.DEVNULL)
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        stream.until(lambda s: len(s.samples) > 10, "readings")
    path = tmp_path / "drive.ndjson"
    result = run(SENSORCTL, "--socket", daemon.broker, "record", "accelerometer@10ms", path, "--count", "20", preexec_fn=no_files)
    assert (result.returncode, "size limit" in result.stderr) == (74, True), result
    with open(tmp_path / "help", "w") as output:
        for program in (SENSORCTL, SENSORBROKERD):
            result = run(program, "--help", stdout=output, preexec_fn=no_files, text=False)
            assert result.returncode == 74, result


def test_a_command_has_the_usual_signals(temporary):
    """The command does not inherit the signals that the broker ignores."""
    result = run(SENSORBROKERD, "--mock", "--exec", "grep", "SigIgn", "/proc/self/status", env=temporary)
    ignored = int(result.stdout.split()[1], 16)
    assert not ignored & (1 << signal.SIGXFSZ - 1 | 1 << signal.SIGPIPE - 1), result


# Children


def states_of_children(pid):
    """The state of each child of this process."""
    states = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if int(parent) == pid:
            states.append(state)
    return states


def test_orphans_of_a_command_leave_no_zombies(temporary):
    def adopt():
        die_with_parent()
        # As process 1 of a container it would inherit the orphans too. prctl(PR_SET_CHILD_SUBREAPER)
        LIBC.prctl(36, 1, 0, 0, 0)

    # Twenty grandchildren whose parents end at once; the command continues until its input ends.
    script = 'for i in $(seq 20); do sh -c "sleep 0.1 &"; done; sleep 0.3; echo left; read -r _; exit 7'
    process = subprocess.Popen([SENSORBROKERD, "--mock", "--exec", "sh", "-c", script], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, env=temporary, preexec_fn=adopt)
    assert process.stdout.readline() == "left\n"
    until(lambda: states_of_children(process.pid) and len(states_of_children(process.pid)) == 1, "the orphans to be gone")
    process.stdin.close()
    assert process.wait(PATIENCE) == 7


def test_a_broker_without_a_command_also_reaps_its_children(directory):
    def adopt():
        die_with_parent()
        LIBC.prctl(36, 1, 0, 0, 0)
        # A child that the program does not know, such as process 1 of a container has.
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "1"])

    process = subprocess.Popen([SENSORBROKERD, "--mock", "--runtime-directory", directory], stderr=subprocess.DEVNULL,
                               preexec_fn=adopt)
    until(lambda: os.path.exists(f"{directory}/io.sensorbroker.Broker"), "its socket")
    until(lambda: not states_of_children(process.pid), "the child to be gone")
    process.terminate()
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("instance", [[], ["--instance", "arm"]], ids=["unnamed", "named"])
def test_a_killed_broker_ends_its_command_and_the_next_one_cleans_up(temporary, instance):
    script = 'trap "echo asked; exit 3" TERM; echo ready; while :; do sleep 0.05; done'
    process = subprocess.Popen([SENSORBROKERD, "--mock", *instance, "--exec", "sh", "-c", script], stdout=subprocess.PIPE, text=True,
                               env=temporary, preexec_fn=die_with_parent)
    assert process.stdout.readline() == "ready\n"
    place = pathlib.Path(temporary["TMPDIR"])
    # A running neighbour, and directories that only look similar.
    neighbour = subprocess.Popen([SENSORBROKERD, "--mock", "--temporary"], stdout=subprocess.PIPE, text=True, env=temporary,
                                 preexec_fn=die_with_parent)
    theirs = pathlib.Path(neighbour.stdout.readline().strip()).parent
    (place / "sensorbroker-abcdef").mkdir()
    (place / "sensorbroker-ghijkl").mkdir()
    (place / "sensorbroker-ghijkl" / "sensorbrokerd.lock").touch()
    others = {theirs, place / "sensorbroker-abcdef", place / "sensorbroker-ghijkl"}
    own = set(place.iterdir()) - others
    process.kill()
    process.wait()
    assert process.stdout.readline() == "asked\n"
    assert len(own) == 1 and set(place.iterdir()) == own | others
    assert run(SENSORBROKERD, "--mock", "--exec", "true", env=temporary).returncode == 0
    assert set(place.iterdir()) == others
    neighbour.terminate()
    assert neighbour.wait(PATIENCE) == 0


# Cleaners of temporary files


def answers(path):
    try:
        with Connection(path) as client:
            client.result("org.varlink.service.GetInfo")
        return True
    except OSError:
        return False


def second_is_refused(directory):
    second = run(SENSORBROKERD, "--mock", "--runtime-directory", directory)
    return second.returncode == 69


def test_removed_sockets_and_locks_are_restored(daemon, directory):
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        for count, path in enumerate([daemon.broker, daemon.admin, f"{directory}/sensorbrokerd.lock"] * 3, 1):
            mode = os.lstat(path).st_mode
            os.unlink(path)
            until(lambda: daemon.output().count("has been restored") == count, f"{path} to be put back")
            assert os.lstat(path).st_mode == mode
            assert answers(daemon.broker) and answers(daemon.admin)
            assert second_is_refused(directory)
        assert f"{daemon.broker} was removed" in daemon.output()
        before = len(stream.samples)
        stream.until(lambda s: len(s.samples) > before + 10, "readings, as before")
        assert not stream.losses
    numbers = len(os.listdir(f"/proc/{daemon.pid}/fd"))
    os.unlink(daemon.broker)
    until(lambda: answers(daemon.broker), "the socket")
    assert len(os.listdir(f"/proc/{daemon.pid}/fd")) <= numbers + 1
    daemon.stop()
    assert os.listdir(directory) == ["sensorbrokerd.lock"]


def test_a_removed_directory_is_restored(daemon, directory):
    for _ in range(3):
        # While it runs, it may restore a socket before the directory is removed.
        daemon.send_signal(signal.SIGSTOP)
        shutil.rmtree(directory)
        daemon.send_signal(signal.SIGCONT)
        until(lambda: os.path.exists(daemon.admin), "the sockets")
        until(lambda: answers(daemon.broker) and answers(daemon.admin), "the directory")
        assert second_is_refused(directory)
    os.rename(directory, directory + ".old")
    until(lambda: os.path.exists(daemon.broker), "the sockets")
    until(lambda: answers(daemon.broker), "the directory")
    shutil.rmtree(directory + ".old")


def test_a_file_in_place_of_a_socket_is_left_alone_and_logged(daemon, directory, tmp_path):
    (tmp_path / "mine").write_text("mine")
    os.rename(tmp_path / "mine", daemon.broker) if os.stat(tmp_path).st_dev == os.stat(directory).st_dev else \
        (shutil.copy(tmp_path / "mine", daemon.broker + ".new"), os.rename(daemon.broker + ".new", daemon.broker))
    until(lambda: "was replaced by another file" in daemon.output(), "the log")
    assert pathlib.Path(daemon.broker).read_text() == "mine"
    assert answers(daemon.admin)


def inode(path):
    try:
        return os.lstat(path).st_ino
    except FileNotFoundError:
        return None


def test_a_second_broker_that_took_the_lock_first_is_logged_and_not_disturbed(daemon, directory):
    """The lock file is removed while the first broker cannot react, so the second one starts."""
    lock = pathlib.Path(directory, "sensorbrokerd.lock")
    daemon.send_signal(signal.SIGSTOP)
    lock.unlink()
    sockets = [inode(path) for path in (daemon.broker, daemon.admin)]
    second = subprocess.Popen([SENSORBROKERD, "--mock", "--runtime-directory", directory], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
    # A client that connects to the stopped broker would wait with it.
    until(lambda: lock.exists() and lock.read_text() == f"{second.pid}\n", "the second one's lock")
    until(lambda: all(inode(path) not in [None, *sockets] for path in (daemon.broker, daemon.admin)), "the second one's sockets")
    daemon.send_signal(signal.SIGCONT)
    until(lambda: f"pid {second.pid} holds" in daemon.output(), "the log")
    assert "Two brokers run" in daemon.output()
    daemon.stop()
    assert answers(daemon.broker)
    second.terminate()
    assert second.wait(PATIENCE) == 0


@pytest.mark.skipif(not shutil.which("systemd-tmpfiles"), reason="not tried: this host has no systemd-tmpfiles")
def test_systemd_tmpfiles_leaves_the_directory_of_a_broker_alone(directory):
    # Cleaned as /tmp is, with another directory that nobody holds: the cleaner does its work.
    cleaned, own, other = (pathlib.Path(directory, name) for name in ("cleaned", "cleaned/own", "cleaned/other"))
    other.mkdir(parents=True)
    (other / "file").touch()
    daemon = Daemon(own, "--mock")
    try:
        daemon.await_ready()
        before = sorted(os.listdir(own))
        configuration = pathlib.Path(directory, "clean.conf")
        configuration.write_text(f"d {cleaned} 0755 - - 0\n")
        must("systemd-tmpfiles", "--clean", configuration)
        assert not other.exists()
        assert "was removed" not in daemon.output()
        assert sorted(os.listdir(own)) == before == [ADMIN, BROKER, FEED, "sensorbrokerd.lock"]
        daemon.stop()
    finally:
        daemon.close()
