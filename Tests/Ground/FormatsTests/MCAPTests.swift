import Readings
import Testing

@testable import Formats

struct MCAPTests {
    @Test("the checksum is that of zlib")
    func checksum() {
        #expect(CRC32.of("123456789".utf8) == 0xCBF4_3926)
        var parts = CRC32()
        parts.add("1234".utf8)
        parts.add("56789".utf8)
        #expect(parts.sum == 0xCBF4_3926)
        #expect(CRC32().sum == 0)
    }

    @Test("numbers stand at multiples of their size, counted after the header of four bytes")
    func alignment() {
        var writer = CDRWriter()
        writer.put(1 as UInt8)
        writer.put(0x0203 as UInt16)
        writer.put(4.0)
        writer.put("é\0")
        writer.put(-1 as Int32)
        #expect(
            writer.bytes == [
                0, 1, 0, 0, 1, 0, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 3, 0, 0, 0, 0xC3, 0xA9, 0, 0, 0xFF,
                0xFF,
                0xFF, 0xFF,
            ])
    }

    @Test("a position's status shows whether it is corrected, and by whom")
    func status() {
        func status(_ set: (inout Location) -> Void) -> Int8 {
            var location = Location(fix: .threeDimensional)
            (location.latitudeDegrees, location.longitudeDegrees) = (1, 2)
            set(&location)
            let message = ROSMessage(.location(location), atNanoseconds: 0)
            // After the header of four bytes, two words of time, and the frame's length and name.
            return Int8(bitPattern: message.bytes[20])
        }
        #expect(status { $0.fix = .noPosition } == -1)
        #expect(status { _ in } == 0)
        #expect(status { $0.status = .dgps } == 1)
        #expect(status { ($0.status, $0.correctionStation) = (.dgps, 120) } == 2)
        #expect(status { $0.status = .rtkFixed } == 2)
        #expect(status { $0.status = .rtkFloat } == 2)
        #expect(status { $0.status = .deadReckoning } == 0)
    }

    @Test("what is written does not wait for the end: chunks come out as they get full, and a flush ends one")
    func streaming() {
        var recording = ROSRecording(program: "test")
        var longest = 0
        var total = recording.take().count
        for place in 0..<20_000 as Range<Int64> {
            recording.add(.values(Values(.acceleration, SIMD4(1, 2, 3, 0))), of: .accelerometer, atNanoseconds: place)
            let bytes = recording.take()
            longest = max(longest, bytes.count)
            total += bytes.count
        }
        #expect(total > 20_000 * 300 && longest < 2 << 20)
        recording.flush()
        let rest = recording.take().count
        #expect(rest > 0)
        recording.flush()
        #expect(recording.take().isEmpty)
        recording.finish()
        #expect(recording.take().suffix(8) == [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A])
    }
}
