/// A side of a device: along x its edges, along y its top and bottom, along z its screen and back.
package enum Face: String, CaseIterable, Sendable {
    case right, left, top, bottom, front, back

    /// The one that a direction points out of.
    package init(_ direction: Vector3) {
        let (x, y, z) = (abs(direction.x), abs(direction.y), abs(direction.z))
        self =
            if x >= y, x >= z {
                direction.x > 0 ? .right : .left
            } else if y >= z {
                direction.y > 0 ? .top : .bottom
            } else {
                direction.z > 0 ? .front : .back
            }
    }

    package var direction: Vector3 {
        switch self {
        case .right: Vector3(x: 1, y: 0, z: 0)
        case .left: Vector3(x: -1, y: 0, z: 0)
        case .top: Vector3(x: 0, y: 1, z: 0)
        case .bottom: Vector3(x: 0, y: -1, z: 0)
        case .front: Vector3(x: 0, y: 0, z: 1)
        case .back: Vector3(x: 0, y: 0, z: -1)
        }
    }
}
