"""What the scripts for clients that are sensors are written in, and the table of their behaviours."""

import base64
import pathlib
import struct

from scripted_broker import ScriptedBroker
from table import table

FEED = "io.sensorbroker.Feed."
OFFER = "accelerometer:arm"
BEHAVIOURS, behaviour = table()


class Stage:
    """A scripted broker, a provider, and the words that scripts are written in."""

    def __init__(self, directory, client):
        self.server = ScriptedBroker(pathlib.Path(directory) / "io.sensorbroker.Feed")
        # The one whose name clients are given.
        self.client = client(pathlib.Path(directory) / "io.sensorbroker.Broker")

    @property
    def name(self):
        return self.client.name

    def start(self, *words, listening=True):
        if listening:
            self.server.listen()
        self.client.start(*(words or (OFFER,)))

    def close(self):
        self.client.kill()
        self.server.close()

    def provision(self, wanted=True, **members):
        """Takes the call that begins a provision, and answers it."""
        call = self.server.next(FEED + "Provide")
        assert call.call["more"] is True
        call.update(wanted=wanted, **members)
        return call

    def wanted(self, *words, count=1, **members):
        """A provision that has begun, and of which something is wanted."""
        if self.client.process is None:
            self.start(*words)
        call = self.provision(**members)
        self.client.see("demand", count, wanted=True)
        return call

    def push(self, line, count, event="pushed"):
        self.client.command(line)
        self.client.see(event, count)

    def error(self, call, name, **parameters):
        call.error(FEED + name if "." not in name else name, **parameters)


def demand(wanted=True, **members):
    return {"event": "demand", "wanted": wanted, **members}


PUSHED = {"event": "pushed"}
NONE = demand(False)


def column(values, name):
    """The numbers of a channel, whatever their form."""
    if "packed" in values:
        data = base64.b64decode(values["packed"][name], validate=True)
        return list(struct.unpack(f"<{len(data) // 4}f", data))
    return values["columns"][name]


def rows(sample):
    """The times and numbers of a sample of Push, whatever its form."""
    values = sample["values"]
    assert ("packed" in values) != ("columns" in values), values
    names = list(values.get("packed") or values["columns"])
    numbers = list(zip(*(column(values, name) for name in names), strict=True))
    first = sample.get("timestampNanoseconds")
    if "timestampsNanoseconds" in values:
        stamps = values["timestampsNanoseconds"]
    elif "packedStepsNanoseconds" in values:
        data = base64.b64decode(values["packedStepsNanoseconds"], validate=True)
        stamps = [first]
        for step in struct.unpack(f"<{len(data) // 4}I", data):
            stamps.append(stamps[-1] + step)
    else:
        period = values.get("periodNanoseconds", 0)
        stamps = [None if first is None else first + row * period for row in range(len(numbers))]
    assert len(stamps) == len(numbers)
    return [(stamp, dict(zip(names, row))) for stamp, row in zip(stamps, numbers)]


def pushed(call):
    """The samples of the next message, by their resources."""
    return samples_of(call.message())


def samples_of(message):
    """The samples of a message, by their resources."""
    assert message["method"] == FEED + "Push" and message["oneway"] is True and "more" not in message, message
    return {sample["resource"]: sample for sample in message["parameters"]["samples"]}
