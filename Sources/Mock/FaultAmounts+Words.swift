internal import Configuration

/// Amounts as people write them: `20`, `50Hz`, `2km`, `90deg`, `north`, `3s`.
extension FaultAmounts {
    private static let winds: [String: Double] = [
        "north": 0, "northeast": 45, "east": 90, "southeast": 135, "south": 180, "southwest": 225, "west": 270,
        "northwest": 315,
    ]

    /// Takes in a word that is an amount of a kind of fault; false where it is none.
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
        case .jump: amounts.meters = meters(value, unit)
        // A bare number would be taken for a rate by one and for seconds by another.
        case .lie, .refuse:
            amounts.intervalNanoseconds = unit.isEmpty ? nil : (try? TimeSpan(parsingInterval: word))?.nanoseconds
        case .utcBack: amounts.backNanoseconds = TimeSpan(word)?.nanoseconds
        case .unplug, .gpsdRestart, .stall, .late, .noFix, .weekRollover: break
        }
        return amounts
    }

    private static func meters(_ value: Double, _ unit: Substring) -> Double? {
        switch unit {
        case "m": value
        case "km": value * 1_000
        default: nil
        }
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
    /// What is to be written instead.
    func words(of kind: FaultKind) -> String {
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
