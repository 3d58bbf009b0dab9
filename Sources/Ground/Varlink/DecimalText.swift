/// The shortest decimal that reads back as the same number, and of those the closest to it: the text of `description`, in a
/// third to half of its time.
///
/// Only numbers of the size that sensors measure are written here, from 0.0001 to ten million, and 0. That makes it short: with
/// them, the search for the shortest decimal needs no more than 128 bits, so it is exact. The standard library writes all others.
struct DecimalText {
    // Eight digits each: before the point at most seven, behind it one group after the other.
    private let whole, first, second, third: UInt64

    /// The text of a number that is not negative; nil if it is too large or too small.
    @inline(__always)
    private init?(_ number: Double) {
        guard number < 10_000_000, number >= 0.0001 || number == 0 else { return nil }
        // A decimal with 8 places, as most sources yield one: adding 2⁵² rounds to an integer. As no two decimals of 15 digits
        // are the same number, none is shorter.
        let hundredMillionths = (number * 100_000_000 + 0x1p52).significandBitPattern
        if Double(hundredMillionths) / 100_000_000 == number {
            (whole, first) = hundredMillionths.quotientAndRemainder(dividingBy: 100_000_000)
            (second, third) = (0, 0)
            return
        }
        guard let (digits, places) = Self.shortest(number) else { return nil }
        let sixteen: UInt64
        if places <= 16 {
            let one = Self.powerOfTen(places)
            whole = digits / one
            sixteen = (digits &- whole &* one) &* Self.powerOfTen(16 &- places)
            third = 0
        } else {
            // With more than 16 places there are no more than 17 digits, and less than 1.
            let one = Self.powerOfTen(places &- 16)
            whole = 0
            sixteen = digits / one
            third = (digits &- sixteen &* one) &* Self.powerOfTen(24 &- places)
        }
        (first, second) = sixteen.quotientAndRemainder(dividingBy: 100_000_000)
    }

    /// The digits of the shortest decimal, perhaps with zeros at the end, and how many of them stand behind the point: at most 20.
    ///
    /// This is Schubfach, by Raffaello Giulietti. The number is significand / 2^scale.
    private static func shortest(_ number: Double) -> (digits: UInt64, places: Int)? {
        let significand = number.significandBitPattern | 1 << 52
        let scale = 1_075 &- UInt64(truncatingIfNeeded: number.exponentBitPattern)
        // The neighbours of a power of two are not equally far away.
        guard significand != 1 << 52 else { return nil }
        // So many that 1 in the last place, 1/10^places, is at most the distance to a neighbour, 1/2^scale, but 10 is more:
        // scale × log₁₀ 2, rounded up. Then a decimal with one place less may read back as the number, but not two of them.
        let places = Int(truncatingIfNeeded: (scale &* 1_233) >> 12 &+ 1)
        // number × 10^places × 2^shift, an integer of at most 101 bits, in which 2^shift is 1 in the last place. Half the way
        // to a neighbour is 5^places in it.
        let half = powersOfFive[places]
        let shift = scale &- UInt64(truncatingIfNeeded: places) &+ 1
        let (high, low) = (significand << 1).multipliedFullWidth(by: half)
        let unit = 1 &<< shift as UInt64
        let below = high &<< (64 &- shift) | low &>> shift
        let rest = low & (unit &- 1)
        let last = below % 10
        let fromTen = last &* unit &+ rest
        // The middle itself has too many places to be met.
        if fromTen < half { return (below &- last, places) }
        if 10 &* unit &- fromTen < half { return (below &- last &+ 10, places) }
        let isUpper = rest << 1 > unit || rest << 1 == unit && !below.isMultiple(of: 2)
        return (isUpper ? below &+ 1 : below, places)
    }

    /// The longest text: of a number that the standard library writes.
    static let mostBytes = 24
    /// What must be free beyond that, since whole words are written.
    static let slackBytes = 32

    /// Writes a number, which must be finite.
    ///
    /// Any other is a programming error: a debug build stops, a release build writes `null`.
    static func write(_ number: Double, to text: inout OutputSpan<UInt8>) {
        guard let decimal = Self(number.magnitude) else { return LibraryText.write(number, to: &text) }
        if number.sign == .minus { text.append(UInt8(ascii: "-")) }
        decimal.write(to: &text)
    }

    @inline(__always)
    private func write(to text: inout OutputSpan<UInt8>) {
        let (whole, first) = (Self.eightDigits(whole), Self.eightDigits(first))
        let leadingZeros = whole == 0 ? 7 : whole.trailingZeroBitCount / 8
        let fraction = 9 &- leadingZeros
        let shift = UInt64(truncatingIfNeeded: 8 &* leadingZeros)
        let withPoint = Self.ascii(whole) &>> shift | UInt64(UInt8(ascii: ".")) &<< (64 &- shift)
        precondition(Self.slackBytes <= text.freeCapacity)
        unsafe text.withUnsafeMutableBufferPointer { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            let start = count &+ fraction
            unsafe bytes.storeBytes(of: withPoint.littleEndian, toByteOffset: count, as: UInt64.self)
            unsafe bytes.storeBytes(of: Self.ascii(first).littleEndian, toByteOffset: start, as: UInt64.self)
            count = start &+ max(1, 8 &- first.leadingZeroBitCount / 8)
            guard second | third != 0 else { return }
            let (second, third) = (Self.eightDigits(second), Self.eightDigits(third))
            unsafe bytes.storeBytes(of: Self.ascii(second).littleEndian, toByteOffset: start &+ 8, as: UInt64.self)
            unsafe bytes.storeBytes(of: Self.ascii(third).littleEndian, toByteOffset: start &+ 16, as: UInt64.self)
            count = start &+ (third != 0 ? 24 &- third.leadingZeroBitCount / 8 : 16 &- second.leadingZeroBitCount / 8)
        }
    }

    /// The digits of a number below 100,000,000: halved into fours, twos and ones, all at once.
    static func eightDigits(_ number: UInt64) -> UInt64 {
        let fours = number / 10_000 | (number % 10_000) << 32
        // n / 100 as n × 10486 / 2²⁰, and n / 10 as n × 103 / 2¹⁰, are exact for four and for two digits.
        let hundreds = (fours &* 10_486) >> 20 & 0x7F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (twos &* 103) >> 10 & 0x0F_000F_000F_000F
        return tens | (twos &- tens &* 10) << 8
    }

    /// The text of eight digits, the first one in the low byte.
    static func ascii(_ digits: UInt64) -> UInt64 { digits | 0x3030_3030_3030_3030 }

    /// 10 to the power of at most 16.
    private static func powerOfTen(_ power: Int) -> UInt64 { powersOfFive[power] &<< UInt64(power) }

    private static let powersOfFive: InlineArray<21, UInt64> = [
        1, 5, 25, 125, 625, 3_125, 15_625, 78_125, 390_625, 1_953_125, 9_765_625, 48_828_125, 244_140_625,
        1_220_703_125,
        6_103_515_625, 30_517_578_125, 152_587_890_625, 762_939_453_125, 3_814_697_265_625, 19_073_486_328_125,
        95_367_431_640_625,
    ]
}

/// Receives the text of a number from the standard library as bytes.
///
/// `description` would create a string, which allocates for more than 15 characters.
private struct LibraryText: TextOutputStream, Sendable {
    private var bytes = InlineArray<24, UInt8>(repeating: 0)
    private var count = 0

    // Room for its text would be made for each number, were it part of `DecimalText.write`.
    @inline(never)
    static func write(_ number: Double, to text: inout OutputSpan<UInt8>) {
        var library = Self()
        assert(number.isFinite, "a number that is not finite cannot be written")
        if number.isFinite { number.write(to: &library) } else { library.write("null") }
        for place in 0..<library.count { text.append(library.bytes[place]) }
    }

    mutating func write(_ string: String) { for byte in string.utf8 { append(byte) } }

    /// The standard library calls this for text that it knows to be ASCII.
    ///
    /// If a later version stops calling it, `write` does the same by way of a string.
    mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        for place in buffer.indices { unsafe append(buffer[place]) }
    }

    private mutating func append(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }
}
