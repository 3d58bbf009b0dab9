/// The members of a call's parameters, or of an object within them, by name and type.
///
/// Absent and null are the same. A missing, unknown, mistyped or out-of-range member throws
/// `VarlinkError.invalidParameter` with the bare name of the field.
public struct Parameters: Equatable, Sendable {
    /// The members as they were received.
    public let object: JSONObject

    /// The members of an object.
    public init(_ object: JSONObject) { self.object = object }

    /// Throws if there are members other than these.
    public func allowOnly(_ names: String...) throws(VarlinkError) { try allowOnly(names) }

    /// Throws if there are other members than these.
    public func allowOnly(_ names: [String]) throws(VarlinkError) {
        for member in object.members
        where !names.contains(where: member.key.isSameText) {
            throw .invalidParameter(member.key)
        }
    }

    /// The value of a member, unless it is absent or null.
    public func optionalValue(_ name: String) -> JSONValue? {
        guard let value = object[name] else { return nil }
        if case .null = value { return nil }
        return value
    }

    /// A string, if it is there.
    public func optionalString(_ name: String) throws(VarlinkError) -> String? {
        try optional(name) { if case .string(let text) = $0 { text } else { nil } }
    }

    /// A boolean, if it is there.
    public func optionalBool(_ name: String) throws(VarlinkError) -> Bool? {
        try optional(name) { if case .bool(let value) = $0 { value } else { nil } }
    }

    /// An integer within the range, if it is there; 1.0 is not an integer.
    public func optionalInteger(
        _ name: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws(VarlinkError) -> Int64? {
        try optional(name) { if case .integer(let value) = $0, range.contains(value) { value } else { nil } }
    }

    /// A finite number, possibly an integer, if it is there.
    public func optionalNumber(_ name: String) throws(VarlinkError) -> Double? {
        try optional(name) { value in
            switch value {
            case .number(let value): value
            case .integer(let value): Double(value)
            default: nil
            }
        }
    }

    /// A string that is one of an enumeration's, if it is there.
    public func optionalEnumeration<Value: RawRepresentable<String>>(
        _ name: String, _ type: Value.Type
    ) throws(VarlinkError) -> Value? {
        guard let text = try optionalString(name) else { return nil }
        guard let value = Value(rawValue: text) else { throw .invalidParameter(name) }
        return value
    }

    /// An object, if it is there.
    public func optionalObject(_ name: String) throws(VarlinkError) -> Parameters? {
        try optional(name) { if case .object(let object) = $0 { Parameters(object) } else { nil } }
    }

    /// An array of anything, if it is there.
    public func optionalArray(_ name: String) throws(VarlinkError) -> [JSONValue]? {
        try optional(name) { if case .array(let elements) = $0 { elements } else { nil } }
    }

    /// An array of objects, if it is there.
    public func optionalObjects(_ name: String) throws(VarlinkError) -> [Parameters]? {
        try optionalArray(name)?.map { element throws(VarlinkError) in
            guard case .object(let object) = element else { throw .invalidParameter(name) }
            return Parameters(object)
        }
    }

    /// An array of strings, if it is there.
    public func optionalStrings(_ name: String) throws(VarlinkError) -> [String]? {
        try optionalArray(name)?.map { element throws(VarlinkError) in
            guard case .string(let text) = element else { throw .invalidParameter(name) }
            return text
        }
    }

    /// The value of a member as one of its type, if it is there; `read` returns nil for another type.
    private func optional<Value>(
        _ name: String, _ read: (JSONValue) -> Value?
    ) throws(VarlinkError) -> Value? {
        guard let found = optionalValue(name) else { return nil }
        guard let value = read(found) else { throw .invalidParameter(name) }
        return value
    }
}
