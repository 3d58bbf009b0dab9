/// What is known of a device's sensors before the filter begins.
package struct MotionCalibration: Sendable {
    /// The gyroscope's bias, as it was learnt before.
    package var bias = GyroscopeBias()
    /// How far the accelerometer's axes are off, in metres per second squared: one standard deviation.
    ///
    /// Chips that nobody calibrated differ by some hundredths of gravity.
    package var accelerometerOffset = 0.2
    /// Whether the magnetometer shows the field of the place, and not that of the device.
    ///
    /// Else its samples show nothing of north.
    package var magnetometerIsCalibrated = false
    /// The Earth's field where the device is, if that is known.
    package var field: FieldShape?

    package init() {}
}
