public import SensorBroker

extension Location {
    /// A location at a position, with what a test needs of the rest.
    public init(
        latitudeDegrees: Double, longitudeDegrees: Double, horizontalErrorMeters: Double? = 3,
        speedMetersPerSecond: Double? = nil
    ) {
        self.init(fix: .threeDimensional)
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
        self.horizontalErrorMeters = horizontalErrorMeters
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}
