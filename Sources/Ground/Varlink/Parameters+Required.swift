extension Parameters {
    /// A string.
    public func string(_ name: String) throws(VarlinkError) -> String { try required(name, optionalString(name)) }

    /// A boolean.
    public func bool(_ name: String) throws(VarlinkError) -> Bool { try required(name, optionalBool(name)) }

    /// An integer within the range; 1.0 is not an integer.
    public func integer(_ name: String, in range: ClosedRange<Int64> = .min ... .max) throws(VarlinkError) -> Int64 {
        try required(name, optionalInteger(name, in: range))
    }

    /// A finite number, possibly an integer.
    public func number(_ name: String) throws(VarlinkError) -> Double { try required(name, optionalNumber(name)) }

    /// A string that is one of an enumeration's.
    public func enumeration<Value: RawRepresentable<String>>(
        _ name: String, _ type: Value.Type
    ) throws(VarlinkError) -> Value {
        try required(name, optionalEnumeration(name, type))
    }

    /// An object.
    public func object(_ name: String) throws(VarlinkError) -> Parameters { try required(name, optionalObject(name)) }

    /// An array of anything.
    public func array(_ name: String) throws(VarlinkError) -> [JSONValue] { try required(name, optionalArray(name)) }

    /// An array of objects.
    public func objects(_ name: String) throws(VarlinkError) -> [Parameters] {
        try required(name, optionalObjects(name))
    }

    /// An array of strings.
    public func strings(_ name: String) throws(VarlinkError) -> [String] { try required(name, optionalStrings(name)) }

    private func required<Value>(_ name: String, _ value: Value?) throws(VarlinkError) -> Value {
        guard let value else { throw .invalidParameter(name) }
        return value
    }
}
