#!/usr/bin/env python3
"""Makes the position of a mobile modem a location of this host, by ModemManager's D-Bus interface; the modem's receiver is on only while it is wanted.

    python3 modemmanager.py location:modem

sensorbrokerd.conf needs a section [Feed location:modem] with Users= of whoever runs this, who also needs ModemManager's leave to switch the receiver on. Needs
GLib's bindings, Debian's python3-gi.
"""

import signal
import sys
from typing import Any, Dict, Optional, cast

from gi.repository import Gio, GLib  # type: ignore[import-untyped, import-not-found, unused-ignore]

from sensorbroker import Broker, Demand, Location, Provider, SensorError, now_ns

MANAGER = "org.freedesktop.ModemManager1"
INTERFACE = MANAGER + ".Modem.Location"
#: MM_MODEM_LOCATION_SOURCE_GPS_RAW
GPS_RAW = 2


class Modem:
    """The first modem that knows where it is."""

    def __init__(self) -> None:
        self._bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        objects = self._call("/org/freedesktop/ModemManager1", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0]
        paths = sorted(path for path, interfaces in objects.items() if INTERFACE in interfaces)
        if not paths:
            raise OSError("ModemManager has no modem with a position")
        self.path = paths[0]

    def switch(self, is_on: bool) -> None:
        """Switches the receiver on or off."""
        self._call(self.path, INTERFACE, "Setup", GLib.Variant("(ub)", (GPS_RAW if is_on else 0, False)))

    def position(self) -> Dict[str, Any]:
        """What the receiver says; empty without a fix."""
        return cast(Dict[str, Any], self._call(self.path, INTERFACE, "GetLocation")[0].get(GPS_RAW, {}))

    def _call(self, path: str, interface: str, method: str, parameters: Optional[Any] = None) -> Any:
        return self._bus.call_sync(MANAGER, path, interface, method, parameters, None, Gio.DBusCallFlags.NONE, 10_000, None).unpack()


def location(position: Dict[str, Any]) -> Location:
    """A position as a location."""
    if "latitude" not in position or "longitude" not in position:
        return Location("none")
    return Location(
        "3d" if "altitude" in position else "2d",
        latitude_degrees=position["latitude"],
        longitude_degrees=position["longitude"],
        altitude_meters=position.get("altitude"),
    )


def follow(modem: Modem, place: Provider) -> None:
    """Pushes each new position for as long as somebody wants them."""
    told = None
    # A signal that comes while the modem switches is raised once it has: a receiver that may be on is switched off.
    try:
        modem.switch(True)
        while place.wanted:
            position = modem.position()
            # The receiver's time, without a date: a position that is still the same is no new one.
            if position.get("utc-time") != told:
                told = position.get("utc-time")
                place.push(location(position), timestamp_ns=now_ns())
            event = place.next_event(place.demand.interval or 1.0)
            if event is not None and not isinstance(event, Demand):
                print(f"modemmanager: {event}", file=sys.stderr)
    finally:
        modem.switch(False)


def main(name: str = "location:modem") -> int:
    """Runs until Ctrl-C, or until a service manager ends it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    modem = Modem()
    with Broker().provide(name, shortest=1, longest=3600, description=f"ModemManager {modem.path}") as place:
        while place.wait():
            follow(modem, place)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(0)
    except (OSError, GLib.Error, SensorError) as error:
        print(f"modemmanager: {error}", file=sys.stderr)
        sys.exit(1)
