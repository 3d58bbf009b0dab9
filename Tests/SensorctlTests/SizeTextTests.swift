import Testing

@testable import sensorctl

@Suite struct SizeTextTests {
    @Test(
        "a size is a number with its unit",
        arguments: [("500kB", 500_000), ("1.5 MB", 1_500_000), ("2GiB", 2_147_483_648), ("7b", 7), ("1KB", 1_000)])
    func read(text: String, bytes: Int64) throws { #expect(try SizeText.bytes(text) == bytes) }

    @Test("what is none is refused", arguments: ["", "5", "MB", "0B", "-5MB", "1e3MB", "9999999999999GB", "5 TB"])
    func refused(text: String) { #expect(throws: UsageError.self) { try SizeText.bytes(text) } }

    @Test("one is written in the unit that suits it", arguments: [(0, "0 B"), (999, "999 B"), (1_250_000, "1.3 MB")])
    func written(bytes: Int64, text: String) { #expect(SizeText.text(bytes: bytes) == text) }
}
