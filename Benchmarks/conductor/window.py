"""One window of a measurement: the clients are there and have had a message each; what is spent and received until it closes."""

import time


def measure(system, count, seconds, neighbours=(), **options):
    """Nanoseconds of the server per message, its latency, and bytes per message, of some clients amid neighbours."""
    others = [system.clients(number, behaviour=behaviour) for behaviour, number in neighbours]
    for other in others:
        other.wait_ready()
    clients = system.clients(count, **options)
    clients.wait_ready()
    # What the first readings and the new lane cost is over.
    time.sleep(0.5)
    clients.open()
    serving, whole = system.serving_nanoseconds(), system.nanoseconds()
    time.sleep(seconds)
    serving, whole = system.serving_nanoseconds() - serving, system.nanoseconds() - whole
    counted = clients.close()
    for other in others:
        other.end()
    messages = counted["messages"]
    if not messages:
        raise RuntimeError(f"{system.name} delivered nothing to {count} clients")
    return {**counted, "serving": serving / messages, "whole": whole / messages, "bytes": counted["bytes"] / messages}
