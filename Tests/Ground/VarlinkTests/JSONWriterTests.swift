import TestTools
import Testing
import Varlink

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 16)
        write(&writer)
        return text(writer.bytes)
    }

    @Test("commas stand between members and elements and nowhere else")
    func commas() {
        let json = written {
            $0.beginObject()
            $0.key("a")
            $0.beginArray()
            $0.integer(1)
            $0.bool(true)
            $0.null()
            $0.string("")
            $0.beginArray()
            $0.endArray()
            $0.beginObject()
            $0.endObject()
            $0.number(2.5)
            $0.endArray()
            $0.key("b")
            $0.string(",")
            $0.key("c")
            $0.beginObject()
            $0.key("d")
            $0.bool(false)
            $0.endObject()
            $0.endObject()
        }
        #expect(json == #"{"a":[1,true,null,"",[],{},2.5],"b":",","c":{"d":false}}"#)
    }

    @Test("a key that is encoded already is the same key")
    func encodedKeys() {
        let (first, second) = (JSONKey("a"), JSONKey("b"))
        let json = written {
            for key in [first, second] {
                $0.beginObject()
                $0.key(key)
                $0.integer(1)
                $0.key(second)
                $0.null()
                $0.endObject()
            }
        }
        #expect(json == #"{"a":1,"b":null},{"b":1,"b":null}"#)
    }

    @Test("strings that end like JSON do not confuse the commas")
    func deceptiveStrings() {
        let json = written {
            $0.beginArray()
            for text in ["{", "[", ":", ",", "\0"] { $0.string(text) }
            $0.endArray()
        }
        #expect(json == #"["{","[",":",",","\u0000"]"#)
    }

    private static let numbers: [(Double, String)] = [
        (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-12, "-12.0"), (0.1, "0.1"), (9.80665, "9.80665"), (1e-7, "1e-07"),
        (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        (48.1173, "48.1173"), (1.0 / 3, "0.3333333333333333"),
    ]

    @Test("a number has a point or an exponent, and only as many digits as needed to read it back", arguments: numbers)
    func number(value: Double, json: String) throws {
        #expect(written { $0.number(value) } == json)
        #expect(try JSONReader.read(bytes(json)) == .number(value))
    }

    @Test("a number that is not finite stops a debug build")
    func notFinite() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.number(.nan)
        }
    }

    @Test("integers of all widths are written to their ends")
    func integers() {
        #expect(written { $0.integer(0) } == "0")
        #expect(written { $0.integer(-1) } == "-1")
        #expect(written { $0.integer(1_000) } == "1000")
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(Int64.max) } == "9223372036854775807")
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        var generator = SeededGenerator(seed: 3)
        let all = (0..<64).flatMap { bits in
            (0..<50).map { _ in UInt64.random(in: 0 ... .max, using: &generator) >> UInt64(bits) }
        }
        for value in all { #expect(written { $0.integer(value) } == value.description) }
        let powers = sequence(first: 1 as Int64) { $0 > .max / 10 ? nil : $0 * 10 }
        let signed = [0, .min, .max] + powers.flatMap { [$0 - 1, $0, $0 + 1, -$0] }
        #expect(written { $0.integers(signed) } == "[\(signed.map(\.description).joined(separator: ","))]")
        #expect(written { $0.integers([]) } == "[]")
    }

    @Test("quotes, backslashes and control characters are escaped, nothing else is")
    func escapes() {
        let json = written { $0.string("\"\\/\u{8}\t\n\u{C}\r\0\u{1F}\u{7F}é😀") }
        #expect(json == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\\u007fé😀\"")
    }

    @Test("encoded values are inserted unchanged, separated by commas; an empty list adds nothing")
    func raw() {
        let json = written {
            $0.beginArray()
            $0.raw(bytes("{\"a\":1}"))
            $0.raw([])
            $0.raw(bytes("2,3")[...])
            $0.integer(4)
            $0.endArray()
        }
        #expect(json == #"[{"a":1},2,3,4]"#)
    }

    @Test("a writer can be used again")
    func reuse() {
        var writer = JSONWriter()
        writer.string("first")
        writer.removeAll()
        writer.integer(2)
        #expect(text(writer.bytes) == "2")
    }

    @Test("written values are read back unchanged", arguments: UInt64(1)...60)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, &random)
        var writer = JSONWriter()
        writer.value(value)
        #expect(try JSONReader.read(writer.bytes, limits: .replies) == value)
        #expect(!writer.bytes.contains(0))
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...(depth < 6 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 0.5)
        case 4, 5: return .string(string(&random))
        case 6: return .array((0..<Int.random(in: 0...5, using: &random)).map { _ in value(depth: depth + 1, &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                _ = object.append(string(&random), value(depth: depth + 1, &random))
            }
            return .object(object)
        }
    }

    private static func string(_ random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let limit: UInt32 = Bool.random(using: &random) ? 0x80 : 0x10FFFF
            scalars.append(Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) ?? "?")
        }
        return String(scalars)
    }
}
