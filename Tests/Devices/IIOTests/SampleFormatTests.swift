import Testing

@testable import IIO

@Suite struct SampleFormatTests {
    @Test(
        "words are extended from their storage to 64 bits",
        arguments: [
            (16, true, 0xFFFF, -1), (16, false, 0xFFFF, 65535), (32, true, 0x8000_0000, -2_147_483_648),
            (8, true, 0x7F, 127),
            (64, true, -5, -5),
        ] as [(UInt32, Bool, Int64, Int64)])
    func extends(storage: UInt32, signed: Bool, word: Int64, value: Int64) throws {
        let format = try #require(
            SampleFormat(storageBits: storage, realBits: storage, shift: 0, isSigned: signed, repetitions: 1))
        #expect(format.value(ofWord: word) == value)
    }

    @Test(
        "a format that makes libiio read out of bounds is refused",
        arguments: [
            (0, 0, 0, 1), (24, 24, 0, 1), (128, 64, 0, 1), (16, 17, 0, 1), (16, 0, 0, 1), (16, 12, 5, 1),
            (32, 32, 0, 5),
            (16, 16, 4_000_000_000, 1), (4_294_967_295, 1, 0, 1), (16, 16, 0, 0),
        ] as [(UInt32, UInt32, UInt32, UInt32)])
    func refuses(storage: UInt32, real: UInt32, shift: UInt32, repetitions: UInt32) {
        #expect(
            SampleFormat(
                storageBits: storage, realBits: real, shift: shift, isSigned: true, repetitions: repetitions) == nil)
    }
}
