/// Any JSON value; integers and other numbers are distinct.
public enum JSONValue: Equatable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number written without a decimal point or exponent.
    case integer(Int64)
    /// A number written with a decimal point or exponent, or an integer beyond 64 bits; finite.
    case number(Double)
    /// A string; it may hold NUL characters.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A null.
    public init(nilLiteral: ()) { self = .null }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number that is written as a floating-point number, even if its value is integral.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; its keys must differ.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

/// A JSON object: members in their original order.
public struct JSONObject: Equatable, Sendable {
    /// One key and its value.
    public struct Member: Equatable, Sendable {
        /// The key.
        public let key: String
        /// The value.
        public let value: JSONValue
    }

    /// The members, in order.
    public private(set) var members: [Member] = []

    /// An object without members.
    public init() {}

    /// An object of keys that must differ, in this order.
    public init(_ members: [(String, JSONValue)]) {
        self.members = members.map { Member(key: $0, value: $1) }
    }

    /// The value of a key; nil if the object does not have it.
    public subscript(key: String) -> JSONValue? {
        // By its index: `first` would copy each member.
        for index in members.indices where members[index].key.isSameText(as: key) { return members[index].value }
        return nil
    }

    /// Adds a member; returns false and adds nothing if the object has the key already.
    public mutating func append(_ key: String, _ value: JSONValue) -> Bool {
        guard self[key] == nil else { return false }
        // Most objects of a call have so many.
        if members.isEmpty { members.reserveCapacity(4) }
        members.append(Member(key: key, value: value))
        return true
    }

    /// The object as JSON.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(.object(self))
        return writer.bytes
    }
}

/// Adds members by type, as `JSONWriter.member` writes them: none for what is nil, and none for a key that the object has already.
extension JSONObject {
    /// Adds a value.
    public mutating func member(_ key: String, _ value: JSONValue?) { if let value { _ = append(key, value) } }

    /// Adds a string.
    public mutating func member(_ key: String, _ value: String?) { member(key, value.map { .string($0) }) }

    /// Adds an integer.
    public mutating func member(_ key: String, _ value: Int64?) { member(key, value.map { .integer($0) }) }

    /// Adds a number, which must be finite.
    public mutating func member(_ key: String, _ value: Double?) { member(key, value.map { .number($0) }) }

    /// Adds a boolean.
    public mutating func member(_ key: String, _ value: Bool?) { member(key, value.map { .bool($0) }) }
}

/// Members by type: nil if there is none of that type.
extension JSONObject {
    /// The string under a key.
    public func string(_ key: String) -> String? { if case .string(let text)? = self[key] { text } else { nil } }

    /// The integer under a key.
    public func integer(_ key: String) -> Int64? { if case .integer(let number)? = self[key] { number } else { nil } }

    /// The object under a key.
    public func object(_ key: String) -> JSONObject? {
        if case .object(let object)? = self[key] { object } else { nil }
    }

    /// The objects of an array under a key; none if it has none.
    public func objects(_ key: String) -> [JSONObject] {
        guard case .array(let elements)? = self[key] else { return [] }
        return elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}

extension String {
    /// Whether both have the same code points: Swift's `==` considers "K" and the Kelvin sign equal, JSON does not.
    func isSameText(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Each member of each object is compared: iterators of `utf8` would take ten times as long.
        let isSame = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe other.utf8.withContiguousStorageIfAvailable { unsafe Self.areEqual($0.span.bytes, bytes.span.bytes) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether texts of one length are equal, eight bytes at a time.
    private static func areEqual(_ text: RawSpan, _ other: RawSpan) -> Bool {
        var start = 0
        while start + 8 <= text.byteCount {
            let word = unsafe text.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
            guard unsafe word == other.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self) else { return false }
            start += 8
        }
        while start < text.byteCount {
            let byte = unsafe text.unsafeLoad(fromByteOffset: start, as: UInt8.self)
            guard unsafe byte == other.unsafeLoad(fromByteOffset: start, as: UInt8.self) else { return false }
            start += 1
        }
        return true
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object of keys that must differ, in this order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
