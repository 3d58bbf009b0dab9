import Testing

@testable import Gpsd

@Suite("A search among bytes") struct ByteSearchTests {
    private func index(of text: StaticString, in bytes: String, from start: Int = 0) -> Int? {
        ByteSearch.index(of: text, in: Array(bytes.utf8).span, from: start)
    }

    @Test("finds the first place at or behind an offset, and none beyond the end")
    func places() {
        #expect(index(of: "ab", in: "xabab") == 1)
        #expect(index(of: "ab", in: "xabab", from: 1) == 1)
        #expect(index(of: "ab", in: "xabab", from: 2) == 3)
        #expect(index(of: "ab", in: "xabab", from: 4) == nil)
        #expect(index(of: "ab", in: "xabab", from: 5) == nil)
        #expect(index(of: "ab", in: "xabab", from: 99) == nil)
        #expect(index(of: "xabab!", in: "xabab") == nil)
        #expect(index(of: "a", in: "") == nil)
        #expect(index(of: "\0b", in: "a\0b") == 1)
    }
}
