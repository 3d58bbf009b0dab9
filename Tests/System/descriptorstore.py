"""A service manager with a store of descriptors, as systemd's: sockets that it listens on, sd_notify, FDSTORE, restarts.

What a process stores comes back to the next one, behind the listening sockets, by its name. What hangs up is taken out. A
process is started as systemd does it: LISTEN_FDS, LISTEN_FDNAMES, descriptors from 3 on.
"""

import array
import fcntl
import os
import select
import signal
import socket
import threading
import uuid

from programs import ADMIN, BROKER, PATIENCE, SENSORBROKERD

MOST_DESCRIPTORS = 253
FIRST_HELD = 600


class Service:
    def __init__(self, directory, *arguments, capacity=512, program=SENSORBROKERD):
        self.directory = str(directory)
        self.broker = os.path.join(self.directory, BROKER)
        self.admin = os.path.join(self.directory, ADMIN)
        self.command = [program, "--runtime-directory", self.directory, *arguments]
        self.capacity = capacity
        self.listening = [("varlink", self.listen(self.broker)), ("admin", self.listen(self.admin))]
        self.stored = []
        self.messages = []
        self.refused = 0
        self.changed = threading.Condition()
        self.name = f"sensorbroker-test-{uuid.uuid4()}"
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self.notify.bind("\0" + self.name)
        self.poll = select.epoll()
        self.poll.register(self.notify, select.EPOLLIN)
        self.end_read, self.end_write = os.pipe()
        self.poll.register(self.end_read, select.EPOLLIN)
        self.log = os.open(os.path.join(self.directory, "log"), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)
        self.pid = None
        self.thread = threading.Thread(target=self.hear, daemon=True)
        self.thread.start()

    @staticmethod
    def listen(path):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        listener.bind(path)
        listener.listen(4096)
        return listener

    # the service's processes

    def start(self):
        """Starts a process with all it is to have, and waits for READY=1."""
        with self.changed:
            self.messages.clear()
            passed = [(name, listener.fileno()) for name, listener in self.listening] + self.stored
        # Out of the way of where they are to go.
        high = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, FIRST_HELD + len(passed)) for _, number in passed]
        environment = {
            **os.environ, "NOTIFY_SOCKET": "@" + self.name, "LISTEN_FDS": str(len(passed)),
            "LISTEN_FDNAMES": ":".join(name for name, _ in passed),
            # Nobody there to say what job there is.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}
        environment.pop("FDSTORE", None)
        if self.capacity:
            environment["FDSTORE"] = str(self.capacity)
        actions = [(os.POSIX_SPAWN_DUP2, self.log, 1), (os.POSIX_SPAWN_DUP2, self.log, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, number, 3 + index) for index, number in enumerate(high)]
        self.pid = os.posix_spawnp(
            "setpriv", ["setpriv", "--pdeathsig", "KILL", "sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', *self.command],
            environment, file_actions=actions)
        for number in high:
            os.close(number)
        self.wait_for(lambda: any(message.get("READY") == "1" for message in self.messages), "READY=1")
        return self

    def wait(self):
        """Waits for the end of the process; returns its exit status, negative for a signal."""
        process = os.pidfd_open(self.pid)
        try:
            assert select.select([process], [], [], PATIENCE)[0], f"did not end: {self.output()}"
        finally:
            os.close(process)
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        return os.waitstatus_to_exitcode(status)

    def end(self, number=signal.SIGTERM):
        """Ends the process; the store stays as it is, as on the way to a restart."""
        os.kill(self.pid, number)
        status = self.wait()
        assert status == (0 if number != signal.SIGKILL else -signal.SIGKILL), f"{status}: {self.output()}"

    def restart(self, number=signal.SIGTERM):
        self.end(number)
        return self.start()

    def stop(self):
        """Ends the service: what is in the store is closed."""
        if self.pid:
            self.end()
        self.empty()

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        os.write(self.end_write, b"x")
        self.thread.join()
        self.empty()
        for _, listener in self.listening:
            listener.close()
        self.notify.close()
        self.poll.close()
        for number in (self.end_read, self.end_write, self.log):
            os.close(number)

    def output(self):
        with open(os.path.join(self.directory, "log"), errors="replace") as log:
            return log.read()

    # what it is told

    def wait_for(self, condition, what):
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), f"waited {PATIENCE:.0f} s for {what}: {self.output()}"

    def names(self):
        """The names of what is in the store."""
        with self.changed:
            return [name for name, _ in self.stored]

    def number_of(self, name):
        """The descriptor of the only one of a name."""
        with self.changed:
            [number] = [number for stored, number in self.stored if stored == name]
            return number

    def replace(self, name, content):
        """Puts other content in place of a stored memory file."""
        other = os.memfd_create(name)
        os.write(other, content)
        os.dup2(other, self.number_of(name), inheritable=False)
        os.close(other)

    def hear(self):
        while True:
            for number, events in self.poll.poll():
                if number == self.end_read:
                    return
                with self.changed:
                    if number == self.notify.fileno():
                        self.take_message()
                    elif events & (select.EPOLLHUP | select.EPOLLERR):
                        self.drop(lambda item, number=number: item[1] == number)
                    self.changed.notify_all()

    def take_message(self):
        space = socket.CMSG_SPACE(MOST_DESCRIPTORS * array.array("i").itemsize)
        data, control, flags, _ = self.notify.recvmsg(4096, space, socket.MSG_CMSG_CLOEXEC)
        assert not flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC), flags
        numbers = array.array("i")
        for level, kind, content in control:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                numbers.frombytes(content)
        message = dict(line.split("=", 1) for line in data.decode().splitlines() if "=" in line)
        self.messages.append(message)
        if message.get("FDSTORE") == "1":
            for number in numbers:
                self.keep(message.get("FDNAME", "stored"), number)
        else:
            # A barrier's descriptor among them: closing it is the answer.
            for number in numbers:
                os.close(number)
        if message.get("FDSTOREREMOVE") == "1":
            self.drop(lambda item: item[0] == message["FDNAME"])

    def keep(self, name, number):
        status = os.fstat(number)
        known = any((other.st_dev, other.st_ino) == (status.st_dev, status.st_ino)
                    for other in (os.fstat(stored) for _, stored in self.stored))
        if known or len(self.stored) >= self.capacity:
            self.refused += not known
            os.close(number)
            return
        self.stored.append((name, number))
        try:
            self.poll.register(number, 0)
        except PermissionError:
            pass  # a file, of which nothing is to be heard

    def drop(self, condition):
        gone = [item for item in self.stored if condition(item)]
        self.stored = [item for item in self.stored if not condition(item)]
        for _, number in gone:
            try:
                self.poll.unregister(number)
            except (FileNotFoundError, PermissionError):
                pass
            os.close(number)

    def empty(self):
        with self.changed:
            self.drop(lambda item: True)
