/// The grammar of interface names: two or more parts with dots between them, `io.sensorbroker.Broker`.
enum InterfaceName {
    /// Parts are of letters, digits and inner hyphens; the first begins with a letter.
    static func isValid(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2, let first = text.utf8.first, isLetter(first) else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last else { return false }
            return first != hyphen && last != hyphen && part.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
        }
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
