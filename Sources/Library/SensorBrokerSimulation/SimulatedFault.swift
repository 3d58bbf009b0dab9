internal import Mock
internal import SensorBroker

/// What can go wrong with a simulated device, as `sensorctl mock` and scenarios have it.
public struct SimulatedFault: Equatable, Sendable {
    private let kind: FaultKind
    private let amounts: FaultAmounts

    private init(_ kind: FaultKind, _ set: (inout FaultAmounts) -> Void = { _ in }) {
        var amounts = FaultAmounts()
        set(&amounts)
        (self.kind, self.amounts) = (kind, amounts)
    }

    /// The device is unplugged, and plugged in again at the end.
    public static let unplug = Self(.unplug)
    /// The device stops measuring, without an error.
    public static let stall = Self(.stall)
    /// The device measures, but delivers all its samples at the end.
    public static let late = Self(.late)
    /// The device does not accept any new interval.
    public static let refuse = Self(.refuse)
    /// The receiver's program closes all connections, and listens again at the end.
    public static let gpsdRestart = Self(.gpsdRestart)
    /// The receiver has no position.
    public static let noFix = Self(.noFix)
    /// The receiver's date is 1,024 weeks too early.
    public static let weekRollover = Self(.weekRollover)

    /// So many samples are lost in an overflowing buffer, and the device reports that; it is over at once.
    public static func overflow(samples: Int) -> Self { Self(.overflow) { $0.count = samples } }

    /// The device runs at this interval, but reports the one that was set.
    public static func lie(interval: Duration) -> Self {
        Self(.lie) { $0.intervalNanoseconds = interval.clampedNanoseconds }
    }

    /// The device does not accept this interval.
    public static func refuse(interval: Duration) -> Self {
        Self(.refuse) { $0.intervalNanoseconds = interval.clampedNanoseconds }
    }

    /// So few satellites are left; with three there is no altitude, with fewer no position.
    public static func satellites(_ count: Int) -> Self { Self(.satellites) { $0.count = count } }

    /// Positions are displaced by a distance, in a direction clockwise from north.
    public static func jump(meters: Double, directionDegrees: Double = 0) -> Self {
        Self(.jump) { ($0.meters, $0.degrees) = (meters, directionDegrees) }
    }

    /// The receiver's time of day is late by this much.
    public static func utcBack(_ duration: Duration) -> Self {
        Self(.utcBack) { $0.backNanoseconds = duration.clampedNanoseconds }
    }

    /// Whether it is an instant, without a duration.
    var isMomentary: Bool { kind.isMomentary }

    /// The fault, if its amounts are possible.
    func checked() throws(FaultRefusal) -> Fault {
        do throws(FaultAmounts.Refusal) { return try amounts.fault(kind) } catch {
            throw FaultRefusal("\(self) \(error.words(of: kind))")
        }
    }
}

extension SimulatedFault: CustomStringConvertible {
    /// The fault's name in scenarios and on the command line.
    public var description: String { kind.rawValue }
}
