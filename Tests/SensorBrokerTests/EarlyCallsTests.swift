import BrokerClient
import Testing
import Varlink

@testable import SensorBroker

@Suite("Calls before the broker listens") struct EarlyCallsTests {
    private let list = Call(Interface.listResources)
    private let missing = SensorError.brokerMissing(paths: ["/x"])

    private func time(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("are made again, a moment later each time, until their time is over")
    func again() {
        var calls = EarlyCalls()
        #expect(calls.keep(1, list, missing, patience: 25_000_000, now: time(0)))
        #expect(calls.retryAt == time(10) && calls.due(time(9)).isEmpty)
        #expect(calls.due(time(10)).map(\.id) == [1] && calls.retryAt == nil)
        #expect(calls.keep(1, list, .brokerStopped(path: "/x"), patience: 25_000_000, now: time(10)))
        #expect(calls.due(time(20)).map(\.id) == [1])
        #expect(!calls.keep(1, list, missing, patience: 25_000_000, now: time(25)))
        #expect(calls.due(time(99)).isEmpty)
    }

    @Test("end before their own time does, so that the error is the true one")
    func shortTimeout() {
        var calls = EarlyCalls()
        let read = Call(Interface.read, parameters: ["resource": "location", "timeoutNanoseconds": 20_000_000])
        #expect(calls.keep(1, read, missing, patience: 1_000_000_000, now: time(0)))
        #expect(calls.due(time(10)).map(\.id) == [1])
        #expect(!calls.keep(1, read, missing, patience: 1_000_000_000, now: time(10)))
    }

    @Test("are forgotten once they are made or not wanted")
    func forgotten() {
        var calls = EarlyCalls()
        #expect(calls.keep(1, list, missing, patience: 25_000_000, now: time(0)))
        calls.remove(1)
        #expect(calls.retryAt == nil && calls.due(time(10)).isEmpty)
    }

    @Test("fail at once where waiting does not help, and streams go on trying by themselves")
    func others() {
        var calls = EarlyCalls()
        #expect(!calls.keep(1, list, .notPermitted(path: "/x"), patience: 25_000_000, now: time(0)))
        let stream = Call(Interface.subscribe, mode: .more)
        #expect(!calls.keep(2, stream, missing, patience: 25_000_000, now: time(0)))
        #expect(!calls.keep(3, list, missing, patience: 0, now: time(0)))
        #expect(calls.retryAt == nil)
    }
}
