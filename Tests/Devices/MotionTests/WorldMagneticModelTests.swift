import Glibc
import Motion
import Testing

@Suite struct WorldMagneticModelTests {
    /// A row of the values that the model's makers publish to test programs with.
    struct Row: Sendable {
        let year, height, latitude, longitude, north, east, down, dip, declination: Double

        init(_ numbers: [Double]) {
            (year, height, latitude, longitude) = (numbers[0], numbers[1], numbers[2], numbers[3])
            (north, east, down, dip, declination) = (numbers[4], numbers[5], numbers[6], numbers[7], numbers[8])
        }
    }

    /// Year, height in kilometres, latitude, longitude; north, east and down in nanotesla, dip and declination in
    /// degrees.
    static let rows = [
        [2025.0, 0, 80, 0, 6521.6, 145.9, 54791.5, 83.21, 1.28],
        [2025.0, 0, 0, 120, 39677.8, -109.6, -10580.2, -14.93, -0.16],
        [2025.0, 0, -80, 240, 6117.5, 15751.9, -52022.5, -72.00, 68.78],
        [2025.0, 100, 80, 0, 6216.0, 92.4, 52598.8, 83.26, 0.85],
        [2025.0, 100, 0, 120, 37688.6, -96.2, -10152.1, -15.08, -0.15],
        [2025.0, 100, -80, 240, 5907.6, 14780.3, -49540.7, -72.19, 68.21],
        [2027.5, 0, 80, 0, 6500.8, 294.5, 54869.4, 83.24, 2.59],
        [2027.5, 0, 0, 120, 39701.6, -167.4, -10381.8, -14.65, -0.24],
        [2027.5, 0, -80, 240, 6200.7, 15730.3, -51783.7, -71.92, 68.49],
        [2027.5, 100, 80, 0, 6196.7, 233.8, 52670.5, 83.29, 2.16],
        [2027.5, 100, 0, 120, 37711.5, -148.7, -9969.8, -14.81, -0.23],
        [2027.5, 100, -80, 240, 5984.0, 14760.1, -49317.7, -72.10, 67.93],
    ].map(Row.init)

    @Test("the test values of the model's makers", arguments: rows)
    func published(row: Row) throws {
        let place = WorldMagneticModel.Place(
            latitudeDegrees: row.latitude, longitudeDegrees: row.longitude, heightMeters: row.height * 1_000)
        let field = try #require(WorldMagneticModel.field(at: place, year: row.year))
        #expect(abs(field.north * 1_000 - row.north) < 0.06)
        #expect(abs(field.east * 1_000 - row.east) < 0.06)
        #expect(abs(field.down * 1_000 - row.down) < 0.06)
        #expect(abs(atan2(field.down, field.shape.horizontal) * 180 / .pi - row.dip) < 0.006)
        #expect(abs(field.declinationDegrees - row.declination) < 0.006)
    }

    @Test("poles, and places that are none")
    func places() throws {
        for latitude in [90.0, -90.0] {
            let field = try #require(
                WorldMagneticModel.field(at: .init(latitudeDegrees: latitude, longitudeDegrees: 0), year: 2026))
            #expect(abs(field.down) > 50 && field.down.isFinite)
        }
        let pole = WorldMagneticModel.Place(latitudeDegrees: 85.8, longitudeDegrees: 139)
        #expect(!(try #require(WorldMagneticModel.field(at: pole, year: 2025)).bearsCompass))
        for (latitude, longitude, height) in [
            (90.1, 0.0, 0.0), (.nan, 0, 0), (0, .infinity, 0), (0, 0, 1e9), (0, 0, .nan),
        ] {
            let place = WorldMagneticModel.Place(
                latitudeDegrees: latitude, longitudeDegrees: longitude, heightMeters: height)
            #expect(WorldMagneticModel.field(at: place, year: 2026) == nil)
        }
    }

    @Test("before 2025 a clock is not set; the model is used for ten years after its end")
    func time() throws {
        let berlin = WorldMagneticModel.Place(latitudeDegrees: 52.52, longitudeDegrees: 13.4)
        #expect(WorldMagneticModel.field(at: berlin, year: 1970) == nil)
        #expect(WorldMagneticModel.field(at: berlin, year: .nan) == nil)
        #expect(WorldMagneticModel.field(at: berlin, year: 2050) == nil)
        #expect(abs(WorldMagneticModel.year(unixSeconds: 1_735_689_600 + 365.25 * 86_400) - 2026) < 1e-9)
        let now = try #require(WorldMagneticModel.field(at: berlin, year: 2026.9))
        #expect(abs(now.declinationDegrees - 5.20) < 0.01)
        #expect(WorldMagneticModel.field(at: berlin, year: 2032) != nil)
        #expect(WorldMagneticModel.years.upperBound == 2030)
    }
}
