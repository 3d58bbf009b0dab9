/// One sentence of NMEA 0183: `$GPRMC,…*6A`.
struct NMEASentence {
    /// The talker: `GP`, `GN`, `GL`.
    let talker: String
    /// The type: `RMC`, `GGA`.
    let type: String
    /// The fields after the type.
    let fields: [String]

    /// What stands behind a `$`.
    enum Parsed {
        /// A sentence, and whether a checksum proves it.
        case sentence(NMEASentence, hasSum: Bool)
        /// The checksum is wrong, or the sentence has not the form of its type.
        case damaged
        /// A maker's own one, or something else.
        case other
    }

    /// The form of a type: the fewest fields that receivers write, and fields with one of some letters.
    fileprivate struct Form {
        let fewest: Int
        var letters: [Int: String] = [:]
    }

    /// The types that are read.
    static let types: Set<String> = Set(forms.keys)

    fileprivate static let forms: [String: Form] = [
        "RMC": Form(fewest: 9, letters: [1: "AV", 3: "NS", 5: "EW"]),
        "GGA": Form(fewest: 12, letters: [2: "NS", 4: "EW", 9: "M", 11: "M"]),
        "GNS": Form(fewest: 9, letters: [2: "NS", 4: "EW"]), "GLL": Form(fewest: 4, letters: [1: "NS", 3: "EW"]),
        "VTG": Form(fewest: 6, letters: [1: "T"]), "GSA": Form(fewest: 16, letters: [0: "AM"]),
        "GSV": Form(fewest: 3), "GST": Form(fewest: 8), "ZDA": Form(fewest: 4),
    ]

    /// Receivers write no longer ones, although the standard allows only 82 bytes.
    private static let longest = 512

    /// All that is in a line: a logger may have written a time before, or lost the end of a sentence, so that another follows on the line.
    static func all(in line: ArraySlice<UInt8>) -> [Parsed] {
        line.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).dropFirst().map { parse($0) }
    }

    private static func parse(_ text: ArraySlice<UInt8>) -> Parsed {
        let body = text.prefix(longest).prefix { $0 != UInt8(ascii: "*") }
        guard body.count < longest, body.allSatisfy({ (32...126).contains($0) }) else { return .damaged }
        let rest = text.dropFirst(body.count)
        if !rest.isEmpty {
            let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
            guard let sum = UInt8(digits, radix: 16), sum == body.reduce(0, ^) else { return .damaged }
        }
        let parts = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let address = parts.first, address.utf8.count == 5, !address.hasPrefix("P") else { return .other }
        let sentence = Self(
            talker: String(address.prefix(2)), type: String(address.dropFirst(2)), fields: Array(parts.dropFirst()))
        guard let form = forms[sentence.type] else { return .other }
        let hasLetters = form.letters.allSatisfy { index, letters in
            let text = sentence.text(index)
            return text.isEmpty || (text.utf8.count == 1 && letters.contains { text == String($0) })
        }
        return sentence.fields.count >= form.fewest && hasLetters
            ? .sentence(sentence, hasSum: !rest.isEmpty) : .damaged
    }

    /// The text of a field; empty if it is missing.
    func text(_ index: Int) -> String { index < fields.count ? fields[index] : "" }

    /// The number in a field, if it is in the range.
    func number(_ index: Int, _ range: ClosedRange<Double>) -> Double? {
        DecimalNumber.value(text(index), in: range)
    }

    /// The number of a satellite, which has three digits at most.
    func satellite(_ index: Int) -> String? { (1...3).contains(text(index).utf8.count) ? text(index) : nil }

    /// The talker and type, as in `$GPRMC`.
    var address: String { talker + type }

    /// Microseconds of the day, from `hhmmss.ss`.
    func timeOfDay(_ index: Int) -> Int64? {
        text(index).utf8.count >= 6 ? CalendarTime.timeOfDay(digits: text(index)) : nil
    }

    /// Degrees, from `ddmm.mmmm` and the hemisphere in the next field.
    func degrees(_ index: Int, most: Double) -> Double? {
        guard let value = number(index, 0...18_100) else { return nil }
        let whole = (value / 100).rounded(.down)
        let minutes = value - whole * 100
        // Rounded to a billionth of a degree, a tenth of a millimetre, which removes the error of the division.
        let degrees = ((whole + minutes / 60) * 1e9).rounded() / 1e9
        // Some receivers round 59.99999 to 60.0000.
        guard minutes <= 60, degrees <= most else { return nil }
        switch text(index + 1) {
        case "N", "E": return degrees
        case "S", "W": return -degrees
        default: return nil
        }
    }
}
