import Delivery
import Devices
import Platform
import Readings
import Testing

@testable import Service

@Suite("The handover of a daemon to the next") struct HandoverTests {
    private func handover(_ seed: UInt64) -> Handover {
        var random = RandomHandover(generator: SplitMix64(seed: seed))
        return random.handover()
    }

    @Test("is read back unchanged, whatever it contains", arguments: 0..<60 as Range<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        let handover = handover(seed)
        #expect(try Handover(handover.text) == handover)
    }

    @Test("is not accepted without its end", arguments: 0..<12 as Range<UInt64>)
    func truncated(_ seed: UInt64) {
        let text = handover(seed).text
        let lengths = (0..<text.count).filter { $0 % 37 == 0 || text[$0] == UInt8(ascii: "\n") }
        for length in lengths { #expect(throws: HandoverFault.self) { try Handover(Array(text[..<length])) } }
    }

    @Test("is refused, or has a valid meaning, if bytes of it are changed", arguments: 0..<20 as Range<UInt64>)
    func mutated(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let text = handover(seed).text
        for _ in 0..<40 {
            var other = text
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<other.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: other[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: other.remove(at: index)
                default: other.insert(contentsOf: "9\",:{}\n-0".utf8.shuffled(using: &generator).prefix(2), at: index)
                }
                if other.isEmpty { break }
            }
            guard let read = try? Handover(other) else { continue }
            #expect(try Handover(read.text) == read)
        }
    }

    @Test("is refused with a reason", arguments: refusals)
    func words(_ text: String, _ words: String) {
        let fault = #expect(throws: HandoverFault.self) { try Handover(Array(text.utf8)) }
        #expect(fault?.description == words)
    }

    private static let refusals: [(String, String)] = [
        ("", "its end is missing"),
        ("\n", "'' in it is invalid"),
        ("{}\n", "'version' in it is invalid"),
        (#"{"version":7,"unknown":1}"# + "\n", "it has version 7, not 4"),
        (line(connections: 1), "its end is missing"),
        (line(connections: 0) + "{}\n", "its end is missing"),
        (line(connections: 1) + "{}\n", "'cookie' in it is invalid"),
        (line(connections: 0, more: #","more":1"#), "'more' in it is invalid"),
        (line(connections: 1) + connection(#","unread":"0g""#), "'unread' in it is invalid"),
        (line(connections: 1) + connection(#","unread":"abc""#), "'unread' in it is invalid"),
        (line(connections: 1) + connection(#","unread":"AB""#), "'unread' in it is invalid"),
        (line(connections: 2) + connection() + connection(), "'connections' in it is invalid"),
        (line(connections: 1) + connection(#","list":true,"stream":{}"#), "'stream' in it is invalid"),
        (
            line(connections: 1) + connection(#","read":{"resource":"location","since":1,"deadline":2}"#),
            "'connections' in it is invalid"
        ),
    ]

    private static func line(connections: Int, more: String = "") -> String {
        #"{"version":4,"generation":1,"needsLedger":false,"resources":[],"connections":\#(connections)\#(more)}"# + "\n"
    }

    private static func connection(_ more: String = "") -> String {
        #"{"cookie":1,"door":"clients","serial":1,"place":0,"connected":1\#(more)}"# + "\n"
    }

    @Test("is written with one item per line, so that it can be read in an emergency")
    func text() {
        var handover = Handover()
        handover.generation = 3
        handover.resources = [HandedResource(name: .location, kind: .location)]
        var connection = HandedConnection(
            cookie: 17, door: .clients, serial: 4, slot: 2, connectedSince: BootTime(nanoseconds: 5))
        connection.unsent = Array("}\0".utf8)
        connection.task = .list
        handover.connections = [connection]
        #expect(
            String(decoding: handover.text, as: UTF8.self) == """
                {"version":4,"generation":3,"needsLedger":false,"resources":[{"name":"location","kind":"location"}],\
                "connections":1}
                {"cookie":17,"door":"clients","serial":4,"place":2,"connected":5,"unsent":"7d00","list":true}

                """)
    }
}
