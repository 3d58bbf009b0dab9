import Spool
import Testing

@testable import Fleet

private let second: Int64 = 1_000_000_000

/// A source of messages that are written once a second, to two streams in turn.
private struct ModelSource: PublishSource {
    var first: UInt64 = 1
    var end: UInt64 = 1
    var arrived: Set<UInt64> = []

    var lanes: [Range<UInt64>] { [first..<end] }

    func isAcknowledged(_ serial: UInt64) -> Bool { serial < first || arrived.contains(serial) }

    func firstUnacknowledged(from serial: UInt64) -> UInt64 {
        var serial = max(serial, first)
        while serial < end, arrived.contains(serial) { serial += 1 }
        return min(serial, end)
    }

    func pending(at serial: UInt64) -> PendingMessage? {
        guard (first..<end).contains(serial) else { return nil }
        return PendingMessage(stream: serial % 2 == 1 ? "location" : "light", bootNanoseconds: Int64(serial) * second)
    }
}

/// A queue with its source, and a server that answers when a test orders it.
private final class Rig {
    var queue: PublishQueue
    var source = ModelSource()
    var now: Int64 = 1_000 * second
    var out: [(identifier: Int32, serial: UInt64, route: PublishQueue.Route)] = []
    private var nextIdentifier: Int32 = 0

    init(_ order: Order = .live, speed: Double? = nil, messages: UInt64 = 0, window: Int? = nil) {
        queue = PublishQueue(order: order, speed: speed)
        source.end = messages + 1
        queue.connect(now, receiveMaximum: window, source)
    }

    /// Publishes all that may leave now; the serials.
    @discardableResult func publish() -> [UInt64] {
        var serials: [UInt64] = []
        while case .publish(let serial, let route) = queue.next(now, &source) {
            nextIdentifier += 1
            out.append((nextIdentifier, serial, route))
            queue.didPublish(
                serial, route, stream: source.pending(at: serial)?.stream ?? "", identifiers: [nextIdentifier])
            serials.append(serial)
        }
        return serials
    }

    /// Answers to all that is out; a stream's messages with their own reason.
    func answer(_ reason: (UInt64) -> Int32 = { _ in 0 }) {
        let answered = out
        out = []
        for (identifier, serial, _) in answered {
            if case .delivered(let serial)? = queue.answer(identifier, reason: reason(serial), now) {
                source.arrived.insert(serial)
            }
        }
    }

    /// An answer to one part.
    func answer(_ identifier: Int32, _ reason: Int32) -> PublishQueue.Outcome? {
        queue.answer(identifier, reason: reason, now)
    }

    var waitsUntil: Int64? {
        guard case .wait(let until) = queue.next(now, &source) else { return 0 }
        return until
    }
}

@Suite struct PublishQueueTests {
    @Test("what has arrived, and is asked for again, is not under way")
    func underWay() {
        let rig = Rig(messages: 3)
        #expect(rig.queue.underWay(rig.source) == 0)
        #expect(rig.publish() == [1, 2, 3] && rig.queue.underWay(rig.source) == 3)
        rig.answer()
        #expect(rig.queue.sendAgain([1, 2]) == true)
        rig.source.end = 5
        #expect(rig.publish() == [4, 1, 2] && rig.queue.underWay(rig.source) == 1)
    }

    @Test("what is new goes first, then what is left, oldest first")
    func liveFirst() {
        let rig = Rig(messages: 5)
        rig.source.end = 8
        #expect(rig.publish() == [6, 7, 1, 2, 3, 4, 5])
        #expect(rig.out.map(\.route) == [.live, .live, .late, .late, .late, .late, .late])
        rig.answer()
        rig.source.end = 9
        #expect(rig.publish() == [8])
    }

    @Test("in the order of measurement, what is left goes first, as if it were new")
    func oldestFirst() {
        let rig = Rig(.oldest, messages: 3)
        rig.source.end = 6
        #expect(rig.publish() == [1, 2, 3, 4, 5])
        #expect(rig.out.allSatisfy { $0.route == .live })
    }

    @Test("never more than the window are out, and never more than the server allows")
    func window() {
        let rig = Rig(messages: 300)
        #expect(rig.publish().count == 100)
        #expect(rig.queue.inFlight == 100)
        rig.answer()
        #expect(rig.publish().count == 100)
        let narrow = Rig(messages: 300, window: 7)
        #expect(narrow.publish() == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test("answers may wait as long as half of the window is free; in a window of one none may")
    func room() {
        let rig = Rig(messages: 50)
        rig.source.end = 51
        #expect(rig.queue.isRoomy && rig.publish().count == 50)
        #expect(!rig.queue.isRoomy)
        rig.answer()
        #expect(rig.queue.isRoomy)
        #expect(!Rig(messages: 1, window: 1).queue.isRoomy)
        rig.queue.disconnect()
        #expect(!rig.queue.isRoomy)
    }

    @Test("what has no answer when the connection ends goes again, and what has one does not")
    func reconnected() {
        let rig = Rig(messages: 6)
        rig.publish()
        let firstTwo = rig.out.prefix(2)
        for sent in firstTwo {
            if case .delivered(let serial)? = rig.answer(sent.identifier, 0) {
                rig.source.arrived.insert(serial)
            }
        }
        rig.queue.disconnect()
        #expect(rig.publish().isEmpty)
        rig.queue.connect(rig.now, receiveMaximum: nil, rig.source)
        rig.out = []
        #expect(rig.publish() == [3, 4, 5, 6])
        // An answer of the former connection is nobody's.
        #expect(rig.answer(firstTwo[0].identifier, 0) == nil)
    }

    @Test("what is left leaves at the speed that was set")
    func pace() {
        let rig = Rig(speed: 10, messages: 200)
        var sent = rig.publish().count
        #expect((1...3).contains(sent))
        for _ in 0..<100 {
            rig.answer()
            rig.now += second / 10
            sent += rig.publish().count
        }
        // Ten seconds at ten seconds a second.
        #expect((98...104).contains(sent))
        rig.source.end += 3
        #expect(rig.publish().suffix(3).count == 3, "what is new does not wait")
    }

    @Test("after a pause of hours what is left does not wait for hours")
    func paceAfterPause() {
        var pace = BacklogPace(speed: 10)
        pace.restart(0)
        pace.spend(0)
        pace.spend(3_600 * second)
        let ready = pace.notBefore(0)
        #expect((ready ?? 0) <= 2 * second)
    }

    @Test("a stream that is denied waits, the other goes on; later its newest is tried, then all follow in order")
    func denied() {
        let rig = Rig()
        rig.source.end = 9
        rig.publish()
        rig.answer { $0 % 2 == 1 ? 0x87 : 0 }
        #expect(rig.queue.heldTopics.map(\.key.words) == ["location"])
        rig.source.end = 13
        #expect(rig.publish() == [10, 12])
        rig.answer()
        #expect(rig.waitsUntil == rig.now + 10 * second)
        rig.now += 10 * second
        #expect(rig.publish() == [11], "one is tried")
        rig.answer { _ in 0x87 }
        rig.now += 10 * second
        #expect(rig.publish().isEmpty, "longer")
        rig.now += 10 * second
        #expect(rig.publish() == [11] && rig.out.allSatisfy { $0.route == .live })
        rig.answer()
        #expect(rig.publish() == [1, 3, 5, 7, 9] && rig.out.allSatisfy { $0.route == .late })
        rig.answer()
        #expect(rig.queue.heldTopics.isEmpty && rig.source.arrived.count == 12)
    }

    @Test(
        "what is new does not wait for who has subscribed to what is left, nor the other way round",
        arguments: [false, true])
    func eachTopic(isLateWanted: Bool) {
        let rig = Rig(messages: 2)
        func answer() {
            let late = Set(rig.out.filter { $0.route != .live }.map(\.serial))
            rig.answer { late.contains($0) == isLateWanted ? 0 : 0x10 }
        }
        rig.source.end = 5
        #expect(rig.publish() == [3, 4, 1, 2])
        answer()
        let words = isLateWanted ? ["light", "location"] : ["light/late", "location/late"]
        #expect(rig.queue.heldTopics.keys.map(\.words).sorted() == words)
        rig.source.end = 7
        #expect(rig.publish() == (isLateWanted ? [] : [5, 6]))
        answer()
        #expect(rig.source.arrived == (isLateWanted ? [1, 2] : [3, 4, 5, 6]))
        rig.now += second
        #expect(Set(rig.publish()) == (isLateWanted ? [5, 6] : [1, 2]))
        rig.answer()
        rig.publish()
        rig.answer()
        #expect(rig.source.arrived == [1, 2, 3, 4, 5, 6] && rig.queue.heldTopics.isEmpty)
    }

    @Test("what nobody has subscribed to is kept")
    func noSubscribers() {
        let rig = Rig()
        rig.source.end = 3
        rig.publish()
        rig.answer { _ in 0x10 }
        #expect(rig.source.arrived.isEmpty)
        rig.now += second
        #expect(Set(rig.publish()) == [1, 2])
        rig.answer()
        #expect(rig.source.arrived == [1, 2])
    }

    @Test("what was to be tried and is gone does not block its stream")
    func probeIsGone() {
        let rig = Rig()
        rig.source.end = 5
        rig.publish()
        rig.answer { $0 % 2 == 1 ? 0x87 : 0 }
        rig.source.first = 3
        rig.now += 10 * second
        #expect(rig.publish() == [3])
        rig.answer()
        #expect(rig.source.firstUnacknowledged(from: 1) == rig.source.end)
    }

    @Test("a busy server gets fewer messages, later", arguments: [Int32(0x80), 0x83, 0x93, 0x97])
    func busy(reason: Int32) {
        let rig = Rig(messages: 200)
        rig.publish()
        rig.answer { _ in reason }
        #expect(rig.publish().isEmpty && rig.source.arrived.isEmpty)
        #expect(rig.waitsUntil == rig.now + second)
        rig.now += second
        let after = rig.publish()
        #expect(after.first == 1 && after.count < 100)
        for _ in 0..<2_000 {
            rig.answer()
            rig.publish()
            rig.source.end += 10
        }
        rig.answer()
        #expect(rig.source.firstUnacknowledged(from: 1) >= rig.source.end - 200)
        rig.source.end += 300
        #expect(rig.publish().count == 100, "the window has grown again")
    }

    @Test("a message in parts has arrived when all of its parts have")
    func parts() {
        let rig = Rig(messages: 1)
        guard case .publish(let serial, let route) = rig.queue.next(rig.now, &rig.source) else {
            Issue.record("nothing to publish")
            return
        }
        rig.queue.didPublish(serial, route, stream: "location", identifiers: [1, 2, 3])
        #expect(rig.answer(2, 0) == nil)
        #expect(rig.answer(1, 0x95) == nil)
        #expect(rig.answer(3, 0) == .refused(1, HeldTopic(stream: "location", isLate: true), .tooLarge, reason: 0x95))
        #expect(rig.publish() == [1])
    }

    @Test("what is asked for again goes, whether it has arrived or not, and a flood of requests is bounded")
    func again() {
        let rig = Rig(messages: 4)
        rig.publish()
        rig.answer()
        let isTaken = rig.queue.sendAgain([2, 3, 77])
        #expect(isTaken && rig.publish() == [2, 3])
        #expect(rig.out.allSatisfy { $0.route == .again })
        let isFlood = rig.queue.sendAgain(Array(repeating: 1, count: 10_001))
        #expect(!isFlood)
    }

    @Test("a flood of requests costs no more than the speed that was set, and what is left goes on in turn")
    func againIsPaced() {
        let rig = Rig(speed: 10, messages: 200)
        var (left, again) = (0, 0)
        for _ in 0..<100 {
            _ = rig.queue.sendAgain(Array(1...50))
            rig.publish()
            left += rig.out.count { $0.route == .late }
            again += rig.out.count { $0.route == .again }
            rig.answer()
            rig.now += second / 10
        }
        #expect((98...104).contains(left) && again <= 104)
        let fast = Rig(messages: 400)
        _ = fast.queue.sendAgain(Array(1...200))
        fast.publish()
        #expect(fast.out.count { $0.route == .late } == 50)
    }

    @Test("whatever the server answers, in the end everything arrives, once the server takes it", arguments: 0..<100)
    func atRandom(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        func below(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let rig = Rig(below(2) == 0 ? .live : .oldest, speed: below(2) == 0 ? nil : 20, messages: UInt64(below(50)))
        for _ in 0..<200 {
            rig.now += Int64(below(3)) * second
            rig.source.end += UInt64(below(4))
            rig.publish()
            switch below(8) {
            case 0:
                rig.queue.disconnect()
                rig.out = []
                rig.queue.connect(rig.now, receiveMaximum: 1 + below(30), rig.source)
            case 1: rig.answer { _ in [0x10, 0x80, 0x87, 0x97, 0x93, 0x99, 0x95][below(7)] }
            case 2: rig.answer { $0 % 2 == 1 ? 0x87 : 0 }
            case 3: rig.source.first = min(rig.source.end, rig.source.first + UInt64(below(3)))
            case 4: break
            default: rig.answer()
            }
        }
        for _ in 0..<2_000 {
            rig.now += second
            rig.publish()
            rig.answer()
        }
        #expect(rig.source.firstUnacknowledged(from: 1) == rig.source.end)
        #expect(rig.queue.inFlight == 0)
    }
}
