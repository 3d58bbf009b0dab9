internal import Configuration

/// The amounts of a fault: what scenarios, command line and wire have beside its kind.
public struct FaultAmounts: Equatable, Sendable {
    /// The name of an amount on the wire.
    public enum Name: String, CaseIterable, Sendable {
        case count
        case intervalNanoseconds
        case meters
        case degrees
        case backNanoseconds
    }

    /// Samples lost, or satellites left.
    public var count: Int?
    /// The interval of `lie` and `refuse`.
    public var intervalNanoseconds: Int64?
    /// The distance of a jump.
    public var meters: Double?
    /// The direction of a jump, clockwise from north.
    public var degrees: Double?
    /// How late UTC is.
    public var backNanoseconds: Int64?

    /// Creates no amounts.
    public init() {}

    /// The amounts that are set.
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

    /// Why an amount is invalid.
    public enum Refusal: Error, Equatable {
        /// The kind of fault needs this amount, within its range.
        case needed(Name)
        /// The kind of fault does not have this amount.
        case unneeded(Name)

        /// The amount.
        public var name: Name {
            switch self {
            case .needed(let name), .unneeded(let name): name
            }
        }
    }

    /// Makes a fault of a kind with these amounts; each one that is set must belong to the kind.
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
            // A year without a leap day.
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
    /// The amounts of the fault.
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

/// Amounts as people write them: `20`, `50Hz`, `2km`, `90deg`, `north`, `3s`.
extension FaultAmounts {
    private static let winds: [String: Double] = [
        "north": 0, "northeast": 45, "east": 90, "southeast": 135, "south": 180, "southwest": 225, "west": 270,
        "northwest": 315,
    ]

    /// Takes a word as an amount of a kind of fault; false if it is none.
    mutating func take(_ word: String, of kind: FaultKind) throws(FaultRefusal) -> Bool {
        let amount = Self.amount(word, of: kind)
        guard let name = amount.names.first else { return false }
        guard !names.contains(name) else {
            throw FaultRefusal("'\(ConfigurationProblem.excerpt(word))' is one too many: \(kind.rawValue) takes one")
        }
        count = amount.count ?? count
        intervalNanoseconds = amount.intervalNanoseconds ?? intervalNanoseconds
        meters = amount.meters ?? meters
        degrees = amount.degrees ?? degrees
        backNanoseconds = amount.backNanoseconds ?? backNanoseconds
        return true
    }

    private static func amount(_ word: String, of kind: FaultKind) -> Self {
        var amounts = Self()
        if kind == .jump, let wind = winds[word] {
            amounts.degrees = wind
            return amounts
        }
        let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = word.dropFirst(digits.count)
        guard let value = Double(digits), value.isFinite else { return amounts }
        switch kind {
        case .overflow, .satellites: amounts.count = unit.isEmpty ? Int(exactly: value) : nil
        case .jump where unit == "deg" || unit == "°": amounts.degrees = value
        case .jump: amounts.meters = ["m": 1, "km": 1_000][unit].map { value * $0 }
        // A bare number could mean a rate or seconds.
        case .lie, .refuse:
            amounts.intervalNanoseconds = unit.isEmpty ? nil : (try? TimeSpan(parsingInterval: word))?.nanoseconds
        case .utcBack: amounts.backNanoseconds = TimeSpan(word)?.nanoseconds
        case .unplug, .gpsdRestart, .stall, .late, .noFix, .weekRollover: break
        }
        return amounts
    }

    var words: [String] {
        var words: [String] = []
        if let count { words.append("\(count)") }
        if let intervalNanoseconds { words.append(TimeSpan(nanoseconds: intervalNanoseconds).description) }
        if let meters { words.append("\(meters)m") }
        if let degrees { words.append("\(degrees)deg") }
        if let backNanoseconds {
            words.append(TimeSpan(nanoseconds: backNanoseconds).description.filter { $0 != " " })
        }
        return words
    }
}

extension FaultAmounts.Refusal {
    /// The message with a remedy.
    public func words(of kind: FaultKind) -> String {
        switch self {
        case .needed(.count):
            kind == .satellites ? "takes 0 to 64 satellites that are left" : "takes 1 to 1000000 samples, such as 20"
        case .needed(.intervalNanoseconds): "needs a rate, such as 50Hz, or an interval from 10us to a day"
        case .needed(.meters): "needs a distance up to 20000km, such as 50m or 2km"
        case .needed(.degrees): "takes a direction such as north, or 0deg to 360deg"
        case .needed(.backNanoseconds): "needs a length of time up to a year, such as 3s"
        case .unneeded(let name): "has nothing to do with \(name.rawValue)"
        }
    }
}
