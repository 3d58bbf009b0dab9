/// Random numbers from one seed: SplitMix64.
///
/// Or from a fuzzer: then each byte of an input decides a number.
package struct Dice: RandomNumberGenerator {
    private var state: UInt64
    private var bytes: ArraySlice<UInt8> = []

    package init(seed: UInt64) { state = seed }

    /// Takes numbers from bytes as long as there are any, and then from their sum.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        state = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Whether all bytes have been used.
    var isExhausted: Bool { bytes.isEmpty }

    /// A byte is the upper end of its number: it alone decides in small ranges, and roughly the magnitude in large
    /// ones.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        guard let byte = bytes.popFirst() else { return Self.mixed(state) }
        return UInt64(byte) << 56 | Self.mixed(state) >> 8
    }

    /// True once in this many throws, on average.
    package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// One of these elements.
    package mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self)]
    }

    package mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
        Int64.random(in: low...max(low, high), using: &self)
    }

    /// A span whose magnitudes are all equally likely.
    package mutating func span(_ low: Int64, _ high: Int64) -> Int64 {
        var top = low
        while top < high, !oneIn(3) { top *= 2 }
        return between(low, min(top, high))
    }

    /// A number from -1 to 1 that depends only on a seed and a number, so that dropping a step changes no other sample.
    static func noise(_ seed: UInt64, _ number: UInt64) -> Double {
        let bits = mixed(seed ^ mixed(number &* 0x9e37_79b9_7f4a_7c15))
        return Double(bits >> 11) / Double(1 << 52) - 1
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
