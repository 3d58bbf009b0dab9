import TestTools
import Testing
import Varlink

@Suite struct CompactObjectTests {
    private static let text =
        #"{"a":[1,-0.5,2e-7,10,[]],"bc":{"d":"x y","e":{}},"f":true,"g":null,"h":"","i":-12.25E+10,"j":[{"k":false}]}"#

    @Test("members are found where they are")
    func members() throws {
        let bytes = Array((Self.text + "rest").utf8)
        let object = try #require(CompactObject(in: bytes))
        let found = object.members.map {
            (String(decoding: bytes[$0.key], as: UTF8.self), String(decoding: bytes[$0.value], as: UTF8.self))
        }
        #expect(found.map(\.0) == ["a", "bc", "f", "g", "h", "i", "j"])
        #expect(found.map(\.1).prefix(3) == ["[1,-0.5,2e-7,10,[]]", #"{"d":"x y","e":{}}"#, "true"])
        #expect(object.end == Self.text.utf8.count)
    }

    @Test(
        "what is not valid, or not of this form, is nothing",
        arguments: [
            "", "{", "[]", #"{"a":1"#, #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":-}"#,
            #"{"a":1e}"#,
            #"{"a":1e999}"#, #"{"a":tru}"#, #"{"a":"b}"#, #"{"a":"\\n"}"#, #"{"a":"é"}"#, #"{ "a":1}"#, #"{"a":+1}"#,
            "{\"a\":\"\u{7}\"}", #"{"a":"# + String(repeating: "1", count: 41) + "}",
            String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17),
        ])
    func refused(text: String) {
        #expect(CompactObject(in: Array(text.utf8)) == nil)
    }

    @Test("whatever it takes, the strict reader takes too, however it was changed")
    func mutations() {
        var generator = SeededGenerator(seed: 7)
        let limits = JSONLimits(depth: 64, keysPerObject: 1000)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = bytes.randomElement(using: &generator) ?? 0
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                }
            }
            guard let object = CompactObject(in: bytes), object.end == bytes.count else { continue }
            accepted += 1
            do { _ = try JSONReader.read(bytes, limits: limits) } catch {
                #expect(error.reason == .duplicateKey, "\(String(decoding: bytes, as: UTF8.self)): \(error)")
            }
        }
        #expect(accepted > 100)
    }
}
