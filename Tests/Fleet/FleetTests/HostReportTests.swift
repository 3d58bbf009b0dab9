import Spool
import Testing

@testable import Fleet

@Suite struct HostReportTests {
    @Test("the status has both clocks, which a consumer needs that comes in the middle of an epoch")
    func statusClock() throws {
        let clock = ClockReading(
            bootID: secondEpoch, moment: Moment(bootNanoseconds: 5, utcMicroseconds: 7, isSynchronized: false))
        let streams = [StreamStatus(name: "light", last: 3, oldest: 2)]
        let report = try #require(
            HostReport(Wire.status(.online, epoch: firstEpoch, streams: streams, clock: clock)))
        #expect(report.clock == clock && report.streams == streams && report.epoch == firstEpoch)
        #expect(HostReport(Wire.status(.lost, epoch: firstEpoch, streams: []))?.clock == nil)
    }

    @Test("a status has the backlog, and for how long the host keeps what has arrived; older programs do not")
    func statusOptions() throws {
        let report = try #require(
            HostReport(Wire.status(.online, epoch: firstEpoch, streams: [], backlog: 7, keepsNanoseconds: .max)))
        #expect(report.backlog == 7 && report.keepsNanoseconds == .max)
        let old = try #require(HostReport(Wire.status(.online, epoch: firstEpoch, streams: [])))
        #expect(old.backlog == nil && old.keepsNanoseconds == nil)
    }
}
