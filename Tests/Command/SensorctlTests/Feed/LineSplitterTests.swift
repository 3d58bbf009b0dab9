import Testing

@testable import sensorctl

/// How bytes become lines.
@Suite struct LineSplitterTests {
    private static func lines(_ text: String, by size: Int) -> [LineSplitter.Line] {
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            lines += splitter.take(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return lines + [splitter.finish()].compactMap { $0 }
    }

    @Test("lines end in any of the three ways, however the bytes are split", arguments: 1...9)
    func ends(size: Int) {
        let lines = Self.lines("a\r\nbc\n\n\rd\re", by: size)
        #expect(lines.compactMap(\.bytes).map { String(decoding: $0, as: UTF8.self) } == ["a", "bc", "d", "e"])
        #expect(lines.map(\.number) == [1, 2, 5, 6])
    }

    @Test("an endless line is passed over, and is one")
    func endless() {
        var splitter = LineSplitter()
        let piece = [UInt8](repeating: 65, count: 1 << 16)
        for _ in 0..<40 { #expect(splitter.take(piece).isEmpty) }
        #expect(splitter.take(Array("\n1\n".utf8)) == [.init(number: 1, bytes: nil), .init(number: 2, bytes: [49])])
        #expect(splitter.finish() == nil)
    }
}
