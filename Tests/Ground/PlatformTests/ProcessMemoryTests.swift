import Testing

@testable import Platform

@Suite("The memory of this process") struct ProcessMemoryTests {
    @Test("What was freed goes back to the kernel, though something behind it is still in use")
    func returnFreed() throws {
        // Small enough that none gets a mapping of its own.
        var blocks = (0..<16_384).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 2_048) }
        let last = try #require(blocks.last)
        blocks = []
        let before = try #require(ProcessMemory.residentBytes())
        ProcessMemory.returnFreed()
        #expect(try #require(ProcessMemory.residentBytes()) < before - 16 << 20)
        withExtendedLifetime(last) {}
    }
}
