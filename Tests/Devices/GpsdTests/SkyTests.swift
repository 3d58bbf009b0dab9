import Readings
import Testing

@testable import Gpsd

/// The skies of one cycle, in the orders in which gpsd sends them.
@Suite struct SkyTests {
    private static let gps = seen(.gps, 1...8, used: 5)
    private static let glonass = seen(.glonass, 1...4, used: 3)
    private static let galileo = seen(.galileo, 1...2, used: 0)
    private static let beidou = seen(.beidou, 1...6, used: 6)

    private static func seen(_ system: Satellite.System, _ numbers: ClosedRange<Int>, used: Int) -> [Satellite] {
        numbers.enumerated().map { index, number in
            var satellite = Satellite(prn: firstPRN(system) + number, isUsed: index < used)
            (satellite.system, satellite.systemNumber) = (system, number)
            return satellite
        }
    }

    private static func firstPRN(_ system: Satellite.System) -> Int {
        switch system {
        case .glonass: 64
        case .galileo: 300
        case .beidou: 400
        default: 0
        }
    }

    /// Satellites used and in view in each reading, the first two left out: until then not all skies have come.
    private static func counts(_ stream: EpochStream) -> [[Int?]] {
        stream.readings.dropFirst(2).map { [$0.location.satellitesUsed, $0.location.satellitesVisible] }
    }

    @Test("a fix between the skies of two groups has the satellites of both", arguments: [0, 10, 500, 900] as [Int64])
    func groups(offset: Int64) {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.report(at: second * 1000, second: Double(second))
            stream.sky(at: second * 1000 + 5 + offset, Self.gps + Self.glonass)
            stream.sky(at: second * 1000 + 8 + offset, Self.galileo)
        }
        stream.run(until: 21_000)
        #expect(Self.counts(stream) == Array(repeating: [8, 14], count: 18))
        #expect(stream.readings.last?.location.satellites == Self.gps + Self.glonass + Self.galileo)
    }

    @Test("a fix between the two groups has both", arguments: [3, 100, 400] as [Int64])
    func between(pause: Int64) {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.sky(at: second * 1000, Self.gps)
            stream.report(at: second * 1000 + pause, second: Double(second))
            stream.sky(at: second * 1000 + 2 * pause, Self.glonass)
        }
        stream.run(until: 21_000)
        #expect(Self.counts(stream) == Array(repeating: [8, 12], count: 18))
    }

    @Test("skies that grow within a cycle are one, wherever the fixes are", arguments: [50, 150, 250] as [Int64])
    func growing(offset: Int64) {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            // The first one comes before gpsd knows all that are used.
            stream.sky(at: second * 1000, Self.seen(.gps, 1...8, used: 2))
            stream.sky(at: second * 1000 + 100, Self.gps + Self.glonass)
            stream.sky(at: second * 1000 + 200, Self.gps + Self.glonass + Self.beidou)
            stream.report(at: second * 1000 + offset, second: Double(second))
        }
        stream.run(until: 21_000)
        #expect(Self.counts(stream) == Array(repeating: [14, 18], count: 18))
    }

    @Test("skies of one system that grow are one as well", arguments: [50, 150] as [Int64])
    func growingSystem(offset: Int64) {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.sky(at: second * 1000, Self.seen(.gps, 1...17, used: 13))
            stream.sky(at: second * 1000 + 100, Self.seen(.gps, 1...30, used: 26))
            stream.report(at: second * 1000 + offset, second: Double(second))
        }
        stream.run(until: 21_000)
        #expect(Self.counts(stream) == Array(repeating: [26, 30], count: 18))
    }

    @Test("most satellites that are lost at once are gone one sky later")
    func tunnel() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.sky(at: second * 1000, second < 10 ? Self.gps : [])
            stream.report(at: second * 1000 + 100, second: Double(second))
        }
        stream.run(until: 21_000)
        let visible = stream.readings.map(\.location.satellitesVisible)
        #expect(visible.prefix(9) == Array(repeating: 8, count: 9)[...])
        #expect(visible.suffix(8) == Array(repeating: 0, count: 8)[...])
    }

    @Test("signals of two bands are one satellite, in one sky or in two")
    func bands() {
        var (first, second) = (EpochStream(), EpochStream())
        var strong = Self.gps[0]
        strong.signalDecibelHertz = 40
        var weak = strong
        weak.signalDecibelHertz = 30
        let others = Array(Self.gps.dropFirst())
        for time in Int64(0)..<20 {
            first.sky(at: time * 1000, [strong] + others + [weak] + others.prefix(3))
            first.report(at: time * 1000 + 50, second: Double(time))
            second.sky(at: time * 1000, [strong] + others)
            second.sky(at: time * 1000 + 40, [weak] + others.prefix(3))
            second.report(at: time * 1000 + 50, second: Double(time))
        }
        for stream in [first, second] {
            var stream = stream
            stream.run(until: 21_000)
            #expect(Self.counts(stream) == Array(repeating: [5, 8], count: 18))
            #expect(stream.readings.allSatisfy { $0.location.satellites?.count == 8 })
        }
        #expect(first.readings.last?.location.satellites?.first?.signalDecibelHertz == 40)
    }

    @Test("satellites of unknown systems are distinguished by their numbers, and their groups as well")
    func numbersOnly() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.sky(at: second * 1000, [1, 2, 3, 2].map { Satellite(prn: $0, isUsed: $0 == 2) })
            stream.report(at: second * 1000 + 1, second: Double(second))
            stream.sky(at: second * 1000 + 2, [65, 66].map { Satellite(prn: $0, isUsed: true) })
        }
        stream.run(until: 21_000)
        #expect(Self.counts(stream) == Array(repeating: [3, 5], count: 18))
    }

    @Test("a satellite that is no longer used is not, from the next sky on")
    func unused() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.sky(at: second * 1000, second < 10 ? Self.gps : Self.seen(.gps, 1...8, used: 3))
            stream.report(at: second * 1000 + 100, second: Double(second))
        }
        stream.run(until: 21_000)
        let used = stream.readings.map(\.location.satellitesUsed)
        #expect(used.prefix(9) == Array(repeating: 5, count: 9)[...])
        #expect(used.suffix(10) == Array(repeating: 3, count: 10)[...])
    }

    @Test("a satellite that set is gone with the next sky, and a system with the one after it")
    func setting() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            let gps = second < 10 ? Self.gps : Array(Self.gps.prefix(6))
            let sky = second < 15 ? gps + Self.galileo : gps
            stream.sky(at: second * 1000, sky)
            stream.report(at: second * 1000 + 100, second: Double(second))
        }
        stream.run(until: 21_000)
        let visible = stream.readings.map(\.location.satellitesVisible)
        #expect(visible.prefix(9) == Array(repeating: 10, count: 9)[...])
        #expect(visible[10..<15] == Array(repeating: 8, count: 5)[...])
        #expect(visible[16..<20] == Array(repeating: 6, count: 4)[...])
    }

    @Test("skies every five seconds hold between fixes, from the second one on")
    func seldom() {
        var stream = EpochStream()
        for second in Int64(0)..<30 {
            stream.report(at: second * 1000, second: Double(second))
            if second % 5 == 0 {
                stream.sky(at: second * 1000 + 20, second < 20 ? Self.gps : Array(Self.gps.prefix(6)))
                stream.sky(at: second * 1000 + 40, Self.glonass)
            }
        }
        stream.run(until: 31_000)
        let counts = stream.readings.map(\.location.satellitesVisible)
        #expect(counts[2...20].allSatisfy { $0 == 12 })
        #expect(counts[21...].allSatisfy { $0 == 10 })
    }

    @Test("dilutions stay when a sky of the cycle has none, and end with the cycle")
    func dilutions() {
        var stream = EpochStream()
        for second in Int64(0)..<10 {
            stream.sky(at: second * 1000, Self.gps, horizontalDilution: second < 5 ? 0.8 : nil)
            stream.sky(at: second * 1000 + 20, Self.galileo)
            stream.report(at: second * 1000 + 100, second: Double(second))
        }
        stream.run(until: 11_000)
        let dilutions = stream.readings.map(\.location.horizontalDilution)
        #expect(dilutions.prefix(5) == Array(repeating: 0.8, count: 5)[...])
        #expect(dilutions.suffix(4) == Array(repeating: nil, count: 4)[...])
    }
}
