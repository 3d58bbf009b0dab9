"""The example of a ROS 2 node: what it makes of readings, as messages of ROS's own definitions. The node itself only runs where ROS is."""

import math

import pytest
from rosbags.typesys import Stores, get_typestore
from rosbags.interfaces import Nodetype

from tools.programs import SENSORBROKERD
from tools.rosnode import ros2_imu
from tools.stream import SECOND

from sensorbroker import Aligned, Location, Reading, Satellite
from sensorbroker.testing import MockBroker

STORE = get_typestore(Stores.ROS2_HUMBLE)
HALF = math.sqrt(0.5)


def make(name):
    """A message as ROS makes one: with zeros and empty strings."""
    def default(kind, about):
        if kind == Nodetype.NAME:
            return make(about)
        if kind == Nodetype.ARRAY:
            return [default(*about[0])] * about[1]
        return "" if about[0] == "string" else 0.0 if about[0].startswith("float") else 0

    _, fields = STORE.fielddefs[name]
    return STORE.types[name](**{field: default(*definition) for field, definition in fields})


def survives(message, name):
    """The message as somebody else receives it: its types must be those of ROS."""
    import numpy

    for field, value in vars(message).items():
        if isinstance(value, list):
            setattr(message, field, numpy.array(value, numpy.float64))
    return STORE.deserialize_cdr(STORE.serialize_cdr(message, name), name)


def gyroscope(*aligned, x=(0.1,), y=(0.2,), z=(0.3,), period=SECOND // 100):
    columns = {"x": list(x), "y": list(y), "z": list(z)}
    return Reading("gyroscope", None, 1, 5 * SECOND, columns, None, None, (), aligned, len(x), period, None, None)


def aligned(resource, **columns):
    return Aligned(resource, None, "interpolated", columns)


def imus(reading, **options):
    name = "sensor_msgs/msg/Imu"
    found = ros2_imu.imus(reading, lambda: make(name), "imu_link", 1_700_000_000 * SECOND, **options)
    return [survives(message, name) for message in found]


def xyz(vector):
    return (vector.x, vector.y, vector.z)


def test_a_host_on_its_back_has_gravity_upwards_and_its_top_edge_ahead():
    # Forward is y, left is -x.
    [message] = imus(gyroscope(aligned("accelerometer", x=[1.0], y=[2.0], z=[9.81])), noise=(0.1, 0.02))
    assert xyz(message.linear_acceleration) == (2.0, -1.0, 9.81)
    assert xyz(message.angular_velocity) == (0.2, -0.1, 0.3)
    assert (message.header.stamp.sec, message.header.stamp.nanosec, message.header.frame_id) == (1_700_000_005, 0, "imu_link")
    assert list(message.linear_acceleration_covariance) == pytest.approx([0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01])
    assert list(message.angular_velocity_covariance) == pytest.approx([0.0004, 0, 0, 0, 0.0004, 0, 0, 0, 0.0004])
    # REP 145: nothing measures an orientation.
    assert message.orientation_covariance[0] == -1 and message.orientation.w == 1


def test_each_sample_of_a_batch_is_a_message_and_one_without_an_acceleration_is_left_out():
    reading = gyroscope(
        aligned("accelerometer", x=[1.0, None, 3.0], y=[0.0, 0.0, 0.0], z=[9.0, 9.0, 9.0]),
        x=[0.1, 0.2, 0.3], y=[0.0] * 3, z=[0.0] * 3)
    messages = imus(reading)
    assert [message.header.stamp.nanosec for message in messages] == [0, 20_000_000]
    assert [message.linear_acceleration.y for message in messages] == [-1.0, -3.0]
    assert imus(gyroscope()) == []


def test_an_orientation_is_turned_with_the_axes():
    level = aligned("accelerometer", x=[0.0], y=[0.0], z=[9.81])

    def orientation(x, y, z, w):
        [message] = imus(gyroscope(level, aligned("rotation", x=[x], y=[y], z=[z], w=[w])))
        assert message.orientation_covariance[0] == 0
        turned = message.orientation
        return (turned.x, turned.y, turned.z, turned.w)

    # The top edge points north: x, ahead, is north, a quarter turn from east.
    assert orientation(0.0, 0.0, 0.0, 1.0) == pytest.approx((0, 0, HALF, HALF))
    # It points east, after a quarter turn clockwise: ahead is east, and nothing is turned.
    assert orientation(0.0, 0.0, -HALF, HALF) == pytest.approx((0, 0, 0, 1))
    # However it is turned, ahead is where the top edge is, and up is where the front is.
    for rotation in ((0.5, 0.5, 0.5, 0.5), (0.5, -0.5, 0.1, 0.7), (0.0, HALF, 0.0, HALF)):
        length = math.sqrt(sum(number * number for number in rotation))
        rotation = [number / length for number in rotation]
        assert rotate(orientation(*rotation), (1, 0, 0)) == pytest.approx(rotate(rotation, (0, 1, 0)))
        assert rotate(orientation(*rotation), (0, 0, 1)) == pytest.approx(rotate(rotation, (0, 0, 1)))


def test_the_covariance_of_an_orientation_is_that_of_its_error():
    level = aligned("accelerometer", x=[0.0], y=[0.0], z=[9.81])
    attitude = aligned("attitude", x=[0.0], y=[0.0], z=[0.0], w=[1.0])
    rotation = aligned("rotation", x=[0.0], y=[0.0], z=[-HALF], w=[HALF])
    unknown = aligned("rotation", x=[None], y=[None], z=[None], w=[None])
    error = aligned("attitudeerror", tilt=[1.0], heading=[10.0])
    tilt, heading = (math.radians(degrees) ** 2 for degrees in (1, 10))

    [message] = imus(gyroscope(level, rotation, attitude, error))
    assert list(message.orientation_covariance) == pytest.approx([tilt, 0, 0, 0, tilt, 0, 0, 0, heading])
    assert message.orientation.w == pytest.approx(1), "north is known"
    # Without it the vertical is, and the variance says that nothing is known of north.
    for aligned_ones in ((level, attitude, error), (level, unknown, attitude, error)):
        [message] = imus(gyroscope(*aligned_ones))
        assert list(message.orientation_covariance) == pytest.approx([tilt, 0, 0, 0, tilt, 0, 0, 0, math.pi**2])
        assert message.orientation.w == pytest.approx(HALF)


def rotate(rotation, vector):
    x, y, z, w = rotation
    a, b, c = vector
    return (
        (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - z * w) * b + 2 * (x * z + y * w) * c,
        2 * (x * y + z * w) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - x * w) * c,
        2 * (x * z - y * w) * a + 2 * (y * z + x * w) * b + (1 - 2 * (x * x + y * y)) * c)


def fix(location):
    name = "sensor_msgs/msg/NavSatFix"
    reading = Reading("location", None, 1, SECOND + 7, {}, location, None, (), (), 1, 0, None, None)
    return survives(ros2_imu.fix(reading, lambda: make(name), "gps", 0), name)


def test_a_location_is_a_fix_with_its_covariance():
    satellites = (Satellite(1, True, "gps"), Satellite(70, True, "glonass"), Satellite(40, False, "sbas"))
    message = fix(Location(
        "3d", latitude_degrees=48.5, longitude_degrees=11.25, altitude_meters=500.0, ellipsoid_height_meters=547.0,
        horizontal_error_meters=2.4477468, vertical_error_meters=1.959964, satellites=satellites))
    assert (message.latitude, message.longitude, message.altitude) == (48.5, 11.25, 547.0)
    assert (message.status.status, message.status.service) == (0, 1 | 2)
    assert list(message.position_covariance) == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1])
    assert message.position_covariance_type == 1
    assert (message.header.stamp.sec, message.header.stamp.nanosec, message.header.frame_id) == (1, 7, "gps")


def test_what_is_unknown_of_a_location_is_said_so():
    flat = fix(Location("2d", latitude_degrees=48.5, longitude_degrees=11.25, horizontal_error_meters=5.0))
    assert flat.status.status == 0 and math.isnan(flat.altitude) and flat.position_covariance_type == 0
    none = fix(Location("none"))
    assert none.status.status == -1 and math.isnan(none.latitude) and math.isnan(none.longitude)
    satellites = (Satellite(1, True, "gps"), Satellite(40, True, "sbas"))
    assert fix(Location("3d", latitude_degrees=1.0, longitude_degrees=1.0, satellites=satellites)).status.status == 1


def test_readings_of_a_broker_become_messages():
    with MockBroker("drone-imu", program=SENSORBROKERD) as mock:
        broker = mock.broker()
        names = [resource.name for resource in broker.list()]
        with broker.subscribe(*ros2_imu.requests(100.0, names)) as motion:
            messages = []
            for reading in motion:
                messages += imus(reading)
                # Its vertical is known after some seconds of motion.
                if len(messages) >= 20 and messages[-1].orientation_covariance[0] > 0 or len(messages) > 3_000:
                    break
    stamps = [message.header.stamp.sec * SECOND + message.header.stamp.nanosec for message in messages]
    assert not any((later - former) % (SECOND // 100) for former, later in zip(stamps, stamps[1:]))
    assert 5 < sum(message.linear_acceleration.z for message in messages) / len(messages) < 15
    assert messages[-1].orientation_covariance[0] > 0, "what is derived has an error"
