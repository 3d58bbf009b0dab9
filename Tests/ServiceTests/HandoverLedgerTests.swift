import Delivery
import Readings
import Testing

@testable import Service

@Suite("What was written down before a crash") struct HandoverLedgerTests {
    private let last = BootTime(nanoseconds: 900)

    private func handover(_ generation: Int64, needsLedger: Bool = true) -> Handover {
        var handover = Handover()
        handover.generation = generation
        handover.needsLedger = needsLedger
        var resource = HandedResource(name: .accelerometer, kind: .acceleration)
        resource.interruption = Interruption(from: BootTime(nanoseconds: 500), cause: .deviceLost)
        handover.resources = [HandedResource(name: .location, kind: .location), resource]
        handover.connections = (0..<3).map {
            HandedConnection(cookie: UInt64($0 + 1), door: .clients, serial: $0 + 1, place: $0)
        }
        return handover
    }

    private var ledger: [Int64] { [Int64](repeating: 0, count: LedgerPlaces.count) }

    @Test("holds for the connections that the ledger does not mark")
    func marks() throws {
        var ledger = ledger
        ledger[LedgerPlaces.connection(place: 1)] = 2
        let read = try Handover(latestOf: [handover(1).text], ledger)
        #expect(read.connections.map(\.serial) == [1, 3])
    }

    @Test("is brought up to the last sample that was handed out; what was lost before is another matter")
    func lastSample() throws {
        var ledger = ledger
        #expect(try Handover(latestOf: [handover(1).text], ledger).resources == handover(1).resources)
        ledger[1] = 400
        #expect(try Handover(latestOf: [handover(1).text], ledger).resources == handover(1).resources)
        ledger[0] = last.nanoseconds
        ledger[1] = last.nanoseconds
        let read = try Handover(latestOf: [handover(1).text], ledger)
        let interruption = Interruption(from: last, cause: .reconfigured)
        #expect(read.resources.map(\.interruption) == [interruption, interruption])
    }

    @Test("gives way to what is later, and to the word of one that ended in order")
    func latest() throws {
        var marked = ledger
        for place in 0..<3 { marked[LedgerPlaces.connection(place: place)] = 1 }
        let texts = [handover(4, needsLedger: false).text, handover(3).text]
        #expect(try Handover(latestOf: texts, marked) == handover(4, needsLedger: false))
        #expect(try Handover(latestOf: texts.reversed(), nil) == handover(4, needsLedger: false))
        #expect(try Handover(latestOf: [handover(5).text] + texts, marked).connections.isEmpty)
    }

    @Test("is worth nothing without its ledger, nor beside something that is not understood")
    func missing() {
        #expect(throws: HandoverFault.missing) { try Handover(latestOf: [], ledger) }
        #expect(throws: HandoverFault.missing) { try Handover(latestOf: [handover(1).text], nil) }
        #expect(throws: HandoverFault.missing) { try Handover(latestOf: [handover(1).text], [1, 2]) }
        #expect(throws: HandoverFault.cutShort) { try Handover(latestOf: [handover(2).text, []], ledger) }
    }

    @Test("does not hold for a connection beyond the ledger's places")
    func beyond() throws {
        var handover = handover(1)
        handover.connections = [HandedConnection(cookie: 1, door: .clients, serial: 1, place: LedgerPlaces.count)]
        #expect(try Handover(latestOf: [handover.text], ledger).connections.isEmpty)
    }
}
