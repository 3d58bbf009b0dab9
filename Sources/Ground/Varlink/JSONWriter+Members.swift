/// Members of an object; one that is nil is left out.
extension JSONWriter {
    /// Writes a string by its name.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    /// Writes an array of strings by its name.
    public mutating func member(_ name: StaticString, _ values: [String]) {
        beginArray(name)
        for value in values { string(value) }
        endArray()
    }

    /// Writes an integer by its name.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    /// Writes an integer by its name.
    public mutating func member(_ name: StaticString, _ value: Int) { member(name, Int64(value)) }

    /// Writes an integer by its name; not every reader accepts one beyond 2⁶³-1.
    public mutating func member(_ name: StaticString, _ value: UInt64?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    /// Writes a number by its name, which must be finite.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    /// Writes a boolean by its name.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    /// Begins an object by its name.
    public mutating func beginObject(_ name: StaticString) {
        key(name)
        beginObject()
    }

    /// Begins an array by its name.
    public mutating func beginArray(_ name: StaticString) {
        key(name)
        beginArray()
    }
}
