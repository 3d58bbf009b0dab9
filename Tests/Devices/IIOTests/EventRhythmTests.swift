import Testing

@testable import IIO

@Suite("The rhythm of a sensor that reports changes") struct EventRhythmTests {
    private let second: Int64 = 1_000_000_000
    private let interval: Int64 = 200_000_000

    @Test("is one reading in five seconds if nothing is reported")
    func quiet() {
        var rhythm = EventRhythm(due: 0)
        var times: [Int64] = []
        while rhythm.due < 60 * second {
            times.append(rhythm.due)
            let isTrusted = rhythm.read(at: rhythm.due, hasChanged: times.count == 1 ? nil : false)
            #expect(isTrusted)
        }
        #expect(times == (0..<12).map { $0 * 5 * second })
    }

    @Test("is a reading at once after a report, but never more than one an interval", arguments: [1, 7, 150, 1_300])
    func storm(milliseconds: Int64) {
        var rhythm = EventRhythm(due: 0)
        _ = rhythm.read(at: 0, hasChanged: nil)
        var readings: [Int64] = [0]
        for now in stride(from: milliseconds * 1_000_000, to: 20 * second, by: Int(milliseconds * 1_000_000)) {
            rhythm.reported(at: now, notBefore: readings[readings.count - 1] + interval)
            #expect(rhythm.isReported && rhythm.due <= max(now, readings[readings.count - 1] + interval))
            guard now >= rhythm.due else { continue }
            readings.append(now)
            let isTrusted = rhythm.read(at: now, hasChanged: true)
            #expect(isTrusted && !rhythm.isReported && rhythm.due == now + 5 * second)
        }
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $1 - $0 >= interval })
        #expect(readings.count > 10)
    }

    @Test("is given up after five reports that were wrong, or changes without a report", arguments: [false, true])
    func disagreement(hasChanged: Bool) {
        var rhythm = EventRhythm(due: 0)
        var now: Int64 = 0
        var answers: [Bool] = []
        for _ in 0..<5 {
            now += second
            if !hasChanged { rhythm.reported(at: now, notBefore: now) }
            answers.append(rhythm.read(at: now, hasChanged: hasChanged))
        }
        #expect(answers == [true, true, true, true, false])
    }

    @Test("is trusted again after a report that was right; a quiet reading proves nothing")
    func trust() {
        var rhythm = EventRhythm(due: 0)
        for turn in 0..<100 {
            for _ in 0..<4 {
                let isTrusted = rhythm.read(at: Int64(turn) * second, hasChanged: true)
                #expect(isTrusted)
            }
            _ = rhythm.read(at: Int64(turn) * second, hasChanged: false)
            rhythm.reported(at: Int64(turn) * second, notBefore: 0)
            let isTrusted = rhythm.read(at: Int64(turn) * second, hasChanged: true)
            #expect(isTrusted)
        }
    }
}
