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
