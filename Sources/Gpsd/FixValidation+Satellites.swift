internal import Readings

extension FixValidation {
    /// Systems by gpsd's numbers for them, which are u-blox's.
    private static let systems: [Satellite.System] = [.gps, .sbas, .galileo, .beidou, .imes, .qzss, .glonass, .navic]
    /// gpsd says -1 where the receiver says nothing, and no receiver comes near the other end.
    private static let signals = 0.0...254.0

    /// What of a satellite can be true.
    ///
    /// Without a number within its system, gpsd does not know the system either.
    static func satellite(
        prn: Int, systemIndex: Int, systemNumber: Int, isUsed: Bool, elevation: Double, azimuth: Double, signal: Double
    ) -> Satellite {
        var satellite = Satellite(prn: prn, isUsed: isUsed)
        if systemNumber > 0, systems.indices.contains(systemIndex) {
            satellite.system = systems[systemIndex]
            satellite.systemNumber = systemNumber
        }
        satellite.elevationDegrees = within(-90...90, elevation)
        satellite.azimuthDegrees = direction(azimuth)
        satellite.signalDecibelHertz = within(signals, signal)
        return satellite
    }
}
