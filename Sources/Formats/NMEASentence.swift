internal import Readings

/// One sentence of NMEA 0183: `$GPRMC,…*6A`.
struct NMEASentence {
    /// Who speaks: `GP`, `GN`, `GL`.
    let talker: String
    /// What of: `RMC`, `GGA`.
    let type: String
    /// What stands between the commas, behind the type.
    let fields: [String]

    /// No receiver writes longer ones, the standard's 82 bytes notwithstanding.
    private static let longest = 512

    /// The sentence in a line, whatever stands before its `$`; nil where there is none, or its checksum is wrong.
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

    /// The text of a field; empty where there is none.
    func text(_ index: Int) -> String { index < fields.count ? fields[index] : "" }

    /// The number in a field, if it is one in the range.
    func number(_ index: Int, _ range: ClosedRange<Double>) -> Double? {
        DecimalNumber.value(text(index), in: range)
    }

    /// Microseconds of the day of `hhmmss.ss`.
    func timeOfDay(_ index: Int) -> Int64? {
        let text = text(index)
        guard text.utf8.count >= 6, let value = DecimalNumber.value(text, in: 0...240_000) else { return nil }
        let whole = Int64(clamping: value)
        let (hours, minutes, seconds) = (whole / 10_000, whole / 100 % 100, whole % 100)
        guard hours < 24, minutes < 60, seconds <= 60 else { return nil }
        let fraction = Int64(clamping: ((value - Double(whole)) * 1e6).rounded())
        return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction
    }

    /// Degrees of `ddmm.mmmm` and the hemisphere behind it.
    func degrees(_ index: Int, most: Double) -> Double? {
        guard let value = number(index, 0...18_100) else { return nil }
        let whole = (value / 100).rounded(.down)
        let minutes = value - whole * 100
        // To the billionth, a tenth of a millimetre: the rest is the division's.
        let degrees = ((whole + minutes / 60) * 1e9).rounded() / 1e9
        guard minutes < 60, degrees <= most else { return nil }
        switch text(index + 1) {
        case "N", "E": return degrees
        case "S", "W": return -degrees
        default: return nil
        }
    }
}
