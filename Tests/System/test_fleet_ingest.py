"""The parts of Examples/Fleet that need neither a server nor a database: what messages say, packets, clocks, requests, options."""

import json
import random
import re
import sys

import pytest
import zstandard
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from tools.database import EXAMPLE
from tools.programs import ROOT

sys.path.insert(0, str(EXAMPLE))
from fleetingest import asking, clocks, figures, jsontext, message, options, packets, partitions, setaside, store  # noqa: E402
from fleetingest.writer import settle, understood  # noqa: E402

EPOCH = "02" * 16


def read(payload, topic="fleet/truck/location", **size):
    payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return message.read("fleet", topic.encode(), payload, **size)


def numbered(**members):
    return {"epoch": EPOCH, "number": 7, **members}


# What it is, the reason, the payload
POISON = [
    ("not JSON", "notJSON", b"not json"),
    ("empty", "notJSON", b""),
    ("cut", "notJSON", b'{"epoch":"e","number":1'),
    ("two objects", "notJSON", b'{"epoch":"e","number":1}{"epoch":"e","number":2}'),
    ("a list", "notJSON", b"[1]"),
    ("no UTF-8", "notUTF8", b'{"epoch":"\xff","number":1}'),
    ("half a character", "text", numbered(x="\ud800")),
    ("NUL", "text", numbered(x="a\0b")),
    ("NUL in a name", "text", numbered(**{"a\0b": 1})),
    ("1e999", "number", b'{"epoch":"e","number":1,"x":1e999}'),
    ("1e-20000", "number", b'{"epoch":"e","number":1,"x":1e-20000}'),
    ("NaN", "number", b'{"epoch":"e","number":1,"x":NaN}'),
    ("Infinity", "number", b'{"epoch":"e","number":1,"x":[-Infinity]}'),
    ("a number of 5,000 digits", "notJSON", b'{"epoch":"e","number":1,"x":' + b"9" * 5_000 + b"}"),
    ("deep lists", "tooDeep", b'{"epoch":"e","number":1,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    ("deep objects", "tooDeep", b'{"x":' * 50_000 + b"1" + b"}" * 50_000),
    ("no number", "unnamed", {"epoch": EPOCH}),
    ("a number that is large", "unnamed", {"epoch": EPOCH, "number": 10**20}),
    ("a number that is negative", "unnamed", {"epoch": EPOCH, "number": -1}),
    ("a number that is true", "unnamed", {"epoch": EPOCH, "number": True}),
    ("a number that is a text", "unnamed", {"epoch": EPOCH, "number": "1"}),
    ("a number that is a fraction", "unnamed", {"epoch": EPOCH, "number": 1.5}),
    ("an epoch that is long", "unnamed", {"epoch": "e" * 65, "number": 1}),
    ("an epoch that is empty", "unnamed", {"epoch": "", "number": 1}),
    ("an epoch that is a list", "unnamed", {"epoch": [], "number": 1}),
    ("readings that are none", "type", numbered(readings={"a": 1})),
    ("a reading that is none", "type", numbered(readings=[3])),
    ("a stamp that is a text", "number", numbered(readings=[{"timestampNanoseconds": "1"}])),
    ("a stamp that is negative", "number", numbered(readings=[{"timestampNanoseconds": -1}])),
    ("a stamp that is large", "number", numbered(readings=[{"timestampNanoseconds": 1 << 63}])),
    ("too many readings", "tooLarge", numbered(readings=[{}] * 10_001)),
    ("gaps that are none", "type", numbered(gaps="x")),
    ("a gap that is none", "type", numbered(gaps=[None])),
    ("a gap without a cause", "unnamed", numbered(gaps=[{"count": 1}])),
    ("a gap of many", "number", numbered(gaps=[{"cause": "slowClient", "count": 1 << 70}])),
    ("lost, which is a list", "type", numbered(lost=[1, 2])),
    ("lost the wrong way round", "range", numbered(lost={"epoch": EPOCH, "from": 9, "to": 1, "cause": "x"})),
    ("lost without an end", "range", numbered(lost={"epoch": EPOCH, "from": 9, "cause": "x"})),
    ("lost, an enormous range", "range", numbered(lost={"epoch": EPOCH, "from": 1, "to": 10**20, "cause": "x"})),
    ("lost from 0", "range", numbered(lost={"epoch": EPOCH, "from": 0, "to": 1, "cause": "x"})),
    ("lost without a cause", "unnamed", numbered(lost={"epoch": EPOCH, "from": 1, "to": 1})),
    ("began with an enormous number", "range", numbered(began={"previous": EPOCH, "last": 1 << 60})),
    ("began after a number", "unnamed", numbered(began={"previous": 3, "last": 1})),
    ("a clock of the year 300000", "number", numbered(clock={"bootId": "b", "bootNanoseconds": 1, "utcMicroseconds": 1 << 62})),
    ("a clock that is a text", "type", numbered(clock="12:00")),
    ("no frame of zstd", "notZstd", message.ZSTD + b"nothing"),
    ("a frame that is a bomb", "tooLarge", zstandard.ZstdCompressor().compress(bytes(20 << 20))),
    ("a frame of empty lines", "tooLarge", zstandard.ZstdCompressor().compress(b"{\n" * 60_000)),
    ("an empty frame", "notJSON", zstandard.ZstdCompressor().compress(b"")),
]


@pytest.mark.parametrize("reason, payload", [row[1:] for row in POISON], ids=[row[0] for row in POISON])
def test_what_cannot_be_taken_is_set_aside(reason, payload):
    (item,) = read(payload)
    assert type(item) is message.SetAside and item.reason == reason, (item, getattr(item, "detail", None))
    assert item.reason in jsontext.REASONS and item.host == "truck" and item.size == len(item.payload)


def test_what_is_set_aside_of_a_named_message_is_known_by_its_number():
    (item,) = read(numbered(readings=[3]))
    assert item.key == ("truck", "location", EPOCH, 7)
    (item,) = read(b"nothing")
    assert item.key is None


@pytest.mark.parametrize("payload", [b"not json", b"[]", b'{"state":3}', b'{"state":"online","epoch":"e","streams":[]}',
                                     b'{"state":"online","epoch":"e","streams":{"a":{"last":1e999}}}',
                                     b'{"state":"online","epoch":"e","streams":{"a":3}}', b'{"state":"\\u0000"}',
                                     json.dumps({"state": "online", "streams": {str(n): {"last": 1} for n in range(1001)}}).encode()])
def test_a_status_that_cannot_be_taken_is_set_aside(payload):
    (item,) = read(payload, "fleet/truck/status")
    assert type(item) is message.SetAside


def test_a_status_that_was_removed_is_a_host_that_left():
    (item,) = read(b"", "fleet/truck/status")
    assert (item.state, item.newest) == ("removed", [])


@pytest.mark.parametrize("topic", ["fleet//location", "fleet/truck/", "fleet/" + "h" * 256 + "/location", "fleet/truck/" + "r" * 300, "fleet/truck"])
def test_topics_with_names_that_are_none_are_set_aside(topic):
    (item,) = read(numbered(), topic)
    assert item.reason == "unnamed"


def test_topics_without_numbers_are_nothing_and_strange_names_are_names():
    for topic in ("fleet/truck/resend", "fleet/truck/location/newest", "fleet/truck/location/set", "fleet/truck/a/b/late"):
        assert read(b"whatever", topic) == []
    for host in ("..", "a'b\"", "\u202e", "Ä" * 100, "%s", "\\N", "a\tb"):
        (item,) = read(numbered(), f"fleet/{host}/location/late")
        assert item.host == host and item.resource == "location"
    (item,) = message.read("fleet", b"fleet/\xff\xfe/location", json.dumps(numbered()).encode())
    assert item.host == "\\xff\\xfe"


def test_what_is_not_known_passes():
    text = json.dumps(numbered(new=[1, {"a": None}], began={"previous": EPOCH, "cause": "unheardOf", "isKnown": False},
                               clock={"source": "gps"}, gaps=[{"cause": "unheardOf", "more": 1}], readings=[{"new": "\u00e9\t\\u0000"}]))
    (item,) = read(text.encode())
    assert item.text == text and item.began == (EPOCH, 0) and item.clock is None and item.gaps[0][:2] == ("unheardOf", None)
    assert item.parts == [(None, text)]


def test_each_reading_is_a_part_and_the_first_has_the_whole_message():
    readings = [{"timestampNanoseconds": 5}, {"timestampNanoseconds": 6, "x": 1}]
    (item,) = read(numbered(readings=readings))
    assert [stamp for stamp, _ in item.parts] == [5, 6]
    assert [json.loads(text)["readings"][-1] for _, text in item.parts] == [readings[1]] * 2
    assert item.parts[0][1] == item.text


def test_of_a_frame_only_the_bad_line_is_set_aside():
    lines = [json.dumps({"epoch": EPOCH, "number": number}).encode() for number in (1, 2)]
    found = read(zstandard.ZstdCompressor().compress(b"\n".join([lines[0], b"bad", lines[1], b""])))
    assert [type(item) for item in found] == [message.Entry, message.SetAside, message.Entry]
    assert found[1].payload == b"bad"


def test_random_bytes_are_entries_or_set_aside():
    dice = random.Random(35)
    seeds = [json.dumps(numbered(readings=[{"timestampNanoseconds": 5}], lost={"epoch": EPOCH, "from": 1, "to": 2, "cause": "x"},
                                 clock={"bootId": "b", "bootNanoseconds": 1, "utcMicroseconds": 2})).encode(),
             zstandard.ZstdCompressor().compress(json.dumps(numbered()).encode()), b'{"state":"online","epoch":"e","streams":{"a":{"last":1}}}']
    for _ in range(3_000):
        data = bytearray(dice.choice(seeds))
        for _ in range(dice.randrange(1, 5)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        for item in understood("fleet", packets_message(dice.choice(["location", "status"]), bytes(data))):
            assert type(item) in (message.Entry, message.Status) or item.reason != "fault", (data, item.detail)


def packets_message(rest, payload):
    class One:
        topic, size = f"fleet/truck/{rest}".encode(), None
    One.payload = payload
    return One


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
    items = [read(numbered(number=number + 1))[0] for number in range(100)]
    refusing = Refusing(*(items[place] for place in bad))
    settle(items, refusing)
    taken = [item for item in refusing.stored if type(item) is message.Entry]
    aside = [item for item in refusing.stored if type(item) is message.SetAside]
    assert taken == [item for place, item in enumerate(items) if place not in bad]
    assert [item.key[3] - 1 for item in aside] == list(bad) and all(item.reason == "fault" for item in aside)
    assert refusing.calls <= 1 + len(bad) * 16


class TestPackets:
    def published(self, topic, payload, identifier=1, version=5):
        body = packets.text(topic) + identifier.to_bytes(2, "big") + (b"\0" if version == 5 else b"") + payload
        return packets.packet(packets.PUBLISH, body, flags=2)

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
        (item,) = read(body, size=size)
        assert item.reason == "tooLarge" and item.size == size

    def test_what_is_no_mqtt_is_an_error_and_not_another_one(self):
        dice = random.Random(2)
        for _ in range(5_000):
            data = bytes(dice.choice((0x30, 0x32, 0x20, 0x90, 0xE0, 0xFF, dice.randrange(256))) for _ in range(dice.randrange(1, 40)))
            try:
                for kind, flags, body, _ in packets.Packets().feed(data):
                    packets.published(5, flags, body)
            except packets.Malformed:
                pass

    def test_user_and_password_are_in_the_introduction(self):
        data = packets.connect(5, "me", 30, "user", "secret")
        assert data[0] == 0x10 and data.endswith(b"\0\2me\0\4user\0\6secret") and data[9] == 0xC0
        assert packets.connect(4, "me", 30).endswith(b"\0\4MQTT\4\0\0\x1e\0\2me")


class TestClocks:
    SECOND = 1_000_000_000

    def test_the_nearest_relation_is_right(self):
        relations = clocks.Relations()
        relations.add(10 * self.SECOND, 1_000_000_000, True)
        relations.add(20 * self.SECOND, 1_010_500_000, True)
        assert relations.at(12 * self.SECOND) == (1_002_000_000, True) and relations.at(18 * self.SECOND) == (1_008_500_000, True)
        assert relations.at(None) == (None, False) and clocks.Relations().at(5) == (None, False)

    @pytest.mark.parametrize("before, after", [(False, True), (None, True), (False, False), (True, True)])
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

    def test_what_came_late_is_known_already_or_outdated(self):
        relations = clocks.Relations()
        relations.add(100 * self.SECOND, 50_000_000_000, False)
        assert not relations.add(10 * self.SECOND, 10_000_000, False).is_in_force
        assert relations.add(50 * self.SECOND, 49_950_000_000, False).is_in_force
        assert not relations.add(50 * self.SECOND, 49_950_000_000, False).is_in_force

    def test_of_a_month_that_says_the_same_two_are_kept(self):
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
        assert times[:5] == [60, 180, 420, 900, 1860] and all(later - former <= 3_600 for former, later in zip(times, times[1:]))

    def test_nothing_is_asked_of_who_is_away_and_all_begins_anew_when_it_is_back(self):
        decision = asking.Asking(60)
        assert self.asked(decision, range(0, 2_000, 10)) == [60, 180, 420, 900, 1860]
        assert self.asked(decision, range(2_000, 9_000, 10), online=()) == []
        assert self.asked(decision, range(9_000, 9_500, 10)) == [9_060, 9_180, 9_420]

    def test_whoever_answers_is_asked_for_the_rest_soon(self):
        decision = asking.Asking(60)
        self.asked(decision, range(0, 1_000, 10))
        assert self.asked(decision, range(1_000, 1_100, 10), missing=[(*self.HOLE[:3], 5, 5)]) == [1_060]

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
    def test_what_cannot_be_is_told(self, words, capsys):
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


def test_partitions_have_the_names_of_days():
    import datetime
    assert partitions.partition(datetime.date(2026, 1, 2)) == "parts_20260102"
