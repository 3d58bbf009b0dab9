import Compression
import Fleet
import MQTT
import Programs
import Testing
import TestTools

@testable import sensorbroker_fleet

private let epoch = HostMessages.epochs[0]

/// What comes from outside: payloads, captures and their lines.
@Suite struct InputTests {
    private func numbers(_ payload: [UInt8]) -> (numbers: [UInt64], isWhole: Bool) {
        var numbers: [UInt64] = []
        let isWhole = Payload.read(payload) { numbers.append($0.number) }
        return (numbers, isWhole)
    }

    private func compressed(_ text: String) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        return try compressor.add(Array(text.utf8), .frame)
    }

    private func line(_ number: Int) -> String { #"{"epoch":"\#(epoch)","number":\#(number)}"# }

    @Test("a payload is a message, or the lines of a frame of zstd")
    func payloads() throws {
        #expect(numbers(Array(line(7).utf8)) == ([7], true))
        let lines = (1...5).map(line).joined(separator: "\n")
        #expect(numbers(try compressed(lines + "\n")) == ([1, 2, 3, 4, 5], true))
        #expect(numbers(try compressed(lines)) == ([1, 2, 3, 4, 5], true), "the last line need not end")
        let many = (1...20_000).map { line($0) + "\n" }.joined()
        #expect(numbers(try compressed(many)) == (Array(1...20_000), true))
    }

    @Test("what can be read of a payload counts, and the rest is reported")
    func broken() throws {
        #expect(numbers(try compressed(line(1) + "\nno\n" + line(2) + "\n")) == ([1, 2], false))
        let frame = try compressed((1...5_000).map { line($0) + "\n" }.joined())
        #expect(!numbers(Array(frame.prefix(frame.count / 2))).isWhole)
        for payload in [
            [], [0], Array("{".utf8), [0x28, 0xB5, 0x2F, 0xFD],
            [0x28, 0xB5, 0x2F, 0xFD] + [UInt8](repeating: 0, count: 50),
        ] {
            #expect(numbers(payload) == ([], false))
        }
    }

    @Test("a frame that becomes too large does no harm")
    func bomb() throws {
        var compressor = try ZstdCompressor()
        var frame: [UInt8] = []
        let piece = [UInt8](repeating: 0x20, count: 1 << 20)
        for _ in 0..<80 { frame += try compressor.add(piece, .frame) }
        #expect(numbers(frame) == ([], false))
    }

    @Test("a line of a capture is a flag, a topic that may have spaces, and a payload")
    func captured() throws {
        let message = try #require(Capture.message(Array("1 fleet/a b/light 00fFA0".utf8)))
        #expect(message.topic == "fleet/a b/light" && message.payload == [0, 0xFF, 0xA0] && message.isRetained)
        #expect(Capture.message(Array("0 fleet/a/light ".utf8))?.payload == [])
        for text in ["", "0", "0 ", "0 topic", "2 topic 00", "0 topic 0", "0 topic 0g", "00 topic 00", "x"] {
            #expect(Capture.message(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(Capture.message([0x30, 0x20, 0xFF, 0xFE, 0x20, 0x30, 0x30]) == nil)
    }

    @Test("lines of a file come one by one, however long the file is, but none that is too long")
    func lines() throws {
        let folder = try TemporaryDirectory()
        let texts = (0..<40_000).map { "\($0) " + String(repeating: "x", count: $0 % 97) }
        folder.write(texts.joined(separator: "\n"), to: "lines")
        var input = try InputLines("\(folder.path)/lines")
        var count = 0
        while let line = try input.next(atMost: 200) {
            guard Array(texts[count].utf8) == line else { break }
            count += 1
        }
        #expect(count == texts.count)
        do {
            var long = try InputLines("\(folder.path)/lines")
            while try long.next(atMost: 50) != nil {}
            Issue.record("a line was too long")
        } catch {
            #expect(error.status == .data && error.description.hasSuffix("lines has a line that is too long"))
        }
        do {
            _ = try InputLines("\(folder.path)/none")
            Issue.record("there is no such file")
        } catch {
            #expect(error.status == .noInput)
        }
    }

    @Test("topics of other programs and other hosts are nobody's")
    func topics() {
        let intake = FleetIntake(prefix: "fleet", hosts: "tr*")
        var count = 0
        for topic in [
            "fleet", "fleet/", "fleet//location", "fleet/truck/b/c/d", "fleet/truck/resend", "other/truck/location",
            "fleet/van/location", "fleet/truck/location/set", "fleet/truck/location/grant",
        ] { intake.read(topic, Array(line(1).utf8), isRetained: false) { _, _ in count += 1 } }
        #expect(count == 0)
        intake.read("fleet/truck/location", Array(line(1).utf8), isRetained: false) { host, _ in
            count += host == "truck" ? 1 : 0
        }
        intake.read("fleet/truck/status", [], isRetained: false) { _, _ in count += 100 }
        #expect(count == 1, "an empty status takes back what the server had kept")
    }
}
