/// The bytes of an input, taken one by one.
public struct Input {
    private var rest: ArraySlice<UInt8>

    /// All bytes of an input.
    public init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        rest = unsafe Array(UnsafeBufferPointer(start: start, count: count))[...]
    }

    /// Whether nothing is left.
    public var isEmpty: Bool { rest.isEmpty }

    /// The next byte; 0 where nothing is left.
    public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// At most so many bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }

    /// The bytes up to the next of a value, which is passed over.
    public mutating func bytes(upTo end: UInt8) -> [UInt8] {
        let taken = rest.prefix { $0 != end }
        rest = rest.dropFirst(taken.count + 1)
        return Array(taken)
    }
}
