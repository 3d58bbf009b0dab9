import TestTools
import Testing
import Varlink

@Suite("Packed numbers") struct PackedNumbersTests {
    private func packed(_ numbers: [Float]) -> String {
        var writer = JSONWriter()
        writer.packed(numbers.map(Double.init))
        return String(String(decoding: writer.bytes, as: UTF8.self).dropFirst().dropLast())
    }

    @Test("are base64 of 32-bit numbers, low bytes first")
    func known() {
        // As Python has it: base64.b64encode(struct.pack("<3f", …)).
        #expect(packed([]).isEmpty)
        #expect(packed([1]) == "AACAPw==")
        #expect(packed([1, -2.5]) == "AACAPwAAIMA=")
        #expect(packed([1, -2.5, 9.80665]) == "AACAPwAAIMAK6BxB")
    }

    @Test("are read back as they were, however many there are")
    func roundTrip() {
        var generator = SeededGenerator(seed: 5)
        for count in 0..<50 {
            let numbers = (0..<count).map { _ in
                let number = Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator))
                return number.isFinite ? number : 0.1
            }
            #expect(PackedNumbers.numbers(packed(numbers)) == numbers.map(Double.init))
        }
    }

    @Test(
        "are refused where a sender has made a mistake",
        arguments: [
            "A", "AAC", "AACAPw", "AACAPw=", "AACAPw===", "AACA", "AACAPwAA", "AACAPz==", "=ACAPw==", "AAC*Pw==",
            "AACA\u{e9}w==", "AADAfw==", "AACAfw==", "====",
        ])
    func refused(_ text: String) { #expect(PackedNumbers.numbers(text) == nil) }
}
