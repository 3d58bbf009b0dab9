import Delivery
import Devices
import Platform
import Readings
import Testing

@testable import Service

@Suite("The state stored before a crash") struct HandoverLedgerTests {
    private let last = BootTime(nanoseconds: 900)

    private func handover(_ generation: Int64, needsLedger: Bool = true) -> Handover {
        var handover = Handover()
        handover.generation = generation
        handover.needsLedger = needsLedger
        var resource = HandedResource(name: .accelerometer, kind: .acceleration)
        resource.interruption = Interruption(from: BootTime(nanoseconds: 500), cause: .deviceLost)
        handover.resources = [HandedResource(name: .location, kind: .location), resource]
        handover.connections = (0..<3).map {
            HandedConnection(
                cookie: UInt64($0 + 1), door: .clients, serial: $0 + 1, slot: LedgerSlot($0),
                connectedSince: BootTime(nanoseconds: 1))
        }
        return handover
    }

    private var ledger: [Int64] { [Int64](repeating: 0, count: LedgerLayout.count) }

    /// A ledger that is empty except for these words.
    private func ledger(_ words: [Int: Int64]) -> [Int64] {
        var ledger = ledger
        for (index, word) in words { ledger[index] = word }
        return ledger
    }

    @Test("applies to the connections that the ledger does not mark")
    func marks() throws {
        let marked = ledger([LedgerLayout.marks(of: 1): 2])
        let read = try Handover(latestOf: [handover(1).text], marked)
        #expect(read.connections.map(\.serial) == [1, 3])
    }

    @Test("does not apply to a connection that a later text describes, if that text is missing")
    func laterText() throws {
        let words = ledger([LedgerLayout.marks(of: 2): ConnectionMarks().word(since: 2)])
        #expect(try Handover(latestOf: [handover(1).text], words).connections.map(\.serial) == [1, 2])
        #expect(try Handover(latestOf: [handover(2).text], words).connections.count == 3)
    }

    @Test("does not apply to a connection whose last message was sent in part")
    func torn() throws {
        var words = ledger([LedgerLayout.note: LedgerRound.none.tag(slot: 1), LedgerLayout.note + 1: 10])
        #expect(try Handover(latestOf: [handover(1).text], words).connections.count == 3)
        take(4, &words)
        #expect(try Handover(latestOf: [handover(1).text], words).connections.map(\.serial) == [1, 3])
        take(10, &words)
        #expect(try Handover(latestOf: [handover(1).text], words).connections.count == 3)
    }

    /// Makes the kernel's note show that it took this many bytes of the last message.
    private func take(_ count: Int64, _ words: inout [Int64]) {
        for offset in 2..<Ledger.Note.words where Ledger.Note(words, at: LedgerLayout.note)?.taken != count {
            for shifted in [count, count << 32] where Ledger.Note(words, at: LedgerLayout.note)?.taken != count {
                words[LedgerLayout.note + offset] = shifted
                if Ledger.Note(words, at: LedgerLayout.note)?.taken == count { return }
                words[LedgerLayout.note + offset] = 0
            }
        }
    }

    @Test("is updated to the last sample that was sent; earlier losses are separate")
    func lastSample() throws {
        #expect(try Handover(latestOf: [handover(1).text], ledger).resources == handover(1).resources)
        let old = ledger([LedgerLayout.resource(1, .served): 400])
        #expect(try Handover(latestOf: [handover(1).text], old).resources == handover(1).resources)
        let words = ledger([
            LedgerLayout.resource(0, .served): last.nanoseconds, LedgerLayout.resource(1, .served): last.nanoseconds,
            LedgerLayout.resource(1, .grid): 70, LedgerLayout.resource(1, .period): 20,
        ])
        let read = try Handover(latestOf: [handover(1).text], words)
        let interruption = Interruption(from: last, cause: .restarted)
        #expect(read.resources.map(\.interruption) == [interruption, interruption])
        #expect(read.resources[1].grid == BootTime(nanoseconds: 70) && read.resources[1].periodNanoseconds == 20)
    }

    @Test("shows which clients were served in the round in which the process died, and which were not")
    func interruptedRound() throws {
        var former = handover(1)
        for index in former.connections.indices {
            var part = HandedPart(
                Request(resource: .accelerometer), intervalNanoseconds: 50, batchNanoseconds: 0,
                ClientAccount(since: BootTime(nanoseconds: 1), outagesFrom: BootTime(nanoseconds: 950)))
            part.account.nextDue = BootTime(nanoseconds: 550)
            part.lane = 3
            former.connections[index].task = .stream(HandedStream(id: StreamID(), revision: 1, parts: [part]))
        }
        let round = LedgerRound(number: 5, resource: 1)
        let words = ledger([
            LedgerLayout.round: round.word, LedgerLayout.resource(1, .served): 800,
            LedgerLayout.resource(1, .serving): last.nanoseconds, LedgerLayout.resource(1, .grid): 7,
            LedgerLayout.reached(of: 0): 5, LedgerLayout.reached(of: 1): 4,
            // The third client's message is not in the kernel.
            LedgerLayout.note: round.tag(slot: 2), LedgerLayout.note + 1: 10,
            LedgerLayout.lane(3, .formerDue): 860, LedgerLayout.lane(3, .nextDue): 910,
        ])
        let read = try Handover(latestOf: [former.text], words)
        #expect(read.resources[1].interruption == Interruption(from: last, cause: .restarted))
        let standings = read.connections.compactMap { connection in
            if case .stream(let stream) = connection.task { stream.parts[0] } else { nil }
        }
        let before = BootTime(nanoseconds: 800)
        #expect(standings.map(\.servedUntil) == [nil, before, before])
        let due = BootTime(nanoseconds: 860)
        #expect(standings.map(\.formerDue) == [nil, due, due])
        #expect(standings.allSatisfy { $0.account.nextDue == BootTime(nanoseconds: 910) })
        // They were clients when the device yielded the sample: it is lost to them.
        #expect(standings.allSatisfy { $0.account.outagesFrom == last })
        var taken = words
        take(10, &taken)
        let other = try Handover(latestOf: [former.text], taken)
        guard case .stream(let stream) = other.connections[2].task else { return #expect(Bool(false)) }
        #expect(stream.parts[0].servedUntil == nil)
    }

    @Test("has no pending gaps: a client that continues has been sent all of them")
    func caughtUp() {
        var random = RandomHandover(generator: SplitMix64(seed: 3))
        let connections = (0..<20).flatMap { _ in random.handover().connections }
        for connection in connections.map(\.caughtUp) {
            #expect(connection.unsent.isEmpty && !connection.isBlocked)
            guard case .stream(let stream) = connection.task else { continue }
            #expect(!stream.isRevisionPending && stream.formerGaps.isEmpty)
            #expect(stream.parts.allSatisfy { $0.account.pendingGaps.isEmpty && !$0.isGrantPending })
        }
    }

    @Test("is replaced by a later one, and by the handover of a process that ended properly")
    func latest() throws {
        var marked = ledger
        for slot: LedgerSlot in [0, 1, 2] { marked[LedgerLayout.marks(of: slot)] = 1 }
        let texts = [handover(4, needsLedger: false).text, handover(3).text]
        #expect(try Handover(latestOf: texts, marked) == handover(4, needsLedger: false))
        #expect(try Handover(latestOf: texts.reversed(), nil) == handover(4, needsLedger: false))
        #expect(try Handover(latestOf: [handover(5).text] + texts, marked).connections.isEmpty)
    }

    @Test("is ignored without its ledger, and with unreadable texts")
    func missing() {
        #expect(throws: HandoverFault.missing) { try Handover(latestOf: [], ledger) }
        #expect(throws: HandoverFault.missing) { try Handover(latestOf: [handover(1).text], nil) }
        #expect(throws: HandoverFault.missing) { try Handover(latestOf: [handover(1).text], [1, 2]) }
        #expect(throws: HandoverFault.cutShort) { try Handover(latestOf: [handover(2).text, []], ledger) }
    }

    @Test("has no due times of lanes beyond the ledger's slots, whose losses have no count")
    func laneBeyond() throws {
        #expect(LedgerLayout.lane(LedgerSlot(LedgerLayout.lanes), .formerDue) == LedgerLayout.count)
        #expect(LedgerLayout.lane(LedgerSlot(LedgerLayout.lanes - 1), .nextDue) == LedgerLayout.count - 1)
        var former = handover(1)
        var part = HandedPart(
            Request(resource: .accelerometer), intervalNanoseconds: 50, batchNanoseconds: 0,
            ClientAccount(since: BootTime(nanoseconds: 1), nextDue: BootTime(nanoseconds: 550)))
        for lane: LedgerSlot? in [nil, 2] {
            part.lane = lane
            former.connections[0].task = .stream(HandedStream(id: StreamID(), revision: 1, parts: [part]))
            let words = ledger([
                LedgerLayout.resource(1, .served): last.nanoseconds, LedgerLayout.lane(2, .nextDue): 910,
            ])
            let read = try Handover(latestOf: [former.text], words)
            guard case .stream(let stream) = read.connections[0].task else { return #expect(Bool(false)) }
            #expect(stream.parts[0].account.nextDue == lane.map { _ in BootTime(nanoseconds: 910) })
        }
    }

    @Test("does not apply to a connection beyond the ledger's slots")
    func beyond() throws {
        var handover = handover(1)
        handover.connections = [
            HandedConnection(
                cookie: 1, door: .clients, serial: 1, slot: LedgerSlot(LedgerLayout.count),
                connectedSince: BootTime(nanoseconds: 1))
        ]
        #expect(try Handover(latestOf: [handover.text], ledger).connections.isEmpty)
    }
}
