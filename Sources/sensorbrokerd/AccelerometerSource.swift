internal import IIO

/// Where the accelerometers are, and how they are mounted.
struct AccelerometerSource: Equatable, Sendable {
    /// Their IIO context.
    var address = IIOAddress.local
    /// What turns the chip's axes into the device's; nil: what the system says.
    var mountMatrix: MountMatrix?
}
