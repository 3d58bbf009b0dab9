/// What people and programs write into the cells of a table.
enum TableCell {
    /// What a cell holds instead of a number.
    enum Number: Equatable {
        case value(Double)
        /// The cell is empty, or stands for nothing known.
        case unknown
        /// The cell is neither a number nor empty.
        case invalid
    }

    /// A number, with a decimal point or a decimal comma.
    ///
    /// Where commas separate cells, a number with a decimal comma is in quotes. `101,325` is refused there, since it could mean a hundred
    /// thousand.
    static func number(_ text: String, separator: UInt8) -> Number {
        if let value = DecimalNumber.value(text) { return .value(value) }
        if DecimalNumber.isUnknown(text) { return .unknown }
        return plain(text, separator: separator).flatMap { DecimalNumber.value($0) }.map { .value($0) } ?? .invalid
    }

    /// The value of a cell that may have a unit of its own, such as `35.0 M`; of one without it, in the unit of its column.
    static func value(_ text: String, separator: UInt8, _ unit: ColumnUnit, unitOf: (String) -> ColumnUnit?) -> Number {
        let whole = number(text, separator: separator)
        if case .value(let number) = whole { return .value(unit.value(of: number)) }
        let digits = text.prefix { ("0"..."9").contains($0) || "+-.,".contains($0) }
        guard whole == .invalid, case .value(let number) = number(String(digits), separator: separator),
            let own = unitOf(String(text[digits.endIndex...]))
        else { return whole }
        return .value(own.value(of: number))
    }

    /// The degrees of a coordinate: `48.85`, `48,85`, `48.85N`, `S 48 51.5`, `48°51'30"N`.
    ///
    /// The letters are those of the positive and the negative hemisphere.
    static func degrees(_ text: String, _ letters: (positive: Character, negative: Character), separator: UInt8)
        -> Number
    {
        let whole = number(text, separator: separator)
        guard whole == .invalid else { return whole }
        var (sign, numbers, hasLetter) = (1.0, [""], false)
        for character in text.uppercased() {
            switch character {
            case letters.positive where !hasLetter: hasLetter = true
            case letters.negative where !hasLetter: (sign, hasLetter) = (-1, true)
            case "°", "º", "'", "′", "\"", "″", "’", "”", ":", " ":
                if numbers.last?.isEmpty == false { numbers.append("") }
            default: numbers[numbers.count - 1].append(character)
            }
        }
        if numbers.last?.isEmpty == true { numbers.removeLast() }
        guard (1...3).contains(numbers.count) else { return .invalid }
        var (degrees, unit, isNegative) = (0.0, 1.0, false)
        for (place, text) in numbers.enumerated() {
            guard case .value(let value) = number(text, separator: separator) else { return .invalid }
            guard place == 0 || (0..<60).contains(value) else { return .invalid }
            if place == 0 { isNegative = text.hasPrefix("-") }
            degrees += abs(value) * unit
            unit /= 60
        }
        guard !(isNegative && hasLetter) else { return .invalid }
        return .value(isNegative ? -degrees : sign * degrees)
    }

    /// The number with a decimal point; nil if it has no comma, or one that may mean something else.
    private static func plain(_ text: String, separator: UInt8) -> String? {
        guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")), text.utf8.count(where: { $0 == 44 }) == 1 else {
            return nil
        }
        let fraction = text[text.utf8.index(after: comma)...].prefix { $0.isNumber }
        guard separator != UInt8(ascii: ",") || fraction.count != 3 else { return nil }
        // Points before the comma group the thousands.
        let groups = text[..<comma].split(separator: ".", omittingEmptySubsequences: false)
        guard groups.dropFirst().allSatisfy({ $0.utf8.count == 3 }) else { return nil }
        return groups.joined() + "." + text[text.utf8.index(after: comma)...]
    }
}
