internal import Configuration
internal import Delivery
internal import Gpsd
internal import IIO
internal import Readings
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
    /// How many connections there may be.
    var connections = Limits.connections
    /// How many subscriptions there may be.
    var subscriptions = Limits.subscriptions
    /// Who may read faster than is usual.
    var fastGroups = GroupList.usual()

    /// Who may read what.
    var access: AccessPolicy {
        var readers: [ResourceKind: Set<UInt32>] = [:]
        readers[.location] = location.groups?.groupIDs
        readers[.acceleration] = acceleration.groups?.groupIDs
        return AccessPolicy(readers: readers, fastReaders: fastGroups.groupIDs)
    }

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
