"""Administrator's calls to a running daemon."""

import time

from tools.programs import ADMIN, PATIENCE
from tools.wire import Connection


def admin(daemon, method, **parameters):
    """The reply to a call that must succeed."""
    with Connection(daemon.admin) as connection:
        return connection.result(f"{ADMIN}.{method}", parameters)


def refusal(daemon, method, **parameters):
    """Bare name and parameters of the error with which a call must end."""
    with Connection(daemon.admin) as connection:
        name, details = connection.error(f"{ADMIN}.{method}", parameters)
    return name.rsplit(".", 1)[1], details


def device(daemon, resource="accelerometer"):
    return next(item for item in admin(daemon, "GetStatus")["devices"] if item["resource"] == resource)


def eventually(condition, what):
    """Repeats a check until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.02)


def await_state(daemon, state, resource="accelerometer"):
    eventually(lambda: device(daemon, resource)["state"] == state, f"{resource} to be {state}")
