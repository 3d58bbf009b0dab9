"""sensorctl fleet verify: its verdict, with a real server and bridge and with captures, beside that of fleet.py's own verifier."""

import json
import random
import signal
import subprocess

import pytest
import zstandard

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.daemon import die_with_parent
from tools.ledger import Ledger
from tools.mosquitto import Mosquitto, encrypted, subscribed
from tools.network import Proxy
from tools.ports import free_port
from tools.programs import HOST, PATIENCE, SENSORBROKER_FLEET
from tools.scriptedmqtt import ScriptedServer

STATUS_PATIENCE = PATIENCE + 60


class Verifier:
    """`sensorctl fleet verify` as a process; `end` makes it judge what it has received."""

    def __init__(self, port, *words, url="mqtt://127.0.0.1"):
        self.is_listening = True
        self.process = subprocess.Popen(
            [SENSORBROKER_FLEET, "verify", "--server", f"{url}:{port}", "--format", "json", "--for", "1h", *map(str, words)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent)

    def stop_listening(self):
        self.process.send_signal(signal.SIGINT)
        self.is_listening = False

    def end(self):
        if self.is_listening:
            self.stop_listening()
        output, self.errors = self.process.communicate(timeout=STATUS_PATIENCE + 120)
        lines = [json.loads(line) for line in output.splitlines()]
        self.hosts = {host["host"]: host for host in lines[:-1]}
        self.all = lines[-1]
        return self.process.returncode

    def streams(self, host=HOST):
        return {(stream["resource"], epoch["epoch"]): stream for epoch in self.hosts[host]["epochs"] for stream in epoch["streams"]}

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def fleet(*words, **options):
    return subprocess.run([SENSORBROKER_FLEET, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=STATUS_PATIENCE, **options)


def verify(*words, **options):
    return fleet("verify", *words, **options)


def test_what_is_complete_is_proved(closing, directory, daemon, server):
    consumer, verifier = closing(Consumer(server.port)), closing(Verifier(server.port))
    subscribed(server, 1)
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}")).start()
    consumer.await_count("location", 20)
    bridge.kill()
    bridge.start()
    consumer.await_count("location", 40)
    bridge.stop()
    consumer.await_all()
    assert verifier.end() == 0, verifier.errors
    assert verifier.all == {"complete": True, "hosts": 1, "missing": 0}
    streams = verifier.streams()
    assert {key: stream["arrived"] for key, stream in streams.items()} == {key: len(seen) for key, seen in consumer.seen.items()}
    assert all(stream["first"] == 1 and not stream["missing"] and not stream["lost"] for stream in streams.values())
    assert {epoch.get("began") for epoch in verifier.hosts[HOST]["epochs"]} == {"first", "crash"}


def test_what_a_killed_server_forgot_comes_again_if_it_is_asked_for(closing, directory, daemon, server):
    network = closing(Proxy(server.port))
    verifier = closing(Verifier(network.port, "--resend"))
    subscribed(server, 1)
    consumer = closing(Consumer(server.port))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}")).start()
    consumer.await_count("location", 10)
    # What the server takes now is for a consumer that does not read; then it forgets it.
    network.stall()
    consumer.await_count("location", consumer.count("location") + 20)
    server.kill()
    network.cut()
    server.start()
    subscribed(server, 2)
    consumer.await_count("location", consumer.count("location") + 10)
    verifier.stop_listening()
    # Each host has to tell its numbers again, and does so when it connects.
    bridge.kill()
    bridge.start()
    assert verifier.end() == 0, (verifier.errors, verifier.hosts)
    assert verifier.all["missing"] == 0 and verifier.all["complete"]
    consumer.await_all(resend=True)
    # What it proved to be there is what the other consumer has up to there.
    for key, stream in verifier.streams().items():
        assert set(range(1, stream["newest"] + 1)) <= set(consumer.seen[key])


def capture(path, messages):
    with open(path, "w") as file:
        for topic, payload in messages:
            file.write(f"0 {topic} {payload.hex()}\n")
    return path


@pytest.mark.parametrize("seed", range(25))
def test_its_verdict_is_that_of_another_verifier(tmp_path, seed):
    dice = random.Random(seed)
    ledger, messages, epochs = Ledger(), [], [f"{n:032x}" for n in range(1, dice.randint(2, 4))]
    former = {}

    def send(topic, payload):
        if dice.random() > 0.1:
            for _ in range(dice.choice([1, 1, 1, 2])):
                messages.append((f"fleet/{HOST}/{topic}", payload))

    for epoch in epochs:
        last = {"location": 0, "light": 0}
        for step in range(dice.randint(5, 60)):
            resource = dice.choice(list(last))
            lines = []
            for _ in range(dice.choice([1, 1, 5])):
                last[resource] += 1
                message = {"epoch": epoch, "number": last[resource]}
                if last[resource] == 1 and resource in former:
                    message["began"] = {"previous": former[resource][0], "last": former[resource][1], "cause": "crash"}
                if dice.random() < 0.1:
                    start = dice.randint(1, 40)
                    message["lost"] = {"epoch": dice.choice(epochs), "from": start, "to": start + dice.randint(0, 9), "cause": "evicted"}
                lines.append(json.dumps(message).encode())
            topic = resource + dice.choice(["", "", "/late"])
            send(topic, lines[0] if len(lines) == 1 else zstandard.ZstdCompressor().compress(b"\n".join(lines) + b"\n"))
            if dice.random() < 0.1:
                streams = {name: {"last": number} for name, number in last.items()}
                send("status", json.dumps({"state": "online", "epoch": epoch, "streams": streams}).encode())
        former = {resource: (epoch, number) for resource, number in last.items()}
    dice.shuffle(messages)
    if not messages:
        pytest.skip("everything was dropped")
    for topic, payload in messages:
        ledger.take(topic, payload)
        # Its own newest status only; ours takes each.
        if topic.endswith("/status"):
            status = json.loads(payload)
            for resource, numbers in status["streams"].items():
                ledger.began[(resource, f"status {len(ledger.began)}")] = {"previous": status["epoch"], "last": numbers["last"]}
    expected = {}
    for resource, epoch, number in ledger.missing():
        expected.setdefault((resource, epoch), set()).add(number)
    result = verify("--all", "--from", capture(tmp_path / "capture", messages), "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    found, repeated = {}, 0
    for epoch in lines[0]["epochs"]:
        for stream in epoch["streams"]:
            numbers = {number for each in stream["missing"] for number in range(each["from"], each["to"] + 1)}
            repeated += stream["twice"]
            if numbers:
                found[(stream["resource"], epoch["epoch"])] = numbers
    assert found == expected
    assert repeated == sum(sum(numbers.values()) - len(numbers) for numbers in ledger.seen.values())
    assert result.returncode == (1 if expected or lines[0]["silent"] else 0)


def test_hostile_payloads_are_reported_and_cost_a_bounded_share(tmp_path):
    epoch = "01" * 16
    good = [(f"fleet/{HOST}/location", json.dumps({"epoch": epoch, "number": number}).encode()) for number in range(1, 20)]
    status = {"state": "online", "epoch": epoch, "streams": {"location": {"last": 19}}}
    good.append((f"fleet/{HOST}/status", json.dumps(status).encode()))
    bomb = zstandard.ZstdCompressor().compress(bytes(1 << 30))
    lines = zstandard.ZstdCompressor().compress(b"".join(b'{"epoch":"%032x","number":1}\n' % n for n in range(20_000)))
    hostile = [bomb, lines, b"", b"\0", b"{" * 100_000, b'{"epoch":"%s","number":' % epoch.encode() + b"9" * 400,
               b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd" + bytes(50), b'{"epoch":"' + b"a" * 100_000 + b'"}', lines[:1000]]
    evil = [(topic, payload) for payload in hostile for topic in ("fleet/evil/location", "fleet/evil/light/late", "fleet/evil/status")]
    evil.append(("fleet/evil/light/late", b"[" + b"0," * (1 << 22) + b"0]"))
    for topic in ("fleet", "fleet/", "fleet//location", "fleet/a/b/c/d", "fleet/evil/resend", "other/x/location", "fleet/" + "x" * 9000 + "/location"):
        evil.append((topic, b"x"))
    path = capture(tmp_path / "capture", evil + good)
    result = subprocess.run(["prlimit", f"--as={2 << 30}", "/usr/bin/env", "python3", "-c",
                             "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
                             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, code)",
                             SENSORBROKER_FLEET, "verify", "--from", str(path), "--format", "json"],
                            capture_output=True, text=True, timeout=STATUS_PATIENCE)
    *lines, last = result.stdout.splitlines()
    kilobytes, code = map(int, last.split())
    hosts = {host["host"]: host for host in map(json.loads, lines) if isinstance(host.get("host"), str)}
    assert code == 1 and kilobytes < 400_000, result.stdout[-300:]
    assert set(hosts) == {"evil", HOST}
    assert hosts[HOST]["complete"] and not hosts["evil"]["complete"]
    assert hosts["evil"]["overrun"] and hosts["evil"]["unreadable"] > 20


def test_what_comes_encrypted_and_fast_is_read_to_its_end(closing, directory, authority):
    server = closing(encrypted(directory, authority)).start()
    files = ("--authority", authority / "ours.crt", "--certificate", authority / "client.crt", "--key", authority / "client.key")
    verifier = closing(Verifier(server.port, *files, url="mqtts://localhost"))
    subscribed(server, 1)
    teller = closing(Consumer(server.port, host="nobody", ca_certs=f"{authority}/ours.crt", certfile=f"{authority}/client.crt",
                              keyfile=f"{authority}/client.key"))
    epoch, count = "01" * 16, 3_000
    for number in range(1, count + 1):
        teller.client.publish(f"fleet/{HOST}/light", json.dumps({"epoch": epoch, "number": number}), qos=1)
    status = {"state": "offline", "epoch": epoch, "streams": {"light": {"last": count}}}
    teller.client.publish(f"fleet/{HOST}/status", json.dumps(status), qos=1).wait_for_publish(PATIENCE)
    assert verifier.end() == 0, verifier.errors
    assert verifier.streams()[("light", epoch)]["arrived"] == count
    result = verify("--server", f"mqtts://localhost:{server.port}", "--authority", authority / "theirs.crt", *files[2:])
    assert result.returncode == 69 and "certificate verify failed" in result.stderr, result


def test_a_server_that_cannot_be_used_is_reported_with_a_remedy(closing, directory, tmp_path):
    result = verify("--server", f"mqtt://127.0.0.1:{free_port()}")
    assert result.returncode == 69 and "Connection refused" in result.stderr
    result = verify("--server", "http://x")
    assert result.returncode == 78 and "the command line: [Server] Url=http://x: there is neither" in result.stderr
    assert "--server" in verify(env={"HOME": str(tmp_path)}).stderr
    refusing = closing(ScriptedServer(connack=lambda number: 0x86))
    result = verify("--server", f"mqtt://127.0.0.1:{refusing.port}")
    assert result.returncode == 77 and "Bad User Name or Password" in result.stderr
    assert verify("--frob").returncode == 64 and verify("--resnd").stderr.count("did you mean --resend?") == 1
    subprocess.run(["mosquitto_passwd", "-b", "-c", tmp_path / "users", "reader", "secret"], check=True, capture_output=True)
    # The file is the server's, which may run as another user.
    (tmp_path / "users").chmod(0o644)
    guarded = closing(Mosquitto(directory, "allow_anonymous false", f"password_file {tmp_path / 'users'}")).start()
    (tmp_path / "fleet.conf").write_text(f"[Server]\nUrl=mqtt://127.0.0.1:{guarded.port}\nUser=reader\nPasswordFile={tmp_path}/password\n")
    (tmp_path / "password").write_text("wrong\n")
    assert verify("--config", tmp_path / "fleet.conf").returncode == 77
    (tmp_path / "password").write_text("secret\n")
    result = fleet("watch", "--config", "fleet.conf", "--password-file", "password", "--for", "1s", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
