/// What the name of a column may mean: some words and, perhaps, a unit.
///
/// `Acceleration x (m/s^2)` and `accel_x_ms2` contain their unit, and so does `speedKmh`; in `acc_x` the last word is
/// none. So a name has several readings, and the kind that is looked for decides which of them makes sense.
struct ColumnName {
    /// One way to read a name.
    struct Reading {
        /// Lower case, letters and digits only: `accelx`.
        let words: String
        /// The unit as written.
        let unit: String?
        /// Whether the unit is in brackets, so that it can be nothing else.
        let isBracketed: Bool
        /// The words without their only number, and that number: `accelx` and 2 for `accel2_x`.
        let unnumbered: (words: String, number: Int)?
    }

    /// The name as written.
    let text: String
    /// The ways to read it; the first one has everything that is not in brackets as words.
    let readings: [Reading]
    /// The words of the first reading.
    var words: String { readings[0].words }

    init(_ name: String) {
        text = name
        let open = name.firstIndex { "([".contains($0) }
        let front = String(name[..<(open ?? name.endIndex)])
        if let open {
            let inside = name[name.index(after: open)...].prefix { !")]".contains($0) }
            let unit = inside.allSatisfy(\.isBlank) ? nil : String(inside)
            readings = [Self.reading(Self.plain(front), unit, isBracketed: true)]
            return
        }
        let parts = Self.parts(front)
        var readings = [Self.reading(Self.plain(front), nil)]
        for count in 1...2 where parts.count > count {
            let unit = parts.suffix(count).joined(separator: "/")
            readings.append(Self.reading(Self.plain(parts.dropLast(count).joined()), unit))
        }
        self.readings = readings
    }

    /// `Acceleration x` is `accelerationx`.
    static func plain(_ text: String) -> String {
        String(text.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    }

    private static func reading(_ words: String, _ unit: String?, isBracketed: Bool = false) -> Reading {
        let digits = words.filter { ("0"..."9").contains($0) }
        let rest = words.filter { !("0"..."9").contains($0) }
        let isOne =
            !digits.isEmpty && digits.utf8.count <= 3
            && words.utf8.indices.contains { words.utf8[$0...].starts(with: digits.utf8) }
        return Reading(
            words: words, unit: unit, isBracketed: isBracketed, unnumbered: isOne ? Int(digits).map { (rest, $0) } : nil
        )
    }

    /// `speedKmh` and `speed_kmh` have two parts.
    private static func parts(_ text: String) -> [String] {
        var parts = [""]
        var before: Character?
        for character in text {
            let begins = character.isUppercase && before?.isLowercase == true
            if begins || "_- .".contains(character) { parts.append("") }
            if !"_- .".contains(character) { parts[parts.count - 1].append(character) }
            before = character
        }
        return parts.filter { !$0.isEmpty }
    }
}
