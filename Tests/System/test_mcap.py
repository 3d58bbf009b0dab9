"""Recordings as MCAP, read back by the library that robots' tools use: every message, the index, the checksums."""

import contextlib
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import zipfile

import pytest
from mcap.exceptions import McapError
from mcap.reader import NonSeekingReader, make_reader
from mcap_ros2.decoder import DecoderFactory

from tools import drive
from tools.commands import must, run
from tools.daemon import die_with_parent
from tools.programs import PATIENCE, ROOT, SENSORCTL
from tools.rosnode import ros2_imu

UTC = drive.UTC * 1_000


def export(*words, status=0, **options):
    result = run(SENSORCTL, "export", *words, **options, text=False)
    assert result.returncode == status, result
    return result.stdout if status == 0 else result.stderr.decode()


def write(path, *lines):
    """A recording of lines, with clocks."""
    header = {"recording": {"format": "io.sensorbroker.recording", "version": 1, "bootNanoseconds": drive.START, "utcMicroseconds": drive.UTC}}
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (header, *lines)))
    return path


def messages(path, reader=make_reader):
    """All messages by topic: time, type, content."""
    found = {}
    with open(path, "rb") as file:
        mcap = reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        for schema, channel, message, content in mcap.iter_decoded_messages():
            assert message.log_time == message.publish_time
            stamp = content.header.stamp
            assert stamp.sec * 1_000_000_000 + stamp.nanosec == message.log_time
            found.setdefault(channel.topic, []).append((message.log_time, schema.name, content))
    return found


def forward(columns):
    """A vector along the axes of a device, along those of REP 103: the top edge is ahead."""
    return [columns["y"][0], -columns["x"][0], columns["z"][0]]


def at(reading):
    return reading["timestampNanoseconds"] - drive.START + UTC


def test_a_drive_is_read_back_by_index_and_in_order(tmp_path):
    readings = drive.write(tmp_path / "drive.ndjson", seconds=100)
    export(tmp_path / "drive.ndjson", tmp_path / "drive.mcap")
    found = messages(tmp_path / "drive.mcap")
    # Without the index, as from a pipe, there are the same ones.
    plain = messages(tmp_path / "drive.mcap", NonSeekingReader)
    assert {topic: len(entries) for topic, entries in plain.items()} == {topic: len(entries) for topic, entries in found.items()}
    with open(tmp_path / "drive.mcap", "rb") as file:
        summary = make_reader(file).get_summary()
    assert summary.statistics.message_count == sum(map(len, found.values())) and summary.statistics.chunk_count > 1
    assert len(summary.chunk_indexes) == summary.statistics.chunk_count
    assert {chunk.compression for chunk in summary.chunk_indexes} == {"zstd"}
    assert sum(chunk.compressed_size for chunk in summary.chunk_indexes) < sum(chunk.uncompressed_size for chunk in summary.chunk_indexes) / 2
    assert set(found) == {"/accelerometer", "/light", "/location", "/diagnostics"}
    for (time, schema, content), reading in zip(found["/accelerometer"], readings["accelerometer"], strict=True):
        axes = reading["values"]["columns"]
        vector = content.linear_acceleration
        assert (time, schema, [vector.x, vector.y, vector.z]) == (at(reading), "sensor_msgs/msg/Imu", forward(axes))
        # What is not measured says so.
        assert content.orientation_covariance[0] == content.angular_velocity_covariance[0] == -1
        assert list(content.linear_acceleration_covariance) == [0] * 9 and content.header.frame_id == "imu_link"
    for (time, schema, content), reading in zip(found["/location"], readings["location"], strict=True):
        location = reading["location"]
        assert (time, schema) == (at(reading), "sensor_msgs/msg/NavSatFix")
        assert (content.latitude, content.longitude, content.status.status) == (location["latitudeDegrees"], location["longitudeDegrees"], 0)
        # Height above the sea is not height above the ellipsoid.
        assert math.isnan(content.altitude) and content.position_covariance_type == 2
        assert content.position_covariance[8] == pytest.approx((6.5 / 1.96) ** 2)
    diagnoses = [(time, status.name, status.message, status.level, {value.key: value.value for value in status.values})
                 for time, _, content in found["/diagnostics"] for status in content.status]
    outage = [UTC + second * 1_000_000_000 for second in drive.OUTAGE]
    assert (outage[0], "sensorbroker: location", "unavailable", 2, {"state": "unavailable", "reason": "the receiver was unplugged"}) in diagnoses
    assert (outage[1], "sensorbroker: location", "gap: deviceLost", 1, {
        "cause": "deviceLost", "count": "15", "fromNanoseconds": str(outage[0]), "untilNanoseconds": str(outage[1])}) in diagnoses


# Each kind: its value, the type of its message, and its fields there.
KINDS = [
    ("accelerometer", {"x": 1.5, "y": -2.5, "z": 9.75}, "sensor_msgs/msg/Imu", lambda m: m.linear_acceleration, [-2.5, -1.5, 9.75]),
    ("gyroscope", {"x": 0.5, "y": -0.25, "z": 0.125}, "sensor_msgs/msg/Imu", lambda m: m.angular_velocity, [-0.25, -0.5, 0.125]),
    ("magnetometer", {"x": 20.0, "y": -3.0, "z": 45.0}, "sensor_msgs/msg/MagneticField", lambda m: m.magnetic_field, [-3e-6, -20e-6, 45e-6]),
    ("gravity", {"x": 0.0, "y": 0.0, "z": 9.75}, "geometry_msgs/msg/Vector3Stamped", lambda m: m.vector, [0, 0, 9.75]),
    ("linearacceleration", {"x": 1.0, "y": 2.0, "z": 3.0}, "geometry_msgs/msg/Vector3Stamped", lambda m: m.vector, [2, -1, 3]),
    ("inclination", {"x": 0.5, "y": 0.25, "z": 0.0}, "geometry_msgs/msg/Vector3Stamped", lambda m: m.vector, [0.25, -0.5, 0]),
    # A device whose top edge points north is ahead to the north, which is 90° from the east.
    ("rotation", {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}, "geometry_msgs/msg/QuaternionStamped", lambda m: m.quaternion, [0, 0, 0.5**0.5, 0.5**0.5]),
    ("light", {"value": 123.5}, "sensor_msgs/msg/Illuminance", lambda m: m, [123.5]),
    ("pressure", {"value": 101325.0}, "sensor_msgs/msg/FluidPressure", lambda m: m, [101325]),
    ("temperature", {"value": 21.5}, "sensor_msgs/msg/Temperature", lambda m: m, [21.5]),
    ("humidity", {"value": 45.0}, "sensor_msgs/msg/RelativeHumidity", lambda m: m, [0.45]),
    ("heading", {"value": 359.5}, "sensorbroker_msgs/msg/Heading", lambda m: m, [359.5]),
    ("proximity", {"near": 1.0, "raw": 77.0}, "sensorbroker_msgs/msg/Proximity", lambda m: m, [1, 77]),
    ("voltage", {"value": 12.5}, "sensorbroker_msgs/msg/Voltage", lambda m: m, [12.5]),
    ("current", {"value": 0.5}, "sensorbroker_msgs/msg/Current", lambda m: m, [0.5]),
    ("tilt", {"value": -12.5}, "sensorbroker_msgs/msg/Tilt", lambda m: m, [-12.5]),
    ("power", {"value": 60.25}, "sensorbroker_msgs/msg/Power", lambda m: m, [60.25]),
    ("energy", {"value": 5400.5}, "sensorbroker_msgs/msg/Energy", lambda m: m, [5400.5]),
    ("resistance", {"value": 10200.5}, "sensorbroker_msgs/msg/Resistance", lambda m: m, [10200.5]),
    ("ambienttemperature", {"value": 21.25}, "sensorbroker_msgs/msg/AmbientTemperature", lambda m: m, [21.25]),
    ("objecttemperature", {"value": 36.5}, "sensorbroker_msgs/msg/ObjectTemperature", lambda m: m, [36.5]),
    ("co2", {"value": 612.5}, "sensorbroker_msgs/msg/CarbonDioxide", lambda m: m, [612.5]),
    ("voc", {"value": 0.125}, "sensorbroker_msgs/msg/VolatileOrganicCompounds", lambda m: m, [0.125]),
    ("oxygen", {"value": 20.5}, "sensorbroker_msgs/msg/Oxygen", lambda m: m, [20.5]),
    ("pm1", {"value": 2.5}, "sensorbroker_msgs/msg/Pm1", lambda m: m, [2.5]),
    ("pm2p5", {"value": 6.5}, "sensorbroker_msgs/msg/Pm2p5", lambda m: m, [6.5]),
    ("pm4", {"value": 8.5}, "sensorbroker_msgs/msg/Pm4", lambda m: m, [8.5]),
    ("pm10", {"value": 20.5}, "sensorbroker_msgs/msg/Pm10", lambda m: m, [20.5]),
]


def test_each_kind_has_its_message(tmp_path):
    recording = write(tmp_path / "kinds.ndjson", *[
        drive.values(name, 1, drive.START + place, value) for place, (name, value, *_) in enumerate(KINDS)],
        {"resource": "orientation", "sequence": 1, "timestampNanoseconds": drive.START, "orientation": "bottom-up"})
    export(recording, tmp_path / "kinds.mcap")
    found = messages(tmp_path / "kinds.mcap")
    assert set(found) == {f"/{name}" for name, *_ in KINDS} | {"/orientation"}
    for name, _, schema, part, wanted in KINDS:
        ((_, type_, content),) = found[f"/{name}"]
        vector = part(content)
        fields = [field for field in ("x", "y", "z", "w", "illuminance", "fluid_pressure", "temperature", "relative_humidity",
                                      "value", "near", "raw") if hasattr(vector, field)]
        assert (type_, [getattr(vector, field) for field in fields]) == (schema, pytest.approx(wanted)), name
        assert content.header.frame_id == "imu_link"
    ((_, type_, content),) = found["/orientation"]
    assert (type_, content.value) == ("sensorbroker_msgs/msg/Orientation", "bottom-up")


def test_a_message_is_that_of_the_example_of_a_ros_node(tmp_path):
    """The same readings live, through the example, and from a file have the same axes under the same name."""
    recording = write(tmp_path / "a.ndjson", drive.values("gyroscope", 1, drive.START, {"x": 0.5, "y": -0.25, "z": 0.125}),
                      drive.values("rotation", 1, drive.START, {"x": 0.1, "y": 0.2, "z": 0.3, "w": 0.9273618495495703}))
    export(recording, tmp_path / "a.mcap")
    found = messages(tmp_path / "a.mcap")
    ((_, _, turning),), ((_, _, rotated),) = found["/gyroscope"], found["/rotation"]
    velocity, quaternion = turning.angular_velocity, rotated.quaternion
    assert (velocity.x, velocity.y, velocity.z) == ros2_imu.forward(0.5, -0.25, 0.125)
    assert (quaternion.x, quaternion.y, quaternion.z, quaternion.w) == pytest.approx(ros2_imu.turned(0.1, 0.2, 0.3, 0.9273618495495703))
    assert 'parameters: Dict[str, Any] = {"rate": 100.0, "frame": "%s"' % turning.header.frame_id in open(ros2_imu.__file__).read()


def test_an_imu_is_one_message_of_each_time_with_its_orientation_and_covariance(tmp_path):
    start, step = drive.START, 10_000_000
    lines = []
    for place in range(140):
        time = start + place * step
        lines.append(drive.values("gyroscope", place, time, {"x": 0.5, "y": -0.25, "z": place / 64}))
        if place % 2 == 0:
            lines.append(drive.values("accelerometer", place, time, {"x": 1.5, "y": -2.5, "z": float(place)}))
        if place >= 10:
            lines.append(drive.values("attitude", place, time, {"x": 0.0, "y": 0.0, "z": 1.0, "w": 0.0}))
        if 20 <= place < 30:
            lines.append(drive.values("rotation", place, time, {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}))
        if place == 12:
            lines.append(drive.values("attitudeerror", 1, time, {"tilt": 1.0, "heading": 10.0}))
    # Another device's does not matter.
    lines.append(drive.values("gyroscope:1", 1, start, {"x": 9.0, "y": 9.0, "z": 9.0}))
    export(write(tmp_path / "a.ndjson", *lines), tmp_path / "a.mcap")
    found = messages(tmp_path / "a.mcap")["/imu/data"]
    # The last one has no acceleration after it.
    assert [(time, type_) for time, type_, _ in found] == [(UTC + place * step, "sensor_msgs/msg/Imu") for place in range(139)]
    half = 0.5**0.5
    tilt, heading = (math.radians(degrees) ** 2 for degrees in (1, 10))
    for place, (_, _, message) in enumerate(found):
        rate, push, turned = message.angular_velocity, message.linear_acceleration, message.orientation
        assert [rate.x, rate.y, rate.z] == [-0.25, -0.5, place / 64] and [push.x, push.y, push.z] == [-2.5, -1.5, place]
        assert message.angular_velocity_covariance[0] == message.linear_acceleration_covariance[0] == 0
        quaternion, covariance = [turned.x, turned.y, turned.z, turned.w], list(message.orientation_covariance)
        # That there is an orientation shows with the first one. One to north holds for a second: none to anywhere is among those.
        if place <= 10 or 30 <= place < 129:
            assert covariance[0] == -1 and quaternion == [0, 0, 0, 1]
        elif place <= 12:
            assert covariance == [0] * 9 and quaternion == pytest.approx([0, 0, half, -half])
        elif 20 < place < 30:
            assert covariance == pytest.approx([tilt, 0, 0, 0, tilt, 0, 0, 0, heading]) and quaternion == pytest.approx([0, 0, half, half])
        else:
            assert covariance == pytest.approx([tilt, 0, 0, 0, tilt, 0, 0, 0, math.pi**2]) and quaternion == pytest.approx([0, 0, half, -half])


def test_positions_velocities_and_names(tmp_path):
    moving = drive.location(1, 48.0, 11.0)
    moving["location"] |= {"ellipsoidHeightMeters": 570.5, "trackDegrees": 90.0, "climbMetersPerSecond": 0.5}
    lost = {"resource": "location", "sequence": 2, "timestampNanoseconds": drive.START + 2_000_000_000, "location": {"fix": "none"}}
    names = ["light:a.b", "light:a-b", "light:1"]
    recording = write(tmp_path / "a.ndjson", moving, lost, *[drive.values(name, 1, drive.START, {"value": 1.0}) for name in names])
    export(recording, tmp_path / "a.mcap")
    found = messages(tmp_path / "a.mcap")
    # Names that ROS would confuse are different topics.
    assert set(found) == {"/location", "/location/velocity", "/light_a_b", "/light_a_b_2", "/light_1"}
    (_, _, first), (_, _, second) = found["/location"]
    assert first.altitude == 570.5
    assert second.status.status == -1 and all(map(math.isnan, (second.latitude, second.longitude, second.altitude)))
    ((_, type_, content),) = found["/location/velocity"]
    linear = content.twist.linear
    assert (first.header.frame_id, content.header.frame_id) == ("gps", "gps_enu")
    assert type_ == "geometry_msgs/msg/TwistStamped"
    assert (linear.x, linear.y, linear.z) == pytest.approx((moving["location"]["speedMetersPerSecond"], 0, 0.5), abs=1e-9)
    with open(tmp_path / "a.mcap", "rb") as file:
        channels = make_reader(file).get_summary().channels.values()
    assert {channel.metadata["resource"] for channel in channels} == {"location", *names}


def test_an_interrupted_file_is_read_up_to_its_last_chunk(tmp_path):
    drive.write(tmp_path / "drive.ndjson", seconds=100)
    export(tmp_path / "drive.ndjson", tmp_path / "drive.mcap")
    whole = (tmp_path / "drive.mcap").read_bytes()
    half = whole[:len(whole) * 2 // 3]
    total = sum(map(len, messages(tmp_path / "drive.mcap").values()))
    assert total / 4 < readable(half) < total * 3 / 4


def test_without_clocks_through_pipes_and_one_resource(tmp_path):
    lines = [drive.values(name, n, 1_000 * n, {"value": float(n)}) for n in (1, 2, 3) for name in ("light", "pressure")]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    out = tmp_path / "out.mcap"
    out.write_bytes(export("-", "--to", "mcap", "--resource", "light", input=text.encode()))
    assert [(time, content.illuminance) for time, _, content in messages(out)["/light"]] == [(1_000, 1), (2_000, 2), (3_000, 3)]
    assert "no readings of heading" in export("-", "--to", "mcap", "--resource", "heading", input=text.encode(), status=65)
    assert "line 1" in export("-", "--to", "mcap", input=("{]\n" + text).encode(), status=65)


def watch(daemon, *words, **options):
    return subprocess.Popen([SENSORCTL, "watch", *words, "--format", "mcap", "--socket", daemon.broker], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=die_with_parent, **options)


def readable(begun, *topics):
    """How many messages, of all topics or of some, can be read of a file that has begun."""
    reader = NonSeekingReader(io.BytesIO(begun), decoder_factories=[DecoderFactory()])
    count = 0
    with contextlib.suppress(McapError, EOFError):
        for _ in reader.iter_decoded_messages(topics or None, log_time_order=False):
            count += 1
    return count


def begin(process):
    """The output of a process up to readings: the file's header comes before them."""
    begun = b""
    while not readable(begun, "/accelerometer"):
        piece = os.read(process.stdout.fileno(), 1 << 16)
        assert piece, "it has ended"
        begun += piece
    return begun


def test_a_stream_is_a_whole_file_whatever_ends_it(start, tmp_path):
    daemon = start("--mock=phone")
    out = tmp_path / "live.mcap"
    process = watch(daemon, "accelerometer@20ms", "location@200ms", "--count", "40")
    out.write_bytes(process.communicate(timeout=PATIENCE)[0])
    assert process.returncode == 0
    found = messages(out)
    assert len(found["/accelerometer"]) + len(found.get("/location", ())) == 40
    assert found["/diagnostics"][0][2].status[0].name.startswith("sensorbroker: ")
    times = [time for time, _, _ in found["/accelerometer"]]
    assert times == sorted(times) and abs(times[-1] / 1e9 - time.time()) < 3600
    # A signal ends it with its summary; before that, what has been written is readable.
    process = watch(daemon, "accelerometer@20ms")
    begun = begin(process)
    process.send_signal(signal.SIGINT)
    out.write_bytes(begun + process.communicate(timeout=PATIENCE)[0])
    assert process.returncode == 0 and sum(map(len, messages(out).values())) >= readable(begun)
    # So does the end of the broker, which is an error.
    process = watch(daemon, "accelerometer@20ms")
    begun = begin(process)
    daemon.stop()
    rest, notes = process.communicate(timeout=PATIENCE)
    out.write_bytes(begun + rest)
    assert process.returncode == 69 and notes and messages(out)["/accelerometer"]


def test_a_stream_that_is_refused_leaves_no_file(daemon, tmp_path):
    with open(tmp_path / "none.mcap", "wb") as out:
        result = run(SENSORCTL, "watch", "light:none", "--format", "mcap", "--socket", daemon.broker, stdout=out)
    assert result.returncode == 69 and "light:none" in result.stderr
    assert os.path.getsize(out.name) == 0


def test_a_terminal_is_spared(daemon):
    master, slave = os.openpty()
    result = run(SENSORCTL, "watch", "accelerometer", "--format", "mcap", "--socket", daemon.broker, stdout=slave)
    assert result.returncode == 64 and "FILE.mcap" in result.stderr
    os.close(master)
    os.close(slave)


@pytest.fixture(scope="module")
def rerun():
    """Rerun's converter, unpacked from its package and not installed: its library wants another NumPy than other tools here."""
    made = ROOT / ".build/rerun"
    program = made / "rerun_cli/rerun"
    if not program.exists():
        words = ("-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", made, RERUN)
        if run(sys.executable, *words).returncode != 0:
            pytest.skip(f"NOT RUN: {RERUN} could not be fetched, so Rerun was not tried")
        [wheel] = made.glob("*.whl")
        zipfile.ZipFile(wheel).extract("rerun_cli/rerun", made)
        wheel.unlink()
        program.chmod(0o755)
    return program


RERUN = "rerun-sdk==0.41.0"


def test_rerun_knows_locations_scalars_and_units(rerun, tmp_path):
    readings = drive.write(tmp_path / "drive.ndjson", seconds=100)
    export(tmp_path / "drive.ndjson", tmp_path / "drive.mcap")
    quiet = {**os.environ, "RERUN_ANALYTICS": "0", "HOME": str(tmp_path)}
    must(rerun, "mcap", "convert", "drive.mcap", "-o", "drive.rrd", cwd=tmp_path, env=quiet)
    said = subprocess.run([rerun, "rrd", "print", "drive.rrd"], cwd=tmp_path, env=quiet, capture_output=True, text=True,
                          check=True, timeout=PATIENCE).stdout
    rows = {}
    for count, entity, columns in re.findall(r"^Chunk\(.*?\) with (\d+) rows .*? - /(\w+) - data columns: \[(.*)\]$", said, re.MULTILINE):
        for meaning in ("GeoPoints:positions", "Scalars:scalars", "Measurements:units"):
            if meaning in columns:
                rows[entity, meaning] = rows.get((entity, meaning), 0) + int(count)
    assert rows == {("location", "GeoPoints:positions"): len(readings["location"]),
                    ("accelerometer", "Scalars:scalars"): len(readings["accelerometer"]),
                    ("light", "Measurements:units"): len(readings["light"])}
