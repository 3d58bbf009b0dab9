/// What a magnetometer shows of the device itself, from its readings while the device is turned in the field of a place.
package struct MagnetometerFit: Sendable {
    /// The newest directions' fields.
    private var fields: [Vector3] = []
    private var next = 0
    private var begun: Direction?

    private static let mostFields = 600
    private static let leastFields = 20
    /// The field's direction is a new one if it has moved by a chord of ten degrees, in microtesla.
    private static let chord = 8.0
    /// The least spread of the directions, in parts of the strength, from which a sphere or an ellipsoid follows.
    private static let sphereSpread = 0.1
    private static let ellipsoidSpread = 0.2
    /// More is no field that a device could be in, beside a magnet of its own.
    private static let mostField = 5_000.0

    package init() {}

    /// Takes a field as the magnetometer shows it, in microtesla; returns whether its direction is a new one.
    ///
    /// Those of one direction count as their mean, however long the device keeps to it.
    @discardableResult
    package mutating func take(_ field: Vector3) -> Bool {
        guard field.isWithin(Self.mostField) else { return false }
        if let begun, (field - begun.first).lengthSquared < Self.chord * Self.chord {
            self.begun?.sum += field
            self.begun?.count += 1
            return false
        }
        if let begun { keep(begun.sum * (1 / begun.count)) }
        begun = Direction(first: field, sum: field, count: 1)
        return true
    }

    /// The fields of one direction.
    private struct Direction {
        let first: Vector3
        var sum: Vector3
        var count: Double
    }

    private mutating func keep(_ field: Vector3) {
        if fields.count < Self.mostFields {
            fields.append(field)
        } else {
            fields[next] = field
            next = (next + 1) % Self.mostFields
        }
    }

    /// The directions that were seen.
    package func coverage() -> FieldCoverage {
        let offset = fields.count < Self.leastFields ? nil : FieldShell(sphere: fields)?.offset
        return FieldCoverage(fields, around: offset)
    }

    /// What follows from the fields so far.
    package func fitted() throws(MagnetometerDoubt) -> FittedField {
        guard fields.count >= Self.leastFields, let sphere = FieldShell(sphere: fields) else { throw .directions }
        let spread = leastSpread / sphere.strength
        guard spread >= Self.sphereSpread else { throw .directions }
        let ellipsoid = spread < Self.ellipsoidSpread ? nil : FieldShell(ellipsoid: fields, near: sphere)
        let fitted = FittedField(ellipsoid ?? sphere, isEllipsoid: ellipsoid != nil)
        if let doubt = fitted.doubt { throw doubt }
        return fitted
    }

    /// How far the fields are from their mean, in the direction in which that is least: one standard deviation.
    private var leastSpread: Double {
        let part = 1 / Double(fields.count)
        var mean = Vector3.zero
        for field in fields { mean += field * part }
        var covariance = Matrix3(diagonal: .zero)
        for field in fields {
            let apart = field - mean
            covariance.x += apart * (apart.x * part)
            covariance.y += apart * (apart.y * part)
            covariance.z += apart * (apart.z * part)
        }
        return max(0, PrincipalAxes(covariance).least).squareRoot()
    }
}

/// Why nothing follows from the fields of a magnetometer.
package enum MagnetometerDoubt: Error, Equatable, Sendable {
    /// They point in too few directions.
    case directions
    /// They have a strength, in microtesla, that the Earth's field has nowhere.
    case strength(Double)
    /// Their ellipsoid is too long or too flat.
    case distorted
    /// Their lengths differ by so great a part of their strength: something near disturbs them.
    case residual(Double)
}
