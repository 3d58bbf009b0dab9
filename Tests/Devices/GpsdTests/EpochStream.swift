import Readings

@testable import Gpsd

/// A stream of reports on virtual time: deadlines are met to the nanosecond, before any later arrival.
struct EpochStream {
    var assembler = EpochAssembler()
    private(set) var readings: [EpochReading] = []
    /// When each reading was delivered, in milliseconds.
    private(set) var leftAtMilliseconds: [Int64] = []

    /// A TPV arrives; `second` is its time, if any, and the position of a fix is derived from it.
    mutating func report(
        at milliseconds: Int64, second: Double? = nil, mode: Int = 3, speed: Double = .nan, track: Double = .nan,
        after epoch: Int64 = 1_600_000_000
    ) {
        var report = FixReport(mode: mode)
        if let second {
            let milliseconds = Int64((second * 1000).rounded())
            report.time = FixTime(
                seconds: epoch + milliseconds / 1000, nanoseconds: milliseconds % 1000 * 1_000_000)
        }
        if mode >= 2 {
            report.location.latitudeDegrees = 50 + (second ?? 0) / 1000
            report.location.longitudeDegrees = 10
        }
        report.location.speedMetersPerSecond = speed
        report.location.trackDegrees = track
        run(until: milliseconds)
        assembler.take(report, at: Self.time(milliseconds), into: &readings)
        note(milliseconds)
    }

    /// A SKY with these satellites arrives.
    mutating func sky(at milliseconds: Int64, _ satellites: [Satellite], horizontalDilution: Double? = nil) {
        run(until: milliseconds)
        let report = SkyReport(
            used: satellites.count(where: \.isUsed), visible: satellites.count, horizontalDilution: horizontalDilution,
            satellites: satellites)
        assembler.take(report, at: Self.time(milliseconds))
    }

    /// An ATT arrives.
    mutating func attitude(at milliseconds: Int64, heading: Double) {
        run(until: milliseconds)
        assembler.take(AttitudeReport(headingDegrees: heading), at: Self.time(milliseconds))
    }

    /// A SKY arrives.
    mutating func sky(at milliseconds: Int64, used: Int, visible: Int) {
        run(until: milliseconds)
        assembler.take(SkyReport(used: used, visible: visible), at: Self.time(milliseconds))
    }

    /// Nothing arrives until then.
    mutating func run(until milliseconds: Int64) {
        while let deadline = assembler.deadline, deadline < Self.time(milliseconds) {
            assembler.expire(at: deadline, into: &readings)
            note(deadline.nanoseconds / 1_000_000)
            // A deadline that does not move would make the device's thread spin.
            guard assembler.deadline != deadline else { return }
        }
    }

    /// The whole second of each reading's time; nil if it has none.
    var seconds: [Double?] {
        readings.map { $0.location.utcMicroseconds.map { Double($0 - 1_600_000_000_000_000) / 1e6 } }
    }

    var fixes: [Location.Fix] { readings.map(\.location.fix) }

    var stampsMilliseconds: [Int64] { readings.map { $0.timestamp.nanoseconds / 1_000_000 } }

    /// From the first report of each reading's epoch to its delivery.
    var delaysMilliseconds: [Int64] { zip(leftAtMilliseconds, stampsMilliseconds).map { $0 - $1 } }

    private mutating func note(_ milliseconds: Int64) {
        while leftAtMilliseconds.count < readings.count { leftAtMilliseconds.append(milliseconds) }
    }

    private static func time(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }
}

extension EpochReading {
    /// What was measured; every reading of gpsd is a location.
    var location: Location {
        guard case .location(let location) = measurement else { preconditionFailure("it is no location") }
        return location
    }
}

extension Location {
    func limitedToFix() -> Location {
        var location = self
        location.limitToFix()
        return location
    }
}
