"""The example of a ROS 2 node, as a module of the tests, and the Python package that it uses."""

import sys

from tools.programs import ROOT

sys.path[:0] = [str(ROOT / "Clients/python"), str(ROOT / "Clients/python/examples")]

import ros2_imu  # noqa: E402, F401
