"""A broker at which programs may be sensors, and clients that audit what they provide."""

import pathlib
import sys
import threading

import pytest

from tools.programs import PATIENCE, ROOT

sys.path.insert(0, str(ROOT / "Clients/python"))

from sensorbroker import Broker, Gap, Reading, State  # noqa: E402

SECTIONS = "".join(f"[Feed {name}]\nMaxRate=100000\n" for name in (
    "accelerometer:arm", "gyroscope:arm", "light:desk", "proximity:desk", "location:phone", "location:modem"))


class Audience:
    """A client that keeps all that it is told, on a thread of its own."""

    def __init__(self, path, *resources, **options):
        self.stream = Broker(path).subscribe(*resources, **{"interval": 0, **options})
        self.events = []
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def follow(self):
        for event in self.stream.events():
            with self.changed:
                self.events.append(event)
                self.changed.notify_all()

    def await_that(self, is_so, what):
        with self.changed:
            assert self.changed.wait_for(lambda: is_so(self), PATIENCE), f"{what}: {self.gaps()} {self.events[-10:]}"

    def of(self, kind, resource=None):
        return [event for event in self.events if isinstance(event, kind) and resource in (None, getattr(event, "resource", None))]

    def rows(self, resource):
        """Each sample of a resource: its time, and its numbers."""
        return [(stamp, tuple(values.values())) for reading in self.of(Reading, resource) for stamp, values in reading.samples()]

    def gaps(self):
        return self.of(Gap)

    def await_rows(self, resource, count):
        self.await_that(lambda it: len(it.rows(resource)) >= count, f"{count} samples of {resource}")
        return self.rows(resource)

    def await_state(self, resource, state):
        self.await_that(lambda it: state in [event.state for event in it.of(State, resource)][-1:], f"{resource} is {state}")

    def close(self):
        self.stream.close()
        self.thread.join()


@pytest.fixture
def fed(start, directory):
    """Starts daemons at which these resources may be provided."""
    configuration = pathlib.Path(directory) / "feeds.conf"
    configuration.write_text(SECTIONS)

    def start_fed(*arguments):
        return start("--mock", "--config", str(configuration), *arguments)

    return start_fed


@pytest.fixture
def audience(closing):
    """Clients of a broker."""
    return lambda *arguments, **options: closing(Audience(*arguments, **options))
