import Delivery
import Platform
import Readings
import Testing

@testable import Service

@Suite("The parts of a stream") struct StreamPartsTests {
    private func part(_ label: Int, of resource: Int) -> StreamParts.Part {
        var request = Request(resource: .accelerometer)
        request.label = "part\(label)"
        let grant = Grant(request, held: 10_000_000, batchNanoseconds: 0, batchReadings: nil)
        return StreamParts.Part(resource: ResourceIndex(resource), request: request, grant: grant)
    }

    @Test("are found by their names, in the order in which they came, however many there are")
    func found() {
        var generator = SplitMix64(seed: 5)
        var parts = StreamParts()
        var expected: [(label: Int, resource: Int)] = []
        for round in 0..<400 {
            // It grows to some twenty, and shrinks again, several times.
            if round % 80 < 45 {
                let label = Int.random(in: 0..<30, using: &generator)
                let known = expected.first { $0.label == label }
                let resource = known?.resource ?? .random(in: 0..<3, using: &generator)
                parts.put(part(label, of: resource))
                if known == nil { expected.append((label, resource)) }
            } else {
                let labels = Set(expected.map(\.label).shuffled(using: &generator).prefix(2))
                parts.remove(labels.map { "part\($0)" })
                expected.removeAll { labels.contains($0.label) }
            }
            #expect(parts.all.map(\.name) == expected.map { "part\($0.label)" })
            for label in 0..<30 {
                let found = parts["part\(label)"]
                #expect(found?.resource.number == expected.first { $0.label == label }?.resource)
            }
            for resource in 0..<3 {
                #expect(parts.contains(ResourceIndex(resource)) == expected.contains { $0.resource == resource })
            }
        }
    }
}
