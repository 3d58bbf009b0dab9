import Testing

@testable import Platform

@Suite("A ledger") struct LedgerTests {
    @Test("is read through its descriptor, as last written")
    func words() throws {
        let ledger = try Ledger(count: 3, name: "test")
        #expect(Ledger.read(ledger.number, count: 3) == [0, 0, 0])
        ledger.write(5, at: 0)
        ledger.write(.min, at: 2)
        ledger.write(7, at: 0)
        #expect(Ledger.read(ledger.number, count: 3) == [7, 0, .min])
    }

    @Test("ignores writes beyond its words")
    func beyond() throws {
        let ledger = try Ledger(count: 2, name: "test")
        ledger.write(5, at: 2)
        ledger.write(5, at: -1)
        ledger.write(5, at: .max)
        #expect(Ledger.read(ledger.number, count: 2) == [0, 0])
    }

    @Test("is invalid with another number of words")
    func refused() throws {
        let ledger = try Ledger(count: 2, name: "test")
        #expect(Ledger.read(ledger.number, count: 1) == nil)
        #expect(Ledger.read(ledger.number, count: 3) == nil)
        #expect(Ledger.read(-1, count: 3) == nil)
    }
}
