public import Readings

/// What can go wrong with a device; scenarios, `sensorctl mock` and the simulation of delivery share these faults.
public enum Fault: Equatable, Sendable {
    /// The device is unplugged, and plugged in again at the end.
    case unplug
    /// gpsd closes all connections, and listens again at the end.
    case gpsdRestart
    /// The device stops measuring, without an error.
    case stall
    /// The device measures, but delivers all its samples at the end.
    case late
    /// Samples are lost in an overflowing buffer, and the device reports that.
    case overflow(Int)
    /// The device runs at this interval, but reports the one that was set.
    case lie(nanoseconds: Int64)
    /// The device does not accept this interval, or, with nil, any new one.
    case refuse(nanoseconds: Int64?)
    /// The receiver has no position.
    case noFix
    /// So few satellites are left; with three there is no altitude, with fewer no position.
    case satellites(Int)
    /// Positions are displaced by a distance in a direction clockwise from north.
    case jump(meters: Double, degrees: Double)
    /// The receiver's UTC is late by this much.
    case utcBack(nanoseconds: Int64)
    /// The receiver's week counter, which has ten bits, is 1,024 weeks too low.
    case weekRollover

    /// The kind of fault.
    public var kind: FaultKind {
        switch self {
        case .unplug: .unplug
        case .gpsdRestart: .gpsdRestart
        case .stall: .stall
        case .late: .late
        case .overflow: .overflow
        case .lie: .lie
        case .refuse: .refuse
        case .noFix: .noFix
        case .satellites: .satellites
        case .jump: .jump
        case .utcBack: .utcBack
        case .weekRollover: .weekRollover
        }
    }
}

/// A command to begin or end faults.
public enum FaultOrder: Equatable, Sendable {
    /// Begins a fault for a time; nil: for the kind's usual time.
    case begin(Fault, nanoseconds: Int64?)
    /// Ends the faults of a kind, or with nil all faults.
    case end(FaultKind?)
}

/// Why the words for a fault are invalid, with a remedy.
public struct FaultRefusal: Error, Equatable, Sendable {
    /// The message for the user.
    public let words: String

    /// Creates a refusal with this message.
    public init(_ words: String) { self.words = words }
}

/// The kinds of faults; the raw value is used in scenarios, on the command line and on the wire.
public enum FaultKind: String, CaseIterable, Sendable {
    case unplug
    case gpsdRestart = "gpsd-restart"
    case stall
    case late
    case overflow
    case lie
    case refuse
    case noFix = "no-fix"
    case satellites
    case jump
    case utcBack = "utc-back"
    case weekRollover = "week-rollover"

    /// Whether the fault is an instant, without a duration.
    public var isMomentary: Bool { self == .overflow }

    /// The duration if none is given; nil: until it is ended.
    public var usualNanoseconds: Int64? { self == .gpsdRestart ? 2_000_000_000 : nil }

    /// Whether devices of a kind can have the fault.
    public func concerns(_ kind: Kind) -> Bool {
        switch self {
        case .unplug, .stall, .late, .overflow, .lie, .refuse: kind.row.hasDevice
        case .gpsdRestart, .noFix, .satellites, .jump, .utcBack, .weekRollover: kind == .location
        }
    }
}

extension FaultOrder {
    /// The device that the fault happens to: the named one or, without a name, the only one that can have it.
    public func target(
        named name: ResourceName?, among devices: [(name: ResourceName, kind: Kind)]
    ) throws(FaultRefusal) -> ResourceName {
        var known: String { devices.map(\.name.description).joined(separator: ", ") }
        if let name {
            guard let device = devices.first(where: { $0.name == name }) else {
                throw FaultRefusal("there is no device \(name); the devices are \(known)")
            }
            guard concerns(device.kind) else {
                throw FaultRefusal("\(words) does not happen to \(name): it measures \(device.kind.wire)")
            }
            return name
        }
        let possible = devices.filter { concerns($0.kind) }
        guard let first = possible.first else {
            throw FaultRefusal("no device can have the fault \(words); the devices are \(known)")
        }
        guard possible.count == 1 else {
            let names = possible.map(\.name.description).joined(separator: ", ")
            throw FaultRefusal("to which device? Write '\(asWritten) \(first.name)'; it can happen to \(names)")
        }
        return first.name
    }

    private func concerns(_ kind: Kind) -> Bool {
        switch self {
        case .begin(let fault, _): fault.kind.concerns(kind)
        case .end: kind.row.hasDevice
        }
    }

    /// The order with its amounts, so that a proposed command does what the user meant.
    private var asWritten: String {
        guard case .begin(let fault, _) = self else { return words }
        return ([fault.kind.rawValue] + fault.amounts.words).joined(separator: " ")
    }

    private var words: String {
        switch self {
        case .begin(let fault, _): fault.kind.rawValue
        case .end(let kind): kind == nil ? "clear" : "replug"
        }
    }
}
