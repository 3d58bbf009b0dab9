import Testing

@testable import Fleet

@Suite struct ReasonTests {
    @Test("each reason has one row, and each row decides something")
    func rows() {
        let codes = Reason.table.map(\.code)
        #expect(codes == codes.sorted() && Set(codes).count == codes.count)
        for row in Reason.table {
            #expect(row.connection != nil || row.message != nil || row.end != nil, "\(row.code)")
        }
    }

    @Test("what MQTT does not know is no delivery, and ends nothing for good", arguments: [Int32(0x7F), 0xA3, 0xFF])
    func unknown(code: Int32) {
        #expect(Verdict(reason: code) == (code < 0x80 ? .delivered : .denied))
        #expect(Refusal(refusedFor: code) == .busy && Refusal(endedFor: code) == .ending)
    }
}
