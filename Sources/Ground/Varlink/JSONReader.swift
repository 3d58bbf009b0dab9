/// Reads one JSON text from an untrusted peer; strict about all of RFC 8259 and about what the RFC leaves open.
///
/// It rejects anything but UTF-8, a byte order mark, duplicate keys, unpaired surrogates, numbers beyond the range of a
/// double, and more depth, or keys in an object, than the limits allow. `-0` is the integer 0; an integer beyond 64 bits becomes a
/// floating-point number. The reader recurses once per level, and the limits bound the depth.
public struct JSONReader {
    let bytes: [UInt8]
    let limits: JSONLimits
    var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Reads the only value of a text; only whitespace may surround it.
    public static func read(_ bytes: [UInt8], limits: JSONLimits = .calls) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes, limits: limits)
        let value = try reader.value()
        reader.skipWhitespace()
        guard reader.position == bytes.count else { throw JSONError(.trailingBytes, at: reader.position) }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipWhitespace()
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try nested { reader throws(JSONError) in try reader.object() })
        case UInt8(ascii: "["): return .array(try nested { reader throws(JSONError) in try reader.array() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: throw JSONError(.unexpectedByte, at: position)
        }
    }

    private mutating func nested<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        guard depth < limits.depth else { throw JSONError(.tooDeep, at: position) }
        depth += 1
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        if try take(UInt8(ascii: "]")) { return elements }
        repeat {
            elements.append(try value())
        } while try take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        var object = JSONObject()
        if try take(UInt8(ascii: "}")) { return object }
        repeat {
            skipWhitespace()
            let start = position
            guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
            guard object.members.count < limits.keysPerObject else {
                throw JSONError(.tooManyKeys, at: start)
            }
            let key = try string()
            try expect(UInt8(ascii: ":"))
            guard object.append(key, try value()) else { throw JSONError(.duplicateKey, at: start) }
        } while try take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        return object
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for byte in String(describing: word).utf8 {
            guard try peek() == byte else { throw JSONError(.unexpectedByte, at: position) }
            position += 1
        }
        return value
    }
}

extension JSONReader {
    /// The byte at the position.
    func peek() throws(JSONError) -> UInt8 {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        return bytes[position]
    }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Skips whitespace, and then the byte if it comes next.
    private mutating func take(_ byte: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard try peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard try take(byte) else { throw JSONError(.unexpectedByte, at: position) }
    }
}

/// How much structure a JSON text may have; the framer limits its length, and with it all else: no number of keys takes longer to
/// read than as many bytes of brackets.
public struct JSONLimits: Equatable, Sendable {
    /// How deep arrays and objects may nest; 1 is an object of plain values; at most 64.
    public let depth: Int
    /// How many keys one object may have.
    ///
    /// Keys are compared one by one: a hash table would be open to collision attacks. The limit keeps that cheap; 256
    /// long keys that differ only at their ends would block the loop for 16 ms per call.
    public let keysPerObject: Int

    /// Creates limits; the depth is clamped to 64, since the reader recurses.
    public init(depth: Int, keysPerObject: Int) {
        self.depth = min(depth, 64)
        self.keysPerObject = keysPerObject
    }

    /// The limits of a call from an untrusted client.
    public static let calls = JSONLimits(depth: 16, keysPerObject: 32)
    /// The limits of a service's reply, which can be long: it may list two thousand clients with many resources each.
    public static let replies = JSONLimits(depth: 16, keysPerObject: 256)
}
