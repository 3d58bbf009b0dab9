"""A location, with the satellites in view."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Optional, Tuple

from ._clock import EPOCH


@dataclass(frozen=True)
class Satellite:
    """A satellite in view."""

    #: As in NMEA 0183 2.x to 4.0, unique among all systems.
    prn: int
    used: bool
    system: Optional[str] = None
    system_number: Optional[int] = None
    elevation_degrees: Optional[float] = None
    azimuth_degrees: Optional[float] = None
    signal_decibel_hertz: Optional[float] = None


@dataclass(frozen=True)
class Location:
    """A location; None means unknown. The names are those of the interface, and have their units."""

    #: ``none``, ``2d`` or ``3d``.
    fix: str
    #: UTC time of the fix, since 1970.
    utc_microseconds: Optional[int] = None
    latitude_degrees: Optional[float] = None
    longitude_degrees: Optional[float] = None
    #: Above mean sea level.
    altitude_meters: Optional[float] = None
    #: Above the WGS84 ellipsoid.
    ellipsoid_height_meters: Optional[float] = None
    #: With 95 % confidence, as are all errors.
    horizontal_error_meters: Optional[float] = None
    vertical_error_meters: Optional[float] = None
    speed_meters_per_second: Optional[float] = None
    #: Clockwise from true north.
    track_degrees: Optional[float] = None
    climb_meters_per_second: Optional[float] = None
    speed_error_meters_per_second: Optional[float] = None
    track_error_degrees: Optional[float] = None
    climb_error_meters_per_second: Optional[float] = None
    #: Mean sea level above the WGS84 ellipsoid.
    geoid_separation_meters: Optional[float] = None
    horizontal_dilution: Optional[float] = None
    vertical_dilution: Optional[float] = None
    position_dilution: Optional[float] = None
    velocity_north_meters_per_second: Optional[float] = None
    velocity_east_meters_per_second: Optional[float] = None
    velocity_down_meters_per_second: Optional[float] = None
    ecef_velocity_x_meters_per_second: Optional[float] = None
    ecef_velocity_y_meters_per_second: Optional[float] = None
    ecef_velocity_z_meters_per_second: Optional[float] = None
    time_error_seconds: Optional[float] = None
    #: How far GPS time is ahead of UTC.
    leap_seconds: Optional[int] = None
    satellites_used: Optional[int] = None
    satellites_visible: Optional[int] = None
    #: How the position was found: ``autonomous``, ``dgps``, ``rtkFixed``, ``rtkFloat``, ``deadReckoning``,
    #: ``gnssDeadReckoning``, ``timeOnly``, ``simulated`` or ``precise``; later versions may add others.
    status: Optional[str] = None
    correction_age_seconds: Optional[float] = None
    #: The number of the station that the corrections come from.
    correction_station: Optional[int] = None
    #: Where the antennas or the vehicle point, as a second antenna or a compass measures it: clockwise from true north.
    heading_degrees: Optional[float] = None
    pitch_degrees: Optional[float] = None
    roll_degrees: Optional[float] = None
    #: From the other antenna or the reference station to this antenna.
    baseline_north_meters: Optional[float] = None
    baseline_east_meters: Optional[float] = None
    baseline_down_meters: Optional[float] = None
    baseline_length_meters: Optional[float] = None
    baseline_heading_degrees: Optional[float] = None
    #: None unless the request asked for them.
    satellites: Optional[Tuple[Satellite, ...]] = None

    @property
    def utc(self) -> Optional[datetime.datetime]:
        """The time of the fix."""
        if self.utc_microseconds is None:
            return None
        return EPOCH + datetime.timedelta(microseconds=self.utc_microseconds)
