internal import Admission
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
    /// Where the sensors are, and how they are mounted.
    var sensors = SensorOptions()
    /// What is set for each kind that devices measure.
    private var kinds = Dictionary(
        uniqueKeysWithValues: Kind.all.filter(\.row.hasDevice).map { ($0, KindSettings()) })
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
        AccessPolicy(readers: kinds.compactMapValues { $0.groups?.groupIDs }, fastReaders: fastGroups.groupIDs)
    }

    /// What is set for resources of a kind.
    subscript(kind: Kind) -> KindSettings {
        get { kinds[kind] ?? KindSettings() }
        set { kinds[kind] = newValue }
    }

    /// What the broker is to do with the resources of each kind.
    var policies: [(kind: Kind, policy: ResourcePolicy)] {
        Kind.all.compactMap { kind in kinds[kind].map { (kind, $0.policy) } }
    }

    /// The same, but where the command line says otherwise: it wins.
    func overridden(by arguments: Arguments) -> Self {
        var settings = self
        if arguments.isSimulated { (settings.gpsd, settings.sensors) = (Self().gpsd, Self().sensors) }
        if arguments.replay != nil {
            // Kept open for nobody, it would play to nobody.
            for kind in kinds.keys { settings[kind].warmGrace = TimeSpan(nanoseconds: 0) }
        }
        settings.gpsd = arguments.gpsd ?? settings.gpsd
        settings.sensors.address = arguments.iio ?? settings.sensors.address
        return settings
    }
}
