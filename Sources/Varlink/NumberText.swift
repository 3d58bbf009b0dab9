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
