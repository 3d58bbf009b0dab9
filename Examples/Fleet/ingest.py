"""Puts what sensorbroker-mqtt sends into PostgreSQL, and asks for what is missing.

    pip install paho-mqtt==2.1.0 psycopg[binary] zstandard
    psql -f schema.sql fleet
    python ingest.py --server broker.example --database dbname=fleet

A message is acknowledged after it is committed, so nothing is lost if this program, the database or the server is killed; what the
server loses is asked for again, since its number is missing.
"""

import argparse
import json
import time

import paho.mqtt.client as mqtt
import psycopg
import zstandard
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

MESSAGE = "insert into messages (host, resource, epoch, number, content) values (%s, %s, %s, %s, %s) on conflict do nothing"
NEWEST = """insert into newest values (%s, %s, %s, %s)
            on conflict (host, resource, epoch) do update set number = greatest(newest.number, excluded.number)"""
LOSS = "insert into losses values (%s, %s, %s, int8range(%s, %s, '[]'), %s) on conflict do nothing"
CLOCK = "insert into clocks values (%s, %s, %s, to_timestamp(%s / 1000000.0), %s) on conflict do nothing"


def objects(payload):
    """The objects of a message: one, or several lines in a frame of zstd."""
    if payload[:4] == b"\x28\xb5\x2f\xfd":
        payload = zstandard.ZstdDecompressor().decompressobj().decompress(payload)
    return [json.loads(line) for line in payload.splitlines()]


def store(cursor, host, resource, message):
    epoch = message["epoch"]
    cursor.execute(MESSAGE, (host, resource, epoch, message["number"], json.dumps(message)))
    if lost := message.get("lost"):
        cursor.execute(LOSS, (host, resource, lost["epoch"], lost["from"], lost["to"], lost["cause"]))
    if (began := message.get("began")) and "previous" in began:
        cursor.execute(NEWEST, (host, resource, began["previous"], began["last"]))
    if clock := message.get("clock"):
        cursor.execute(CLOCK, (host, epoch, clock["bootNanoseconds"], clock["utcMicroseconds"], clock.get("synchronized")))


def take(connection, prefix, topic, payload):
    """Stores a message of the fleet in one transaction."""
    host, _, rest = topic[len(prefix) + 1:].partition("/")
    with connection.transaction(), connection.cursor() as cursor:
        if rest == "status":
            status = json.loads(payload)
            for resource, numbers in status.get("streams", {}).items():
                cursor.execute(NEWEST, (host, resource, status["epoch"], numbers["last"]))
        elif rest != "resend" and "/" not in rest.removesuffix("/late"):
            for message in objects(payload):
                store(cursor, host, rest.removesuffix("/late"), message)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="localhost")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--prefix", default="fleet")
    parser.add_argument("--database", default="dbname=fleet")
    parser.add_argument("--ask-every", type=float, default=60, help="seconds between requests for what is missing")
    words = parser.parse_args()
    # Each statement is its own transaction unless `take` makes one of several.
    connection = psycopg.connect(words.database, autocommit=True)
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "fleet-ingest", protocol=mqtt.MQTTv5, manual_ack=True)

    def on_message(client, _, message):
        take(connection, words.prefix, message.topic, message.payload)
        client.ack(message.mid, message.qos)

    client.on_connect = lambda client, *_: client.subscribe(f"{words.prefix}/#", 1)
    client.on_message = on_message
    # The server keeps the session, and what comes meanwhile, for a day.
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 86_400
    client.connect(words.server, words.port, 30, clean_start=False, properties=properties)
    due = time.monotonic() + words.ask_every
    while True:
        if client.loop(1) != mqtt.MQTT_ERR_SUCCESS:
            time.sleep(1)
            try:
                client.reconnect()
            except OSError:
                continue
        if time.monotonic() < due:
            continue
        due = time.monotonic() + words.ask_every
        for host, resource, epoch, first, last in connection.execute("select * from missing").fetchall():
            request = {"resource": resource, "epoch": epoch, "from": first, "to": last}
            client.publish(f"{words.prefix}/{host}/resend", json.dumps(request), qos=1)


if __name__ == "__main__":
    main()
