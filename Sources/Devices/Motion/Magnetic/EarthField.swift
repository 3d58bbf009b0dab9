/// The Earth's field at a place, in microtesla along north, east and down, and how far a compass may trust it.
package struct EarthField: Equatable, Sendable {
    package let north, east, down: Double
    /// How long the model that it is from has been out of date.
    package let yearsPastEnd: Double

    /// What its makers state of the declination: an error everywhere, one that a horizontal field resists, in degrees
    /// and degrees times microtesla, and what we expect of each year past the model's end.
    private static let errorDegrees = 0.26
    private static let errorOfField = 5.417
    private static let errorOfYear = 0.2
    /// In a weaker horizontal field, no compass is to be used, say the model's makers: the blackout zone around the
    /// magnetic poles.
    private static let leastHorizontal = 2.0

    var horizontal: Double { (north * north + east * east).squareRoot() }

    /// What a filter compares a magnetometer with.
    package var shape: FieldShape { FieldShape(horizontal: horizontal, downward: down) }

    /// How far magnetic north is east of true north.
    package var declinationDegrees: Double { arctangent(east, north) * 180 / .pi }

    /// How far the field points below the horizon.
    package var dipDegrees: Double { arctangent(down, horizontal) * 180 / .pi }

    /// The declination's error: one standard deviation.
    package var declinationErrorDegrees: Double {
        let ofField = Self.errorOfField / horizontal
        return (Self.errorDegrees * Self.errorDegrees + ofField * ofField).squareRoot()
            + Self.errorOfYear * yearsPastEnd
    }

    /// Whether a compass may be used there at all.
    package var bearsCompass: Bool { horizontal >= Self.leastHorizontal }
}
