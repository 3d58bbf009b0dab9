import Testing

@testable import IIO

/// Where the words of a scan lie, and what they mean.
struct RemoteScanTests {
    private func device(_ formats: [String], indices: [Int]? = nil) throws -> RemoteDescription.Device {
        let channels = formats.enumerated().map { number, format in
            "<channel id='c\(number)' type='input'><scan-element index='\(indices?[number] ?? number)'"
                + " format='\(format.replacing(">", with: "&gt;"))'/></channel>"
        }.joined()
        return try #require(
            RemoteDescription(Array("<context><device id='d'>\(channels)</device></context>".utf8)).devices.first)
    }

    @Test("words are aligned to their lengths, and other channels of the scan are skipped")
    func layout() throws {
        let device = try device(["le:s16/16>>0", "le:s16/16>>0", "le:s16/16>>0", "le:s64/64>>0"])
        let whole = try #require(RemoteScan(device, mask: [0b1111], wanted: [0, 2, 3]))
        #expect(whole.step == 16)
        let bytes: [UInt8] = [1, 0, 2, 0, 0xff, 0xff, 9, 9, 4, 0, 0, 0, 0, 0, 0, 0x80]
        #expect((0...2).map { whole.numbers($0, in: bytes, count: 1) } == [[1], [-1], [Int64.min + 4]])
        let part = try #require(RemoteScan(device, mask: [0b101], wanted: [0, 2]))
        #expect(part.step == 4)
        #expect(part.numbers(1, in: [0, 0, 7, 0, 8, 0, 9, 0], count: 2) == [7, 9])
    }

    @Test("bits outside the number are ignored, and big-endian words are swapped")
    func words() throws {
        let device = try device(["be:s12/16>>4", "be:u12/16>>4", "le:u8/8>>0", "le:s24/32>>8"])
        let scan = try #require(RemoteScan(device, mask: [0b1111], wanted: [0, 1, 2, 3]))
        #expect(scan.step == 12)
        let bytes: [UInt8] = [0xff, 0xef, 0xff, 0xef, 0xfe, 0, 0, 0, 0x55, 0xfe, 0xff, 0xff]
        #expect((0...3).map { scan.numbers($0, in: bytes, count: 1) } == [[-2], [4094], [254], [-2]])
    }

    @Test("channels of one index are one word")
    func shared() throws {
        let device = try device(["le:u4/8>>0", "le:u4/8>>4", "le:u8/8>>0"], indices: [0, 0, 1])
        let scan = try #require(RemoteScan(device, mask: [0b111], wanted: [0, 1, 2]))
        #expect(scan.step == 2)
        #expect((0...2).map { scan.numbers($0, in: [0x5a, 3], count: 1) } == [[0xa], [5], [3]])
    }

    @Test("a mask without a requested channel, or with an unknown one, has no scan")
    func masks() throws {
        let device = try device(["le:s16/16>>0", "le:s16/16>>0", "le:s0/0>>0", "le:s128/128>>0"])
        #expect(RemoteScan(device, mask: [0b01], wanted: [0, 1]) == nil)
        #expect(RemoteScan(device, mask: [0b10011], wanted: [0, 1]) == nil)
        #expect(RemoteScan(device, mask: [0xffff_ffff], wanted: [0, 1]) == nil)
        #expect(RemoteScan(device, mask: [0b111], wanted: [0, 1]) == nil)
        #expect(RemoteScan(device, mask: [], wanted: []) == nil)
        // Too wide for a number, but it can be skipped.
        #expect(RemoteScan(device, mask: [0b1011], wanted: [0, 1])?.step == 32)
        #expect(RemoteScan(device, mask: [0b1011], wanted: [3]) == nil)
    }

    @Test("masks are written with the last channels first, and read back")
    func digits() {
        let mask = RemoteScan.mask(of: [0, 33], words: 2)
        #expect(mask == [1, 2])
        #expect(RemoteScan.digits(of: mask) == "0000000200000001")
        #expect(RemoteScan.mask(of: Array("0000000200000001".utf8)) == mask)
    }

    @Test("the columns of a kind are its numbers, and the one after them is the timestamp")
    func scans() throws {
        let device = try device([String](repeating: "le:s8/8>>0", count: 7))
        var pairs = RawScans(groups: 2)
        let stamped = try #require(RemoteScan(device, mask: [0b111_1111], wanted: [0, 1, 2, 3, 4, 5, 6]))
        stamped.read([1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17], count: 2, groups: [3, 3], into: &pairs)
        stamped.read([21, 22, 23, 24, 25, 26, 27, 99], count: 1, groups: [3, 3], into: &pairs)
        #expect((0...2).map { pairs[$0, 0] } == [[1, 2, 3, 0], [11, 12, 13, 0], [21, 22, 23, 0]])
        #expect((0...2).map { pairs[$0, 1] } == [[4, 5, 6, 0], [14, 15, 16, 0], [24, 25, 26, 0]])
        #expect(pairs.stamps == [7, 17, 27])
        let bare = try #require(RemoteScan(device, mask: [0b111_0000], wanted: [6, 5, 4]))
        var single = RawScans(groups: 1)
        bare.read([7, 8, 9], count: 1, groups: [3], into: &single)
        #expect(single[0, 0] == [9, 8, 7, 0] && single.stamps == [0])
        single.removeAll()
        #expect(single == RawScans(groups: 1))
    }

    @Test("a channel that repeats has as many numbers")
    func repeats() throws {
        let device = try device(["le:s32/32X4>>0"])
        let scan = try #require(RemoteScan(device, mask: [1], wanted: [0]))
        #expect(scan.step == 16)
        var scans = RawScans(groups: 1)
        scan.read([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0, 1, 0, 0], count: 1, groups: [1], into: &scans)
        #expect(scans[0, 0] == [1, -1, 3, 256] && scans.stamps == [0])
    }
}
