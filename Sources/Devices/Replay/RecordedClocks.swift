internal import BrokerClient
internal import Readings
internal import Varlink

/// The values of both clocks at one instant of a session.
public struct RecordedClocks: Equatable, Sendable {
    /// CLOCK_BOOTTIME.
    public let bootNanoseconds: Int64
    /// The wall clock, microseconds since 1970.
    public let utcMicroseconds: Int64

    /// UTC of an instant of the session in nanoseconds since 1970; clamped to what fits.
    public func utcNanoseconds(atBoot nanoseconds: Int64) -> Int64 {
        let (utc, overflow) = utcMicroseconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : utc.addingSaturating(nanoseconds.subtractingSaturating(bootNanoseconds))
    }

    /// UTC of an instant of the session in microseconds since 1970; clamped to what fits.
    public func utcMicroseconds(atBoot nanoseconds: Int64) -> Int64 {
        utcMicroseconds.addingSaturating(nanoseconds.subtractingSaturating(bootNanoseconds) / 1_000)
    }
}

extension RecordedClocks {
    /// Whether the wall clock was not set in between; after a boot, both are further apart.
    func agrees(with other: Self) -> Bool {
        let distance = utcNanoseconds(atBoot: 0).subtractingSaturating(other.utcNanoseconds(atBoot: 0))
        return distance.magnitude <= RecordingFormat.clockStepNanoseconds
    }

    /// The clocks of a recorder's header; nil if it did not know the time.
    init?(_ header: Parameters) throws(VarlinkError) {
        guard try header.string("format") == RecordingFormat.name,
            try header.integer("version") <= RecordingFormat.version
        else { throw .invalidParameter("version") }
        let boot = try header.integer("bootNanoseconds")
        let utc = try header.integer("utcMicroseconds")
        guard utc > 0 else { return nil }
        self.init(bootNanoseconds: boot, utcMicroseconds: utc)
    }
}
