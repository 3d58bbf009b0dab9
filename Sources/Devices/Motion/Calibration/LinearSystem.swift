/// Linear equations as least squares yields them, for a handful of unknowns: symmetric, and positive if something follows
/// of each.
package struct LinearSystem: Sendable {
    /// How many unknowns.
    let count: Int
    /// The matrix, row by row.
    private var matrix: [Double]
    private var right: [Double]

    package init(count: Int) {
        self.count = count
        matrix = Array(repeating: 0, count: count * count)
        right = Array(repeating: 0, count: count)
    }

    /// Takes an observation: so much of each unknown adds up to a value.
    package mutating func observe(_ row: [Double], _ value: Double, weight: Double = 1) {
        assert(row.count == count, "an observation has a coefficient for each unknown")
        for i in 0..<count where row[i] != 0 {
            let weighted = row[i] * weight
            for j in 0..<count { matrix[i * count + j] += weighted * row[j] }
            right[i] += weighted * value
        }
    }

    /// The unknowns, and the inverse of the matrix, by which they are uncertain; nil if something of them does not
    /// follow.
    package func solution() -> (unknowns: [Double], inverse: [Double])? {
        guard let factor = cholesky() else { return nil }
        var inverse = Array(repeating: 0.0, count: count * count)
        for column in 0..<count {
            var unit = Array(repeating: 0.0, count: count)
            unit[column] = 1
            for (row, value) in solve(factor, unit).enumerated() { inverse[row * count + column] = value }
        }
        return (solve(factor, right), inverse)
    }

    /// The lower triangle whose product with its transpose is the matrix; nil if the matrix is not clearly positive.
    private func cholesky() -> [Double]? {
        var factor = matrix
        for i in 0..<count {
            for j in 0...i {
                var sum = matrix[i * count + j]
                for k in 0..<j { sum -= factor[i * count + k] * factor[j * count + k] }
                if i == j {
                    guard sum > Self.rounding * matrix[i * count + i] else { return nil }
                    factor[i * count + i] = sum.squareRoot()
                } else {
                    factor[i * count + j] = sum / factor[j * count + j]
                }
            }
        }
        return factor
    }

    /// What is left of an element if nothing but rounding is.
    private static let rounding = 1e-12

    private func solve(_ factor: [Double], _ right: [Double]) -> [Double] {
        var values = right
        for i in 0..<count {
            for k in 0..<i { values[i] -= factor[i * count + k] * values[k] }
            values[i] /= factor[i * count + i]
        }
        for i in (0..<count).reversed() {
            for k in (i + 1)..<count { values[i] -= factor[k * count + i] * values[k] }
            values[i] /= factor[i * count + i]
        }
        return values
    }
}
