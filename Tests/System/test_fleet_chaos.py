"""The program of Examples/Fleet while it, PostgreSQL and mosquitto are killed and stopped at random, and hosts send poison: each number is
there once, with its content. INGEST_FAULTS=100 INGEST_SEED=7 makes it longer, and another one."""

import contextlib
import json
import os
import random
import signal
import threading

import paho.mqtt.client as mqtt

from tools.database import Database, Ingest
from tools.mosquitto import Mosquitto
from tools.processes import descendants
from tools.waiting import until

HOSTS = range(10)
POISON = (b"bad", b"", b'{"epoch":"e","number":-1}', b'{"epoch":"e","number":1e999}', b'{"epoch":"\\u0000"}')


class Hosts:
    """Bridges of a fleet, as far as a database sees them: numbers, a status, and what is asked for again."""

    def __init__(self, port, dice):
        self.dice, self.last, self.is_ending = dice, 0, threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "hosts", protocol=mqtt.MQTTv5)
        self.client.on_connect = lambda client, *_: client.subscribe("fleet/+/resend", 1)
        self.client.on_message = self.resend
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @staticmethod
    def text(host, number):
        return json.dumps({"epoch": f"epoch-{host}", "number": number, "readings": [{"timestampNanoseconds": number, "x": number * host}]})

    def send(self, host, rest, payload, **options):
        self.client.publish(f"fleet/{host}/{rest}", payload, qos=1, **options)

    def resend(self, client, data, message):
        host, asked = int(message.topic.split("/")[1]), json.loads(message.payload)
        for number in range(asked["from"], min(asked["to"], self.last) + 1):
            self.send(host, "location/late", self.text(host, number))

    def status(self):
        for host in HOSTS:
            streams = {"location": {"last": self.last}}
            self.send(host, "status", json.dumps({"state": "online", "epoch": f"epoch-{host}", "streams": streams}), retain=True)

    def run(self):
        while not self.is_ending.wait(0.02):
            self.last += 1
            for host in HOSTS:
                # Some never leave, and some that leave are poison.
                if self.dice.random() < 0.95:
                    self.send(host, "location", self.text(host, self.last))
                if self.dice.random() < 0.05:
                    self.send(host, "location", self.dice.choice(POISON))
        self.status()

    def end(self):
        self.is_ending.set()
        self.thread.join()

    def close(self):
        self.end()
        self.client.disconnect()
        self.client.loop_stop()


def test_each_number_is_there_once_whatever_happens(closing, directory):
    dice = random.Random(int(os.environ.get("INGEST_SEED", 35)))
    database = closing(Database("fsync=on"))
    server = closing(Mosquitto(directory, "allow_anonymous true", "autosave_interval 1")).start()
    ingest = closing(Ingest(server, database)).start().await_output("connected to")
    hosts = closing(Hosts(server.port, dice))

    def restart_program():
        dice.choice((ingest.kill, ingest.stop))()
        # Only a program that is up ends in order when it is ordered to.
        connections = ingest.output().count("connected to")
        ingest.start().await_output("connected to", connections + 1)

    def restart_server():
        server.kill()
        server.start()

    def restart_database():
        database.stop()
        database.start()

    def stop_database():
        stopped = descendants(database.process.pid)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            more(20)

    def more(count):
        start = hosts.last
        until(lambda: hosts.last >= start + count, "more numbers")

    for _ in range(int(os.environ.get("INGEST_FAULTS", 4))):
        more(dice.randrange(5, 60))
        dice.choice((restart_program, restart_program, restart_server, restart_database, stop_database))()
    hosts.end()
    expected = [(str(host), hosts.last, hosts.last, hosts.last, True) for host in HOSTS]
    stored = """select host, count(*), count(distinct number), max(number), bool_and((content #>> '{readings,0,x}')::bigint = number * host::int)
                from messages group by host order by host"""
    until(lambda: database.all(stored) == expected, "everything", lambda: f"{database.all(stored)}, {ingest.output()[-2000:]}")
    assert database.all("select * from missing") == [] and database.one("select sum(messages) from set_aside_counts") > 0
    ingest.stop()
