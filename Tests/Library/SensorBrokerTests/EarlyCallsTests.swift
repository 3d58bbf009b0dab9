import BrokerClient
import Testing
import Varlink

@testable import SensorBroker

@Suite("Calls before the broker listens") struct EarlyCallsTests {
    private let list = Call(Interface.listResources)
    private let missing = SensorError.brokerMissing(paths: ["/x"])
    private var calls = EarlyCalls()

    /// Whether a call that failed at an instant, in milliseconds, is kept.
    private mutating func isKept(
        _ call: Call, _ error: SensorError, patience: Int64 = 25_000_000, at milliseconds: Int64
    ) -> Bool {
        calls.keep(ID(number: 1), call, error, patience: patience, now: time(milliseconds))
    }

    private mutating func due(at milliseconds: Int64) -> [Int] { calls.due(time(milliseconds)).map(\.id.number) }

    private func time(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("are made again, a moment later each time, until their time is over")
    mutating func again() {
        let first = isKept(list, missing, at: 0)
        #expect(first && calls.retryAt == time(10))
        let early = due(at: 9)
        let punctual = due(at: 10)
        #expect(early == [] && punctual == [1] && calls.retryAt == nil)
        let second = isKept(list, .brokerStopped(path: "/x"), at: 10)
        let again = due(at: 20)
        let last = isKept(list, missing, at: 25)
        let none = due(at: 99)
        #expect(second && again == [1] && !last && none == [])
    }

    @Test("end before their own time does, so that the error is the true one")
    mutating func shortTimeout() {
        let read = Call(Interface.read, parameters: ["resource": "location", "timeoutNanoseconds": 20_000_000])
        let first = isKept(read, missing, patience: 1_000_000_000, at: 0)
        let again = due(at: 10)
        let second = isKept(read, missing, patience: 1_000_000_000, at: 10)
        #expect(first && again == [1] && !second)
    }

    @Test("are forgotten once they are made or not wanted")
    mutating func forgotten() {
        let first = isKept(list, missing, at: 0)
        calls.remove(ID(number: 1))
        let none = due(at: 10)
        #expect(first && calls.retryAt == nil && none == [])
    }

    @Test("fail at once where waiting does not help, and streams go on trying by themselves")
    mutating func others() {
        let denied = isKept(list, .notPermitted(path: "/x"), at: 0)
        let stream = isKept(Call(Interface.subscribe, mode: .more), missing, at: 0)
        let impatient = isKept(list, missing, patience: 0, at: 0)
        #expect(!denied && !stream && !impatient && calls.retryAt == nil)
    }

    @Test("are forgotten once another error shows that waiting does not help")
    mutating func refused() {
        let first = isKept(list, missing, at: 0)
        let again = due(at: 10)
        let denied = isKept(list, .notPermitted(path: "/x"), at: 10)
        let other = calls.keep(ID(number: 2), list, missing, patience: 25_000_000, now: time(11))
        let left = due(at: 21)
        #expect(first && again == [1] && !denied && other && left == [2])
    }
}
