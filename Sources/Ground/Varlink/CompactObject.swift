/// An object in the form in which our own writer leaves JSON: no whitespace, plain ASCII, no escapes.
///
/// A program that hands on what a broker wrote needs no values, and to read and write the numbers of a batch again costs
/// ten times as much as to look it over. This only finds where the members are, and that the text is valid; JSON of any
/// other form is left to `JSONReader`. Keys may be there twice within the members' values.
public struct CompactObject {
    /// Where a member is.
    public struct Member: Equatable, Sendable {
        /// The member's key, without the quotes.
        public let key: Range<Int>
        /// The member's value.
        public let value: Range<Int>
    }

    /// The members, in the order of the text.
    public let members: [Member]
    /// The offset after its closing brace.
    public let end: Int

    private static let mostDepth = 16
    /// No number of so many characters, with two digits in its exponent, is beyond the range of a double.
    private static let longestNumber = 40

    /// Looks over the object that begins at an offset; nil if it is not valid, or has another form.
    public init?(in bytes: [UInt8], at start: Int = 0) {
        var members: [Member] = []
        var place = start
        guard
            Self.object(bytes.span, &place, Self.mostDepth, { members.append(Member(key: $0, value: $1)) })
        else { return nil }
        self.members = members
        end = place
    }

    private static func object(
        _ bytes: Span<UInt8>, _ place: inout Int, _ depth: Int, _ found: (Range<Int>, Range<Int>) -> Void
    ) -> Bool {
        guard depth > 0, take(UInt8(ascii: "{"), bytes, &place) else { return false }
        if take(UInt8(ascii: "}"), bytes, &place) { return true }
        repeat {
            let key = place + 1
            guard string(bytes, &place) else { return false }
            let keyEnd = place - 1
            guard take(UInt8(ascii: ":"), bytes, &place) else { return false }
            let start = place
            guard value(bytes, &place, depth - 1) else { return false }
            found(key..<keyEnd, start..<place)
        } while take(UInt8(ascii: ","), bytes, &place)
        return take(UInt8(ascii: "}"), bytes, &place)
    }

    private static func array(_ bytes: Span<UInt8>, _ place: inout Int, _ depth: Int) -> Bool {
        guard depth > 0, take(UInt8(ascii: "["), bytes, &place) else { return false }
        if take(UInt8(ascii: "]"), bytes, &place) { return true }
        repeat {
            guard value(bytes, &place, depth - 1) else { return false }
        } while take(UInt8(ascii: ","), bytes, &place)
        return take(UInt8(ascii: "]"), bytes, &place)
    }

    private static func value(_ bytes: Span<UInt8>, _ place: inout Int, _ depth: Int) -> Bool {
        guard place < bytes.count else { return false }
        switch bytes[place] {
        case UInt8(ascii: "{"): return object(bytes, &place, depth) { _, _ in }
        case UInt8(ascii: "["): return array(bytes, &place, depth)
        case UInt8(ascii: "\""): return string(bytes, &place)
        case UInt8(ascii: "t"): return word("true", bytes, &place)
        case UInt8(ascii: "f"): return word("false", bytes, &place)
        case UInt8(ascii: "n"): return word("null", bytes, &place)
        default: return number(bytes, &place)
        }
    }

    private static func string(_ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
        guard take(UInt8(ascii: "\""), bytes, &place) else { return false }
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") else { return false }
        }
        return false
    }

    private static func number(_ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
        let start = place
        _ = take(UInt8(ascii: "-"), bytes, &place)
        let first = place
        let whole = digits(bytes, &place)
        guard whole == 1 || (whole > 1 && bytes[first] != UInt8(ascii: "0")) else { return false }
        if take(UInt8(ascii: "."), bytes, &place), digits(bytes, &place) == 0 { return false }
        if take(UInt8(ascii: "e"), bytes, &place) || take(UInt8(ascii: "E"), bytes, &place) {
            _ = take(UInt8(ascii: "-"), bytes, &place) || take(UInt8(ascii: "+"), bytes, &place)
            guard (1...2).contains(digits(bytes, &place)) else { return false }
        }
        return place - start <= longestNumber
    }

    /// Passes digits; how many.
    private static func digits(_ bytes: Span<UInt8>, _ place: inout Int) -> Int {
        let start = place
        while place < bytes.count, bytes[place] &- UInt8(ascii: "0") < 10 { place += 1 }
        return place - start
    }

    private static func word(_ word: String, _ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
        word.utf8.allSatisfy { take($0, bytes, &place) }
    }

    private static func take(_ byte: UInt8, _ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }
}
