"""Servers of MQTT as processes: mosquitto, and nats-server."""

import os
import shutil
import subprocess
import tempfile

from tools.daemon import die_with_parent
from tools.ports import free_port, listens
from tools.waiting import until

MOSQUITTO = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
NATS_SERVER = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")


class Server:
    """A server of MQTT as a process on one port, which can be killed and started again."""

    def __init__(self, directory, port=None):
        self.port = port or free_port()
        self.directory = tempfile.mkdtemp(dir=directory)
        os.chmod(self.directory, 0o777)
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        until(lambda: self.process.poll() is not None or listens(self.port), "the server to listen")
        assert self.process.poll() is None, self.log()
        return self

    def log(self):
        return ""

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    close = kill


class Mosquitto(Server):
    def __init__(self, directory, *lines, port=None):
        super().__init__(directory, port)
        self.configuration = f"{self.directory}/mosquitto.conf"
        with open(self.configuration, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\npersistence true\npersistence_location {self.directory}/\n"
                       f"max_queued_messages 0\nlog_dest file {self.directory}/log\nlog_type all\n")
            if os.getuid() == 0:
                # Else it becomes another user, who may not enter the test's directory.
                file.write("user root\n")
            file.write("\n".join(lines or ["allow_anonymous true"]) + "\n")

    def command(self):
        return [MOSQUITTO, "-c", self.configuration]

    def log(self):
        with open(f"{self.directory}/log") as file:
            return file.read()


class NATS(Server):
    """nats-server's listener of MQTT 3.1.1."""

    def command(self):
        configuration = f"{self.directory}/nats.conf"
        with open(configuration, "w") as file:
            file.write(f'server_name: fleet\nlisten: "127.0.0.1:{free_port()}"\njetstream {{ store_dir: "{self.directory}" }}\n'
                       f'mqtt {{ listen: "127.0.0.1:{self.port}" }}\n')
        return [NATS_SERVER, "-c", configuration]


def encrypted(directory, authority):
    return Mosquitto(directory, f"cafile {authority}/ours.crt", f"certfile {authority}/server.crt", f"keyfile {authority}/server.key",
                     "require_certificate true", "allow_anonymous true")


def subscribed(server, count):
    """Whether so many clients of sensorctl have subscribed."""
    return until(lambda: server.log().count("Sending SUBACK to sensorctl-") >= count, "sensorctl to subscribe")
