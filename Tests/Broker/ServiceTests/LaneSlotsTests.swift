import Delivery
import Testing

@testable import Service

@Suite("The slots of lanes in the ledger") struct LaneSlotsTests {
    @Test("stay with their lanes; those of lanes that have gone are given again, to lanes of any resource")
    func slots() {
        var slots = LaneSlots()
        slots.assign(to: [3, 5, 9], of: 0)
        #expect([3, 5, 9].map { slots[$0, of: 0] } == [0, 1, 2])
        slots.assign(to: [5, 9, 11], of: 7)
        #expect([5, 9, 11].map { slots[$0, of: 7] } == [3, 4, 5])
        slots.assign(to: [5, 9], of: 0)
        slots.assign(to: [9, 12, 13], of: 7)
        #expect([3, 5, 9].map { slots[$0, of: 0] } == [nil, 1, 2])
        let given = [9, 12, 13].map { slots[$0, of: 7] }
        #expect(given[0] == 4 && Set(given.compactMap { $0?.number }).count == 3)
        #expect(given.allSatisfy { $0 != 1 && $0 != 2 }, "a slot is of one lane")
        slots.assign(to: [], of: 0)
        #expect(!slots.has(0) && slots.has(7))
    }

    @Test("are as many as the ledger has words for")
    func full() {
        var slots = LaneSlots()
        slots.assign(to: Array(0..<LedgerLayout.lanes), of: 0)
        #expect(slots[LedgerLayout.lanes - 1, of: 0] == LedgerSlot(LedgerLayout.lanes - 1))
        slots.assign(to: [0], of: 1)
        #expect(slots[0, of: 1] == nil)
    }
}
