/// By how much a symmetric matrix stretches along the axes along which it only stretches: by Jacobi's rotations.
struct PrincipalAxes: Sendable {
    let least, most: Double

    init(_ symmetric: Matrix3) {
        var rows = symmetric.rows
        for _ in 0..<Self.sweeps {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] where rows[3 * p + q] != 0 {
                let ratio = (rows[4 * q] - rows[4 * p]) / (2 * rows[3 * p + q])
                let tangent = (ratio < 0 ? -1 : 1) / (abs(ratio) + (1 + ratio * ratio).squareRoot())
                let cosine = 1 / (1 + tangent * tangent).squareRoot()
                let sine = tangent * cosine
                func turn(_ i: Int, _ j: Int) {
                    let (a, b) = (rows[i], rows[j])
                    rows[i] = cosine * a - sine * b
                    rows[j] = sine * a + cosine * b
                }
                for k in 0..<3 { turn(3 * k + p, 3 * k + q) }
                for k in 0..<3 { turn(3 * p + k, 3 * q + k) }
            }
        }
        least = min(rows[0], rows[4], rows[8])
        most = max(rows[0], rows[4], rows[8])
    }

    /// They converge quadratically: for three rows, five are enough.
    private static let sweeps = 6
}
