import Testing

@testable import Platform

@Suite("The pages of files") struct FilePagesTests {
    private static let (present, ofFile, swapped): (UInt64, UInt64, UInt64) = (1 << 63, 1 << 61, 1 << 62)

    @Test("are let go in runs, where they are in RAM and nobody has written to them")
    func runs() {
        let (free, file, written) = (UInt64(0), Self.present | Self.ofFile | 7, Self.present | 7)
        #expect(FilePages.unchanged([]) == [])
        #expect(FilePages.unchanged([free, written, Self.swapped]) == [])
        #expect(FilePages.unchanged([file, file, written, file, free, file, file]) == [0..<2, 3..<4, 5..<7])
    }

    @Test("are fewer in RAM once they are let go, and come back when they are needed")
    func release() throws {
        let before = try residentKilobytesOfFiles()
        FilePages.release()
        #expect(try residentKilobytesOfFiles() < before * 3 / 4)
    }

    private func residentKilobytesOfFiles() throws -> Int {
        let status = try #require(SmallFile.text(at: "/proc/self/status"))
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split { " \t".contains($0) }[1]))
    }
}
