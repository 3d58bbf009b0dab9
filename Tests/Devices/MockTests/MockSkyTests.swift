import Readings
import Testing

@testable import Mock

@Suite struct MockSkyTests {
    private static func sky(used: Int, visible: Int, seed: UInt64 = 1, seconds: Double = 0) -> Location {
        var location = Location(fix: .threeDimensional)
        MockSky(seed: seed).put(into: &location, used: used, visible: visible, atSeconds: seconds)
        return location
    }

    @Test(
        "any number of satellites is possible, distinct, and used as far as it is configured",
        arguments: [0, 1, 4, 12, 40, 64])
    func numbers(visible: Int) throws {
        for seed in UInt64(0)..<20 {
            for used in Set([0, visible / 2, visible]) {
                let location = Self.sky(used: used, visible: visible, seed: seed, seconds: Double(seed) * 4_000)
                let satellites = try #require(location.satellites)
                #expect(satellites.count == visible && satellites.count(where: \.isUsed) == used)
                #expect((location.satellitesUsed, location.satellitesVisible) == (used, visible))
                #expect(satellites.compactMap(\.possible) == satellites)
                #expect(Set(satellites.map(\.prn)).count == visible)
                #expect((location.horizontalDilution == nil) == (used < 4))
            }
        }
    }

    @Test("what is seen does not depend on what was seen before")
    func remembered() {
        let sky = MockSky(seed: 1)
        let looks = [(8, 12, 0.0), (8, 12, 29), (7, 12, 29), (8, 13, 29), (8, 12, 31), (8, 12, 0)]
        for (used, visible, seconds) in looks {
            var location = Location(fix: .threeDimensional)
            sky.put(into: &location, used: used, visible: visible, atSeconds: seconds)
            #expect(location == Self.sky(used: used, visible: visible, seconds: seconds))
        }
    }

    @Test("dilutions are those of the geometry, and belong together")
    func dilutions() throws {
        // One at the zenith and three at the horizon, 120° apart.
        let (half, root) = (0.5, 0.75.squareRoot())
        let variances = try #require(
            Dilutions.variances(of: [
                SIMD4(0, 0, 1, 1), SIMD4(0, 1, 0, 1), SIMD4(root, -half, 0, 1), SIMD4(-root, -half, 0, 1),
            ]))
        #expect(abs(variances.x - 2 / 3) < 1e-9 && abs(variances.y - 2 / 3) < 1e-9)
        #expect(abs(variances.z - 4 / 3) < 1e-9 && abs(variances.w - 1 / 3) < 1e-9)
        #expect(Dilutions.variances(of: Array(repeating: SIMD4(0, 0, 1, 1), count: 6)) == nil)
        for seed in UInt64(0)..<50 {
            let location = Self.sky(used: 9, visible: 12, seed: seed)
            let horizontal = try #require(location.horizontalDilution)
            let vertical = try #require(location.verticalDilution)
            let position = try #require(location.positionDilution)
            #expect(abs(position * position - horizontal * horizontal - vertical * vertical) < 0.1)
            #expect((0.5...3).contains(horizontal) && (0.5...5).contains(vertical))
        }
    }

    @Test("the sky drifts, and is the same for the same time")
    func drift() {
        #expect(Self.sky(used: 9, visible: 12) == Self.sky(used: 9, visible: 12))
        #expect(Self.sky(used: 9, visible: 12) == Self.sky(used: 9, visible: 12, seconds: 29))
        #expect(Self.sky(used: 9, visible: 12) != Self.sky(used: 9, visible: 12, seconds: 3_600))
    }
}
