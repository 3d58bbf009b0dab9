"""sensorbroker-mqtt as a process."""

import os
import subprocess
import tempfile

from tools.daemon import ServiceManager, die_with_parent
from tools.programs import HOST, PATIENCE, SENSORBROKER_MQTT
from tools.waiting import until


def children(pid):
    """The processes that a process started, such as that of its connection. proc_pid_task(5)"""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


class Bridge:
    """With a configuration and a spool of its own."""

    def __init__(self, directory, broker, url, readings=("location=100ms", "accelerometer=10ms batch 200ms"), spool=(),
                 server=(), topics=(), environment=None, prefix=(), others=(), disk=None):
        self.directory = str(directory)
        self.broker = broker
        self.spool = os.path.join(disk or self.directory, "spool")
        self.configuration = os.path.join(self.directory, "mqtt.conf")
        self.environment, self.prefix = environment or {}, prefix
        with open(self.configuration, "w") as file:
            file.write("\n".join(["[Server]", f"Url={url}", *server, "[Topics]", f"Host={HOST}", *topics, "[Readings]", *readings,
                                  "[Spool]", *(spool or ("SyncSec=500ms", "BacklogSpeed=max")), *others]) + "\n")
        self.process = self.manager = self.log = None
        self.logs = []

    def start(self, ready=True):
        self.manager = ServiceManager()
        self.log = tempfile.TemporaryFile()
        self.logs.append(self.log)
        self.process = subprocess.Popen(
            [*self.prefix, SENSORBROKER_MQTT, "--config", self.configuration, "--spool", self.spool, "--socket", self.broker],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=die_with_parent,
            env={**os.environ, **self.manager.environment, **self.environment})
        return self.await_ready() if ready else self

    def await_ready(self):
        def is_ready():
            self.manager.receive(0.1)
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.output()}"
            return self.manager.count("READY", "1")
        until(is_ready, self.output)
        return self

    def output(self):
        return "".join(os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace") for log in self.logs)

    def await_output(self, words):
        until(lambda: words in self.output() or self.process.poll() is not None, lambda: f"'{words}' in: {self.output()}")
        assert words in self.output(), self.output()

    @property
    def status(self):
        """The newest status line."""
        lines = [message["STATUS"] for message in self.manager.drain() if "STATUS" in message]
        return lines[-1] if lines else ""

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        assert self.process.wait(PATIENCE) == 0, self.output()
        self.manager.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.manager.close()

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        for log in self.logs:
            log.close()
