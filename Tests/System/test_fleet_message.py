"""What Examples/Fleet makes of messages: entries, or what is set aside with its reason, whatever hosts send."""

import json
import random
import sys

import pytest
import zstandard

from tools.database import EXAMPLE

sys.path.insert(0, str(EXAMPLE))
from fleetingest import jsontext, message  # noqa: E402
from fleetingest.writer import BYTES, ITEMS, groups, understood  # noqa: E402

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
    ("1E+0999 in a list", "number", b'{"epoch":"e","number":1,"x":[1E+0999 ]}'),
    ("1e-20000", "number", b'{"epoch":"e","number":1,"x":1e-20000}'),
    ("NaN", "number", b'{"epoch":"e","number":1,"x":NaN}'),
    ("Infinity", "number", b'{"epoch":"e","number":1,"x":[-Infinity]}'),
    ("a number of 5,000 digits", "notJSON", b'{"epoch":"e","number":1,"x":' + b"9" * 5_000 + b"}"),
    ("a fraction of 20,000 digits", "number", b'{"epoch":"e","number":1,"x":0.' + b"1" * 20_000 + b"}"),
    ("millions of values", "tooLarge", b'{"epoch":"e","number":1,"x":[' + b"[]," * (1 << 21) + b"[]]}"),
    ("a line that is long", "tooLarge", zstandard.ZstdCompressor().compress(b'{"epoch":"e","number":1,"x":"' + b"x" * (10 << 20) + b'"}')),
    ("deep lists", "tooDeep", b'{"epoch":"e","number":1,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    ("lists of a depth that some Pythons take", "tooDeep", b'{"epoch":"e","number":1,"x":' + b"[" * 300 + b"]" * 300 + b"}"),
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
    ("too many readings", "tooLarge", numbered(readings=[{}] * 100_001)),
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
    ("began after a gap that is none", "type", numbered(began={"previous": EPOCH, "last": 1, "gap": 3})),
    ("began after a number", "unnamed", numbered(began={"previous": 3, "last": 1})),
    ("a clock of the year 300000", "number", numbered(clock={"bootId": "b", "bootNanoseconds": 1, "utcMicroseconds": 1 << 62})),
    ("a clock that is a text", "type", numbered(clock="12:00")),
    ("no frame of zstd", "notZstd", message.ZSTD + b"nothing"),
    ("a frame that is a bomb", "tooLarge", zstandard.ZstdCompressor().compress(bytes(40 << 20))),
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
    (item,) = read(numbered(x="a\0b"))
    assert item.reason == "text" and item.key == ("truck", "location", EPOCH, 7)
    for payload in (b"nothing", b"[]", {"epoch": "\ud800", "number": 7}, {"epoch": "a\0", "number": 7}, {"epoch": EPOCH, "number": 1.5, "x": "\0"}):
        (item,) = read(payload)
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
    assert item.text == text and item.began == (EPOCH, 0, False, None) and item.clock is None and item.gaps[0][:2] == ("unheardOf", None)
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


def test_what_is_wide_is_not_deep():
    (item,) = read(numbered(readings=[{"x": [[], {}]}] * 1_000))
    assert type(item) is message.Entry
    (item,) = read(b'{"epoch":"e","number":1,"x":' + b"[" * 190 + b"]" * 190 + b"}")
    assert type(item) is message.Entry


def test_no_text_takes_long_to_look_at():
    """Each search is linear: this ends in no time, and not after hours."""
    for piece in ("9" * 999 + ",", "e11", "\\\\", "\\u0000"[:5], "1e99,", "e" + "1" * 500, "0.0e"):
        text = '{"epoch":"e","number":1,"x":"' + piece * ((8 << 20) // len(piece)) + '"}'
        assert len(read(text.encode())) == 1


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


def test_what_frames_unpack_to_is_taken_piece_by_piece():
    frame = zstandard.ZstdCompressor().compress(json.dumps(numbered(x="x" * 1_000)).encode() + b"\n" + b'{"epoch":"e","number":1}\n' * 20_000)
    large = zstandard.ZstdCompressor().compress(b"\n".join([json.dumps(numbered(x="x" * (1 << 20))).encode()] * 30))
    sizes = []
    for items in groups("fleet", [packets_message("location", payload) for payload in (frame, large, frame)]):
        assert len(items) <= ITEMS and sum(len(item.text) for item in items) <= BYTES + (2 << 20)
        sizes.append(len(items))
    assert sum(sizes) == 2 * 20_001 + 30 and len(sizes) > 20
