/// Into which parts of a device the magnetic field has pointed: four on each of its faces.
package struct FieldCoverage: Equatable, Sendable {
    /// How many parts of each face.
    package let seen: [Face: Int]

    package static let partsOfFace = 4

    /// The parts of a ball that fields point to from an offset; if that is not known, from the middle between them.
    init(_ fields: [Vector3], around offset: Vector3?) {
        let centre = offset ?? Self.middle(fields)
        let parts = Set(fields.map { Part($0 - centre) })
        seen = Dictionary(grouping: parts, by: \.face).mapValues(\.count)
    }

    /// How much of the ball that is, from 0 to 1.
    package var fraction: Double {
        Double(seen.values.reduce(0, +)) / Double(Face.allCases.count * Self.partsOfFace)
    }

    /// The faces of which less than half was seen.
    package var missing: [Face] { Face.allCases.filter { seen[$0, default: 0] < Self.partsOfFace / 2 } }

    private static func middle(_ fields: [Vector3]) -> Vector3 {
        guard var least = fields.first else { return .zero }
        var most = least
        for field in fields {
            least = Vector3(x: min(least.x, field.x), y: min(least.y, field.y), z: min(least.z, field.z))
            most = Vector3(x: max(most.x, field.x), y: max(most.y, field.y), z: max(most.z, field.z))
        }
        return (least + most) * 0.5
    }

    /// A quarter of a face, by the signs of the other two components.
    private struct Part: Hashable {
        let face: Face
        let isHigh, isNear: Bool

        init(_ direction: Vector3) {
            face = Face(direction)
            switch face {
            case .right, .left: (isHigh, isNear) = (direction.y > 0, direction.z > 0)
            case .top, .bottom: (isHigh, isNear) = (direction.x > 0, direction.z > 0)
            case .front, .back: (isHigh, isNear) = (direction.y > 0, direction.x > 0)
            }
        }
    }
}
