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
        let agenda = Agenda()
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
        let agenda = Agenda()
        agenda.add("one", at: { part.due }) { _ in part.due = nil }
        #expect(agenda.next == nil)
        part.due = at(5)
        #expect(agenda.next == at(5))
        agenda.meet(at(5))
        #expect(agenda.next == nil)
    }

    @Test("wakes nobody before an alarm is due, and runs it sooner in a turn that takes place anyway")
    func slack() {
        let (urgent, patient) = (Part(at(50)), Part(at(60)))
        let agenda = Agenda()
        agenda.add("urgent", at: { urgent.due }) { now in
            urgent.acts.append(now)
            urgent.due = nil
        }
        agenda.add("patient", at: { patient.due }, slackNanoseconds: 20) { now in
            patient.acts.append(now)
            patient.due = now + 60
        }
        #expect(agenda.times == (next: at(50), from: at(40)))
        agenda.meet(at(39))
        #expect(urgent.acts.isEmpty && patient.acts.isEmpty)
        agenda.meet(at(45))
        #expect(urgent.acts.isEmpty && patient.acts == [at(45)])
        #expect(agenda.times == (next: at(50), from: at(50)))
        agenda.meet(at(50))
        // Nothing else took place in time.
        agenda.meet(at(105))
        #expect(urgent.acts == [at(50)] && patient.acts == [at(45), at(105)])
    }
}
