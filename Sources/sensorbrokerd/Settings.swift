internal import Configuration
internal import Delivery
internal import Gpsd
internal import IIO
internal import Service

/// Everything that a configuration file can set, valid as a whole; what no file sets is as here.
struct Settings: Equatable, Sendable {
    /// Where gpsd listens.
    var gpsd = GpsdAddress.localhost
    /// Resources that measure a location.
    var location = KindSettings()
    /// Where the accelerometers are, and how they are mounted.
    var accelerometers = AccelerometerOptions()
    /// Resources that measure an acceleration.
    var acceleration = KindSettings()
    /// How long a client may read nothing while there is something for it.
    var stuckTimeout = TimeSpan(nanoseconds: Limits.stuckNanoseconds)

    /// The same, but where the command line says otherwise: it wins.
    func overridden(by arguments: Arguments) -> Self {
        var settings = self
        if arguments.isSimulated { (settings.gpsd, settings.accelerometers) = (Self().gpsd, Self().accelerometers) }
        if arguments.replay != nil {
            // Kept open for nobody, it would play to nobody.
            settings.location.warmGrace = TimeSpan(nanoseconds: 0)
            settings.acceleration.warmGrace = TimeSpan(nanoseconds: 0)
        }
        settings.gpsd = arguments.gpsd ?? settings.gpsd
        settings.accelerometers.address = arguments.iio ?? settings.accelerometers.address
        return settings
    }
}
