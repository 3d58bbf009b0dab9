import Fleet
import Testing

@testable import MQTT

@Suite struct FrameTests {
    private static let reports: [ServerEvent] = [
        .reached, .connected(Greeting(reason: 0)),
        .connected(Greeting(reason: 0x87, receiveMaximum: 5, packetMaximum: .max >> 32, maximumQoS: 1, retains: false)),
        .answered(identifier: 7, reason: 0x10), .message(topic: "fleet/ü/set", payload: [0, 255], isRetained: true),
        .message(topic: "", payload: [], isRetained: false), .subscribed(reason: 0x80), .disconnected(reason: 0x8B),
        .ended(ConnectionEnd(.encryption, "certificate verify failed")),
    ]

    private static func orders() throws -> [ConnectionOrder] {
        let plain = ConnectionPlan(try ServerAddress(parsing: "mqtt://[::1]:1884"), clientID: "x", version: .three)
        var whole = ConnectionPlan(try ServerAddress(parsing: "mqtts://b.example"), clientID: "ü", version: .five)
        (whole.certificate, whole.key, whole.authority) = ("/c", "/k", "/a")
        (whole.user, whole.password) = ("u", "")
        whole.will = .init(topic: "t", payload: [1, 2], isKept: false)
        (whole.sessionSeconds, whole.keepaliveSeconds, whole.mostPayloadBytes) = (.max, 5, 16 << 20)
        return [
            .begin(plain), .begin(whole),
            .publish(identifier: .max, topic: "t", payload: [9], isRetained: true, mayWait: false),
            .publish(identifier: 1, topic: "t", payload: [], isRetained: false, mayWait: true),
            .subscribe("fleet/+/#"), .alive, .disconnect,
        ]
    }

    @Test("what is written is read, in whatever pieces it comes")
    func pieces() throws {
        let orders = try Self.orders()
        for size in [1, 3, 1_000] {
            var stream = FrameSource(most: 1_000)
            var (reports, taken): ([ServerEvent], [ConnectionOrder]) = ([], [])
            var bytes = Self.reports.flatMap(\.frame)[...]
            while !bytes.isEmpty {
                stream.add(bytes.prefix(size))
                bytes = bytes.dropFirst(size)
                while let frame = try stream.next() { reports.append(try ServerEvent(frame)) }
            }
            bytes = orders.flatMap(\.frame)[...]
            while !bytes.isEmpty {
                stream.add(bytes.prefix(size))
                bytes = bytes.dropFirst(size)
                while let frame = try stream.next() { taken.append(try ConnectionOrder(frame)) }
            }
            #expect(reports == Self.reports && taken == orders)
        }
    }

    @Test("a frame that is cut, has more than its fields, or is longer than may be, is broken")
    func broken() throws {
        for frame in Self.reports.map(\.frame) {
            for count in 4..<frame.count {
                #expect(throws: BrokenFrame.self) { try ServerEvent(frame[4..<count]) }
            }
            #expect(throws: BrokenFrame.self) { try ServerEvent(frame[4...] + [0]) }
        }
        for frame in try Self.orders().map(\.frame) {
            for count in 4..<frame.count {
                #expect(throws: BrokenFrame.self) { try ConnectionOrder(frame[4..<count]) }
            }
        }
        for header in [[0, 0, 0, 0], [0xE9, 3, 0, 0], [255, 255, 255, 255]] as [[UInt8]] {
            var stream = FrameSource(most: 1_000)
            stream.add(header[...])
            #expect(throws: BrokenFrame.self) { try stream.next() }
        }
    }

    @Test("whatever bytes come are read in their one form, or broken")
    func mutations() throws {
        var generator = Generator(state: 7)
        let frames = Self.reports.map(\.frame)
        for _ in 0..<20_000 {
            var frame = Array(frames[Int(generator.next() % UInt64(frames.count))].dropFirst(4))
            for _ in 0...Int(generator.next() % 3) {
                frame[Int(generator.next() % UInt64(frame.count))] = UInt8(generator.next() & 255)
            }
            guard let report = try? ServerEvent(frame[...]) else { continue }
            #expect(Array(report.frame.dropFirst(4)) == frame)
        }
    }
}

extension FrameMessage {
    /// Its frame, alone.
    var frame: [UInt8] {
        var frames: [UInt8] = []
        append(to: &frames)
        return frames
    }
}

/// Numbers that a seed decides. Steele et al., SplitMix64
private struct Generator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
