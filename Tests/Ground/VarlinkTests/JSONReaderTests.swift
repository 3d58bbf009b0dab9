import TestTools
import Testing
import Varlink

@Suite struct JSONReaderTests {
    private static let good: [(String, JSONValue)] = [
        ("null", nil), ("true", true), (" \t\r\n false \n", false),
        ("0", 0), ("-0", 0), ("7", 7), ("-12", -12),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(0x1p63)), ("-9223372036854775809", .number(-0x1p63)),
        ("18446744073709551616", .number(0x1p64)),
        ("1.0", 1.0), ("-0.0", .number(-0.0)), ("1e2", 100.0), ("1E+2", 100.0), ("25e-1", 2.5), ("1e-400", 0.0),
        ("1e300", 1e300), ("0.1", 0.1), ("1e-07", 1e-07),
        ("\"\"", ""), ("\"a\\u0000b\"", "a\0b"), ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
        ("\"\\u00e9\\u20AC\"", "é€"), ("\"\\ud83d\\ude00\"", "😀"), ("\"é€😀\u{7F}\"", "é€😀\u{7F}"),
        ("\"x\\u0041y\"", "xAy"),
        ("[]", []), ("[ 1 , [ ] , {} ]", [1, [], [:]]),
        ("{}", [:]), ("{ \"a\" : 1 , \"\" : null }", ["a": 1, "": nil]),
    ]

    @Test("valid JSON is parsed", arguments: good)
    func reads(json: String, value: JSONValue) throws {
        #expect(try JSONReader.read(bytes(json)) == value)
    }

    private static let bad: [(String, JSONError.Reason, Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3), ("nulx", .unexpectedByte, 3),
        ("nullx", .trailingBytes, 4), ("{} {}", .trailingBytes, 3), ("{}\0", .trailingBytes, 2),
        ("NaN", .unexpectedByte, 0),
        ("Infinity", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0), ("[1,]", .unexpectedByte, 3),
        ("[1 2]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1), ("{\"a\":1,}", .unexpectedByte, 7),
        ("{\"a\" 1}", .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1), ("{1:1}", .unexpectedByte, 1),
        ("[1}", .unexpectedByte, 2), ("]", .unexpectedByte, 0), ("// x", .unexpectedByte, 0),
        ("\u{A0}1", .unexpectedByte, 0),
        ("{\"a\":1,\"a\":2}", .duplicateKey, 7), ("{\"a\":1,\"\\u0061\":2}", .duplicateKey, 7),
        ("01", .invalidNumber, 0), ("-01", .invalidNumber, 0), ("-", .unexpectedEnd, 1), ("-x", .invalidNumber, 1),
        ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("1.", .unexpectedEnd, 2), ("1.x", .invalidNumber, 2),
        ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), ("0x10", .trailingBytes, 1),
        ("1.5.5", .trailingBytes, 3),
        ("1e400", .numberOutOfRange, 0), ("-1e400", .numberOutOfRange, 0),
        ("1" + String(repeating: "0", count: 400), .numberOutOfRange, 0),
        ("\"a", .unexpectedEnd, 2), ("\"\\", .unexpectedEnd, 2), ("\"\\x\"", .invalidEscape, 1),
        ("\"\\u12G4\"", .invalidEscape, 5), ("\"\\u12", .unexpectedEnd, 5),
        ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\ud800x\"", .loneSurrogate, 1), ("\"\\ud800\\n\"", .loneSurrogate, 1),
        ("\"\\ud800\\ud800\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
        ("\"\\ud800\\u0041\"", .loneSurrogate, 1),
        ("\"a\nb\"", .controlCharacter, 2), ("\"\0\"", .controlCharacter, 1), ("\"\u{1F}\"", .controlCharacter, 1),
        ("\u{FEFF}{}", .unexpectedByte, 0),
    ]

    @Test("invalid or ambiguous JSON is refused with reason and position", arguments: bad)
    func refuses(json: String, reason: JSONError.Reason, offset: Int) {
        #expect(throws: JSONError(reason, at: offset)) { try JSONReader.read(bytes(json)) }
    }

    private static let notUTF8: [[UInt8]] = [
        [0x80], [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xFF],
        [0xFE],
        [0xC0, 0x80],
    ]

    @Test("a string that is not UTF-8 is refused: overlong, surrogate, beyond Unicode, cut off", arguments: notUTF8)
    func refusesInvalidUTF8(sequence: [UInt8]) {
        let json = bytes("[\"") + sequence + bytes("\"]")
        #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONReader.read(json) }
        let key = bytes("{\"\\n") + sequence + bytes("\":1}")
        #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONReader.read(key) }
    }

    @Test("UTF-16 is refused in either order")
    func refusesUTF16() {
        #expect(throws: JSONError(.unexpectedByte, at: 0)) { try JSONReader.read([0xFF, 0xFE, 0x7B, 0, 0x7D, 0]) }
        #expect(throws: JSONError(.unexpectedByte, at: 0)) { try JSONReader.read([0, 0x7B, 0, 0x7D]) }
        #expect(throws: JSONError(.unexpectedByte, at: 1)) { try JSONReader.read([0x7B, 0, 0x7D, 0]) }
    }

    @Test("truncated text is never accepted")
    func truncation() throws {
        let json = bytes(#"{"a":[1.5e1,"x\ud83d\ude00é",{"b":null,"c":[true,false]}],"d":-12}"#)
        #expect(throws: Never.self) { try JSONReader.read(json) }
        for end in json.indices {
            #expect(throws: JSONError.self) { try JSONReader.read(Array(json[..<end])) }
        }
    }

    @Test("depth is counted from the outermost value, arrays and objects alike")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            bytes(String(repeating: "[{\"a\":", count: depth / 2) + "1" + String(repeating: "}]", count: depth / 2))
        }
        #expect(throws: Never.self) { try JSONReader.read(nested(16)) }
        #expect(throws: JSONError(.tooDeep, at: 48)) { try JSONReader.read(nested(18)) }
        let bomb = bytes(String(repeating: "[", count: 1_000_000))
        #expect(throws: JSONError(.tooDeep, at: 16)) { try JSONReader.read(bomb) }
        let generous = JSONLimits(depth: .max, keysPerObject: .max)
        #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONReader.read(bomb, limits: generous) }
    }

    @Test("keys of one object have a limit, those of all together none")
    func keys() {
        let objects = (0..<10_000).map { "{\"k\($0)\":0}" }.joined(separator: ",")
        #expect(throws: Never.self) { try JSONReader.read(bytes("[\(objects)]")) }
        func object(_ count: Int) -> [UInt8] {
            bytes("{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}")
        }
        #expect(throws: Never.self) { try JSONReader.read(object(32)) }
        #expect(throws: JSONError.self) { try JSONReader.read(object(33)) }
        #expect(throws: Never.self) { try JSONReader.read(object(256), limits: .replies) }
        #expect(throws: JSONError.self) { try JSONReader.read(object(257), limits: .replies) }
    }

    @Test("keys differ by code point, not by canonical equivalence")
    func keysByCodePoint() throws {
        let value = try JSONReader.read(bytes("{\"K\":1,\"\u{212A}\":2}"))
        guard case .object(let object) = value else {
            Issue.record("no object")
            return
        }
        #expect(object.members.count == 2)
        #expect(object["\u{212A}"] == 2)
    }

    @Test("random bytes are parsed or refused, without a trap", arguments: UInt64(1)...20)
    func randomBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = bytes("{}[]\",:\\u0dD8eE+-.1 tfn\nx") + [0, 0xC3, 0xA9, 0xFF]
        for _ in 0..<500 {
            let json = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            if let value = try? JSONReader.read(json) { #expect(rewritten(value) == value) }
        }
    }

    private func rewritten(_ value: JSONValue) -> JSONValue? {
        var writer = JSONWriter()
        writer.value(value)
        return try? JSONReader.read(writer.bytes)
    }
}
