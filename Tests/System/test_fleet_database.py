"""The program of Examples/Fleet with the real PostgreSQL and the real mosquitto: whatever is killed or comes."""

import socket
import subprocess
import threading
import urllib.request

import paho.mqtt.client as mqtt

from tools.bridge import Bridge
from tools.database import Database, Ingest, database, postgres  # noqa: F401  fixtures
from tools.mosquitto import Mosquitto
from tools.ports import free_port
from tools.programs import HOST, PATIENCE
from tools.waiting import until


def publish(port, *messages):
    """Topics and payloads, each with quality 1, retained as a status is."""
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "publisher")
    client.connect("127.0.0.1", port)
    client.loop_start()
    for topic, payload in messages:
        client.publish(topic, payload, qos=1, retain=topic.endswith("/status")).wait_for_publish(PATIENCE)
    client.disconnect()
    client.loop_stop()


def test_everything_is_in_the_database_once_whatever_is_killed(closing, directory, daemon):
    database = closing(Database())
    server = closing(Mosquitto(directory)).start()
    ingest = closing(Ingest(server, database)).start().await_output("connected to")
    # With all that is beside the messages: it has no numbers, and is nothing for a database.
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            others=("[Control]", "RemoteInterval=yes", "[HomeAssistant]", "Discovery=homeassistant"))).start()

    def count():
        return database.one("select count(*) from readings where resource = 'location'")

    def more():
        start = count()
        until(lambda: ingest.process.poll() is None and count() > start + 10, "more readings", ingest.output)

    more()
    ingest.kill()
    ingest.start()
    more()
    server.kill()
    server.start()
    more()
    database.stop()
    ingest.await_output("the database: ")
    database.start()
    more()
    ingest.stop()
    ingest.start()
    bridge.kill()
    bridge.start()
    more()
    bridge.stop()
    # An orderly end tells the newest numbers.
    until(lambda: database.one("select count(*) from newest") >= 4 and not database.all("select * from missing"),
          lambda: str(database.all("select * from missing")), ingest.output)
    assert database.all("select * from losses") == database.all("select * from set_aside") == []
    assert database.one("select count(distinct epoch) from messages") == 2
    # Each number of each stream, from 1 to its newest, is there exactly once.
    for host, resource, epoch, newest in database.all("select host, resource, epoch, number from newest"):
        numbers = [number for number, in database.all(
            "select number from messages where host = %s and resource = %s and epoch = %s order by number", host, resource, epoch)]
        assert host == HOST and numbers == list(range(1, max(newest, len(numbers)) + 1))
    until(lambda: database.one("select count(*) from newest where is_complete") == 2, "the former epoch to be complete")
    # Times are right: the location of the simulated receiver carries UTC itself.
    worst = database.one("""select max(abs(extract(epoch from measured) - (reading -> 'location' ->> 'utcMicroseconds')::numeric / 1000000))
                            from readings where resource = 'location'""")
    assert worst < 60
    ingest.stop()


def test_poison_is_set_aside_and_stops_nothing(closing, directory, database):
    server = closing(Mosquitto(directory, "allow_anonymous true", "max_inflight_messages 20")).start()
    port = free_port()
    ingest = closing(Ingest(server, database, "--server", "127.0.0.1", "--metrics", str(port))).start().await_output("connected to")
    deep, long = b'{"epoch":"e","number":2,"x":' + b"[" * 190 + b"]" * 190 + b"}", b"0." + b"1" * 20_000
    poison = [("location", b"not json"), ("location", b""), ("status", b""), ("location", b'{"epoch":"e","number":1,"x":"\\u0000"}'),
              ("location", b'{"epoch":"e","number":99999999999999999999}'), ("status", b"[]"), ("location", b"[" * 100_000),
              ("location", b'{"epoch":"e","number":1,"lost":{"epoch":"e","from":9,"to":1,"cause":"x"}}'), ("location", bytes(17 << 20)),
              ("location", b'{"epoch":"e","number":3,"x":' + long + b"}"), ("location", b'{"epoch":"e","number":1,"x":1e999}')]
    good = [("location", b'{"epoch":"e","number":4}'), ("location", deep)]
    publish(server.port, *((f"fleet/evil/{rest}", payload) for rest, payload in (*poison, *good)))
    until(lambda: database.one("select count(*) from messages") == 2, "what is good", ingest.output)
    reasons = dict(database.all("select reason, sum(messages)::int from set_aside_counts group by reason"))
    assert reasons == {"notJSON": 3, "text": 1, "unnamed": 1, "tooDeep": 1, "range": 1, "tooLarge": 1, "number": 2}
    for end in (ingest.kill, ingest.stop):
        end()
        ingest.start().await_output("connected to", times=ingest.output().count("connected to") + 1)
    rows = database.all("select topic, reason, size, length(payload) from set_aside order by size desc")
    assert rows[0][:2] == ("fleet/evil/location", "tooLarge") and rows[0][2] > 17 << 20 and rows[0][3] <= 64 << 10
    assert {bytes(payload) for payload, in database.all("select payload from set_aside")} >= {b"not json", b"", b"[]"}
    # What has a number is accounted for, so nobody asks for it again and again.
    assert database.all("select cause, lower(numbers) from losses order by 2") == [("setAside", 1), ("setAside", 3)]
    assert database.all("select * from missing") == [] and database.one("select state from hosts where host = 'evil'") == "removed"
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    assert "sensorbroker_ingest_connected 1" in text
    ingest.stop()


def test_with_certificates_user_and_password(closing, directory, database, authority, tmp_path):
    passwords = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "ingest", "secret"], check=True)
    passwords.chmod(0o644)
    (tmp_path / "password").write_text("secret\n")
    server = closing(Mosquitto(directory, f"cafile {authority}/ours.crt", f"certfile {authority}/server.crt", f"keyfile {authority}/server.key",
                               "require_certificate true", "allow_anonymous false", f"password_file {passwords}")).start()
    encrypted = ("--server", "mqtts://127.0.0.1", "--authority", f"{authority}/ours.crt", "--certificate", f"{authority}/client.crt", "--key",
                 f"{authority}/client.key", "--user", "ingest")
    ingest = closing(Ingest(server, database, *encrypted)).start()
    ingest.await_output("this client is not authorized")
    ingest.kill()
    for version in ("5", "3.1.1"):
        ingest = closing(Ingest(server, database, *encrypted, "--password-file", str(tmp_path / "password"), "--mqtt-version", version)).start()
        ingest.await_output("connected to")
        ingest.stop()
    ingest = closing(Ingest(server, database, "--server", "mqtts://127.0.0.1")).start()
    ingest.await_output("certificate verify failed")


def test_a_mean_server_ends_nothing(closing, database):
    """Whatever it says, the program goes on, and tells why."""
    answers = [b"", b"\x20\x03\x00\x86\x00", b"\x20\x02\x00\x84", b"\xff\xff\xff\xff\xff\xff", b"\x20\x03\x00\x00\x00\x90\x04\x00\x01\x00\x87",
               b"\x20\x03\x00\x00\x00\x90\x05\x00\x01\x00\x01\x01\x32\x01\x00", b"\x20\x03\x00\x00\x00\xe0\x01\x8e"]
    listener = closing(socket.create_server(("127.0.0.1", 0)))

    def answer():
        for data in answers:
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            with stream:
                stream.recv(1000)
                stream.sendall(data)

    threading.Thread(target=answer, daemon=True).start()

    class Port:
        port = listener.getsockname()[1]
    ingest = closing(Ingest(Port, database)).start()
    ingest.await_output("use --mqtt-version 3.1.1")
    ingest.await_output("wrong user or password")
    ingest.stop()
