public import Readings

/// The kinds of faults; the raw value is the word for one, in scenarios, on the command line and on the wire.
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

    /// Whether one is over as soon as it has happened.
    public var isMomentary: Bool { self == .overflow }

    /// How long one lasts where nobody says; nil: until it is ended.
    public var usualNanoseconds: Int64? { self == .gpsdRestart ? 2_000_000_000 : nil }

    /// Whether devices that measure this can have one.
    public func concerns(_ kind: Kind) -> Bool {
        switch self {
        case .unplug, .stall, .late, .overflow, .lie, .refuse: kind.row.hasDevice
        case .gpsdRestart, .noFix, .satellites, .jump, .utcBack, .weekRollover: kind == .location
        }
    }
}
