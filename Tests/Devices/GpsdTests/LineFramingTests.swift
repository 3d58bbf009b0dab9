import Testing

@testable import Gpsd

@Suite struct LineFramingTests {
    @Test("lines come out whole, however the bytes are cut", arguments: 1...17)
    func anyCut(_ piece: Int) {
        let lines = ["{}", "", "half a line and the other half", String(repeating: "x", count: 300), "end"]
        var framing = LineFraming()
        var bytes = lines.joined(separator: "\n").utf8.map { $0 } + [10]
        var seen: [String] = []
        while !bytes.isEmpty {
            feed(&framing, bytes.prefix(piece))
            bytes.removeFirst(min(piece, bytes.count))
            seen += drain(&framing)
        }
        #expect(seen == lines)
    }

    @Test("a carriage return before the newline is dropped, elsewhere kept")
    func carriageReturn() {
        var framing = LineFraming()
        feed(&framing, Array("a\r\n\r\nb\rc\n".utf8)[...])
        #expect(drain(&framing) == ["a", "", "b\rc"])
    }

    @Test("half a line waits, and comes once its end does")
    func half() {
        var framing = LineFraming()
        feed(&framing, Array("one\ntw".utf8)[...])
        #expect(drain(&framing) == ["one"])
        #expect(drain(&framing) == [])
        feed(&framing, Array("o\n".utf8)[...])
        #expect(drain(&framing) == ["two"])
    }

    @Test("a line of the capacity fits with its newline; one byte more is an error, and the buffer stays as it is")
    func capacity() {
        var framing = LineFraming()
        let most = [UInt8](repeating: 120, count: LineFraming.capacity - 1)
        feed(&framing, most[...])
        feed(&framing, [10])
        #expect(drain(&framing).first?.utf8.count == most.count)
        feed(&framing, most[...])
        feed(&framing, [120])
        #expect(drain(&framing) == [])
        #expect(unsafe framing.fill { _ in 1 } == nil)
    }

    @Test("a body that reports more than the space, or a negative number, is clamped")
    func lyingBody() {
        var framing = LineFraming()
        #expect(unsafe framing.fill { _ in -1 } == -1)
        #expect(unsafe framing.fill { $0.count + 100 } == LineFraming.capacity + 100)
        #expect(drain(&framing) == [])
    }

    private func feed(_ framing: inout LineFraming, _ bytes: ArraySlice<UInt8>) {
        let count = unsafe framing.fill { free in
            unsafe free.copyBytes(from: bytes)
            return bytes.count
        }
        #expect(count == bytes.count)
    }

    private func drain(_ framing: inout LineFraming) -> [String] {
        var lines: [String] = []
        while let line = framing.takeLine({ text($0) }) { lines.append(line) }
        return lines
    }

    private func text(_ line: borrowing Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in 0..<line.count { bytes.append(line[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite("A search among bytes") struct ByteSearchTests {
    private func index(of text: StaticString, in bytes: String, from start: Int = 0) -> Int? {
        ByteSearch.index(of: text, in: Array(bytes.utf8).span, from: start)
    }

    @Test("finds the first index at or after an offset, and nothing beyond the end")
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

@Suite struct GpsdLineTests {
    @Test(
        "a line is known by its class",
        arguments: [
            (#"{"class":"TPV","mode":1}"#, GpsdLine.fix), (#"{"class":"SKY","device":"x","hdop":1.0}"#, .dilutions),
            (#"{"class":"ATT","device":"x","heading":1.0}"#, .attitude),
            (#"{"class":"SKY","satellites":[]}"#, .sky),
            (#"{"class":"VERSION","release":"3.22"}"#, .version), (#"{"class":"WATCH","enable":true}"#, .other),
            (#"{"class":"DEVICE","path":"/dev/x","activated":"2026-01-01T00:00:00Z"}"#, .device(gone: false)),
            (#"{"class":"DEVICE","path":"/dev/x","activated":0}"#, .device(gone: true)),
            (#"{"class":"DEVICE","path":"\"activated\":0","activated":"2026"}"#, .device(gone: false)),
            (#"{"class":"DEVICES","devices":[]}"#, .devices),
            (#"{"class":"DEVICES","devices":[{"path":"a"},{"path":"b"}]}"#, .devices),
            (#"{"class":"TPV","mode":1}{"class":"DEVICES","devices":[{}]}"#, .other), ("", .other), ("{", .other),
            (#"{"class":"TPV""#, .other), ("garbage", .other),
            (#"{"class":"GST","time":"x"}"#, .other),
            (#"{"class":"ERROR","message":"No such device as /dev/x"}"#, .noSuchReceiver),
            (#"{"class":"ERROR","message":"Invalid WATCH"}"#, .other),
        ])
    func kind(_ line: String, _ kind: GpsdLine) {
        #expect(GpsdLine(Array(line.utf8).span) == kind)
    }
}
