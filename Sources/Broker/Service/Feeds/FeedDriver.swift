internal import Devices
internal import Readings

/// What a fed device and its driver share: the offer of the program that provides it now, and how it learns what is wanted.
final class FeedLink {
    /// What the program offers; nil: no program provides the device.
    var offer: FeedOffer?
    /// One of its names that no program may provide any more; nil: there is none.
    var forbidden: ResourceName?
    /// The shortest interval of samples that are taken.
    var shortestNanoseconds: Int64 = 1
    /// Sends the program what is wanted; nil: nothing.
    var want: (Demand?) -> Void = { _ in }
    /// What was wanted last.
    private(set) var demand: Demand?

    fileprivate func follow(_ demand: Demand?) {
        guard demand != self.demand else { return }
        self.demand = demand
        want(demand)
    }
}

/// A program as a device: it is there while the program is connected, and open while it is asked for samples.
///
/// It reads no samples: they arrive in the loop, which puts them into the intake (`FedDevice`).
struct FeedDriver: DeviceDriver, ~Copyable {
    private let link: FeedLink
    private let identity: String

    /// The device that programs provide through a link; calibrations are kept for this identity.
    init(_ link: FeedLink, identity: String) { (self.link, self.identity) = (link, identity) }

    var readiness: Readiness { .at(BootTime(nanoseconds: .max)) }

    mutating func probe() throws(DeviceFault) -> DeviceProfile { try profile(for: nil) }

    mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        let profile = try profile(for: demand)
        link.follow(demand)
        return profile
    }

    mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        try open(demand)
    }

    /// What it offers may have changed.
    mutating func read(into intake: inout Intake) throws(DeviceFault) { intake.append(try profile(for: link.demand)) }

    mutating func close() { link.follow(nil) }

    private func profile(for demand: Demand?) throws(DeviceFault) -> DeviceProfile {
        guard let offer = link.offer else {
            let section = link.forbidden.map { "the configuration has no section [Feed \($0)] any more" }
            throw DeviceFault(.missing, section ?? "no program provides it at present; see sensorctl feed")
        }
        let own = offer.ownNanoseconds
        var profile = DeviceProfile(
            offered: offer.intervals ?? .fixed(shortestNanoseconds: own ?? link.shortestNanoseconds),
            intervalNanoseconds: demand.flatMap { offer.interval(for: $0.intervalNanoseconds) ?? own },
            description: offer.description, simulated: offer.isSimulated)
        profile.restNanoseconds = offer.restNanoseconds
        profile.identity = identity
        return profile
    }
}
