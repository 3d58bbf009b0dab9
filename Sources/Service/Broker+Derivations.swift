internal import Delivery
internal import Devices
public import Platform
public import Readings

/// Resources that are made out of others.
extension Broker {
    /// Serves the orientation of the device that an accelerometer is in, where there is such a resource.
    public func addOrientation(of name: ResourceName, isSimulated: Bool) throws(SystemError) {
        guard let source = index(of: name) else { return }
        let place = derivations.count
        let channel = try DeviceChannel()
        let device = ServedDevice(derivedOn: channel, isSimulated: isSimulated) { [unowned self] demand, now in
            follow(isWanted: demand != nil, derivations[place], now)
        }
        try add(.orientation, .orientation, Derivation(from: source, at: place, as: device))
        device.channel.send(
            .profile(
                DeviceProfile(
                    offered: .fixed(shortestNanoseconds: Derivation.intervalNanoseconds), intervalNanoseconds: nil,
                    description: "from \(name)", simulated: isSimulated)))
        device.channel.send(.state(.idle))
    }

    /// Somebody has come to ask for a derived resource, or nobody does any more.
    private func follow(isWanted: Bool, _ derivation: Derivation, _ now: BootTime) {
        guard isWanted != (derivation.grant != nil) else { return }
        let source = resources[derivation.source]
        if isWanted {
            derivation.restart()
            join(derivation, source.owned, now)
        } else {
            leave(derivation, source.owned, now)
        }
        derivation.follow(source.core.state)
        settle(source.device, now)
    }

    /// The source can do other than was believed.
    func regrantDerivations(from source: OwnedResource, _ now: BootTime) {
        for derivation in catalog.derivations(from: source.place) {
            guard let grant = derivation.grant, grant != Self.grant(within: source.core.limits) else {
                continue
            }
            leave(derivation, source, now)
            join(derivation, source, now)
        }
    }

    private func join(_ derivation: Derivation, _ source: OwnedResource, _ now: BootTime) {
        let grant = Self.grant(within: source.core.limits)
        derivation.grant = grant
        source.join(derivation.client, grant, inheriting: nil, to: sink, now: now)
    }

    private func leave(_ derivation: Derivation, _ source: OwnedResource, _ now: BootTime) {
        derivation.grant = nil
        _ = source.leave(derivation.client, to: sink, now: now)
    }

    private static func grant(within limits: IntervalLimits) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = Derivation.intervalNanoseconds
        return Grant(request, within: limits)
    }
}
