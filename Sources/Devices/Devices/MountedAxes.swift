public import Readings

/// Turns the vectors that a chip's driver reports into vectors along the axes of the device.
///
/// The device's axes are Android's: x to the right, y to the top edge, z out of the screen; at rest, the axis that
/// points up reads +9.81.
///
/// A mount matrix M does not hold all of this. The existing matrices were found by watching iio-sensor-proxy, which
/// takes the top edge to be up if the second number of M·raw is -g, and the right edge if the first one is. So
/// Android's x and y are the first two numbers of -M·raw. Nobody has watched the third: three of four matrices in
/// udev's hardware database are reflections. But the chip's axes and the device's are both right-handed, so one leads
/// to the other by a rotation R, whose third row follows from the first two. With d for the determinant of M, 1 or -1:
///
/// - A chip reports the force f that holds it up. R·f must be (-x', -y', …) of M·f, so R = diag(-1, -1, d)·M, whose
///   determinant is 1.
/// - A HID sensor reports the pull of gravity, -f, as Windows wants it. R·f must be (-x', -y', …) of M·(-f), so
///   R = diag(1, 1, d)·M. Without a matrix, M is 1, and so is R.
/// - How any other chip without a matrix is mounted is unknown: its vectors stay along its own axes.
///
/// Gravity and linear acceleration are parts of f. An angular velocity is right-handed about the axes of its chip, in a
/// HID sensor as well, and a rotation turns it like any vector. (A reflection would not: it makes det(M)·M·ω of it, in
/// a left-handed frame.) So R turns all vectors of one chip, and they are in one frame. Only those whose opposite a HID
/// sensor reports are turned by -R.
public struct MountedAxes: Equatable, Sendable {
    /// Whose axes the vectors follow.
    public let axes: DeviceProfile.Axes
    /// R; nil if it changes nothing.
    private let rotation: MountMatrix?
    private let isHID: Bool

    private static let opposites: KindSet = [.acceleration, .gravity, .linearAcceleration]

    /// For a chip with this mount matrix, nil for none; `isHID`: whether its driver is one for HID sensors.
    public init(_ matrix: MountMatrix?, isHID: Bool = false) {
        self.isHID = isHID
        axes = matrix == nil && !isHID ? .chip : .device
        let upright: Double = isHID ? 1 : -1
        let rotation = matrix.map { $0.scaled(rows: [upright, upright, $0.isReflection ? -1 : 1]) }
        self.rotation = rotation == .identity ? nil : rotation
    }

    /// Whether vectors of a kind need no change: they follow these axes as reported.
    public func leaves(_ kind: Kind) -> Bool { rotation == nil && !isOpposite(kind) }

    /// A vector of a kind, turned to these axes.
    public func applied(to vector: SIMD3<Double>, of kind: Kind) -> SIMD3<Double> {
        let value = isOpposite(kind) ? -vector : vector
        // A zero has no sign.
        return (rotation?.applied(to: value) ?? value) + SIMD3(repeating: 0)
    }

    /// HID sensors report the opposite of gravity and of all accelerations.
    private func isOpposite(_ kind: Kind) -> Bool { isHID && Self.opposites.contains(kind) }
}
