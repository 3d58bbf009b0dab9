internal import Glibc
internal import Motion
internal import Platform
internal import Readings
internal import Synchronization

/// The satellites above a simulated receiver, and the dilutions of precision that follow from where they stand.
///
/// They are of four systems, spread over the sky, and drift slowly. The highest are used, as long as there are so many. Each
/// value depends on the seed and the time alone. What is seen changes every half minute, and is worked out once for all of it.
final class MockSky: Sendable {
    private static let systems: [(system: Satellite.System, firstPRN: Int, count: UInt64)] = [
        (.gps, 1, 32), (.galileo, 301, 30), (.glonass, 65, 24), (.beidou, 401, 37),
    ]
    private static let lowestDegrees = 5.0
    /// A satellite of GPS passes the same place every sidereal day, and goes round twice in it.
    private static let turnSeconds = 43_082.0

    private struct View {
        let halfMinute: Double
        let used, visible: Int
        let satellites: [Satellite]
        let dilutions: Dilutions
    }

    private let seed: UInt64
    private let latest = Mutex<View?>(nil)

    init(seed: UInt64) { self.seed = seed }

    /// Sets satellites, of which so many are used and in view, and the dilutions.
    func put(into location: inout Location, used: Int, visible: Int, atSeconds seconds: Double) {
        let view = view(used: used, of: visible, halfMinute: (seconds / 30).rounded(.down))
        location.satellites = view.satellites
        (location.satellitesUsed, location.satellitesVisible) = (used, visible)
        view.dilutions.put(into: &location)
    }

    private func view(used: Int, of visible: Int, halfMinute: Double) -> View {
        latest.withLock { latest in
            if let latest, latest.halfMinute == halfMinute, latest.used == used, latest.visible == visible {
                return latest
            }
            var satellites = (0..<visible).map { satellite($0, of: visible, halfMinute) }
            for index in satellites.indices { satellites[index].isUsed = index < used }
            let view = View(
                halfMinute: halfMinute, used: used, visible: visible, satellites: satellites,
                dilutions: Dilutions(of: satellites))
            latest = view
            return view
        }
    }

    /// Leaves so many of the used satellites, the highest ones, with the dilutions that follow from that.
    static func keep(_ count: Int, in location: inout Location) {
        location.satellitesUsed = count
        guard var satellites = location.satellites else { return }
        var left = count
        for index in satellites.indices where satellites[index].isUsed {
            left -= 1
            if left < 0 { satellites[index].isUsed = false }
        }
        location.satellites = satellites
        Dilutions(of: satellites).put(into: &location)
    }

    /// The first one is near the zenith, and each further one lower.
    private func satellite(_ index: Int, of visible: Int, _ halfMinute: Double) -> Satellite {
        let (system, firstPRN, count) = Self.systems[index % Self.systems.count]
        let first = SplitMix64.number(at: UInt64(index % Self.systems.count), seed: ~seed)
        let number = (first % count + UInt64(index / Self.systems.count)) % count
        var satellite = Satellite(prn: firstPRN + Int(number), isUsed: false)
        (satellite.system, satellite.systemNumber) = (system, Int(number) + 1)
        let lowest = sin(Self.lowestDegrees * .pi / 180)
        let height = 1 - (Double(index) + 0.5) / Double(visible) * (1 - lowest)
        satellite.elevationDegrees = (asin(height) * 180 / .pi).rounded()
        // By the golden angle, so that any number of them is spread evenly.
        let turns = Double(index) * 0.381_966 + halfMinute * 30 / Self.turnSeconds + Double(seed % 360) / 360
        satellite.azimuthDegrees = ((turns - turns.rounded(.down)) * 360).rounded(.down)
        let draw = UInt64(bitPattern: Int64(exactly: halfMinute) ?? 0) &* 64 &+ UInt64(index)
        satellite.signalDecibelHertz = (24 + 20 * height + 4 * Noise.fraction(draw, seed: seed)).rounded()
        return satellite
    }
}

/// Dilutions of precision: how much errors of the ranges to satellites become errors of a position.
struct Dilutions {
    private let horizontal, vertical, position: Double?

    /// Those of the satellites that are used; unknown if there is no solution.
    init(of satellites: [Satellite]) {
        let directions = satellites.filter { $0.isUsed }.map { satellite in
            let elevation = (satellite.elevationDegrees ?? 0) * .pi / 180
            let azimuth = (satellite.azimuthDegrees ?? 0) * .pi / 180
            return SIMD4(cos(elevation) * sin(azimuth), cos(elevation) * cos(azimuth), sin(elevation), 1)
        }
        let variances = Self.variances(of: directions)
        func root(_ sum: Double?) -> Double? { sum.map { ($0.squareRoot() * 100).rounded() / 100 } }
        horizontal = root(variances.map { $0.x + $0.y })
        vertical = root(variances.map(\.z))
        position = root(variances.map { $0.x + $0.y + $0.z })
    }

    func put(into location: inout Location) {
        location.horizontalDilution = horizontal
        location.verticalDilution = vertical
        location.positionDilution = position
    }

    /// The variances to the east, the north, up and of the clock if each range has a variance of 1; nil with fewer than
    /// four satellites, or if they stand so that there is no solution.
    ///
    /// Each satellite has its direction, to the east, the north and up, and a 1 for the clock.
    static func variances(of directions: [SIMD4<Double>]) -> SIMD4<Double>? {
        guard directions.count >= 4 else { return nil }
        var ranges = LinearSystem(count: 4)
        for direction in directions { ranges.observe([direction.x, direction.y, direction.z, direction.w], 0) }
        return ranges.solution().map { SIMD4($0.inverse[0], $0.inverse[5], $0.inverse[10], $0.inverse[15]) }
    }
}
