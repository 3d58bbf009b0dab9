/// What `doctor` sees of a host: facts without a judgement.
///
/// Nil is what could not be seen.
struct HostView: Equatable {
    /// The socket that was tried, and what became of it.
    var socket: SocketView
    /// Whether it is that of the host's service, and not one that a user named or started.
    var isService = true
    /// What that service is called.
    var name = ServiceName(instance: nil)
    /// Whether there is somebody to ask for the service.
    var manager = ManagerView.answers
    /// The service; nil where nobody tells of it.
    var service: UnitView?
    /// The socket units of the service.
    var listeners: [String: UnitView] = [:]
    /// The user who asks.
    var user = UserView()
    /// What the configuration comes to; nil where the daemon's program is not found.
    var configuration: ConfigurationView?
    /// What the broker says of its resources.
    var resources: [ResourceView] = []
    /// The gpsd that the broker is to use.
    var gpsd: GpsdView?
    var gpsdPlace = PlaceView.here
    /// The iiod that the broker is to use; nil where the sensors are this host's.
    var iiod: IiodView?
    var iiodPlace = PlaceView.here
    /// Whether the kernel has an IIO bus.
    var hasBus = true
    /// The accelerometers of this host.
    var accelerometers: [AccelerometerView] = []
}
