/// Writes JSON into a reused buffer; every reading passes through it, so it allocates nothing.
///
/// It inserts commas itself: the last byte shows whether one is due, so the bytes are the only state. The caller must
/// balance what it begins and ends. The buffer may hold several messages, each ended by `endMessage`.
public struct JSONWriter: Sendable {
    /// What has been written.
    public internal(set) var bytes: [UInt8] = []

    /// Creates a writer with room for so many bytes.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Creates a writer that allocates room when it needs it.
    public init() {}

    /// Discards what was written.
    public mutating func removeAll(keepingCapacity: Bool = true) {
        // Most buffers of a lane are empty already, and `removeAll` is slow even on an empty array.
        if !bytes.isEmpty || !keepingCapacity { bytes.removeAll(keepingCapacity: keepingCapacity) }
    }

    /// Begins an object: `{`.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    /// Ends an object: `}`.
    public mutating func endObject() {
        assert(isValueWhole, "A key has its value.")
        bytes.append(UInt8(ascii: "}"))
    }

    /// Begins an array: `[`.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    /// Ends an array: `]`.
    public mutating func endArray() {
        assert(isValueWhole, "A comma is followed by a value.")
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes the key of the next value; nothing in the key may need escaping.
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

    /// Writes a key that may need escaping.
    public mutating func key(escaping name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes fixed JSON as it stands, such as several brackets and keys in a row; no comma is inserted before it.
    public mutating func literal(_ json: StaticString) { json.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) } }

    /// Ends a message: the NUL byte.
    public mutating func endMessage() {
        assert(isValueWhole, "A message is whole when it ends.")
        bytes.append(0)
    }

    /// Writes values that are encoded already and separated by commas; does nothing if there are none.
    public mutating func raw(_ encoded: some Collection<UInt8>) {
        guard !encoded.isEmpty else { return }
        separate()
        bytes.append(contentsOf: encoded)
    }

    /// Writes a comma after a value that is in another buffer.
    public mutating func separator() { bytes.append(UInt8(ascii: ",")) }

    /// Writes a comma if a value precedes this one.
    public mutating func separate() {
        switch bytes.last {
        case nil, 0, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// Whether nothing waits for a value: neither a key nor a comma came last.
    private var isValueWhole: Bool { bytes.last != UInt8(ascii: ":") && bytes.last != UInt8(ascii: ",") }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
    }
}

/// A key with its quotes and its colon, encoded once for all its uses.
public struct JSONKey: Sendable {
    fileprivate let bytes: [UInt8]

    /// Encodes a key; nothing in it may need escaping.
    public init(_ name: StaticString) {
        var writer = JSONWriter()
        writer.key(name)
        bytes = writer.bytes
    }
}
