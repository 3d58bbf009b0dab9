/// How much of a fault: what scenarios, command line and wire say beside its kind.
public struct FaultAmounts: Equatable, Sendable {
    /// One of them, by its name on the wire.
    public enum Name: String, CaseIterable, Sendable {
        case count
        case intervalNanoseconds
        case meters
        case degrees
        case backNanoseconds
    }

    /// Samples lost, satellites left.
    public var count: Int?
    /// The interval that is lied about or refused.
    public var intervalNanoseconds: Int64?
    /// How far away.
    public var meters: Double?
    /// In which direction, clockwise from north.
    public var degrees: Double?
    /// How much earlier.
    public var backNanoseconds: Int64?

    /// None.
    public init() {}

    /// Which are given.
    public var names: [Name] {
        Name.allCases.filter { name in
            switch name {
            case .count: count != nil
            case .intervalNanoseconds: intervalNanoseconds != nil
            case .meters: meters != nil
            case .degrees: degrees != nil
            case .backNanoseconds: backNanoseconds != nil
            }
        }
    }

    /// Why an amount cannot be used.
    public enum Refusal: Error, Equatable {
        /// This one is needed, and in this range.
        case needed(Name)
        /// This one says nothing about a fault of this kind.
        case unneeded(Name)

        /// Which it is.
        public var name: Name {
            switch self {
            case .needed(let name), .unneeded(let name): name
            }
        }
    }

    /// The fault of a kind with these amounts; each that is given has to mean something.
    public func fault(_ kind: FaultKind) throws(Refusal) -> Fault {
        let allowed = Self.allowed(kind)
        if let name = names.first(where: { !allowed.contains($0) }) { throw .unneeded(name) }
        switch kind {
        case .unplug: return .unplug
        case .gpsdRestart: return .gpsdRestart
        case .stall: return .stall
        case .late: return .late
        case .overflow: return .overflow(try within(count ?? 100, 1...1_000_000, .count))
        case .lie:
            guard let intervalNanoseconds else { throw .needed(.intervalNanoseconds) }
            return .lie(nanoseconds: try within(intervalNanoseconds, Self.intervals, .intervalNanoseconds))
        case .refuse:
            guard let intervalNanoseconds else { return .refuse(nanoseconds: nil) }
            return .refuse(nanoseconds: try within(intervalNanoseconds, Self.intervals, .intervalNanoseconds))
        case .noFix: return .noFix
        case .satellites: return .satellites(try within(count ?? 0, 0...64, .count))
        case .jump:
            guard let meters else { throw .needed(.meters) }
            return .jump(
                meters: try within(meters, 0...20_000_000, .meters),
                degrees: try within(degrees ?? 0, 0...360, .degrees))
        case .utcBack:
            guard let backNanoseconds else { throw .needed(.backNanoseconds) }
            // A year, and no leap in it.
            return .utcBack(nanoseconds: try within(backNanoseconds, 1...31_536_000_000_000_000, .backNanoseconds))
        case .weekRollover: return .weekRollover
        }
    }

    /// From 100 kHz to a day.
    static let intervals: ClosedRange<Int64> = 10_000...86_400_000_000_000

    private static func allowed(_ kind: FaultKind) -> [Name] {
        switch kind {
        case .overflow, .satellites: [.count]
        case .lie, .refuse: [.intervalNanoseconds]
        case .jump: [.meters, .degrees]
        case .utcBack: [.backNanoseconds]
        case .unplug, .gpsdRestart, .stall, .late, .noFix, .weekRollover: []
        }
    }

    private func within<Value: Comparable>(
        _ value: Value, _ range: ClosedRange<Value>, _ name: Name
    ) throws(Refusal) -> Value {
        guard range.contains(value) else { throw .needed(name) }
        return value
    }
}

extension Fault {
    /// What it says beside its kind.
    public var amounts: FaultAmounts {
        var amounts = FaultAmounts()
        switch self {
        case .overflow(let count), .satellites(let count): amounts.count = count
        case .lie(let interval): amounts.intervalNanoseconds = interval
        case .refuse(let interval): amounts.intervalNanoseconds = interval
        case .jump(let meters, let degrees): (amounts.meters, amounts.degrees) = (meters, degrees)
        case .utcBack(let nanoseconds): amounts.backNanoseconds = nanoseconds
        case .unplug, .gpsdRestart, .stall, .late, .noFix, .weekRollover: break
        }
        return amounts
    }
}
