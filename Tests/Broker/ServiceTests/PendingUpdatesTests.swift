import Delivery
import Readings
import Testing

@testable import Service

@Suite("What a stream is owed besides readings") struct OwedUpdatesTests {
    private func parts(_ resources: Int...) -> StreamParts {
        var parts = StreamParts()
        for resource in resources {
            var request = Request(resource: .accelerometer)
            request.label = "part\(resource)"
            let grant = Grant(request, held: 10_000_000, batchNanoseconds: 0, batchReadings: nil)
            parts.put(StreamParts.Part(resource: ResourceIndex(resource), request: request, grant: grant))
        }
        return parts
    }

    @Test("is the newest state of each of its resources, and the grants that a new interval changes")
    func news() {
        let (news, parts) = (StreamNews(), parts(0, 1))
        var owed = OwedUpdates()
        news.add(ResourceIndex(0))
        news.add(ResourceIndex(0))
        news.add(ResourceIndex(1), withGrants: true)
        news.add(ResourceIndex(2), withGrants: true)
        let (lacks, isNew) = (owed.lacks(news), owed.owe(news, of: parts))
        #expect(lacks && isNew && !owed.lacks(news))
        #expect(owed.states == [ResourceIndex(0), ResourceIndex(1)] && owed.grants == ["part1"])
        owed.didTell(grantsOf: [])
        #expect(!owed.isMoreThanGaps)
    }

    @Test("does not outlive the requests that it is about, except for their gaps")
    func forgotten() {
        let news = StreamNews()
        var (owed, parts) = (OwedUpdates(), parts(0, 1))
        news.add(ResourceIndex(0), withGrants: true)
        let isNew = owed.owe(news, of: parts)
        let name = StreamedName(resource: .accelerometer, label: "part0")
        let at = BootTime(nanoseconds: 1)
        owed.owe([Gap(cause: .slowClient, count: 1, from: at, until: at)], of: name)
        parts.remove(["part0"])
        owed.forget(["part0"], besides: parts)
        #expect(isNew && !owed.isMoreThanGaps)
        #expect(owed.gapCount(besides: parts) == 1 && owed.gaps.map(\.name) == [name])
        let gaps = owed.takeGaps()
        #expect(gaps.count == 1 && owed.gaps.isEmpty)
    }
}
