public import Readings

/// From what a chip's driver reports to vectors along the axes of the device.
///
/// Those are Android's: x to the right, y to the top edge, z out of the screen; at rest, the axis that points up reads +9.81.
///
/// A mount matrix M does not say all of it. Those that there are were found by watching iio-sensor-proxy, which sees the top edge
/// up where the second number of M·raw is -g, and the right edge where the first one is. So Android's x and y are the first two
/// numbers of -M·raw. Nobody has watched the third: three of four matrices in udev's hardware database are reflections. But a
/// chip's axes are right-handed, and so are the device's: what leads from one to the other is a rotation R, whose third row
/// follows from the first two. With d for the determinant of M, 1 or -1:
///
/// - A chip reports the force f that holds it up. R·f is to be (-x', -y', …) of M·f, so R = diag(-1, -1, d)·M, whose
///   determinant is 1.
/// - A HID sensor reports the pull of gravity, -f, as Windows wants it. R·f is to be (-x', -y', …) of M·(-f), so
///   R = diag(1, 1, d)·M. Where there is no matrix M is 1, and so is R.
/// - Of another chip without a matrix nobody knows how it is mounted: its vectors stay along its own axes.
///
/// Gravity and linear acceleration are parts of f. An angular velocity is right-handed about the axes of its chip, in a HID sensor as well, and a rotation turns it as it turns
/// any vector. (A reflection would not: it makes det(M)·M·ω of it, in a left-handed frame.) So R turns all vectors of one chip,
/// and they are in one frame. Only what HID sensors report the opposite of is turned by -R.
public struct MountedAxes: Equatable, Sendable {
    /// Whose axes the vectors are along.
    public let axes: DeviceProfile.Axes
    /// R; nil where it changes nothing.
    private let rotation: MountMatrix?
    private let isHID: Bool

    private static let opposites: KindSet = [.acceleration, .gravity, .linearAcceleration]

    /// Of a chip with this mount matrix, nil for none, whose driver is that of HID sensors or another one.
    public init(_ matrix: MountMatrix?, isHID: Bool = false) {
        self.isHID = isHID
        axes = matrix == nil && !isHID ? .chip : .device
        let upright: Double = isHID ? 1 : -1
        let rotation = matrix.map { $0.scaled(rows: [upright, upright, $0.isReflection ? -1 : 1]) }
        self.rotation = rotation == .identity ? nil : rotation
    }

    /// Whether vectors of a kind are along these axes as they are reported.
    public func leaves(_ kind: Kind) -> Bool { rotation == nil && !isOpposite(kind) }

    /// What a vector of a kind is, along these axes.
    public func applied(to vector: SIMD3<Double>, of kind: Kind) -> SIMD3<Double> {
        let value = isOpposite(kind) ? -vector : vector
        // A zero has no sign.
        return (rotation?.applied(to: value) ?? value) + SIMD3(repeating: 0)
    }

    /// Of what gravity is a part of, HID sensors report the opposite.
    private func isOpposite(_ kind: Kind) -> Bool { isHID && Self.opposites.contains(kind) }
}
