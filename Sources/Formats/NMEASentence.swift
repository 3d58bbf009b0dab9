internal import Readings

/// One sentence of NMEA 0183: `$GPRMC,…*6A`.
struct NMEASentence {
    /// The talker: `GP`, `GN`, `GL`.
    let talker: String
    /// The type: `RMC`, `GGA`.
    let type: String
    /// The fields after the type.
    let fields: [String]

    /// Receivers write no longer ones, although the standard allows only 82 bytes.
    private static let longest = 512

    /// Parses the sentence in a line, ignoring text before its `$`; nil if there is none, or if its checksum is wrong.
    init?(_ line: ArraySlice<UInt8>) {
        guard let begin = line.firstIndex(of: UInt8(ascii: "$")) else { return nil }
        let text = line[(begin + 1)...].prefix(Self.longest)
        let body = text.prefix { $0 != UInt8(ascii: "*") }
        guard body.count < Self.longest, body.allSatisfy({ (32...126).contains($0) }) else { return nil }
        let rest = text.dropFirst(body.count)
        if !rest.isEmpty {
            let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
            guard let sum = UInt8(digits, radix: 16), sum == body.reduce(0, ^) else { return nil }
        }
        let parts = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let address = parts.first, address.utf8.count == 5, !address.hasPrefix("P") else { return nil }
        talker = String(address.prefix(2))
        type = String(address.dropFirst(2))
        fields = Array(parts.dropFirst())
    }

    /// The text of a field; empty if it is missing.
    func text(_ index: Int) -> String { index < fields.count ? fields[index] : "" }

    /// The number in a field, if it is in the range.
    func number(_ index: Int, _ range: ClosedRange<Double>) -> Double? {
        DecimalNumber.value(text(index), in: range)
    }

    /// Microseconds of the day, from `hhmmss.ss`.
    func timeOfDay(_ index: Int) -> Int64? {
        let text = text(index)
        guard text.utf8.count >= 6, let value = DecimalNumber.value(text, in: 0...240_000) else { return nil }
        let whole = Int64(clamping: value)
        let (hours, minutes, seconds) = (whole / 10_000, whole / 100 % 100, whole % 100)
        guard hours < 24, minutes < 60, seconds <= 60 else { return nil }
        let fraction = Int64(clamping: ((value - Double(whole)) * 1e6).rounded())
        return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction
    }

    /// Degrees, from `ddmm.mmmm` and the hemisphere in the next field.
    func degrees(_ index: Int, most: Double) -> Double? {
        guard let value = number(index, 0...18_100) else { return nil }
        let whole = (value / 100).rounded(.down)
        let minutes = value - whole * 100
        // Rounded to a billionth of a degree, a tenth of a millimetre, which removes the error of the division.
        let degrees = ((whole + minutes / 60) * 1e9).rounded() / 1e9
        guard minutes < 60, degrees <= most else { return nil }
        switch text(index + 1) {
        case "N", "E": return degrees
        case "S", "W": return -degrees
        default: return nil
        }
    }
}
