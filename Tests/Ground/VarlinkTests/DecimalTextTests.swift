import TestTools
import Testing
import Varlink

/// The standard library finds the shortest text in another way, so that the two prove each other.
@Suite("The text of a number") struct DecimalTextTests {
    private static func text(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.number(number)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func check(_ numbers: some Sequence<Double>) {
        var wrong: [Double] = []
        for number in numbers {
            for number in [number, -number] where number.isFinite {
                let text = Self.text(number)
                let isSame = Double(text).map { $0.bitPattern == number.bitPattern } ?? false
                if !isSame || text != number.description { wrong.append(number) }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) of them, the first one is \(wrong.first ?? 0)")
    }

    @Test("is that of the standard library, and reads back to the bit, whatever the number is")
    func anything() {
        var random = SeededGenerator(seed: 1)
        check((0..<50_000).lazy.map { _ in Double(bitPattern: random.next()) })
        check([0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 1.0 / 3])
    }

    @Test("is so for all sizes that sensors measure, and at the limits of what is written in another way")
    func sizes() {
        var random = SeededGenerator(seed: 2)
        let sizes = -16...25
        check(
            (0..<100_000).lazy.map { place in
                Double(sign: .plus, exponent: sizes.lowerBound + place % sizes.count, significand: 1)
                    * (1 + Double(random.next() >> 12) * 0x1p-52)
            })
        for limit in [0.0001, 10_000_000, 0x1p-13, 0x1p53] {
            let before = sequence(first: limit) { $0.nextDown }.prefix(500)
            check(before)
            check(sequence(first: limit) { $0.nextUp }.prefix(500))
        }
    }

    @Test("is so for powers of two and of ten and their neighbours")
    func powers() {
        let powers = (-1_074...1_023).map { Double(sign: .plus, exponent: $0, significand: 1) }
        let tens = (-20...20).compactMap { Double("1e\($0)") }
        check((powers + tens).flatMap { [$0, $0.nextUp, $0.nextDown] })
    }

    @Test("is so for decimals with few digits and their neighbours")
    func decimals() {
        var random = SeededGenerator(seed: 3)
        check(
            (0..<30_000).lazy.flatMap { place in
                let digits = Int64(random.next() >> (14 + UInt64(place) % 50))
                let number = Double("\(digits)e-\(place % 20)") ?? 0
                return [number, number.nextUp, number.nextDown]
            })
    }

    @Test("is so for what chips count in their scale, and for means of that")
    func counts() {
        for scale in [
            0.009582, 0.000598205, 0.00059820565, 1.0 / 16_384, 0.0001527099, 9.80665 / 1_000, 100.0 / 65_536,
        ] {
            check((0..<10_000).lazy.map { Double($0) * scale })
            check((0..<3_000).lazy.map { Double($0) * scale / 7 })
        }
    }

    @Test("is so for the middle between two decimals, which is as far from the one as from the other")
    func middles() {
        for exponent in 14...40 {
            check((1..<400).lazy.map { Double(sign: .plus, exponent: -exponent, significand: Double($0)) })
        }
    }

    @Test("stands in an array as it stands alone")
    func arrays() throws {
        let numbers = [1.5, -0.25, 0, -0.0, 1e-7, 12_345.678901234567, 1e300, 0.1 + 0.2, -9_999_999.999999998]
        for count in 0...numbers.count {
            var writer = JSONWriter()
            writer.beginArray()
            writer.integer(1)
            writer.numbers(Array(numbers.prefix(count)))
            writer.integer(2)
            writer.endArray()
            let texts = numbers.prefix(count).map(Self.text).joined(separator: ",")
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "[1,[\(texts)],2]")
        }
    }
}
