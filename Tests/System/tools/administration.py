"""Administrator's calls to a running daemon."""

from tools.programs import ADMIN, BROKER
from tools.waiting import until
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


def subscribers(daemon):
    """The names of all subscriptions."""
    return [client["subscription"] for client in admin(daemon, "GetStatus")["clients"] if "subscription" in client]


def resources(daemon):
    """What every client is told of each resource, by name."""
    with Connection(daemon.broker) as client:
        return {item["name"]: item for item in client.result(f"{BROKER}.ListResources")["resources"]}


def device(daemon, resource="accelerometer"):
    return next(item for item in admin(daemon, "GetStatus")["devices"] if item["resource"] == resource)


def await_state(daemon, state, resource="accelerometer"):
    until(lambda: device(daemon, resource)["state"] == state, f"{resource} to be {state}")
