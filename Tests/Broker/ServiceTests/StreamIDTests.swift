import Testing

@testable import Service

@Suite("The name of a stream") struct StreamIDTests {
    @Test("is another one each time, has 32 digits, and is known by them")
    func digits() {
        let names = (0..<1000).map { _ in StreamID() }
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(name.description.utf8.count == 32)
            #expect(StreamID(name.description) == name)
        }
        // Zeros in front belong to it.
        let zeros = "0000000000000001000000000000000a"
        #expect(StreamID(zeros)?.description == zeros)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "a", "0000000000000001000000000000000A", "+000000000000001000000000000000a", "1",
            "0000000000000001000000000000000a0", "000000000000000100000000000000é", "0000000000000001+00000000000000a",
        ])
    func others(text: String) { #expect(StreamID(text) == nil) }
}
