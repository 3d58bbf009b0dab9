/// What can go wrong with a device: the one vocabulary of scenarios, of faults on demand, and of the simulation of the
/// contract of delivery.
public enum Fault: Equatable, Sendable {
    /// It is gone, and there again at the end.
    case unplug
    /// gpsd hangs up on everybody, and listens again at the end.
    case gpsdRestart
    /// It makes no samples, and says nothing about it.
    case stall
    /// It makes samples, and hands them over at the end, all at once.
    case late
    /// So many samples are lost in a buffer that ran over; it says so.
    case overflow(Int)
    /// It runs at this interval, and says that it runs at the one it was told.
    case lie(nanoseconds: Int64)
    /// It does not take this interval, or, with nil, any other than it has.
    case refuse(nanoseconds: Int64?)
    /// The receiver has no position.
    case noFix
    /// So few satellites are left to it; with three there is no height, with fewer no position.
    case satellites(Int)
    /// Positions are so far away from where they should be, in a direction clockwise from north.
    case jump(meters: Double, degrees: Double)
    /// The receiver's UTC is so much earlier than it should be.
    case utcBack(nanoseconds: Int64)
    /// The receiver counts 1,024 weeks too few: the counter of GPS has ten bits.
    case weekRollover

    /// What kind of fault it is.
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

/// What is to happen to a device: a fault begins, or ends.
public enum FaultOrder: Equatable, Sendable {
    /// It begins, and lasts so long; nil: as long as usual for its kind.
    case begin(Fault, nanoseconds: Int64?)
    /// The faults of a kind end, or, with nil, all of them.
    case end(FaultKind?)
}

/// Why words do not say what is to happen to a device, and what would.
public struct FaultRefusal: Error, Equatable, Sendable {
    /// For people.
    public let words: String

    /// In these words.
    public init(_ words: String) { self.words = words }
}
