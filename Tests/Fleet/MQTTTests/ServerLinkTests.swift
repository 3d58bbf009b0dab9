import Fleet
import Programs
import Testing

@testable import MQTT

/// A connection whose events a test decides.
private final class PlayedConnection: ServerConnection {
    let plan: ConnectionPlan
    var events: [ServerEvent] = []
    var ending: ConnectionEnd?
    var mayHoldMore = false
    var publishes = true
    private(set) var filters: [String] = []
    private(set) var isDisconnected = false
    private(set) var retained: [Bool] = []

    init(_ plan: ConnectionPlan) { self.plan = plan }

    var socket: Int32 { 7 }
    var wantsToWrite: Bool { false }
    var deadline: Int64 { .max }
    func turn(isReadable: Bool) -> [ServerEvent] {
        defer { events = [] }
        return events + (ending.map { [.ended($0)] } ?? [])
    }
    func flush() {}
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, mayWait: Bool) -> Int32? {
        retained.append(isRetained)
        return publishes ? Int32(retained.count) : nil
    }
    func subscribe(_ topic: String) { filters.append(topic) }
    func disconnect() { isDisconnected = true }
}

/// A link on virtual time.
private final class Rig {
    let link: ServerLink
    private(set) var made: [PlayedConnection] = []
    private(set) var ends: [LinkEnd] = []
    private(set) var notices: [LinkNotice] = []
    private(set) var words: [String] = []
    private(set) var onlines = 0
    private(set) var answers: [Int32] = []
    var now: Int64 = 1_000
    /// What the next connections cannot begin for.
    private var failure: Failure?

    init(_ policy: LinkPolicy, version: ProtocolVersion? = nil, failure: Failure? = nil) throws {
        self.failure = failure
        var plan = ConnectionPlan(try ServerAddress(parsing: "mqtt://server"), clientID: "x", version: .five)
        plan.will = .init(topic: "t", payload: [], isKept: true)
        let box = Box()
        link = ServerLink(
            plan, versions: version, policy, filters: ["a", "b"], random: { 0 },
            make: { plan throws(Failure) in try box.make(plan) })
        box.rig = self
    }

    private final class Box {
        weak var rig: Rig?

        func make(_ plan: ConnectionPlan) throws(Failure) -> any ServerConnection {
            if let failure = rig?.failure { throw failure }
            let connection = PlayedConnection(plan)
            rig?.made.append(connection)
            return connection
        }
    }

    /// The newest connection.
    var connection: PlayedConnection { made[made.count - 1] }

    @discardableResult
    func turn(after nanoseconds: Int64 = 0, _ events: ServerEvent..., end: ConnectionEnd? = nil) -> Self {
        now += nanoseconds
        if let newest = made.last { (newest.events, newest.ending) = (events, end ?? newest.ending) }
        for event in link.turn(now, isReadable: true) {
            switch event {
            case .online: onlines += 1
            case .answered(let identifier, _): answers.append(identifier)
            case .message: break
            case .noticed(let notice, let words):
                notices.append(notice)
                self.words.append(words)
            case .ended(let end): ends.append(end)
            }
        }
        return self
    }

    /// Connects, and is greeted.
    func greet(_ greeting: Greeting = Greeting(reason: 0)) {
        turn().turn(.reached).turn(.connected(greeting))
    }
}

@Suite struct ServerLinkTests {
    private static let second: Int64 = 1_000_000_000

    @Test("a publisher is online once it is greeted; a consumer once all its subscriptions are allowed")
    func online() throws {
        let publisher = try Rig(.publisher)
        publisher.greet()
        #expect(publisher.onlines == 1 && publisher.link.isOnline && publisher.connection.filters == ["a", "b"])
        let consumer = try Rig(.consumer)
        consumer.greet()
        consumer.turn(.subscribed(reason: 1))
        #expect(!consumer.link.isOnline)
        consumer.turn(.subscribed(reason: 0))
        #expect(consumer.onlines == 1 && consumer.link.isOnline)
    }

    @Test("a link that has not begun is due, at an instant from which a wait can be counted")
    func beginning() throws {
        let rig = try Rig(.consumer)
        let (wait, overflow) = rig.link.deadline(rig.now).subtractingReportingOverflow(.max)
        #expect(!overflow && wait < 0 && rig.link.deadline(rig.now) <= rig.now)
    }

    @Test("a subscription that is not allowed is noticed once by a publisher, and is the end for a consumer")
    func denied() throws {
        let publisher = try Rig(.publisher)
        publisher.greet()
        publisher.turn(.subscribed(reason: 0x87), .subscribed(reason: 0x87))
        #expect(publisher.notices == [.denied] && publisher.link.isOnline)
        let consumer = try Rig(.consumer)
        consumer.greet()
        consumer.turn(.subscribed(reason: 0x87), .subscribed(reason: 1))
        #expect(consumer.ends.map(\.cause) == [.subscription] && consumer.ends[0].status == .notPermitted)
        #expect(consumer.ends[0].words == "the server does not allow this user to read a, b")
    }

    @Test("whoever does not answer in time is left, at each stage, and tried again after a wait")
    func silent() throws {
        let rig = try Rig(.publisher)
        rig.turn().turn(after: 30 * Self.second)
        #expect(rig.ends.isEmpty && rig.link.deadline(rig.now) == rig.now)
        rig.turn(after: 1)
        #expect(rig.ends.map(\.cause) == [.absent] && rig.ends[0].words == "nobody answered within 30 s")
        #expect(rig.link.socket == nil && rig.link.deadline(rig.now) == rig.now + Self.second)
        rig.turn(after: Self.second).turn(.reached).turn(after: 30 * Self.second + 1)
        #expect(rig.ends.count == 2 && rig.ends[1].words == "the server does not answer" && rig.made.count == 2)
        let consumer = try Rig(.consumer)
        consumer.greet()
        consumer.turn(after: 20 * Self.second + 1)
        #expect(consumer.ends.map(\.words) == ["the server does not answer"] && consumer.link.generation == 1)
    }

    @Test("another version is tried at once where somebody waits, else after a wait, and is reported")
    func versions() throws {
        let consumer = try Rig(.consumer)
        consumer.greet(Greeting(reason: 0x84))
        #expect(consumer.ends.isEmpty && consumer.link.deadline(consumer.now) == consumer.now)
        consumer.greet()
        #expect(consumer.made.map(\.plan.version) == [.five, .three])
        let publisher = try Rig(.publisher)
        publisher.greet(Greeting(reason: 0x84))
        #expect(publisher.notices == [.formerVersion] && publisher.words == ["speaks only MQTT 3.1.1"])
        #expect(publisher.ends.count == 1 && publisher.link.deadline(publisher.now) == publisher.now + Self.second)
        publisher.turn(after: Self.second)
        #expect(publisher.made.map(\.plan.version) == [.five, .three])
        let set = try Rig(.publisher, version: .three)
        set.greet(Greeting(reason: 0x84))
        #expect(set.ends[0].words.hasSuffix("; see Version= under [Server]"))
    }

    @Test("a server that keeps nothing is not asked for it again, and that is reported once")
    func retains() throws {
        let rig = try Rig(.publisher)
        rig.greet(Greeting(reason: 0, retains: false))
        #expect(rig.connection.plan.will?.isKept == true && rig.notices == [.retainsNothing])
        #expect(rig.link.publish("t", [], isRetained: true) == 1 && rig.connection.retained == [false])
        rig.turn(end: ConnectionEnd(.broken, "gone")).turn(after: Self.second)
        rig.greet(Greeting(reason: 0, retains: false))
        #expect(rig.connection.plan.will?.isKept == false && rig.notices.count == 1 && rig.onlines == 2)
    }

    @Test(
        "a server that keeps messages later is asked for it: at once if it announces it, else after an hour",
        arguments: [true, false])
    func retainsLater(announcesIt: Bool) throws {
        let rig = try Rig(.publisher)
        rig.greet(Greeting(reason: announcesIt ? 0 : 0x9A, retains: false))
        if announcesIt { rig.turn(end: ConnectionEnd(.broken, "gone")) }
        rig.turn(after: 4 * Self.second)
        rig.greet()
        #expect(rig.link.publish("t", [], isRetained: true) == 1 && rig.connection.retained == [announcesIt])
        rig.turn(end: ConnectionEnd(.broken, "gone")).turn(after: 3_600 * Self.second)
        rig.greet()
        #expect(rig.connection.plan.will?.isKept == true && rig.notices.count == 1)
        #expect(rig.link.publish("t", [], isRetained: true) == 1 && rig.connection.retained == [true])
    }

    @Test("who publishes needs a server that acknowledges")
    func quality() throws {
        let rig = try Rig(.publisher)
        rig.greet(Greeting(reason: 0, maximumQoS: 0))
        #expect(rig.ends.count == 1 && rig.link.deadline(rig.now) >= rig.now + 60 * Self.second)
        let consumer = try Rig(.consumer)
        consumer.greet(Greeting(reason: 0, maximumQoS: 0))
        #expect(consumer.ends.isEmpty)
    }

    @Test("a connection that fails while a message is sent ends in the next turn, with what came before")
    func broken() throws {
        let rig = try Rig(.publisher)
        rig.greet()
        #expect(rig.link.publish("t", []) == 1)
        rig.connection.publishes = false
        #expect(rig.link.publish("t", []) == nil && !rig.link.isOnline && rig.link.deadline(rig.now) == rig.now)
        rig.turn(.answered(identifier: 1, reason: 0))
        #expect(rig.answers == [1] && rig.ends.map(\.words) == ["the connection ended while a message was sent"])
        #expect(rig.link.publish("t", []) == nil)
    }

    @Test("the reason of an end is reported with it, and what comes after it in the same turn changes nothing")
    func ended() throws {
        let rig = try Rig(.publisher)
        rig.greet()
        rig.turn(.disconnected(reason: 0x95), .disconnected(reason: 0x95), end: ConnectionEnd(.broken, "closed"))
        #expect(rig.ends.map(\.refusal) == [.size] && !rig.ends[0].isTwin)
        rig.turn(after: Self.second)
        rig.greet()
        rig.turn(.disconnected(reason: 0x8E))
        #expect(rig.ends.count == 2 && rig.ends[1].isTwin)
    }

    @Test("settings that cannot be used end with their exit status, and are tried again for who is patient")
    func unusable() throws {
        let rig = try Rig(.consumer, failure: Failure(.system, "no process"))
        rig.turn()
        #expect(rig.ends.map(\.status) == [.system] && rig.ends[0].words == "no process" && rig.link.generation == 0)
        #expect(rig.link.deadline(rig.now) == rig.now + 5 * Self.second)
        let other = try Rig(.publisher)
        other.turn().turn(end: ConnectionEnd(.settings, "no topic"))
        #expect(other.ends.map(\.status) == [.configuration])
    }

    @Test("what may hold more is read at once, and the end in order is the connection's")
    func more() throws {
        let rig = try Rig(.consumer)
        rig.greet()
        rig.connection.mayHoldMore = true
        rig.turn(.subscribed(reason: 0), .subscribed(reason: 0))
        #expect(rig.link.deadline(rig.now) == rig.now)
        rig.link.disconnect()
        #expect(rig.connection.isDisconnected)
    }
}
