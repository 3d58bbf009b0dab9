import Delivery
import Testing

@testable import Service

@Suite("The slots of a resource's lanes") struct LaneSlotsTests {
    @Test("stay with their lanes; those of lanes that have gone are given again, the lowest first")
    func slots() {
        var slots = LaneSlots()
        slots.assign(to: [3, 5, 9])
        #expect([3, 5, 9].map { slots[$0] } == [0, 1, 2])
        slots.assign(to: [5, 9, 11, 12])
        #expect([3, 5, 9, 11, 12].map { slots[$0] } == [nil, 1, 2, 0, 3])
    }

    @Test("are as many as the ledger has words for")
    func full() {
        var slots = LaneSlots()
        slots.assign(to: Array(0...LedgerLayout.lanes))
        #expect(slots[LedgerLayout.lanes - 1] == LedgerSlot(LedgerLayout.lanes - 1))
        #expect(slots[LedgerLayout.lanes] == nil)
    }
}
