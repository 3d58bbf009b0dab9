import Readings

@testable import Gpsd

/// The state of one connection.
struct Way {
    private var framing = LineFraming()
    private var feeds = [GpsdFeed(), GpsdFeed(receiver: "/dev/b")]
    private var roll = ReceiverList()
    private var now = BootTime(nanoseconds: 0)

    /// False where the line that is being received can never end.
    mutating func take(_ piece: ArraySlice<UInt8>, _ session: inout GpsdSession) -> Bool {
        let taken = unsafe framing.fill { space in
            let count = min(space.count, piece.count)
            unsafe space.copyBytes(from: piece.prefix(count))
            return count
        }
        guard taken != nil else { return false }
        while let line = framing.takeLine({ (session.unpack($0), $0.count > 0 ? $0[0] : 0) }) {
            pass(line.1)
            guard let report = line.0 else { continue }
            roll.take(report)
            for path in roll.takeUnreported() {
                precondition(ResourceName.location(ofReceiver: path) != nil, "a receiver without a name")
            }
            for index in feeds.indices { feeds[index].take(report, at: now) }
        }
        for index in feeds.indices { feeds[index].expire(at: now) }
        check()
        return true
    }

    /// Nothing more will come.
    mutating func finish() {
        for index in feeds.indices { feeds[index].finish() }
        check()
    }

    private mutating func pass(_ byte: UInt8) {
        let digit = byte &- UInt8(ascii: "0")
        now = now + (digit < 10 ? Int64(digit) * 500_000_000 : 10_000_000)
    }

    private mutating func check() {
        for index in feeds.indices {
            for reading in feeds[index].readings {
                guard case .location(let location) = reading.measurement else {
                    preconditionFailure("a reading that is no location")
                }
                Self.check(location.latitudeDegrees, in: -90...90)
                Self.check(location.longitudeDegrees, in: -180...180)
                Self.check(location.trackDegrees, in: 0...360)
                Self.check(location.speedMetersPerSecond, in: 0...10_000)
                Self.check(location.altitudeMeters, in: -20_000...100_000)
                precondition(location.fix != .noPosition || location.latitudeDegrees == nil, "a position without a fix")
                precondition(reading.timestamp <= now, "a reading from the future")
            }
            feeds[index].readings = []
        }
    }

    private static func check(_ value: Double?, in range: ClosedRange<Double>) {
        precondition(value.map(range.contains) ?? true, "a value out of its range")
    }
}
