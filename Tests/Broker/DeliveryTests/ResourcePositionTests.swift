import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("The position of a client") struct ResourcePositionTests {
    @Test("is correct whichever clients have joined and left", arguments: 0..<8)
    func positions(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        var present: Set<Int> = []
        for _ in 0..<600 {
            let client = Int.random(in: 0..<60, using: &generator)
            if present.remove(client) != nil {
                #expect(resource.leave(Client(client))?.client == Client(client))
            } else {
                present.insert(client)
                var request = Request(resource: .accelerometer)
                request.intervalNanoseconds = Int64.random(in: 1...5, using: &generator) * 1_000_000_000
                if Bool.random(using: &generator) { request.minimumChange = 1 }
                _ = resource.join(Client(client), Grant(request, within: resource.limits), now: at(milliseconds: 0))
            }
            for client in 0..<60 {
                let position = resource.lanes.position(of: Client(client))
                #expect((position != nil) == present.contains(client))
                guard let position else { continue }
                #expect(resource.lanes[position.lane].members[position.member].client == Client(client))
            }
        }
    }
}
