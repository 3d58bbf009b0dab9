import Readings
import TestTools
import Testing

@testable import Service

@Suite("An agenda") struct AgendaTests {
    private final class Part {
        var due: BootTime?
        var acts: [BootTime] = []
        init(_ due: BootTime?) { self.due = due }
    }

    @Test("is due when the first of its alarms is, and runs all alarms that are due, in order")
    func alarms() {
        let parts = [Part(at(30)), Part(nil), Part(at(10)), Part(at(20))]
        var agenda = Agenda()
        var order: [Int] = []
        for (index, part) in parts.enumerated() {
            agenda.add("one of four", at: { part.due }) { now in
                order.append(index)
                part.acts.append(now)
                part.due = now + 100
            }
        }
        #expect(agenda.next == at(10))
        agenda.meet(at(9))
        #expect(order.isEmpty)
        agenda.meet(at(30))
        #expect(order == [0, 2, 3])
        #expect(parts.map(\.acts) == [[at(30)], [], [at(30)], [at(30)]])
        #expect(agenda.next == at(130))
    }

    @Test("follows a part that changes its deadline, without notification")
    func followed() {
        let part = Part(nil)
        var agenda = Agenda()
        agenda.add("one", at: { part.due }) { _ in part.due = nil }
        #expect(agenda.next == nil)
        part.due = at(5)
        #expect(agenda.next == at(5))
        agenda.meet(at(5))
        #expect(agenda.next == nil)
    }
}
