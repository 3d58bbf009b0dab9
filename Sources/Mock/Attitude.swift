internal import Glibc

/// How a thing is turned: the matrix that takes axes of the world to the thing's own.
struct Attitude: Equatable, Sendable {
    private let rows: [SIMD3<Double>]

    /// As it lies: its axes are the world's, and its screen is up.
    static let upright = Attitude(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [SIMD3<Double>]) { self.rows = rows }

    /// Turned about one of its own axes, right-handed.
    init(about axis: Motion.Axis, degrees: Double) {
        // Quarters are exact, so that what is upright reads no gravity along its other axes.
        let quarters = degrees / 90
        let exact = Int(exactly: quarters.rounded()).map { (($0 % 4) + 4) % 4 }
        let isQuarter = quarters == quarters.rounded()
        let c = isQuarter ? [1.0, 0, -1, 0][exact ?? 0] : cos(degrees * .pi / 180)
        let s = isQuarter ? [0.0, 1, 0, -1][exact ?? 0] : sin(degrees * .pi / 180)
        switch axis {
        case .x: rows = [[1, 0, 0], [0, c, s], [0, -s, c]]
        case .y: rows = [[c, 0, -s], [0, 1, 0], [s, 0, c]]
        case .z: rows = [[c, s, 0], [-s, c, 0], [0, 0, 1]]
        }
    }

    /// Turned by this after having been turned by that.
    func after(_ former: Attitude) -> Attitude {
        Attitude(
            rows: rows.map { row in former.rows[0] * row.x + former.rows[1] * row.y + former.rows[2] * row.z })
    }

    /// A vector of the world along the thing's axes.
    func applied(to vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
    }
}
