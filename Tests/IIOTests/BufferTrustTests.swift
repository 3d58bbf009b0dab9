import Testing

@testable import IIO

@Suite struct BufferTrustTests {
    @Test("a buffer that never delivered is avoided at one opening, and not at the one after")
    func doubted() {
        var trust = BufferTrust()
        #expect(trust.takeDoubted() == nil)
        trust.found("a")
        trust.failed()
        #expect(trust.takeDoubted() == "a")
        #expect(trust.takeDoubted() == nil)
    }

    @Test("a buffer that has delivered once is never avoided again")
    func proven() {
        var trust = BufferTrust()
        trust.found("a")
        trust.delivered()
        for _ in 1...3 {
            trust.failed()
            #expect(trust.takeDoubted() == nil)
            trust.found("a")
        }
    }

    @Test("what one device has delivered says nothing about another")
    func another() {
        var trust = BufferTrust()
        trust.found("a")
        trust.delivered()
        trust.found("b")
        trust.failed()
        #expect(trust.takeDoubted() == "b")
    }
}
