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
        switch optionalValue(name) {
        case nil: return nil
        case .string(let text): return text
        default: throw .invalidParameter(name)
        }
    }

    /// A boolean, if it is there.
    public func optionalBool(_ name: String) throws(VarlinkError) -> Bool? {
        switch optionalValue(name) {
        case nil: return nil
        case .bool(let value): return value
        default: throw .invalidParameter(name)
        }
    }

    /// An integer within the range, if it is there; 1.0 is not an integer.
    public func optionalInteger(
        _ name: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws(VarlinkError) -> Int64? {
        switch optionalValue(name) {
        case nil: return nil
        case .integer(let value) where range.contains(value): return value
        default: throw .invalidParameter(name)
        }
    }

    /// A finite number, possibly an integer, if it is there.
    public func optionalNumber(_ name: String) throws(VarlinkError) -> Double? {
        switch optionalValue(name) {
        case nil: return nil
        case .number(let value): return value
        case .integer(let value): return Double(value)
        default: throw .invalidParameter(name)
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
        switch optionalValue(name) {
        case nil: return nil
        case .object(let object): return Parameters(object)
        default: throw .invalidParameter(name)
        }
    }

    /// An array of anything, if it is there.
    public func optionalArray(_ name: String) throws(VarlinkError) -> [JSONValue]? {
        switch optionalValue(name) {
        case nil: return nil
        case .array(let elements): return elements
        default: throw .invalidParameter(name)
        }
    }

    /// An array of objects, if it is there.
    public func optionalObjects(_ name: String) throws(VarlinkError) -> [Parameters]? {
        guard let elements = try optionalArray(name) else { return nil }
        var objects: [Parameters] = []
        for element in elements {
            guard case .object(let object) = element else { throw .invalidParameter(name) }
            objects.append(Parameters(object))
        }
        return objects
    }

    /// An array of strings, if it is there.
    public func optionalStrings(_ name: String) throws(VarlinkError) -> [String]? {
        guard let elements = try optionalArray(name) else { return nil }
        var strings: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw .invalidParameter(name) }
            strings.append(text)
        }
        return strings
    }
}
