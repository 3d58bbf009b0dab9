"""One window of a measurement: the clients are there and have had a message each; what is spent and received until it closes."""

import contextlib
import time

# What the first readings and the new lane cost is over by then.
SETTLING_SECONDS = 0.3


def measure(system, count, seconds, neighbours=(), **options):
    """Nanoseconds of the server per message, its latency, and bytes per message, of some clients amid neighbours."""
    found = observe(system, count, seconds, neighbours, **options)
    messages = found["messages"]
    if not messages:
        raise RuntimeError(f"{system.name} delivered nothing to {count} clients")
    return {**found, **{key: found[key] / messages for key in ("whole", "bytes")}}


def observe(system, count, seconds, neighbours=(), settling=SETTLING_SECONDS, **options):
    """The same in all, and not for each message; nothing may have come."""
    with contextlib.ExitStack() as stack:
        def join(number, **how):
            joined = stack.enter_context(system.clients(number, **how))
            joined.wait_ready()
            return joined

        for behaviour, number in neighbours:
            join(number, behaviour=behaviour)
        clients = join(count, **options)
        time.sleep(settling)
        clients.open()
        whole = system.nanoseconds()
        time.sleep(seconds)
        whole = system.nanoseconds() - whole
        resident = system.resident_kibibytes()
        return {**clients.close(), "whole": whole, "resident": resident}
