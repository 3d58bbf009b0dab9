/// Writes JSON into a buffer that is used again and again; it is in the way of every reading, so it allocates nothing.
///
/// Commas come by themselves: whether one is due shows in the last byte, so there is no state beside the bytes. The
/// caller balances what it begins and ends. Several messages may follow each other, each ended by `endMessage`.
public struct JSONWriter: Sendable {
    /// What has been written.
    public internal(set) var bytes: [UInt8] = []

    /// A writer with room for so many bytes.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// A writer that takes room when it needs it.
    public init() {}

    /// Forgets what was written.
    public mutating func removeAll(keepingCapacity: Bool = true) {
        // Most buffers of a lane are empty already, and the library's way through that is long.
        if !bytes.isEmpty || !keepingCapacity { bytes.removeAll(keepingCapacity: keepingCapacity) }
    }

    /// Begins an object: `{`.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    /// Ends an object: `}`.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Begins an array: `[`.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    /// Ends an array: `]`.
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Writes the key of the value that is written next; nothing in it needs to be escaped.
    public mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a key that is encoded already.
    public mutating func key(_ key: JSONKey) {
        separate()
        bytes.append(contentsOf: key.bytes)
    }

    /// Writes a key that somebody else has chosen.
    public mutating func key(escaping name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Ends a message: the NUL byte.
    public mutating func endMessage() { bytes.append(0) }

    /// Writes values that are encoded already, with commas between them; none is nothing.
    public mutating func raw(_ encoded: some Collection<UInt8>) {
        guard !encoded.isEmpty else { return }
        separate()
        bytes.append(contentsOf: encoded)
    }

    /// A comma behind what another buffer ends with.
    public mutating func separator() { bytes.append(UInt8(ascii: ",")) }

    /// A comma, where a value stands before this one.
    mutating func separate() {
        switch bytes.last {
        case nil, 0, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
    }
}

/// A key with its quotes and its colon, encoded once for all who write it.
public struct JSONKey: Sendable {
    fileprivate let bytes: [UInt8]

    /// A key; nothing in it needs to be escaped.
    public init(_ name: StaticString) {
        var writer = JSONWriter()
        writer.key(name)
        bytes = writer.bytes
    }
}

/// Takes the text of a number from the standard library as bytes.
///
/// `description` makes a string of it, which allocates where it has more than 15 characters, as most measured values have.
struct NumberText: TextOutputStream, Sendable {
    var bytes: [UInt8] = []

    mutating func write(_ string: String) { bytes.append(contentsOf: string.utf8) }

    /// What the standard library calls for text that it knows to be ASCII.
    ///
    /// Should it call that no more, then `write` does
    /// the same with a string in between.
    mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) { unsafe bytes.append(contentsOf: buffer) }
}
