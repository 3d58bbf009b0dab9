import Delivery
import Testing

@testable import Service

@Suite("Changes of resources") struct ResourceChangesTests {
    @Test("reach every stream, the newest of each resource, however much comes while others wait")
    func everybody() {
        var generator = SystemRandomNumberGenerator()
        let streams = (0..<100).map { ConnectionToken(slot: $0, generation: 1) }
        let announcements = ResourceChanges()
        var (received, known) = ([ConnectionToken: Int](), [ConnectionToken: [ResourceIndex: Int]]())
        var (versions, turn) = ([ResourceIndex: Int](), 0)
        while turn < 500 || announcements.isPending {
            turn += 1
            if turn < 500, turn.isMultiple(of: 3) {
                let resource = ResourceIndex(Int.random(in: 0..<5, using: &generator))
                versions[resource, default: 0] += 1
                announcements.add(resource, withGrants: false)
            }
            for _ in 0..<7 {
                guard let one = announcements.next(streams) else { break }
                for change in announcements.since(received[one, default: 0]) {
                    known[one, default: [:]][change.resource] = versions[change.resource]
                }
                received[one] = announcements.newest
            }
        }
        #expect(streams.allSatisfy { known[$0] == versions })
    }

    @Test("of grants are not lost if the state changes after it")
    func grants() {
        let announcements = ResourceChanges()
        announcements.add(3, withGrants: true)
        announcements.add(3, withGrants: false)
        #expect(announcements.since(0) == [.init(number: 2, resource: 3, withGrants: true)])
        #expect(announcements.since(2).isEmpty)
    }
}
