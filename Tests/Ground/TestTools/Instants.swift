public import SensorValues

/// An instant, by nanoseconds since the start.
public func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }

/// An instant, by milliseconds since the start.
public func at(milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

/// An instant, by seconds since the start.
public func at(seconds: Int64) -> BootTime { BootTime(nanoseconds: seconds * 1_000_000_000) }
