"""The orientation, from a real accelerometer; `test_proxy` compares its words with those of iio-sensor-proxy."""

from sensor import device_gaps
from tools.stream import Stream
from tools.wire import Connection

BROKER = "io.sensorbroker.Broker"


def orientations(stream):
    return [reading["orientation"] for reading in stream.readings if "orientation" in reading]


def test_it_is_sent_on_change_and_uses_the_accelerometer_only_while_subscribed(sensor, daemon):
    sensor.tell("still 0 -1000 0")
    with Stream(daemon.broker, {"resource": "orientation"}) as stream:
        stream.until(lambda stream: orientations(stream) == ["normal"], "the first orientation")
        assert sensor.read("buffer/enable") == "1"
        for position, orientation in (("-1000 0 0", "right-up"), ("0 0 1000", None), ("1000 0 0", "left-up"),
                                      ("-700 700 0", None), ("0 1000 0", "bottom-up")):
            sensor.tell(f"still {position}")
            if orientation:
                stream.until(lambda stream: orientations(stream)[-1] == orientation, orientation)
        assert orientations(stream) == ["normal", "right-up", "left-up", "bottom-up"]
        sensor.unplug()
        stream.until(lambda stream: stream.states[-1][:2] == ("orientation", "unavailable"), "the loss")
        sensor.tell("still 0 -1000 0")
        sensor.plug()
        stream.until(lambda stream: orientations(stream)[-1] == "normal", "the orientation of the sensor that is back")
        assert device_gaps(stream) == ["deviceLost"]
    connection = Connection(daemon.broker)
    assert connection.result(f"{BROKER}.Read", {"resource": "orientation"})["reading"]["orientation"] == "normal"
    connection.close()
