"""For tests of programs that use sensors: the real broker with simulated sensors, or a fake that says what a test tells it.

With pytest, the fixture ``mock_broker`` is there as soon as the package is installed::

    @pytest.mark.sensorbroker("indoor", speed=20)
    def test_my_logger(mock_broker):
        mock_broker.inject("unplug", "accelerometer", seconds=1)
        ...

`MockBroker` is the same without pytest. `FakeBroker` needs no ``sensorbrokerd``: a test says which readings, gaps and states come, and when.
"""

from ._fake import FakeBroker
from ._mock import FaultRefused, MockBroker, NoBrokerProgram

__all__ = ["FakeBroker", "FaultRefused", "MockBroker", "NoBrokerProgram"]
