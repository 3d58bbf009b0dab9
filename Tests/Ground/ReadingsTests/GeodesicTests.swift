import Testing

import SensorValues

@Suite("Distances on the ellipsoid") struct GeodesicTests {
    /// Made with the inverse geodesic of GeographicLib.
    static let pairs: [(from: (Double, Double), to: (Double, Double), meters: Double, within: Double)] = [
        ((0, 0), (0, 1), 111_319.491, 0.5),
        ((0, 0), (1, 0), 110_574.389, 0.5),
        ((45, 7), (45, 7.000_01), 0.788_468, 0.000_01),
        ((45, 7), (45.000_01, 7), 1.111_318, 0.000_01),
        ((48.137, 11.575), (52.52, 13.405), 504_612.7, 20),
    ]

    @Test("agree with known distances", arguments: pairs)
    func known(pair: (from: (Double, Double), to: (Double, Double), meters: Double, within: Double)) {
        let meters = Geodesic.meters(
            latitudeDegrees: pair.from.0, longitudeDegrees: pair.from.1, toLatitudeDegrees: pair.to.0,
            longitudeDegrees: pair.to.1)
        #expect(abs(meters - pair.meters) < pair.within)
    }

    @Test("are 0 for one point, and finite at the poles and the antipodes")
    func edges() {
        #expect(
            Geodesic.meters(latitudeDegrees: 5, longitudeDegrees: 5, toLatitudeDegrees: 5, longitudeDegrees: 5) == 0)
        for (latitude, longitude) in [(90.0, 0.0), (-90, 180), (0, 180), (-5, -175)] {
            let meters = Geodesic.meters(
                latitudeDegrees: 5, longitudeDegrees: 5, toLatitudeDegrees: latitude, longitudeDegrees: longitude)
            #expect(meters.isFinite && meters > 1_000_000 && meters < 20_100_000)
        }
    }
}
