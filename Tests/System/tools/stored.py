"""A daemon whose streams a service manager keeps, and what clients ask of it."""

import pytest

from .descriptorstore import Service
from .stream import MILLISECOND

# At Mock's own pace every sample is due, so samples that were never made cannot be counted.
COUNTED = {"resource": "accelerometer", "intervalNanoseconds": 50 * MILLISECOND}
EVERY = {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}
TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
MEAN = {"resource": "accelerometer", "intervalNanoseconds": 100 * MILLISECOND, "filter": "mean"}
BATCH = {"resource": "accelerometer", "intervalNanoseconds": 20 * MILLISECOND, "batchNanoseconds": 100 * MILLISECOND}
SLOW = {"resource": "accelerometer", "intervalNanoseconds": 3_600_000 * MILLISECOND}
PLACE = {"resource": "location", "intervalNanoseconds": 200 * MILLISECOND}


@pytest.fixture
def serve(directory):
    services = []

    def serve(*arguments, **options):
        services.append(Service(directory, "--mock", *arguments, **options))
        return services[-1].start()

    yield serve
    for service in services:
        service.close()


def parts_of(service):
    """The stored state of streams, for the case of a crash."""
    return [part for line in (service.text() or [])[1:] if "stream" in line for part in line["stream"]["parts"]]
