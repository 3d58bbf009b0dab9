import Testing

@testable import Service

@Suite("A client's socket buffer") struct SendBufferTests {
    @Test("holds half a second of readings, and at least six")
    func size() {
        let one = SendBuffer.Messages(replyBytes: 150, everyNanoseconds: .max).bytesToHold / 6
        #expect(one == 768, "what the kernel charges for 150 bytes")
        #expect(SendBuffer.Messages(replyBytes: 150, everyNanoseconds: 1_000_000_000).bytesToHold == 6 * one)
        #expect(SendBuffer.Messages(replyBytes: 150, everyNanoseconds: 10_000_000).bytesToHold == 50 * one)
        #expect(SendBuffer.Messages(replyBytes: 150, everyNanoseconds: 1_000_000).bytesToHold == 500 * one)
    }

    @Test("is finite for any input")
    func extremes() {
        for bytes in [0, 1 << 20, Int.max / 2] {
            for interval: Int64 in [0, 1, .max] {
                #expect(SendBuffer.Messages(replyBytes: bytes, everyNanoseconds: interval).bytesToHold > 0)
            }
        }
    }
}
