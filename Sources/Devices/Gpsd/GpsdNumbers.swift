/// Numbers that are read from a line itself, because libgps does not know or confuses them.
///
/// libgps 3.20 to 3.22 unpacks a velocity into the fields of the position relative to a reference station. The vector to
/// the other antenna is known since 3.25, and where the struct has the attitude differs from version to version. Read here,
/// they are known with any libgps, also those of a newer gpsd on another host.
extension GpsdLine {
    private static let longestNumber = 32

    /// The number of a member, whose key is given with its quotation marks and its colon; NaN without one.
    static func number(_ key: StaticString, in line: borrowing Span<UInt8>) -> Double {
        guard let start = ByteSearch.index(of: key, in: line).map({ $0 + key.utf8CodeUnitCount }) else { return .nan }
        var text = ""
        for index in start..<min(line.count, start + longestNumber) {
            let byte = line[index]
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") { break }
            if byte != UInt8(ascii: " ") { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        return Double(text) ?? .nan
    }
}

extension BaselineReport {
    /// The vector to a fixed base or the other antenna, or else the position relative to what u-blox calls the base.
    init(_ line: borrowing Span<UInt8>) {
        if ByteSearch.index(of: #""base"#, in: line) != nil {
            northMeters = GpsdLine.number(#""baseN":"#, in: line)
            eastMeters = GpsdLine.number(#""baseE":"#, in: line)
            downMeters = -GpsdLine.number(#""baseU":"#, in: line)
            lengthMeters = GpsdLine.number(#""baseL":"#, in: line)
            headingDegrees = GpsdLine.number(#""baseC":"#, in: line)
        } else if ByteSearch.index(of: #""rel"#, in: line) != nil {
            northMeters = GpsdLine.number(#""relN":"#, in: line)
            eastMeters = GpsdLine.number(#""relE":"#, in: line)
            downMeters = GpsdLine.number(#""relD":"#, in: line)
            lengthMeters = GpsdLine.number(#""relL":"#, in: line)
            headingDegrees = GpsdLine.number(#""relH":"#, in: line)
        }
    }
}

extension AttitudeReport {
    init(_ line: borrowing Span<UInt8>) {
        headingDegrees = GpsdLine.number(#""heading":"#, in: line)
        pitchDegrees = GpsdLine.number(#""pitch":"#, in: line)
        rollDegrees = GpsdLine.number(#""roll":"#, in: line)
        baseline = BaselineReport(line)
    }
}
