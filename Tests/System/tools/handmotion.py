"""A device that rests, and is then turned and moved about by a hand, in closed form: what its sensors measure, and the truth."""

import math

GRAVITY = 9.81
#: East, north and up, in microtesla.
FIELD = (0.0, 19.0, -45.0)
REST_SECONDS = 3.0
STEP = 1e-4


def waves(seconds):
    """How vigorous it is, from 0 to 1; and angles and offsets, which begin as slowly."""
    begun = max(0.0, seconds - REST_SECONDS)
    vigour = begun * begun / (begun * begun + 1)
    return vigour, lambda hertz, phase=0.0: vigour * (math.sin(2 * math.pi * hertz * begun + phase) - math.sin(phase))


def product(one, other):
    """Of two quaternions, w last."""
    x, y, z, w = one
    a, b, c, d = other
    return (w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c)


def inverse(quaternion):
    x, y, z, w = quaternion
    return -x, -y, -z, w


def turned(quaternion, vector):
    return product(product(quaternion, (*vector, 0.0)), inverse(quaternion))[:3]


def about(axis, radians):
    half = [0.0, 0.0, 0.0, math.cos(radians / 2)]
    half[axis] = math.sin(radians / 2)
    return tuple(half)


def attitude(seconds):
    """From the device's axes to east, north and up."""
    _, wave = waves(seconds)
    yaw, pitch, roll = 0.4 + 0.9 * wave(0.21), 0.6 + 0.5 * wave(0.37, 1), 0.7 * wave(0.29, 2)
    return product(product(about(2, yaw), about(0, pitch)), about(1, roll))


def position(seconds):
    _, wave = waves(seconds)
    return 0.05 * wave(0.9), 0.04 * wave(1.1, 1), 0.03 * wave(0.7, 2)


def measured(seconds):
    """Rate in rad/s, acceleration in m/s² and field in µT, along the device's axes."""
    now = attitude(seconds)
    x, y, z, w = product(inverse(attitude(seconds - STEP)), attitude(seconds + STEP))
    scale = math.atan2(math.hypot(x, y, z), w) / STEP / (math.hypot(x, y, z) or 1)
    before, here, after = (position(seconds + step) for step in (-STEP, 0, STEP))
    push = [(a - 2 * b + c) / STEP**2 for a, b, c in zip(before, here, after)]
    down = inverse(now)
    return (x * scale, y * scale, z * scale), turned(down, (push[0], push[1], push[2] + GRAVITY)), turned(down, FIELD)


def degrees_apart(one, other):
    """The angle of the rotation between two attitudes, and that between their verticals."""
    x, y, z, w = product(one, inverse(other))
    return math.degrees(2 * math.atan2(math.hypot(x, y, z), abs(w))), math.degrees(2 * math.atan2(math.hypot(x, y), math.hypot(z, w)))
