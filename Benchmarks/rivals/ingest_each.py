"""The least that a program can do which puts a fleet into PostgreSQL by paho-mqtt: each message in a transaction of its own, acknowledged
after it. The first version of Examples/Fleet was this. usage: ingest_each.py PORT DATABASE
"""

import json
import sys

import paho.mqtt.client as mqtt
import psycopg
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

MESSAGE = "insert into messages (host, resource, epoch, number, content) values (%s, %s, %s, %s, %s) on conflict do nothing"


def main():
    connection = psycopg.connect(sys.argv[2], autocommit=True)
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "fleet-ingest", protocol=mqtt.MQTTv5, manual_ack=True)

    def on_message(client, _, message):
        host, resource = message.topic.split("/")[1:3]
        content = json.loads(message.payload)
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(MESSAGE, (host, resource, content["epoch"], content["number"], json.dumps(content)))
        client.ack(message.mid, message.qos)

    client.on_connect = lambda client, *_: client.subscribe("fleet/#", 1)
    client.on_message = on_message
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 86_400
    client.connect("127.0.0.1", int(sys.argv[1]), 30, clean_start=False, properties=properties)
    client.loop_forever()


main()
