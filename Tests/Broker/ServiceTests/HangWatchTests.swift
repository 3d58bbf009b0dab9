import Readings
import TestTools
import Testing

@testable import Service

@Suite("A watch for threads that hang") struct HangWatchTests {
    @Test("checks only while a device has demand, or hangs")
    func idle() {
        let watch = HangWatch(limitNanoseconds: 12_000_000_000)
        #expect(watch.deadline == nil)
        watch.begin(at(seconds: 0))
        watch.begin(at(seconds: 3))
        #expect(watch.deadline == at(seconds: 12))
        _ = watch.look(at: [0, 1], at(seconds: 12), working: { _ in nil }, isWanted: { $0 == 1 })
        #expect(watch.deadline == at(seconds: 24))
        _ = watch.look(at: [0, 1], at(seconds: 24), working: { _ in 12_000_000_000 }, isWanted: { _ in false })
        #expect(watch.deadline == at(seconds: 30))
        _ = watch.look(at: [0, 1], at(seconds: 30), working: { _ in 1 }, isWanted: { _ in false })
        #expect(watch.deadline == nil)
    }

    @Test("looks next at the first instant at which one of them can have hung for so long")
    func exact() {
        let watch = HangWatch(limitNanoseconds: 12_000_000_000)
        let working: [Int64?] = [nil, 11_000_000_000, 5_000_000_000]
        _ = watch.look(at: Array(working.indices), at(seconds: 100), working: { working[$0] }, isWanted: { _ in true })
        #expect(watch.deadline == at(seconds: 101))
    }

    @Test("reports for how long each of them has hung, beyond the limit")
    func hangs() {
        let watch = HangWatch(limitNanoseconds: 12_000_000_000)
        let working: [Int64?] = [nil, 11_999_999_999, 12_000_000_000, 60_000_000_000]
        let looks = watch.look(
            at: Array(working.indices), at(seconds: 0), working: { working[$0] }, isWanted: { _ in false })
        #expect(looks.map(\.thread) == [0, 1, 2, 3])
        #expect(looks.map(\.hangsNanoseconds) == [nil, nil, 12_000_000_000, 60_000_000_000])
    }
}
