"""The parts of Examples/Fleet that need neither a server nor a database: packets, clocks, requests, options."""

import datetime
import json
import os
import random
import re
import shutil
import socket
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from tools.commands import run
from tools.database import EXAMPLE
from tools.ports import free_port
from tools.programs import PATIENCE, ROOT
from tools.waiting import until

sys.path.insert(0, str(EXAMPLE))
from fleetingest import asking, clocks, figures, jsontext, message, options, packets, partitions, server, setaside, store  # noqa: E402
from fleetingest.writer import settle  # noqa: E402

EPOCH = "02" * 16
PROMTOOL = shutil.which("promtool") or os.environ.get("PROMTOOL")

def numbered(number):
    """A message."""
    (item,) = message.read("fleet", b"fleet/truck/location", json.dumps({"epoch": EPOCH, "number": number}).encode())
    return item


class Refusing:
    """A store that takes no group with a bad item."""

    def __init__(self, *bad):
        self.bad, self.stored, self.calls = bad, [], 0

    def __call__(self, group):
        self.calls += 1
        if any(item in self.bad for item in group):
            raise KeyError("bad")
        self.stored += group


@pytest.mark.parametrize("bad", [(), (0,), (99,), (41, 42), tuple(range(0, 100, 7))])
def test_a_group_is_divided_until_the_culprit_is_alone(bad):
    items = [numbered(number + 1) for number in range(100)]
    refusing = Refusing(*(items[place] for place in bad))
    settle(items, refusing)
    taken = [item for item in refusing.stored if type(item) is message.Entry]
    aside = [item for item in refusing.stored if type(item) is message.SetAside]
    assert taken == [item for place, item in enumerate(items) if place not in bad]
    assert [item.key[3] - 1 for item in aside] == list(bad) and all(item.reason == "fault" for item in aside)
    assert refusing.calls <= 1 + len(bad) * 16


def test_a_server_that_is_away_is_dialled_after_a_while_whatever_the_writer_does():
    words = options.parse(["--server", "127.0.0.1", "--port", str(free_port())], {})
    lines = []
    dialling = server.Server(words, server.Inbox(), figures.Figures(), lines.append)
    for _ in range(100):
        dialling.acknowledge([])
    dialling.start()
    until(lambda: lines, "the first attempt")
    dialling.stop()
    assert len(lines) == 1 and not dialling.thread.is_alive()


def test_a_full_queue_costs_no_connection_but_silence_does(closing, monkeypatch):
    monkeypatch.setattr(server, "KEEP_ALIVE", 1)
    monkeypatch.setattr(server, "BYTES", 0)
    listener, inbox, lines = closing(socket.create_server(("127.0.0.1", 0))), server.Inbox(), []
    words = options.parse(["--server", "127.0.0.1", "--port", str(listener.getsockname()[1])], {})
    taking = server.Server(words, inbox, figures.Figures(), lines.append)
    taking.start()
    stream, came = closing(listener.accept()[0]), bytearray()
    stream.settimeout(PATIENCE)

    def awaited(packet):
        while packet not in came:
            piece = stream.recv(1_000)
            assert piece, lines
            came.extend(piece)
        del came[:came.index(packet) + len(packet)]

    awaited(b"MQTT")
    stream.sendall(b"\x20\x03\0\0\0")
    awaited(b"fleet/+/+/late")
    stream.sendall(b"\x90\x05\0\1\0\1\1" + TestPackets().published("fleet/truck/x", b"{}"))
    # A message fills it: for longer than an answer may take, nothing is read.
    for _ in range(3):
        awaited(b"\xc0\0")
        stream.sendall(b"\xd0\0")
    taking.acknowledge(inbox.take(1, 0, 0))
    awaited(b"\x40\2\0\1")
    awaited(b"\xc0\0")
    # Now it reads, and nobody answers.
    until(lambda: any("does not answer a ping" in line for line in lines), "the end of the connection")
    taking.stop()


def test_a_server_that_wants_to_receive_something_more_often_does(closing):
    listener = closing(socket.create_server(("127.0.0.1", 0)))
    words = options.parse(["--server", "127.0.0.1", "--port", str(listener.getsockname()[1])], {})
    taking = server.Server(words, server.Inbox(), figures.Figures(), lambda line: None)
    taking.start()
    stream = closing(listener.accept()[0])
    # It says a second, and waits for one and a half.
    stream.sendall(b"\x20\x06\0\0\3\x13\0\1" + b"\x90\x05\0\1\0\1\1")
    # Less than until a usual one.
    stream.settimeout(server.KEEP_ALIVE / 2 - 1)
    came = b""
    while came.count(b"\xc0\0") < 3:
        came += stream.recv(1_000)
        stream.sendall(b"\xd0\0")
    taking.stop()


class TestPackets:
    def published(self, topic, payload, identifier=1, version=5):
        body = packets.text(topic) + identifier.to_bytes(2, "big") + (b"\0" if version == 5 else b"") + payload
        return packets.packet(packets.PUBLISH, body, flags=2)

    @pytest.mark.parametrize("properties, seconds", [
        (b"", 0), (b"\x13\0\x0a", 10), (b"\x26\0\1a\0\2bc\x12\0\3x13\x21\0\x64\x13\1\0\x24\1", 256), (b"\x99\x13\0\1", 0), (b"\x13\0", 0),
        (b"\x12\xff\xff\x13\0\1", 0), (b"\x1f\0\x8c" + bytes(140) + b"\x13\0\7", 7)])
    def test_how_often_the_server_has_to_receive_something(self, properties, seconds):
        size = len(properties)
        length = bytes((size,)) if size < 128 else bytes((size & 127 | 128, size >> 7))
        assert packets.server_keep_alive(5, b"\0\0" + length + properties) == seconds
        assert packets.server_keep_alive(4, b"\0\0") == packets.server_keep_alive(5, b"\0\0") == 0

    def test_however_the_bytes_are_divided(self):
        data = b"".join(self.published(f"fleet/{number}/x", bytes(number * 40), number + 1) for number in range(30))
        whole = list(packets.Packets().feed(data))
        assert len(whole) == 30 and [packets.published(5, flags, body)[1] for _, flags, body, _ in whole] == list(range(1, 31))
        dice = random.Random(1)
        for most in (1, 2, 3, 50):
            found, divided, place = [], packets.Packets(), 0
            while place < len(data):
                size = dice.randint(1, most)
                found += divided.feed(data[place:place + size])
                place += size
            assert found == whole

    def test_a_packet_that_is_huge_is_read_past_and_named(self):
        data = self.published("fleet/truck/location", bytes(packets.LARGEST), 5) + self.published("fleet/truck/x", b"after", 6)
        found, divided = [], packets.Packets()
        for place in range(0, len(data), 65_536):
            found += divided.feed(data[place:place + 65_536])
            assert len(divided.buffer) <= packets.KEPT + 65_536
        (_, flags, body, size), (_, _, after, _) = found
        assert packets.published(5, flags, body)[:2] == (b"fleet/truck/location", 5) and len(body) == packets.KEPT < size
        assert packets.published(5, 2, after)[2] == b"after"
        (item,) = message.read("fleet", b"fleet/truck/location", body, size)
        assert item.reason == "tooLarge" and item.size == size

    def test_what_is_no_mqtt_is_an_error_and_not_another_one(self):
        dice, read, refused = random.Random(2), 0, 0
        for _ in range(5_000):
            data = bytearray(self.published("fleet/truck/x", b"{}"))
            for _ in range(dice.randrange(1, 4)):
                data[dice.randrange(len(data))] = dice.choice((0, 1, 0x30, 0x32, 0x7F, 0x80, 0xFF, dice.randrange(256)))
            try:
                for kind, flags, body, _ in packets.Packets().feed(bytes(data)):
                    packets.published(5, flags, body)
                    read += 1
            except packets.Malformed:
                refused += 1
        assert read > 100 and refused > 1_000, (read, refused)

    def test_whatever_a_server_sends_ends_a_connection_at_most(self):
        dice, inbox = random.Random(3), server.Inbox()
        taking = server.Server(options.parse([], {}), inbox, figures.Figures(), lambda line: None)
        seeds = [b"\x20\x03\x00\x00\x00", b"\x90\x05\x00\x01\x00\x01\x01", b"\xe0\x02\x8e\x00", self.published("fleet/truck/x", b"{}")]
        for _ in range(5_000):
            data = bytearray(dice.choice(seeds))
            data[dice.randrange(len(data))] = dice.randrange(256)
            try:
                taking.take(packets.Packets().feed(bytes(data)))
            except (OSError, packets.Malformed):
                pass
        assert len(inbox.waiting) > 100

    def test_user_and_password_are_in_the_introduction(self):
        data = packets.connect(5, "me", 30, "user", "secret")
        assert data[0] == 0x10 and data.endswith(b"\0\2me\0\4user\0\6secret") and data[9] == 0xC0
        assert packets.connect(4, "me", 30).endswith(b"\0\4MQTT\4\0\0\x1e\0\2me")


class TestClocks:
    SECOND = 1_000_000_000

    def test_the_newest_relation_before_is_right_or_else_the_first(self):
        relations = clocks.Relations()
        relations.add(10 * self.SECOND, 1_000_000_000, True)
        relations.add(20 * self.SECOND, 1_010_500_000, True)
        assert [relations.at(second * self.SECOND)[0] for second in (4, 10, 19, 20, 22)] == [
            994_000_000, 1_000_000_000, 1_009_000_000, 1_010_500_000, 1_012_500_000]
        assert relations.at(None) == (None, False) and clocks.Relations().at(5) == (None, False)

    @pytest.mark.parametrize("before, after", [(False, True), (None, True), (False, False), (None, None)])
    def test_a_clock_that_is_set_puts_right_what_was_before(self, before, after):
        relations, year = clocks.Relations(), 31_536_000_000_000
        assert relations.add(1 * self.SECOND, 0, before).corrects
        assert not relations.add(300 * self.SECOND, 299_000_000, before).corrects
        change = relations.add(301 * self.SECOND, year, after)
        assert change.corrects and change.superseded == [self.SECOND, 300 * self.SECOND]
        assert relations.at(1 * self.SECOND) == (year - 300_000_000, bool(after))

    def test_a_host_that_is_not_synchronized_any_more_keeps_what_it_knew(self):
        relations = clocks.Relations()
        relations.add(1 * self.SECOND, 0, True)
        assert not relations.add(2 * self.SECOND, 9_000_000_000, False).is_in_force
        assert relations.at(2 * self.SECOND) == (1_000_000, True)

    def test_a_step_back_or_of_a_clock_that_follows_a_reference_changes_nothing_before_it(self):
        for first, second, is_synchronized in ((9_000_000_000, 0, False), (0, 9_000_000_000, True), (9_000_000_000, 0, True), (0, 5_000_000, False)):
            relations = clocks.Relations()
            relations.add(1 * self.SECOND, first, is_synchronized)
            change = relations.add(10 * self.SECOND, second, is_synchronized)
            assert change.is_in_force and not change.corrects
            assert relations.at(9 * self.SECOND)[0] == first + 8_000_000 and relations.at(10 * self.SECOND)[0] == second

    def test_what_came_late_is_known_already_or_outdated(self):
        relations = clocks.Relations()
        relations.add(100 * self.SECOND, 50_000_000_000, False)
        assert not relations.add(10 * self.SECOND, 10_000_000, False).is_in_force
        assert relations.add(50 * self.SECOND, 49_950_000_000, False).is_in_force
        assert not relations.add(50 * self.SECOND, 49_950_000_000, False).is_in_force

    def test_of_a_month_of_equal_payloads_two_are_kept(self):
        relations = clocks.Relations()
        for minute in range(0, 43_200, 5):
            change = relations.add(minute * 60 * self.SECOND, minute * 60_000_000, True)
            assert not change.corrects or minute == 0
        assert len(relations.rows) == 2

    def test_whoever_steps_the_clock_all_the_time_is_bounded(self):
        relations = clocks.Relations()
        for count in range(20_000):
            relations.add(count * self.SECOND, count * 1_000_000 + (count % 2) * 500_000, False)
        assert len(relations.rows) == clocks.RELATIONS


class TestAsking:
    HOLE = ("truck", "location", EPOCH, 3, 5)

    def asked(self, decision, times, online=("truck",), missing=(HOLE,)):
        return [now for now in times if decision.due(missing, online, now)]

    def test_a_hole_is_asked_for_after_a_while_and_then_ever_more_seldom(self):
        decision = asking.Asking(60)
        times = self.asked(decision, range(0, 30_000, 10))
        assert times[:5] == [60, 180, 420, 720, 1020] and all(later - former <= 300 for former, later in zip(times, times[1:]))

    def test_nothing_is_asked_of_who_is_away_and_all_begins_anew_when_it_is_back(self):
        decision = asking.Asking(60)
        assert self.asked(decision, range(0, 1_100, 10)) == [60, 180, 420, 720, 1020]
        assert self.asked(decision, range(1_100, 9_000, 10), online=()) == []
        assert self.asked(decision, range(9_000, 9_500, 10)) == [9_060, 9_180, 9_420]

    def test_whoever_answers_is_asked_for_the_rest_soon(self):
        decision = asking.Asking(60)
        self.asked(decision, range(0, 730, 10))
        assert self.asked(decision, range(730, 800, 10), missing=[(*self.HOLE[:3], 5, 5)]) == [790]

    def test_the_pace_has_bounds(self):
        decision = asking.Asking(60)
        missing = [(f"truck-{host}", "location", str(epoch), number, number) for host in range(100) for epoch in range(5) for number in range(0, 20, 2)]
        online = {row[0] for row in missing}
        decision.due(missing, online, 0)
        rows = decision.due(missing, online, 61)
        assert len(rows) == asking.RANGES and all(sum(row[0] == host for row in rows) <= asking.RANGES_A_HOST for host in online)
        # The others have their turn next.
        assert {row[0] for row in rows} | {row[0] for row in decision.due(missing, online, 62)} == online

    def test_what_is_missing_only_since_a_moment_may_be_on_its_way(self):
        decision = asking.Asking(60)
        decision.due([self.HOLE], ["truck"], 0)
        assert decision.due([(*self.HOLE[:3], 3, 9), (*self.HOLE[:3], 12, 13)], ["truck"], 60) == [self.HOLE]


def test_what_is_kept_of_what_is_set_aside_has_bounds():
    budget = setaside.Budget()
    kept = [budget.take("truck", 1) for _ in range(1_100)]
    assert sum(is_kept for _, is_kept in kept) == 1_000 and kept[-1] == ("truck", False)
    assert budget.take("truck", 2) == ("truck", True)
    for host in range(20_000):
        name, _ = budget.take(f"truck-{host}", 2)
    assert name == "" and len(budget.hosts) == setaside.COUNTED_HOSTS
    assert setaside.clean("a\0\ud800b", 20) == "a\\0\\ud800b"


def test_the_log_has_a_line_a_minute_whatever_comes():
    lines = []
    report = setaside.Report(lines.append)
    for second in range(130):
        report.tell([message.SetAside("h", "fleet/\x1b[2J/x", b"", "text", "\u202e\n")] * 10, second)
    assert len(lines) == 3 and lines[1].startswith("set aside 600, ") and all(line.isprintable() and line.isascii() for line in lines)


def test_texts_for_copy():
    assert store.escaped("a\\u0041\t\n\r") == "a\\\\u0041\\t\\n\\r"


class TestOptions:
    def test_each_may_stand_in_the_environment(self):
        words = options.parse([], {"FLEET_SERVER": "mqtt://broker.example", "FLEET_KEEP_DAYS": "30", "FLEET_METRICS": "9469", "FLEET_PASSWORD": "x"})
        assert (words.server, words.port, words.keep_days, words.metrics, words.password) == ("broker.example", 1883, 30, ("127.0.0.1", 9469), "x")
        assert options.parse(["--metrics", "[::]:9469"], {}).metrics == ("::", 9469)

    def test_encryption_has_its_port(self, tmp_path):
        words = options.parse(["--server", "mqtts://broker.example"], {})
        assert words.port == 8883 and words.context.check_hostname
        (tmp_path / "password").write_text("secret\n")
        assert options.parse(["--password-file", str(tmp_path / "password"), "--mqtt-version", "3.1.1"], {}).password == "secret"

    @pytest.mark.parametrize("words", [
        ["--database", "dbname=fleet password=x"], ["--server", "mqtt://user:secret@broker"], ["--server", "http://broker"], ["--keep-days", "0"],
        ["--mqtt-version", "4"], ["--prefix", "a/#"], ["--metrics", "x"], ["--password-file", "/nowhere"], ["--window", "0"],
        ["--certificate", "/nowhere"], ["--pass", "x"]])
    def test_what_cannot_be_is_reported(self, words, capsys):
        with pytest.raises(SystemExit) as end:
            options.parse(words, {})
        assert end.value.code == 2 and "error:" in capsys.readouterr().err

    def test_the_readme_lists_exactly_the_options_and_the_reasons(self):
        text = (EXAMPLE / "README.md").read_text()
        assert re.findall(r"^\| `(--[\w-]+)`", text, re.M) == [row[0] for row in options.TABLE] + ["--migrate"]
        assert re.findall(r"^\| `(\w+)` \| [A-Z]", text, re.M)[:len(jsontext.REASONS)] == list(jsontext.REASONS)


class TestFigures:
    def test_the_text_is_as_prometheus_reads_it(self):
        counted = figures.Figures()
        counted.add("set_aside_messages_total", label='a"b\\\n')
        counted.replace("hosts", [("online", 3)])
        families = {family.name: family for family in parse_prometheus(counted.text())}
        assert {family.type for family in families.values()} == {"counter", "gauge"} and len(families) == len(figures.TABLE)
        assert families[figures.PREFIX + "hosts"].samples[0].labels == {"state": "online"}
        assert families[figures.PREFIX + "set_aside_messages"].samples[0].labels == {"reason": 'a"b\\\n'}

    def test_the_readme_lists_exactly_the_figures(self):
        rows = re.findall(r"^\| `sensorbroker_ingest_(\w+)` \| (\w+) \| (\w*) ?\| (.*) \|$", (EXAMPLE / "README.md").read_text(), re.M)
        assert [(name, kind, label or None, meaning) for name, kind, label, meaning in rows] == figures.TABLE

    def test_the_alerts_and_the_dashboard_use_figures_that_there_are(self):
        names = {figures.PREFIX + row[0] for row in figures.TABLE}
        texts = (EXAMPLE / "alerts.yml").read_text(), (ROOT / "docs/grafana-fleet.json").read_text()
        for text in texts:
            used = set(re.findall(r"sensorbroker_ingest_\w+", text))
            assert used and used <= names


def test_the_unit_is_valid_and_in_a_sandbox(tmp_path):
    text = (EXAMPLE / "fleet-ingest.service").read_text()
    assert re.findall(r"^#?Environment=FLEET_(\w+)", text, re.M) == ["DATABASE", "PASSWORD_FILE", "CERTIFICATE"]
    unit = tmp_path / "fleet-ingest.service"
    unit.write_text(text.replace("/usr/bin/python3 -B /opt/fleet-ingest/ingest.py", "/bin/true"))
    result = run("systemd-analyze", "verify", "--man=no", unit)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")
    result = run("systemd-analyze", "security", "--offline=true", "--threshold=17", unit)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout


@pytest.mark.skipif(not PROMTOOL, reason="NOT RUN: promtool (package prometheus) is not installed, so its rules were not applied")
def test_promtool_has_nothing_to_say_of_the_alerts():
    result = run(PROMTOOL, "check", "rules", EXAMPLE / "alerts.yml")
    assert result.returncode == 0, result


def test_partitions_have_the_names_of_days():
    assert partitions.partition(datetime.date(2026, 1, 2)) == "parts_20260102"
