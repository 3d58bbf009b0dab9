import Testing

@testable import Service

@Suite("A client's socket buffer") struct SendBufferTests {
    @Test("holds half a second of readings, and at least six")
    func size() {
        let one = SendBuffer.bytes(replyBytes: 150, everyNanoseconds: .max) / 6
        #expect(one == 768, "what the kernel charges for 150 bytes")
        #expect(SendBuffer.bytes(replyBytes: 150, everyNanoseconds: 1_000_000_000) == 6 * one)
        #expect(SendBuffer.bytes(replyBytes: 150, everyNanoseconds: 10_000_000) == 50 * one)
        #expect(SendBuffer.bytes(replyBytes: 150, everyNanoseconds: 1_000_000) == 500 * one)
    }

    @Test("is finite for any input")
    func extremes() {
        for bytes in [0, 1 << 20, Int.max / 2] {
            for interval: Int64 in [0, 1, .max] {
                #expect(SendBuffer.bytes(replyBytes: bytes, everyNanoseconds: interval) > 0)
            }
        }
    }
}
