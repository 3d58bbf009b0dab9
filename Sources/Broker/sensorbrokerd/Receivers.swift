internal import Devices
internal import Gpsd
internal import Platform
internal import Readings

/// The receivers of one gpsd: the best one, and each one if there are several.
struct Receivers: Sendable {
    private let claim: Claim<GpsdAddress>
    private let locks: HardwareLocks
    private let arrivals: ResourceArrivals

    init(_ claim: Claim<GpsdAddress>, _ locks: HardwareLocks, _ arrivals: ResourceArrivals) {
        self.claim = claim
        self.locks = locks
        self.arrivals = arrivals
    }

    /// Starts the thread of the receiver at a path, or of the best one.
    func start(_ receiver: String? = nil, on channel: DeviceChannel) throws(SystemError) {
        let share = claim.share()
        // Different seeds, so that they do not retry at the same time.
        try DeviceThread.start(name: "gpsd", channel: channel, seed: .random(in: .min ... .max)) {
            GpsdDevice(share.renew(), receiver: receiver, found: announce) { (address) throws(DeviceFault) in
                let endpoints = try address.resolved()
                try locks.admit(endpoints.map(Hardware.gpsd), to: share)
                return endpoints
            }
        }
    }

    @Sendable private func announce(_ path: String) {
        guard let name = ResourceName.location(ofReceiver: path) else { return }
        let origin = ResourceArrival.Origin.device { (channel) throws(SystemError) in try start(path, on: channel) }
        arrivals.put(.arrival(ResourceArrival(name, Quantity(.location), from: origin)))
    }
}
