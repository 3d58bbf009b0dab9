"""A fleet's server and network, as the tests of sensorbroker-mqtt need them: a bridge as a process, mosquitto and nats-server,
a server that gives any reason, a network that is cut and stalls, and a consumer that proves that it has everything.
"""

import asyncio
import collections
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

import paho.mqtt.client as mqtt
import zstandard
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tools.daemon import ServiceManager, die_with_parent
from tools.programs import PATIENCE, ROOT

SENSORBROKER_MQTT = os.environ.get("SENSORBROKER_MQTT_BIN", str(ROOT / ".build/debug/sensorbroker-mqtt"))
SENSORBROKER_FLEET = os.environ.get("SENSORBROKER_FLEET_BIN", str(ROOT / ".build/debug/sensorbroker-fleet"))
MOSQUITTO = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
NATS_SERVER = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")
HOST = "truck-0042"


def until(condition, what, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"waited {patience:.0f} s for {what() if callable(what) else what}"
        time.sleep(0.02)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


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


class Loop:
    """An asyncio loop on a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE)

    def call(self, function, *arguments):
        self.loop.call_soon_threadsafe(function, *arguments)

    def close(self):
        async def finish():
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.run(finish())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


class Proxy(Loop):
    """A network to a port: it can be cut, stalled, refused, and has a delay."""

    def __init__(self, target, delay=0.0):
        super().__init__()
        self.target, self.delay, self.refuses, self.writers = target, delay, False, set()
        self.flows = None
        self.port = self.run(self.listen())

    async def listen(self):
        self.flows = asyncio.Event()
        self.flows.set()
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            if self.refuses:
                raise OSError("refused")
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, back}
        await asyncio.gather(self.pump(reader, back), self.pump(there, writer), return_exceptions=True)
        self.writers -= {writer, back}

    async def pump(self, reader, writer):
        queue = asyncio.Queue(256)

        async def drain():
            while True:
                due, data = await queue.get()
                if data is None:
                    writer.close()
                    return
                await asyncio.sleep(max(0, due - self.loop.time()))
                await self.flows.wait()
                writer.write(data)
                await writer.drain()

        task = asyncio.create_task(drain())
        try:
            while data := await reader.read(65536):
                await self.flows.wait()
                await queue.put((self.loop.time() + self.delay, data))
        except OSError:
            pass
        await queue.put((0, None))
        await asyncio.gather(task, return_exceptions=True)

    def cut(self):
        def abort():
            for writer in list(self.writers):
                writer.transport.abort()
            self.flows.set()
        self.call(abort)

    def stall(self):
        self.call(self.flows.clear)

    def go(self):
        self.call(self.flows.set)

    def refuse(self, yes=True):
        self.refuses = yes
        if yes:
            self.cut()


class ScriptedServer(Loop):
    """A server whose every answer a test decides.

    `connack(connection)`: the reason of the answer to a connection; `puback(topic, payload)`: that to a message, None for no
    answer, a tuple ("disconnect", reason) to end the connection. What was acknowledged as delivered is in `arrived`.
    """

    def __init__(self, connack=lambda number: 0, puback=lambda topic, payload: 0, suback=1, properties=b"", versions=(5, 4), port=0):
        super().__init__()
        self.suback = suback
        self.connack, self.puback, self.properties, self.versions = connack, puback, properties, versions
        self.connections, self.published, self.arrived, self.most_in_flight, self.writers = [], [], [], 0, set()
        # The topics that clients wanted to be kept, and the bodies of the packets with which they introduced themselves
        self.retained, self.introductions = [], []
        self.server = None
        self.port = self.run(self.listen(port))

    async def listen(self, port):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", port)
        return self.server.sockets[0].getsockname()[1]

    @staticmethod
    def length(number):
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    async def packet(self, reader):
        header, length, shift = (await reader.readexactly(1))[0], 0, 0
        while True:
            byte = (await reader.readexactly(1))[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return header, await reader.readexactly(length)

    async def serve(self, reader, writer):
        self.writers.add(writer)
        try:
            await self.converse(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    async def converse(self, reader, writer):
        version, unanswered = 5, 0
        while True:
            header, body = await self.packet(reader)
            kind = header >> 4
            if kind == 1:
                version = body[6]
                self.connections.append(version)
                self.introductions.append(body)
                if version not in self.versions:
                    # As a server does that knows only 3.1.1.
                    writer.write(b"\x20\x02\x00\x01")
                    return
                reason = self.connack(len(self.connections))
                tail = b"" if version < 5 else self.length(len(self.properties)) + self.properties
                answer = bytes([0, reason]) + tail
                writer.write(b"\x20" + self.length(len(answer)) + answer)
                if reason:
                    await writer.drain()
                    return
            elif kind == 3:
                size = struct.unpack(">H", body[:2])[0]
                topic = body[2:2 + size].decode()
                offset = 2 + size
                identifier = body[offset:offset + 2] if header >> 1 & 3 else b""
                offset += len(identifier)
                payload = body[offset + (1 + body[offset] if version == 5 else 0):]
                self.published.append((topic, payload))
                if header & 1:
                    self.retained.append(topic)
                unanswered += 1
                self.most_in_flight = max(self.most_in_flight, unanswered)
                reason = self.puback(topic, payload)
                if isinstance(reason, tuple):
                    writer.write(b"\xe0\x01" + bytes([reason[1]]))
                    writer.write_eof()
                    # What is unread when a socket is closed would take the reason with it.
                    while await reader.read(65536):
                        pass
                    return
                if reason is not None and identifier:
                    if reason == 0:
                        self.arrived.append((topic, payload))
                    unanswered -= 1
                    writer.write(b"\x40\x03" + identifier + bytes([reason]) if version == 5 and reason
                                 else b"\x40\x02" + identifier)
            elif kind == 8:
                answer = body[:2] + (b"\x00" if version == 5 else b"") + bytes([self.suback])
                writer.write(b"\x90" + self.length(len(answer)) + answer)
            elif kind == 12:
                writer.write(b"\xd0\0")
            elif kind == 14:
                return


class Ledger:
    """What a consumer has got, by resource and epoch: what is missing, and what of it was told as lost."""

    def __init__(self, host=HOST, prefix="fleet"):
        self.host, self.prefix = host, prefix
        self.seen = collections.defaultdict(collections.Counter)
        self.messages, self.lost, self.began, self.status, self.clocks = [], [], {}, None, []
        self.groups, self.objects, self.causes = 0, {}, collections.Counter()

    def take(self, topic, payload):
        prefix = f"{self.prefix}/{self.host}/"
        if not topic.startswith(prefix):
            return
        name = topic[len(prefix):]
        if name == "status":
            self.status = json.loads(payload)
            return
        resource, late = name.removesuffix("/late"), name.endswith("/late")
        if name == "resend" or "/" in resource or not payload:
            return
        if payload[:4] == b"\x28\xb5\x2f\xfd":
            self.groups += 1
            lines = zstandard.ZstdDecompressor().decompressobj().decompress(payload).splitlines()
        else:
            lines = [payload]
        for line in lines:
            message = json.loads(line)
            key = (resource, message["epoch"])
            self.seen[key][message["number"]] += 1
            self.messages.append((resource, late, message))
            self.objects.setdefault((*key, message["number"]), line)
            # The same number always has the same bytes.
            assert self.objects[(*key, message["number"])] == line
            if "lost" in message:
                told = message["lost"]
                self.lost.append((resource, told["epoch"], told["from"], told["to"], told["cause"]))
                self.causes[told["cause"]] += 1
            if "began" in message:
                self.began[key] = message["began"]
            if "clock" in message:
                self.clocks.append((message["epoch"], message["clock"]))

    def is_told(self, resource, epoch, number):
        return any((resource, epoch) == (one, other) and first <= number <= last
                   for one, other, first, last, _ in self.lost)

    def missing(self):
        """What never came and was not told, as (resource, epoch, number)."""
        last = {key: max(numbers, default=0) for key, numbers in self.seen.items()}
        for (resource, _), began in self.began.items():
            if "previous" in began:
                key = (resource, began["previous"])
                last[key] = max(last.get(key, 0), began["last"])
        if self.status and self.status["state"] != "lost":
            for resource, numbers in self.status["streams"].items():
                key = (resource, self.status["epoch"])
                last[key] = max(last.get(key, 0), numbers["last"])
        return [(resource, epoch, number) for (resource, epoch), end in last.items() for number in range(1, end + 1)
                if number not in self.seen[(resource, epoch)] and not self.is_told(resource, epoch, number)]

    def epochs(self, resource):
        return [epoch for name, epoch in self.seen if name == resource]

    def count(self, resource):
        return sum(len(numbers) for (name, _), numbers in self.seen.items() if name == resource)

    def readings(self, resource):
        return [reading for name, _, message in self.messages if name == resource for reading in message.get("readings", [])]


class Consumer(Ledger):
    """A consumer on a server, with a session that survives; it asks for what it lacks."""

    def __init__(self, port, version=5, host=HOST, identifier=None, **tls):
        super().__init__(host)
        self.lock = threading.Lock()
        self.is_subscribed = threading.Event()
        protocol = mqtt.MQTTv5 if version == 5 else mqtt.MQTTv311
        identifier = identifier or f"consumer-{os.getpid()}-{port}"
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, identifier, protocol=protocol,
                                  **({} if version == 5 else {"clean_session": False}))
        if tls:
            self.client.tls_set(**tls)
        self.client.on_connect = lambda client, *_: client.subscribe(f"fleet/{host}/#", 1)
        self.client.on_subscribe = lambda *_: self.is_subscribed.set()
        self.client.on_message = self.on_message
        self.client.reconnect_delay_set(1, 1)
        options = {}
        if version == 5:
            properties = Properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = 86400
            options = {"clean_start": False, "properties": properties}
        self.client.connect("127.0.0.1", port, 10, **options)
        self.client.loop_start()
        assert self.is_subscribed.wait(PATIENCE)

    def on_message(self, client, data, message):
        with self.lock:
            self.take(message.topic, message.payload)

    def ask(self):
        """Asks for the first of what is missing; whether anything is."""
        with self.lock:
            missing = self.missing()
        for resource, epoch in sorted({(resource, epoch) for resource, epoch, _ in missing}):
            numbers = [number for one, other, number in missing if (one, other) == (resource, epoch)]
            request = {"resource": resource, "epoch": epoch, "from": min(numbers), "to": max(numbers)}
            self.client.publish(f"fleet/{self.host}/resend", json.dumps(request), qos=1)
        return bool(missing)

    def await_all(self, resend=False):
        """Waits until nothing is missing after the newest status."""
        def complete():
            with self.lock:
                missing = self.missing()
            if missing and resend:
                self.ask()
                time.sleep(1)
            return not missing
        until(complete, lambda: f"what is missing: {self.missing()[:10]}")

    def await_count(self, resource, number):
        until(lambda: self.count(resource) >= number, lambda: f"{number} messages of {resource}: {self.count(resource)}")

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


class Bridge:
    """sensorbroker-mqtt as a process, with a configuration and a spool of its own."""

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
