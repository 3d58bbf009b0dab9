import Spool
import Testing

@testable import Fleet

private let first = Identity(utcMicroseconds: 1_000_000_000, random: (0, 0))
private let second = Identity(utcMicroseconds: 2_000_000_000, random: (0, 0))
private let third = Identity(utcMicroseconds: 3_000_000_000, random: (0, 0))

/// A sequencer whose outputs are texts: `1` in order, `late 1`, `hole 2-3`.
private struct Line {
    var sequencer = Sequencer<String>(patienceNanoseconds: 60)
    var mostBytes = 1_000
    var lost: UInt64 = 0

    mutating func take(
        _ numbers: Int..., of epoch: Identity = first, first base: UInt64? = 1, former: (Identity, Int)? = nil,
        isLate: Bool = false, at now: Int64 = 0
    ) -> [String] {
        numbers.flatMap { number -> [String] in
            let began = former.map { #","began":{"previous":"\#($0.0)","last":\#($0.1),"cause":"crash"}"# } ?? ""
            let line = #"{"epoch":"\#(epoch)","number":\#(number)\#(began)}"#
            guard let message = FleetMessage(Array(line.utf8)) else { return ["?"] }
            return texts(
                sequencer.take("\(number)", message, of: "location", isLate: isLate, bytes: 10, first: base, now))
        }
    }

    mutating func turn(_ now: Int64) -> [String] {
        let lost = lost
        return texts(sequencer.turn(now, mostBytes: mostBytes) { max($2, lost) })
    }

    mutating func finish() -> [String] { texts(sequencer.finish()) }

    private func texts(_ outputs: [Sequencer<String>.Output]) -> [String] {
        outputs.map { output in
            switch output {
            case .next(let piece): piece
            case .late(let piece, _, _, _): "late \(piece)"
            case .hole(_, _, let numbers): "hole \(numbers.lowerBound)-\(numbers.upperBound)"
            }
        }
    }
}

@Suite struct SequencerTests {
    @Test("what overtook waits for what is before it")
    func order() {
        var line = Line()
        #expect(line.take(1, 4, 3) == ["1"] && line.sequencer.isWaiting)
        #expect(line.take(2) == ["2", "3", "4"] && !line.sequencer.isWaiting)
        #expect(line.turn(1_000).isEmpty && line.finish().isEmpty)
    }

    @Test("after some time there is a hole, and what comes then is late")
    func patience() {
        var line = Line()
        #expect(line.take(1, 3, at: 0) == ["1"] && line.take(6, at: 30).isEmpty)
        #expect(line.turn(59).isEmpty && line.turn(60) == ["hole 2-2", "3"])
        #expect(line.take(2, at: 61) == ["late 2"] && line.turn(89).isEmpty)
        #expect(line.finish() == ["hole 4-5", "6"])
    }

    @Test("what comes of an epoch that was left, from before where it was left, is late", .timeLimit(.minutes(30)))
    func left() {
        var line = Line()
        #expect(line.take(1, of: first) == ["1"] && line.take(3, of: second).isEmpty)
        #expect(line.turn(60) == ["hole 1-2", "3"])
        // The stream goes back to the epoch that still speaks.
        #expect(line.take(2, of: first, at: 200) == ["2"])
        #expect(line.take(2, of: second, isLate: true, at: 201) == ["late 2"])
        #expect(line.take(4, of: second, at: 202).isEmpty && line.finish() == ["4"])
    }

    @Test("a host may name any number of epochs as those before it")
    func manyFormer() {
        var line = Line()
        #expect(line.take(1, of: first) == ["1"] && line.take(1, of: second, former: (first, 1)) == ["1"])
        for number in 2...50 {
            let named = Identity(utcMicroseconds: 1_500_000_000 + Int64(number), random: (0, 0))
            #expect(line.take(number, of: second, former: (named, 3)).last == "\(number)")
        }
        #expect(line.take(1, of: third, former: (second, 50)) == ["1"])
    }

    @Test("what is reported as lost is not waited for")
    func lost() {
        var line = Line()
        #expect(line.take(1, 9) == ["1"])
        line.lost = 5
        #expect(line.turn(1) == ["hole 2-4"])
        line.lost = 10
        #expect(line.turn(1) == ["hole 5-8", "9"])
    }

    @Test("if too much waits, the oldest goes")
    func memory() {
        var line = Line()
        line.mostBytes = 20
        #expect(line.take(2, 4, 6).isEmpty)
        #expect(line.turn(1) == ["hole 1-1", "2"] && line.sequencer.heldBytes == 20)
    }

    @Test("megabytes of messages may wait, each behind a hole", .timeLimit(.minutes(1)))
    func manyHoles() {
        var line = Line()
        line.mostBytes = .max
        for number in 1...12_000 { #expect(line.take(2 * number).isEmpty) }
        let given = line.turn(60)
        #expect(given.count == 24_000 && given.suffix(2) == ["hole 23999-23999", "24000"])
        #expect(!line.sequencer.isWaiting)
    }

    @Test("an epoch begins when the one before it is complete, or has been waited for")
    func epochs() {
        var line = Line()
        #expect(line.take(1, 2, at: 0) == ["1", "2"])
        #expect(line.take(2, of: second, at: 1).isEmpty)
        #expect(line.take(1, of: second, former: (first, 3), at: 2).isEmpty)
        #expect(line.take(3, at: 3) == ["3", "1", "2"])
        #expect(line.take(4, at: 4) == ["late 4"])
        #expect(line.take(1, of: third, former: (second, 5), at: 5).isEmpty)
        #expect(line.turn(64).isEmpty && line.turn(65) == ["hole 3-5", "1"])
    }

    @Test("a recording is continued after what it has; what is older than the beginning is late")
    func continued() {
        var line = Line()
        line.sequencer.resume("location", first, after: 7)
        #expect(line.take(7) == ["late 7"] && line.take(9).isEmpty && line.take(8) == ["8", "9"])
        var other = Line()
        #expect(other.take(3, first: nil) == ["late 3"] && other.take(5, 4, first: 5) == ["5", "late 4"])
    }
}

@Suite struct TwinSequencerTests {
    @Test("where an epoch ended may be reported only after the next one was begun")
    func lateEnd() {
        var line = Line()
        #expect(line.take(1, at: 0) == ["1"] && line.take(2, of: second, at: 0).isEmpty)
        #expect(line.turn(60) == ["hole 1-1", "2"])
        #expect(line.take(1, of: second, former: (first, 3), isLate: true, at: 70) == ["hole 2-3", "late 1"])
        #expect(line.take(1, of: second, former: (first, 3), isLate: true, at: 70) == ["late 1"], "once")
    }

    @Test("an epoch of which nothing came is a hole")
    func passedOver() {
        var line = Line()
        #expect(line.take(1, at: 0) == ["1"] && line.take(1, of: third, former: (second, 3), at: 0).isEmpty)
        #expect(line.turn(60) == ["hole 1-3", "1"] && line.take(2, of: second, isLate: true, at: 70) == ["late 2"])
    }

    @Test("of two programs with one name the newer one is followed while it speaks, and then the one that goes on")
    func twin() {
        var line = Line()
        #expect(line.take(1, 2, at: 0) == ["1", "2"] && line.take(1, 2, of: second, at: 10).isEmpty)
        #expect(line.take(3, at: 20) == ["3"] && line.take(3, of: second, at: 70).isEmpty)
        #expect(line.turn(80) == ["1", "2", "3"], "after some time it goes over")
        #expect(line.take(4, at: 90) == ["late 4"] && line.take(4, of: second, at: 100) == ["4"])
        #expect(line.take(5, at: 150) == ["late 5"] && line.take(6, isLate: true, at: 170) == ["late 6"])
        #expect(line.take(7, 8, at: 170) == ["hole 4-6", "7", "8"], "the other one is silent")
        #expect(line.take(5, of: second, at: 171).isEmpty && line.turn(231) == ["5"], "and comes back")
        #expect(line.take(2, of: third, at: 1_000).isEmpty && line.take(9, at: 1_001) == ["late 9"])
    }

    @Test("an epoch that states it follows the present one does, also if the clock of the host was set back")
    func clockBack() {
        var line = Line()
        #expect(line.take(1, 2, of: second) == ["1", "2"])
        #expect(line.take(1, of: first, former: (second, 3)).isEmpty && line.take(2, of: first).isEmpty)
        #expect(line.take(3, of: second, isLate: true) == ["3", "1", "2"])
        #expect(line.take(3, of: first) == ["3"] && line.take(1, of: third).isEmpty)
    }
}

@Suite struct HostClocksTests {
    private func clock(_ boot: Int64, _ utc: Int64, _ isSynchronized: Bool? = true, boot identity: Identity = first)
        -> ClockReading
    {
        ClockReading(
            bootID: identity,
            moment: Moment(
                bootNanoseconds: boot * 1_000_000_000, utcMicroseconds: utc * 1_000_000,
                isSynchronized: isSynchronized))
    }

    @Test("UTC is right on both sides of a step, and before the first relation")
    func steps() {
        var clocks = HostClocks()
        clocks.take(clock(200, 5_000), of: first)
        clocks.take(clock(100, 1_000), of: first)
        #expect(clocks.utcMicroseconds(of: 150_000_000_000, in: first) == 1_050_000_000)
        #expect(clocks.utcMicroseconds(of: 250_000_000_000, in: first) == 5_050_000_000)
        #expect(clocks.utcMicroseconds(of: 90_000_000_000, in: first) == 990_000_000)
        #expect(clocks.utcMicroseconds(of: 90, in: second) == nil)
        #expect(!clock(200, 5_000).continues(clock(100, 1_000)) && clock(200, 1_100).continues(clock(100, 1_000)))
        #expect(!clock(200, 1_100).continues(clock(100, 1_000, boot: second)))
    }

    @Test("what was measured before the clock was set gets its time from the relation after it")
    func unset() {
        var clocks = HostClocks()
        clocks.take(clock(10, 0, false), of: first)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: first) == 1_000_000)
        clocks.take(clock(20, 9_000), of: first)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: first) == 8_991_000_000)
    }

    @Test("what was measured before the clock was set is dated also if another epoch of the same boot states it")
    func otherEpoch() {
        var clocks = HostClocks()
        clocks.take(clock(10, 0, false), of: first)
        clocks.take(clock(20, 9_000), of: second)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: first) == 8_991_000_000)
        clocks.take(clock(30, 100, boot: third), of: third)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: first) == 8_991_000_000, "another boot shows nothing")
    }

    @Test("without a reference, a jump forward is the setting of the clock, and one back is not")
    func byHand() {
        var clocks = HostClocks()
        clocks.take(clock(10, 1_000, false), of: first)
        clocks.take(clock(20, 90_000, false), of: first)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: first) == 89_991_000_000)
        clocks.take(clock(30, 2_000, false), of: first)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: first) == 89_991_000_000)
        #expect(clocks.utcMicroseconds(of: 31_000_000_000, in: first) == 2_001_000_000)
    }

    @Test("of a backlog of many boots, the oldest are forgotten, and not the present one, which came before them")
    func manyBoots() {
        var clocks = HostClocks()
        clocks.take(clock(10, 9_000, boot: third), of: third)
        let boots = (1...20).map { Identity(utcMicroseconds: $0 * 1_000, random: (0, 0)) }
        for (index, boot) in boots.enumerated() {
            clocks.take(clock(10, Int64(1_000 + 100 * index), boot: boot), of: boot)
            #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: boot) == Int64(1_001 + 100 * index) * 1_000_000)
        }
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: third) == 9_001_000_000)
        #expect(clocks.utcMicroseconds(of: 11_000_000_000, in: boots[0]) == nil)
    }

    @Test("a hostile host's clocks take bounded memory, and no time traps")
    func hostile() {
        var clocks = HostClocks()
        for number in 0..<10_000 {
            clocks.take(
                clock(Int64(number), 1), of: Identity(utcMicroseconds: Int64(number / 100) * 1_000, random: (0, 0)))
        }
        clocks.take(clock(0, 0, boot: third), of: third)
        #expect(clocks.utcMicroseconds(of: .min, in: third) == Int64.min / 1_000)
        #expect(clocks.utcMicroseconds(of: .max, in: third) != nil)
    }
}
