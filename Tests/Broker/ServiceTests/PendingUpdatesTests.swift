import Delivery
import Readings
import Testing

@testable import Service

@Suite("What is pending for a stream besides readings") struct PendingUpdatesTests {
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
    func ofChanges() {
        let (changes, parts) = (ResourceChanges(), parts(0, 1))
        var pending = PendingUpdates()
        changes.add(ResourceIndex(0))
        changes.add(ResourceIndex(0))
        changes.add(ResourceIndex(1), withGrants: true)
        changes.add(ResourceIndex(2), withGrants: true)
        let (lacks, isNew) = (pending.lacks(changes), pending.add(changes, of: parts))
        #expect(lacks && isNew && !pending.lacks(changes))
        #expect(pending.states == [ResourceIndex(0), ResourceIndex(1)] && pending.grants == ["part1"])
        pending.didSend(grantsOf: [])
        #expect(!pending.isMoreThanGaps)
    }

    @Test("does not outlive the requests that it is about, except for their gaps")
    func forgotten() {
        let changes = ResourceChanges()
        var (pending, parts) = (PendingUpdates(), parts(0, 1))
        changes.add(ResourceIndex(0), withGrants: true)
        let isNew = pending.add(changes, of: parts)
        let name = StreamedName(resource: .accelerometer, label: "part0")
        let at = BootTime(nanoseconds: 1)
        pending.add([Gap(cause: .slowClient, count: 1, from: at, until: at)], of: name)
        parts.remove(["part0"])
        pending.forget(["part0"], besides: parts)
        #expect(isNew && !pending.isMoreThanGaps)
        #expect(pending.gapCount(besides: parts) == 1 && pending.gaps.map(\.name) == [name])
        let gaps = pending.takeGaps()
        #expect(gaps.count == 1 && pending.gaps.isEmpty)
    }
}
