import Testing

@testable import Spool

@Suite("What marks bytes and epochs") struct IdentityTests {
    @Test("the checksum is Castagnoli's")
    func checksum() {
        #expect(CRC32C.checksum(Array("123456789".utf8)[...]) == 0xE306_9283)
        #expect(CRC32C.checksum([]) == 0)
    }

    @Test("epochs are UUIDs of version 7 that sort by time")
    func epochs() {
        let one = Identity(utcMicroseconds: 1_700_000_000_000_000, random: (.max, .max))
        let other = Identity(utcMicroseconds: 1_700_000_000_001_000, random: (0, 0))
        #expect(one.description.hasPrefix("018bcfe56800" + "7fff" + "b"))
        #expect(one.description < other.description)
        #expect(Identity(text: one.description) == one)
    }
}
