import Readings
import Testing

@testable import Delivery

@Suite("A granted batch") struct GrantTests {
    private let limits = IntervalLimits(kind: .acceleration, offered: .fixed(shortestNanoseconds: 10))
    private let pace = Pace(periodNanoseconds: 10, latencyNanoseconds: 0, isDecimated: false)

    private func request(interval: Int64 = 10, batch: Int64) -> Request {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        return request
    }

    @Test("has room for slightly more readings than expected, and none if nothing is gathered")
    func readings() {
        #expect(Grant(request(batch: 1_000), within: limits).batchReadings == 127)
        #expect(Grant(request(interval: 0, batch: 1_000), within: limits).batchReadings == 127)
        #expect(Grant(request(batch: 1), within: limits).batchReadings == 2)
        #expect(Grant(request(batch: 0), within: limits).batchReadings == 0)
        #expect(Grant(request(batch: .max), within: limits).batchReadings == Grant.readingsPerReply)
    }

    @Test("has no more readings than there is memory for")
    func bounded() {
        let grant = Grant(request(batch: 1_000), within: limits, batchOf: 50)
        #expect(grant.batchNanoseconds == 500 && grant.batchReadings == 50)
        let none = Grant(request(batch: 1_000), within: limits, batchOf: 0)
        #expect(none.batchNanoseconds == 0 && none.batchReadings == 0)
    }

    @Test("ends early if the device delivers more samples than it reported")
    func tooMany() {
        var lane = Lane(grant: Grant(request(interval: 0, batch: 1_000), within: limits), anchor: nil)
        var counts: [Int] = []
        for index: UInt64 in 0..<300 {
            let now = BootTime(nanoseconds: Int64(index))
            lane.offer(Samples.acceleration(index, at: now.nanoseconds), now: now, pace: pace)
            guard lane.hasOutgoing else { continue }
            counts.append(lane.readings.count)
            lane.didSend()
        }
        #expect(counts == [127, 127])
    }

    @Test("stores no list of satellites that is not requested")
    func satellites() throws {
        for hasSatellites in [false, true] {
            var request = Request(resource: .location)
            request.batchNanoseconds = 100_000_000_000
            request.wantsSatellites = hasSatellites
            var lane = Lane(
                grant: Grant(request, within: IntervalLimits(kind: .location, offered: nil)), anchor: nil)
            var location = Location(fix: .threeDimensional)
            location.satellites = [Satellite(prn: 1, isUsed: true)]
            let now = BootTime(nanoseconds: 0)
            lane.offer(Sample(sequence: 0, timestamp: now, measurement: .location(location)), now: now, pace: pace)
            guard case .location(let kept) = try #require(lane.readings.first).measurement else { return }
            #expect((kept.satellites != nil) == hasSatellites)
        }
    }
}
