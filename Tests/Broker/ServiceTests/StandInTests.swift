import Delivery
import Devices
import Glibc
import Platform
import Readings
import Testing

@testable import Service

/// A value that threads can share.
private final class Shared<Value: Sendable>: Sendable {
    private let locked: Locked<Value>
    init(_ value: Value) { locked = Locked(value) }

    var value: Value {
        get { locked.withLock { $0 } }
        set { locked.withLock { $0 = newValue } }
    }
}

@Suite("The baton of the loop", .timeLimit(.minutes(30))) struct BatonTests {
    private let baton = Baton()

    @Test("is lent only between the beginning and the end of the loop")
    func lifetime() {
        #expect(baton.borrow { true } == nil)
        #expect(baton.begin(lending: true) { 1 } == 1)
        #expect(baton.borrow { true } == true)
        #expect(baton.hold { baton.borrow { true } } == nil, "who holds it cannot borrow it")
        baton.end()
        #expect(baton.borrow { true } == nil)
        baton.begin(lending: false) {}
        #expect(baton.borrow { true } == nil)
    }

    @Test("is not lent while the loop holds it; who wants it does not wait")
    func held() throws {
        let (baton, wasLent, answered) = (baton, Shared(true), try SharedWakeEvent())
        baton.begin(lending: true) {}
        try baton.hold {
            Result {
                try Platform.Thread.start(name: "borrower") {
                    wasLent.value = baton.borrow { true } ?? false
                    answered.signal()
                }
                try answered.wait()
            }
        }.get()
        #expect(!wasLent.value)
        #expect(baton.borrow { true } == true)
    }
}

@Suite("A device's thread in place of the sleeping loop", .timeLimit(.minutes(30))) struct StandInTests {
    /// Whose turns they were, and when the loop must act next.
    private final class Turns: Scheduled {
        let threads: Shared<[UInt]>
        let deadlines: Shared<BootTime?>
        let turned: SharedWakeEvent

        init(_ threads: Shared<[UInt]>, _ deadlines: Shared<BootTime?>, _ turned: SharedWakeEvent) {
            (self.threads, self.deadlines, self.turned) = (threads, deadlines, turned)
        }

        var deadline: BootTime? { deadlines.value }
        func turnWillBegin(now: BootTime) {}
        func turnDidEnd(now: BootTime) {
            // Before the turn shows: from then on the deadline is the test's.
            if let instant = deadlines.value, instant <= now { deadlines.value = nil }
            threads.value += [UInt(pthread_self())]
            turned.signal()
        }
    }

    private let threads = Shared<[UInt]>([])
    private let deadline = Shared<BootTime?>(nil)
    private let (turned, ended): (SharedWakeEvent, SharedWakeEvent)
    private let standIn: @Sendable () -> Bool

    /// A loop on a thread of its own, and a stand-in for it that does something at once, in its turn.
    init() throws {
        (turned, ended) = (try SharedWakeEvent(), try SharedWakeEvent())
        let (threads, deadline, turned, ended) = (threads, deadline, turned, ended)
        let (made, isMade) = (Shared<(@Sendable () -> Bool)?>(nil), try SharedWakeEvent())
        try Platform.Thread.start(name: "loop") {
            guard let server = try? Server() else { return isMade.signal() }
            made.value = server.standIn { [unowned server] now in
                if deadline.value == .stop { server.stop() }
                if deadline.value == .soon { deadline.value = now + 1 }
            }
            isMade.signal()
            try? server.run(Turns(threads, deadline, turned))
            ended.signal()
        }
        try isMade.wait()
        standIn = try #require(made.value)
    }

    /// Does a turn as soon as the loop sleeps.
    private func takeTurn() throws {
        try Patience.wait(for: "the loop lends its turn") { standIn() }
    }

    @Test("does the whole turn, and the loop sleeps on")
    func wholeTurn() throws {
        try takeTurn()
        #expect(threads.value == [UInt(pthread_self())])
        deadline.value = .stop
        try takeTurn()
        try ended.wait()
        #expect(Set(threads.value) == [UInt(pthread_self())])
        #expect(!standIn(), "the loop has ended")
    }

    @Test("has the loop wake up for what becomes due in its turn")
    func deadlines() throws {
        deadline.value = .soon
        try takeTurn()
        while Set(threads.value).count < 2 {
            try turned.wait()
            turned.clear()
        }
        #expect(threads.value.first == UInt(pthread_self()) && deadline.value == nil)
        deadline.value = .stop
        try takeTurn()
        try ended.wait()
    }

    @Test("leaves the loop's turns to the loop until three times as long has passed as the last turn took")
    func share() throws {
        let time = Shared(BootTime(nanoseconds: 1_000_000_000))
        let server = try Server(clock: { time.value })
        let standIn = StandIn(for: server) { _ in time.value = time.value + 1_000 }
        #expect(standIn.takeTurn())
        #expect(!standIn.takeTurn())
        time.value = time.value + 2_999
        #expect(!standIn.takeTurn())
        time.value = time.value + 1
        #expect(standIn.takeTurn())
    }
}

@Suite("A broker that is over") struct BrokerEndTests {
    @Test("leaves no device and no channel behind")
    func nothingLeft() throws {
        weak var channel: DeviceChannel?
        do {
            let server = try Server()
            let broker = Broker(
                server: server, journal: Journal(isSilent: true), health: nil, startedAt: BootTime(nanoseconds: 1))
            let made = try DeviceChannel()
            channel = made
            try broker.add(.accelerometer, .acceleration, made, isSimulated: true)
            server.close()
        }
        #expect(channel == nil)
    }
}

extension BootTime {
    fileprivate static let stop = BootTime(nanoseconds: .max - 1)
    fileprivate static let soon = BootTime(nanoseconds: .max - 2)
}
