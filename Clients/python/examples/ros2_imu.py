#!/usr/bin/env python3
"""A ROS 2 node that publishes this host's sensors: `imu/data` (sensor_msgs/Imu) and `fix` (sensor_msgs/NavSatFix).

    source /opt/ros/humble/setup.bash
    python3 ros2_imu.py --ros-args -p rate:=200.0 -p frame:=imu_link

What becomes of a reading is decided by functions without ROS (`imu`, `fix`), which fill any message with the fields of the two types.

- Units are those of REP 103 already. The broker's axes are those of a device: x to the right, y to its top edge, z out of its front. A robot's
  are x forward, y to the left, z up. The host is taken to lie on its back with its top edge forward; another mounting is a matter of tf.
- At rest z reads +9.81 m/s², as REP 145 wants it of accelerometers. An orientation is that of the frame in east-north-up: of `rotation` where
  north is known, else of `attitude`, whose heading began anywhere and has a variance that says so. The covariance follows from `attitudeerror`;
  where no orientation is known, its first number is -1.
- Stamps are the instants of measurement: CLOCK_BOOTTIME, by the wall clock as it is set now.
- A gyroscope gives the pace. What the accelerometer measured at the same instants comes with it, interpolated by the broker.
"""

from __future__ import annotations

import math
import threading
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from sensorbroker import Aligned, Broker, Location, Reading, Request, wall_clock_offset_ns

#: A radius of 95 % is so many standard deviations of one of two directions, an interval of 95 % so many of one.
SIGMAS_OF_RADIUS, SIGMAS_OF_INTERVAL = math.sqrt(-2 * math.log(0.05)), 1.959964
NO_FIX, FIX, SBAS_FIX, GBAS_FIX = -1, 0, 1, 2
SERVICES = {"gps": 1, "glonass": 2, "beidou": 4, "galileo": 8}
UNKNOWN, APPROXIMATED = 0, 1
_HALF = math.sqrt(0.5)


def stamp(message: Any, timestamp_ns: int, frame: str, offset_ns: int) -> None:
    """Sets the header: an instant of CLOCK_BOOTTIME, by the wall clock."""
    seconds, nanoseconds = divmod(timestamp_ns + offset_ns, 1_000_000_000)
    message.header.stamp.sec = seconds
    message.header.stamp.nanosec = nanoseconds
    message.header.frame_id = frame


def forward(x: float, y: float, z: float) -> Tuple[float, float, float]:
    """A vector along the axes of a device, along those of REP 103: the top edge is ahead."""
    return y, -x, z


def turned(x: float, y: float, z: float, w: float) -> Tuple[float, float, float, float]:
    """The rotation of a device in the world, as that of the frame of `forward`: first a quarter turn about z."""
    return _HALF * (x + y), _HALF * (y - x), _HALF * (z + w), _HALF * (w - z)


def diagonal(*deviations: float) -> List[float]:
    """A covariance, by standard deviations; zeros mean that it is unknown."""
    return [deviations[row] ** 2 if row == column else 0.0 for row in range(3) for column in range(3)]


def row_of(aligned: Sequence[Aligned], resource: str, names: Sequence[str], row: int) -> Optional[List[float]]:
    """What another resource measured at the time of a sample; None if any of it is unknown."""
    for one in aligned:
        if one.resource == resource and all(name in one.columns for name in names):
            numbers = [one.columns[name][row] for name in names]
            if not any(number is None for number in numbers):
                return [number for number in numbers if number is not None]
    return None


def imus(reading: Reading, make: Any, frame: str, offset_ns: int, noise: Tuple[float, float] = (0.0, 0.0)) -> Iterator[Any]:
    """A sensor_msgs/Imu for each sample of a gyroscope's reading; `make` makes one, `noise` is that of the two, in m/s² and rad/s.

    A sample whose acceleration is unknown is left out: a filter would take zeros for free fall.
    """
    for row, sample in enumerate(reading.samples()):
        acceleration = row_of(reading.aligned, "accelerometer", "xyz", row)
        if acceleration is None:
            continue
        message = make()
        stamp(message, sample.timestamp_ns, frame, offset_ns)
        velocity = forward(sample.values["x"], sample.values["y"], sample.values["z"])
        set_vector(message.angular_velocity, velocity)
        set_vector(message.linear_acceleration, forward(*acceleration))
        message.linear_acceleration_covariance = diagonal(*3 * [noise[0]])
        message.angular_velocity_covariance = diagonal(*3 * [noise[1]])
        rotation, message.orientation_covariance = orientation(reading.aligned, row)
        message.orientation.x, message.orientation.y, message.orientation.z, message.orientation.w = rotation
        yield message


def orientation(aligned: Sequence[Aligned], row: int) -> Tuple[Tuple[float, float, float, float], List[float]]:
    """How the frame is turned at the time of a sample, and the covariance of that."""
    rotation, attitude = (row_of(aligned, resource, "xyzw", row) for resource in ("rotation", "attitude"))
    known = rotation or attitude
    if known is None:
        return (0.0, 0.0, 0.0, 1.0), [-1.0] + 8 * [0.0]
    x, y, z, w = known
    errors = row_of(aligned, "attitudeerror", ("tilt", "heading"), row)
    if errors is None:
        return turned(x, y, z, w), diagonal(0, 0, 0)
    tilt, heading = (math.radians(error) for error in errors)
    return turned(x, y, z, w), diagonal(tilt, tilt, heading if rotation else math.pi)


def set_vector(message: Any, vector: Tuple[float, float, float]) -> None:
    """Sets a geometry_msgs/Vector3."""
    message.x, message.y, message.z = vector


def quality(location: Location, used: Set[Optional[str]]) -> int:
    """Whether a fix is corrected: by satellites, or by a ground station, which has a number."""
    if location.status in ("rtkFixed", "rtkFloat") or location.status == "dgps" and location.correction_station is not None:
        return GBAS_FIX
    return SBAS_FIX if location.status == "dgps" or "sbas" in used else FIX


def fix(reading: Reading, make: Any, frame: str, offset_ns: int) -> Any:
    """A sensor_msgs/NavSatFix of a location; what is unknown is NaN, as the message wants it."""
    location = reading.location or Location("none")
    message = make()
    stamp(message, reading.timestamp_ns, frame, offset_ns)
    used = {satellite.system for satellite in location.satellites or () if satellite.used}
    is_fixed = location.fix != "none" and location.latitude_degrees is not None and location.longitude_degrees is not None
    message.status.status = quality(location, used) if is_fixed else NO_FIX
    message.status.service = sum(bit for system, bit in SERVICES.items() if system in used) or SERVICES["gps"]
    message.latitude = number(location.latitude_degrees)
    message.longitude = number(location.longitude_degrees)
    message.altitude = number(location.ellipsoid_height_meters)
    horizontal, vertical = location.horizontal_error_meters, location.vertical_error_meters
    message.position_covariance = diagonal(0, 0, 0)
    message.position_covariance_type = UNKNOWN
    if is_fixed and horizontal is not None and vertical is not None:
        across = horizontal / SIGMAS_OF_RADIUS
        message.position_covariance = diagonal(across, across, vertical / SIGMAS_OF_INTERVAL)
        message.position_covariance_type = APPROXIMATED
    return message


def number(value: Optional[float]) -> float:
    """NaN for what is unknown."""
    return math.nan if value is None else value


def requests(rate: float, names: Sequence[str]) -> List[Request]:
    """What is asked of a broker with these resources."""
    wanted = [Request("gyroscope", rate=rate), Request("accelerometer", rate=rate, align_to="gyroscope")]
    wanted += [Request(name, rate=rate, align_to="gyroscope") for name in ("rotation", "attitude", "attitudeerror") if name in names]
    return wanted


def main() -> None:
    """Runs the node."""
    import rclpy  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from sensor_msgs.msg import Imu, NavSatFix  # type: ignore[import-not-found, import-untyped, unused-ignore]

    rclpy.init()
    node = rclpy.create_node("sensorbroker")
    parameters: Dict[str, Any] = {"rate": 100.0, "frame": "imu_link", "gps_frame": "gps", "acceleration_noise": 0.0, "gyroscope_noise": 0.0}
    for name, default in parameters.items():
        parameters[name] = node.declare_parameter(name, default).value
    imu_topic = node.create_publisher(Imu, "imu/data", 50)
    fix_topic = node.create_publisher(NavSatFix, "fix", 5)
    broker = Broker()
    noise = (parameters["acceleration_noise"], parameters["gyroscope_noise"])
    motion = broker.subscribe(*requests(parameters["rate"], [one.name for one in broker.list()]))
    places = broker.subscribe("location", satellites=True)

    def publish_motion() -> None:
        for reading in motion:
            for gap in reading.gaps:
                node.get_logger().warning(str(gap))
            for message in imus(reading, Imu, parameters["frame"], wall_clock_offset_ns(), noise):
                imu_topic.publish(message)

    def publish_places() -> None:
        for reading in places:
            fix_topic.publish(fix(reading, NavSatFix, parameters["gps_frame"], wall_clock_offset_ns()))

    threads = [threading.Thread(target=run, daemon=True) for run in (publish_motion, publish_places)]
    for thread in threads:
        thread.start()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        motion.close()
        places.close()
        for thread in threads:
            thread.join(1)
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
