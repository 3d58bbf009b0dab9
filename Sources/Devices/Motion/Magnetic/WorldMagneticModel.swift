/// The Earth's magnetic field at a place and a time, by the World Magnetic Model of 2025.
///
/// It is a series of spherical harmonics to degree 12, in Schmidt's normalization, that changes with time along a
/// straight line. What rocks, houses and the Sun add is not in it: that is the error that its makers state.
package enum WorldMagneticModel {
    /// The years for which its makers answer; the end is that of 2029.
    package static let years = 2025.0..<2030.0

    /// A place, as receivers of satellites report it.
    package struct Place: Equatable, Sendable {
        package var latitudeDegrees, longitudeDegrees: Double
        /// Above the ellipsoid.
        package var heightMeters: Double

        package init(latitudeDegrees: Double, longitudeDegrees: Double, heightMeters: Double = 0) {
            self.latitudeDegrees = latitudeDegrees
            self.longitudeDegrees = longitudeDegrees
            self.heightMeters = heightMeters
        }

        var isPossible: Bool {
            abs(latitudeDegrees) <= 90 && abs(longitudeDegrees) <= 360 && heightMeters > -20_000
                && heightMeters < 1_000_000
        }
    }

    /// The year, with its part that is over, of a number of seconds since 1970.
    package static func year(unixSeconds: Double) -> Double {
        let epochSeconds = 1_735_689_600.0
        return years.lowerBound + (unixSeconds - epochSeconds) / (365.25 * 86_400)
    }

    /// The field; nil before 2025, when a clock is not set, for impossible places, and long after the model's end.
    package static func field(at place: Place, year: Double) -> EarthField? {
        guard place.isPossible, year >= years.lowerBound, year < years.upperBound + 10 else { return nil }
        let spot = Geocentric(place)
        var sums = Sums(spot, yearsSinceEpoch: year - years.lowerBound)
        for order in 0...Sums.degrees { sums.add(order) }
        let tilt = spot.latitude - place.latitudeDegrees * .pi / 180
        return EarthField(
            north: (sums.north * tilt.cosine - sums.down * tilt.sine) / 1_000,
            east: sums.east / 1_000,
            down: (sums.north * tilt.sine + sums.down * tilt.cosine) / 1_000)
    }
}

/// The Earth's field at a place, in microtesla along north, east and down, and whether a compass may trust it.
package struct EarthField: Equatable, Sendable {
    package let north, east, down: Double

    /// In a weaker horizontal field, no compass is to be used, say the model's makers: the blackout zone around the
    /// magnetic poles.
    private static let leastHorizontal = 2.0

    var horizontal: Double { (north * north + east * east).squareRoot() }

    /// What a filter compares a magnetometer with.
    package var shape: FieldShape { FieldShape(horizontal: horizontal, downward: down) }

    /// How far magnetic north is east of true north.
    package var declinationDegrees: Double { arctangent(east, north) * 180 / .pi }

    /// Whether a compass may be used there at all.
    package var bearsCompass: Bool { horizontal >= Self.leastHorizontal }
}

/// A place by its distance from the Earth's centre.
private struct Geocentric {
    /// In parts of the model's radius.
    let inverseRadius: Double
    let latitude, longitude: Double

    /// The ellipsoid of WGS 84, and the model's sphere, in metres.
    private static let major = 6_378_137.0
    private static let minor = 6_356_752.314_245
    private static let sphere = 6_371_200.0
    /// East has no direction at a pole; so near to it nothing else differs.
    private static let mostLatitude = 89.999

    init(_ place: WorldMagneticModel.Place) {
        let degrees = max(-Self.mostLatitude, min(Self.mostLatitude, place.latitudeDegrees))
        let sine = (degrees * Double.pi / 180).sine
        let cosine = (degrees * Double.pi / 180).cosine
        let flat = Self.minor * Self.minor / (Self.major * Self.major)
        let curvature = Self.major / (cosine * cosine + flat * sine * sine).squareRoot()
        let across = (curvature + place.heightMeters) * cosine
        let along = (curvature * flat + place.heightMeters) * sine
        inverseRadius = Self.sphere / (across * across + along * along).squareRoot()
        latitude = arctangent(along, across)
        longitude = place.longitudeDegrees * .pi / 180
    }
}

/// The sums of the series, order by order: so two values of Legendre's functions are enough at any time.
private struct Sums {
    static let degrees = 12

    private(set) var north = 0.0
    private(set) var east = 0.0
    private(set) var down = 0.0

    private let spot: Geocentric
    private let years: Double
    private let sine, cosine: Double
    /// That of equal degree and order, and its derivative by the latitude.
    private var sectoral = Legendre(value: 1, slope: 0)
    /// The inverse radius, to the power of order + 2.
    private var power: Double

    private struct Legendre {
        var value, slope: Double
    }

    init(_ spot: Geocentric, yearsSinceEpoch years: Double) {
        self.spot = spot
        self.years = years
        sine = spot.latitude.sine
        cosine = spot.latitude.cosine
        power = spot.inverseRadius * spot.inverseRadius
    }

    /// Adds all degrees of an order; orders come one by one.
    mutating func add(_ order: Int) {
        let m = Double(order)
        if order > 0 {
            let factor = order == 1 ? 1 : ((2 * m - 1) / (2 * m)).squareRoot()
            sectoral = Legendre(
                value: factor * cosine * sectoral.value,
                slope: factor * (cosine * sectoral.slope - sine * sectoral.value))
            power *= spot.inverseRadius
        }
        var before = Legendre(value: 0, slope: 0)
        var newest = sectoral
        var power = power
        for degree in order...Self.degrees {
            let n = Double(degree)
            if degree > order {
                let back = ((n - 1) * (n - 1) - m * m).squareRoot()
                let next = Legendre(
                    value: (2 * n - 1) * sine * newest.value - back * before.value,
                    slope: (2 * n - 1) * (cosine * newest.value + sine * newest.slope) - back * before.slope)
                let scale = 1 / (n * n - m * m).squareRoot()
                before = newest
                newest = Legendre(value: next.value * scale, slope: next.slope * scale)
                power *= spot.inverseRadius
            }
            if degree > 0 { add(degree, order, newest, power) }
        }
    }

    private mutating func add(_ degree: Int, _ order: Int, _ legendre: Legendre, _ power: Double) {
        let row = WorldMagneticModel.coefficients[degree * (degree + 1) / 2 + order - 1]
        let ofCosine = row.x + row.z * years
        let ofSine = row.y + row.w * years
        let angle = Double(order) * spot.longitude
        let along = power * (ofCosine * angle.cosine + ofSine * angle.sine)
        let across = power * (ofCosine * angle.sine - ofSine * angle.cosine)
        north -= along * legendre.slope
        east += Double(order) * across * legendre.value / cosine
        down -= Double(degree + 1) * along * legendre.value
    }
}
