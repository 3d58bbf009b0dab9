import Delivery
import Readings
import Testing

@testable import Service

@Suite("A client's part of a stream that another process began") struct HandedPartTests {
    private let last = BootTime(nanoseconds: 1_000)

    /// A part that was served up to an instant, then was due at another, and is due now.
    private func part(
        every interval: Int64 = 50, servedUntil: Int64?, formerDue: Int64, nextDue: Int64
    ) -> HandedPart {
        let account = ClientAccount(since: BootTime(nanoseconds: 0), nextDue: BootTime(nanoseconds: nextDue))
        var part = HandedPart(
            Request(resource: .accelerometer), intervalNanoseconds: interval, batchNanoseconds: 0, account)
        part.servedUntil = servedUntil.map { BootTime(nanoseconds: $0) }
        part.formerDue = BootTime(nanoseconds: formerDue)
        return part
    }

    private func gap(_ count: Int?, _ from: Int64, _ until: Int64) -> Gap {
        Gap(cause: .restarted, count: count, from: BootTime(nanoseconds: from), until: BootTime(nanoseconds: until))
    }

    @Test("has missed nothing if it was served like the others, or if nothing was due to it meanwhile")
    func nothing() {
        let served = part(servedUntil: nil, formerDue: 950, nextDue: 1_050)
        #expect(served.missed(until: last, periodNanoseconds: 10) == nil)
        let idle = part(servedUntil: 895, formerDue: 1_050, nextDue: 1_050)
        #expect(idle.missed(until: last, periodNanoseconds: 10) == nil)
        #expect(idle.missed(until: nil, periodNanoseconds: 10) == nil)
    }

    @Test("has missed what was due to it and others received")
    func counted() {
        // 950 and 1,000; 900 was served by a sample before it.
        let part = part(servedUntil: 895, formerDue: 950, nextDue: 1_050)
        #expect(part.missed(until: last, periodNanoseconds: 10) == gap(2, 895, 1_000))
    }

    @Test("has missed what went out since the source fell silent: 1,050 was served to others")
    func silent() {
        let part = part(servedUntil: 1_000, formerDue: 1_050, nextDue: 1_100)
        #expect(part.missed(until: last, periodNanoseconds: 10) == gap(1, 1_000, 1_050))
    }

    @Test("gets no count where every sample is due")
    func everySample() {
        let part = part(every: 10, servedUntil: 990, formerDue: 1_100, nextDue: 1_100)
        #expect(part.missed(until: last, periodNanoseconds: 10) == gap(nil, 990, 1_000))
    }
}
