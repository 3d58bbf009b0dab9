internal import Readings

extension FixValidation {
    /// Systems by gpsd's numbers for them, which are u-blox's.
    private static let systems: [Satellite.System] = [.gps, .sbas, .galileo, .beidou, .imes, .qzss, .glonass, .navic]

    /// What of a satellite can be true; nil where its number is none that satellites have.
    ///
    /// Without a number within its system, gpsd does not know the system either.
    static func satellite(
        prn: Int, systemIndex: Int, systemNumber: Int, isUsed: Bool, elevation: Double, azimuth: Double, signal: Double
    ) -> Satellite? {
        var satellite = Satellite(prn: prn, isUsed: isUsed)
        if systemNumber > 0, systems.indices.contains(systemIndex) {
            satellite.system = systems[systemIndex]
            satellite.systemNumber = systemNumber
        }
        satellite.elevationDegrees = elevation
        satellite.azimuthDegrees = azimuth == 360 ? 0 : azimuth
        satellite.signalDecibelHertz = signal
        return satellite.possible
    }
}
