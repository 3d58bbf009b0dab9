/// The unguessable name of a stream, which `Modify` takes: 128 bits, as 32 hexadecimal digits.
///
/// Kept as two numbers, since a string of its own would be a tenth of the memory of a client.
struct StreamID: Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// A new one, from the kernel's random numbers.
    init() {
        var generator = SystemRandomNumberGenerator()
        high = generator.next()
        low = generator.next()
    }

    /// The one with these digits; nil: they are no name of a stream.
    init?(_ digits: String) {
        guard let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.dropFirst(16), radix: 16) else {
            return nil
        }
        (self.high, self.low) = (high, low)
        // A sign, capitals and missing zeros would be other words for the same stream.
        guard description == digits else { return nil }
    }

    var description: String { Hexadecimal.text(high) + Hexadecimal.text(low) }
}
