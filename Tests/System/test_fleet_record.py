"""sensorctl fleet record and watch, with a real server and bridge: recordings that every reader of recordings reads."""

import json
import os
import pty
import signal
import subprocess
import threading

import pytest

from tools.bridge import Bridge
from tools.commands import run, sensorctl
from tools.consumer import Consumer
from tools.daemon import die_with_parent
from tools.mosquitto import subscribed
from tools.network import Proxy
from tools.programs import HOST, PATIENCE, SENSORBROKER_FLEET, SENSORCTL
from tools.waiting import until

EPOCHS = ["%032x" % (n << 80) for n in range(1, 5)]


class Fleet:
    """A command of `sensorctl fleet` as a process."""

    def __init__(self, *words):
        self.process = subprocess.Popen([SENSORBROKER_FLEET, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        output, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        return output, errors

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Ending:
    """A process that is ended with its test."""

    def __init__(self, process):
        self.process = process

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def lines(path):
    return [json.loads(line) for line in open(path) if line.endswith("\n")] if os.path.exists(path) else []


def marks(path, resource="location"):
    return [(line["message"]["epoch"], line["message"]["number"]) for line in lines(path)
            if "message" in line and line["message"]["resource"] == resource]


def sequences(path, resource="location"):
    return [line["sequence"] for line in lines(path) if line.get("resource") == resource and "sequence" in line]


def test_a_recording_has_everything_in_order_whatever_is_killed_and_is_read_like_any_other(closing, directory, daemon, server, tmp_path):
    network = closing(Proxy(server.port))
    words = ("record", tmp_path / "drives", "--server", f"mqtt://127.0.0.1:{network.port}")
    recorder = closing(Fleet(*words))
    subscribed(server, 1)
    consumer = closing(Consumer(server.port))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=("location=40ms", "accelerometer=10ms batch 200ms"))).start()
    consumer.await_count("location", 10)
    path = tmp_path / "drives" / f"{HOST}.ndjson"

    def recorded():
        """Waits until everything up to now is there."""
        (epoch, last) = max((epoch, max(numbers)) for (name, epoch), numbers in list(consumer.seen.items()) if name == "location")
        until(lambda: marks(path) and marks(path)[-1] >= (epoch, last), lambda: f"{(epoch, last)}: {marks(path)[-3:]}")

    recorded()
    # The server forgets what the recorder did not read.
    network.stall()
    consumer.await_count("location", consumer.count("location") + 15)
    server.kill()
    network.cut()
    server.start()
    consumer.await_count("location", consumer.count("location") + 10)
    recorded()
    bridge.kill()
    bridge.start()
    consumer.await_count("location", consumer.count("location") + 10)
    recorded()
    # Killed, it goes on where it ended.
    recorder.close()
    consumer.await_count("location", consumer.count("location") + 10)
    recorder = closing(Fleet(*words))
    consumer.await_count("location", consumer.count("location") + 10)
    recorded()
    recorder.stop()
    for resource in ("location", "accelerometer"):
        found = marks(path, resource)
        assert len(set(found)) == len(found)
        for epoch in dict(found):
            numbers = [number for other, number in found if other == epoch]
            assert numbers == list(range(1, len(numbers) + 1)), (resource, epoch, numbers)
        assert [epoch for epoch, _ in found] == sorted(epoch for epoch, _ in found)
    assert sequences(path) == sorted(set(sequences(path)))
    assert not os.path.exists(tmp_path / "drives" / f"{HOST}.late.ndjson")
    gaps = [line["gap"] for line in lines(path) if "gap" in line]
    assert all("messages" not in gap for gap in gaps)
    # Locations of the simulated receiver carry UTC themselves.
    table = tmp_path / "location.csv"
    sensorctl("export", path, table, "--resource", "location")
    assert sum(1 for _ in open(table)) == len(sequences(path)) + 1
    sensorctl("plot", path, "-o", tmp_path / "report.html")
    readings = [line for line in lines(path) if line.get("resource") == "location" and "sequence" in line]
    header = next(line["recording"] for line in lines(path) if "recording" in line)
    for reading in readings[:20]:
        utc = header["utcMicroseconds"] + (reading["timestampNanoseconds"] - header["bootNanoseconds"]) / 1000
        assert abs(utc - reading["location"]["utcMicroseconds"]) < 60e6


@pytest.fixture
def publish(closing, server):
    """Sends messages as a host does."""
    publisher = closing(Consumer(server.port, host="nobody", identifier="publisher"))

    def send(topic, payload, host="van", **options):
        payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        publisher.client.publish(f"fleet/{host}/{topic}", payload, qos=1, **options).wait_for_publish(PATIENCE)
    return send


def message(number, epoch=EPOCHS[0], boot=None, **members):
    stamp = boot if boot is not None else number * 10**9
    reading = {"resource": "light", "sequence": number, "timestampNanoseconds": stamp, "values": {"columns": {"value": [number / 2]}}}
    return {"epoch": epoch, "number": number, "readings": [reading], **members}


def clock(boot, utc, identifier=EPOCHS[3]):
    return {"bootId": identifier, "bootNanoseconds": boot * 10**9, "utcMicroseconds": utc * 10**6, "synchronized": True}


def fills(number):
    """A message of another resource, of 90 kB."""
    reading = {"resource": "accelerometer", "sequence": number, "timestampNanoseconds": number * 10**9,
               "values": {"periodNanoseconds": 10**5, "columns": {"x": [0.123456] * 10_000}}}
    return {"epoch": EPOCHS[0], "number": number, "readings": [reading]}


def test_a_stream_with_few_messages_goes_on_where_it_ended_whatever_others_filled(closing, server, publish, tmp_path):
    words = ("record", tmp_path / "drives", "--server", f"mqtt://127.0.0.1:{server.port}")
    path = tmp_path / "drives" / "van.ndjson"
    recorder = closing(Fleet(*words))
    subscribed(server, 1)
    publish("light", message(1, began={"cause": "first"}, clock=clock(1, 1_700_000_000)))
    publish("light", message(2))
    for number in range(1, 21):
        publish("accelerometer", fills(number))
    until(lambda: len(marks(path, "accelerometer")) == 20, lambda: marks(path, "accelerometer"))
    recorder.close()
    assert path.stat().st_size > 1.5 * 2**20
    publish("light", message(3))
    publish("status", {"state": "online", "epoch": EPOCHS[0], "streams": {"light": {"last": 3}}}, retain=True)
    recorder = closing(Fleet(*words))
    subscribed(server, 2)
    # What the server repeats is there already, and what came meanwhile is asked for.
    publish("light/late", message(2))
    publish("light", message(4))
    until(lambda: "fleet/van/resend" in server.log() or len(set(marks(path, "light"))) > 2, lambda: marks(path, "light"))
    publish("light/late", message(3))
    until(lambda: marks(path, "light")[-1] == (EPOCHS[0], 4), lambda: marks(path, "light"))
    recorder.stop()
    assert sequences(path, "light") == [1, 2, 3, 4]
    assert not os.path.exists(tmp_path / "drives" / "van.late.ndjson")


def test_a_recorder_that_was_killed_knows_what_it_has_of_each_epoch(closing, server, publish, tmp_path):
    words = ("record", tmp_path / "drives", "--server", f"mqtt://127.0.0.1:{server.port}", "--hold", "1s", "--no-resend")
    path, late = (tmp_path / "drives" / name for name in ("van.ndjson", "van.late.ndjson"))
    recorder = closing(Fleet(*words))
    subscribed(server, 1)
    publish("light", message(1, began={"cause": "first"}, clock=clock(1, 1_700_000_000)))
    publish("light", message(3))
    until(lambda: marks(path, "light") == [(EPOCHS[0], 1), (EPOCHS[0], 3)], "number 2 is waited for no longer")
    began = {"cause": "crash", "previous": EPOCHS[0], "last": 5}
    publish("light", message(1, EPOCHS[1], 10**10, began=began, clock=clock(1, 1_700_000_000)))
    publish("light", message(2, EPOCHS[1], 11 * 10**9))
    until(lambda: marks(path, "light")[-1] == (EPOCHS[1], 2), lambda: marks(path, "light"))
    publish("light/late", message(4))
    until(lambda: marks(late, "light") == [(EPOCHS[0], 4)], lambda: marks(late, "light"))
    recorder.close()
    written = marks(path, "light")
    recorder = closing(Fleet(*words))
    subscribed(server, 2)
    # What the server repeats is there already; what is missing may still come.
    for number in (1, 3, 4, 2):
        publish("light/late", message(number))
    publish("light", message(3, EPOCHS[1], 12 * 10**9))
    until(lambda: marks(path, "light")[-1] == (EPOCHS[1], 3), lambda: marks(path, "light"))
    recorder.stop()
    assert marks(path, "light") == written + [(EPOCHS[1], 3)]
    assert marks(late, "light") == [(EPOCHS[0], 4), (EPOCHS[0], 2)]


def test_what_is_watched_has_the_right_time_across_a_step(closing, server, publish):
    publish("light", b"", retain=True)
    watcher = closing(Fleet("watch", "--server", f"mqtt://127.0.0.1:{server.port}", "--format", "json", "--count", "4", "--host", "v?n"))
    text = closing(Fleet("watch", "--server", f"mqtt://127.0.0.1:{server.port}", "--count", "4", "--resource", "light,location"))
    # All hosts; and the status, two resources and what comes late of them.
    subscribed(server, 6)
    publish("status", {"state": "online", "epoch": EPOCHS[0], "streams": {"light": {"last": 0}}, "clock": clock(0, 1_700_000_000)})
    publish("light", message(1))
    publish("light", message(1))
    publish("light", message(2, clock=clock(2, 1_800_000_000)))
    publish("light", b"nonsense")
    publish("light", message(3, gaps=[{"resource": "light", "cause": "deviceLost", "count": 4}]))
    publish("light", message(5, lost={"epoch": EPOCHS[0], "from": 4, "to": 4, "cause": "evicted"}), host="van")
    output, errors = watcher.process.communicate(timeout=PATIENCE)
    assert watcher.process.returncode == 0, errors
    found = [json.loads(line) for line in output.splitlines()]
    assert all(line["host"] == "van" for line in found)
    assert [line["utcMicroseconds"] // 10**6 for line in found if "sequence" in line] == [
        1_700_000_001, 1_800_000_000, 1_800_000_001, 1_800_000_003]
    assert [line["state"] for line in found if "state" in line] == ["online"]
    assert [line["gap"]["cause"] for line in found if "gap" in line] == ["deviceLost"]
    assert [line["lost"]["from"] for line in found if "lost" in line] == [4] and {"host": "van", "unreadable": True} in found
    output, errors = text.process.communicate(timeout=PATIENCE)
    assert text.process.returncode == 0 and "2023-11-14T22:13:21Z" in output and "0.50 lx" in output, output


@pytest.mark.parametrize("is_ignored", [False, True])
def test_it_ends_with_its_terminal_unless_it_was_started_to_survive_it(closing, server, tmp_path, is_ignored):
    def prepare():
        die_with_parent()
        signal.signal(signal.SIGHUP, signal.SIG_IGN if is_ignored else signal.SIG_DFL)
    recorder = subprocess.Popen([SENSORBROKER_FLEET, "record", tmp_path / "drives", "--server", f"mqtt://127.0.0.1:{server.port}"],
                                preexec_fn=prepare)
    closing(Ending(recorder))
    subscribed(server, 1)
    recorder.send_signal(signal.SIGHUP)
    if is_ignored:
        with pytest.raises(subprocess.TimeoutExpired):
            recorder.wait(1)
        recorder.send_signal(signal.SIGTERM)
    assert recorder.wait(PATIENCE) == 0


def test_a_terminal_shows_a_line_for_each_host_and_is_given_back(closing, server, publish):
    leader, follower = pty.openpty()
    watcher = subprocess.Popen([SENSORBROKER_FLEET, "watch", "--server", f"mqtt://127.0.0.1:{server.port}"], stdin=follower,
                               stdout=follower, stderr=follower, preexec_fn=die_with_parent, env={**os.environ, "TERM": "vt100"})
    closing(Ending(watcher))
    os.close(follower)
    shown = []

    def reads():
        try:
            while piece := os.read(leader, 4096):
                shown.append(piece.decode())
        except OSError:
            pass
    reader = threading.Thread(target=reads)
    reader.start()
    subscribed(server, 1)
    publish("status", {"state": "online", "epoch": EPOCHS[0], "streams": {"light": {"last": 1}}, "backlog": 23})
    publish("light", message(1))
    until(lambda: "value 0.50 lx" in "".join(shown), lambda: "".join(shown)[-500:])
    watcher.send_signal(signal.SIGTERM)
    assert watcher.wait(PATIENCE) == 0
    reader.join(PATIENCE)
    os.close(leader)
    before, after = "".join(shown).rsplit("\x1b[?1049l", 1)
    row = next(line for line in after.splitlines() if line.startswith("van")).split()
    assert before.startswith("\x1b[?1049h") and row[1] == "online" and row[4] == "23", after


def test_sensorctl_becomes_the_program_beside_it(tmp_path):
    error = sensorctl("fleet", "verify", "--server", "mqtt://127.0.0.1:1", status=69)
    assert "sensorctl fleet: mqtt://127.0.0.1:1 cannot be used: Connection refused" in error
    alone = tmp_path / "sensorctl"
    alone.write_bytes(open(SENSORCTL, "rb").read())
    alone.chmod(0o755)
    result = subprocess.run([alone, "fleet", "verify"], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 69 and "install the package sensorbroker-mqtt" in result.stderr


def test_what_a_host_sends_that_is_none_costs_itself_and_not_its_recording(closing, server, publish, tmp_path):
    """Whoever reads the recording leaves it out, and says so."""
    path = tmp_path / "drives" / "van.ndjson"
    recorder = closing(Fleet("record", tmp_path / "drives", "--server", f"mqtt://127.0.0.1:{server.port}"))
    subscribed(server, 1)
    publish("light", message(1, began={"cause": "first"}, clock=clock(1, 1_700_000_000)))
    poison = [{"readings": [{"resource": "light", "sequence": 2, "timestampNanoseconds": -5}]}, {"grants": [{}]},
              {"readings": [{"resource": "../x", "sequence": 2, "timestampNanoseconds": 5, "recording": {"format": "another"}}]},
              {"gaps": [{"resource": "light", "cause": "deviceLost"}]}, {"resources": [{"name": "light", "kind": "pressure"}]}]
    for number, members in enumerate(poison, 2):
        publish("light", message(number, **members))
    publish("light", message(7))
    until(lambda: marks(path, "light")[-1:] == [(EPOCHS[0], 7)], lambda: marks(path, "light"))
    recorder.stop()
    for words in (("export", path, tmp_path / "light.csv"), ("plot", path, "-o", tmp_path / "light.html")):
        result = run(SENSORCTL, *words)
        assert result.returncode == 0 and "left out: 5 lines that cannot be understood (the first is line 4 of " in result.stderr, result
    rows = [row.split(",") for row in (tmp_path / "light.csv").read_text().splitlines()[1:]]
    assert [row[1] for row in rows] == ["1", "3", "5", "6", "7"] and rows[-1][3] == "2023-11-14T22:13:26Z"
