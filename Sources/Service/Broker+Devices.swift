internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// What devices say: samples to the lanes of their kind, what else they tell to all whom it concerns.
extension Broker {
    func deviceSpoke(_ device: ServedDevice, _ now: BootTime) {
        device.channel.take(into: &events)
        tellReturn(device, now)
        // Clients are not heard meanwhile: only another profile gives them other lanes.
        var isGathering = device.isGathering
        var unsent = 0
        for event in events {
            switch event {
            case .sample(let sample):
                guard let resource = taker(of: sample, device, now) else { continue }
                device.core.accept(sample, for: resource.owned, now: now)
                serveReads(resource, sample, now)
                unsent += 1
                if unsent == Grant.readingsPerReply {
                    fanOut(device, now)
                    unsent = 0
                } else if isGathering {
                    // Batches that end within one handover go out one by one, each no longer than was granted.
                    fanOut(resource, now, onlyGathering: true)
                }
            case .gap(let gap): for resource in device.core.losers { resource.core.accept(gap) }
            case .missing(let gap, let kind): device.core.taker(of: kind)?.core.accept(gap)
            case .profile(let profile):
                accept(profile, device, now)
                isGathering = device.isGathering
            case .opened:
                fanOut(device, now)
                device.core.opened()
                for place in device.places {
                    writeDueTimes(of: resources[place])
                    for derivation in derivations(from: place) { derivation.restart() }
                }
            case .replaced:
                fanOut(device, now)
                for resource in device.core.resources { resource.core.deviceReplaced() }
            case .state(let state):
                device.core.reported = state
                tellStates(of: device, now)
            case .failed(let reason):
                for place in device.places {
                    failReads(resources[place], reason, now)
                    for derivation in derivations(from: place) { derivation.fail(reason) }
                }
            }
        }
        fanOut(device, now)
        for place in device.places { endRound(resources[place]) }
        finishReleases(now)
    }

    /// The resource that takes a sample, which says that it is active before it has any reading; nil: the sample is for nobody.
    private func taker(of sample: Sample, _ device: ServedDevice, _ now: BootTime) -> ServedResource? {
        guard let owned = device.core.taker(of: sample.measurement.kind) else { return nil }
        if owned.isAwaitingFirst {
            owned.isAwaitingFirst = false
            tellStates(of: device, now)
        }
        return resources[owned.place]
    }

    /// Sends what the lanes of all its resources have to say.
    private func fanOut(_ device: ServedDevice, _ now: BootTime) {
        for resource in device.core.resources { fanOut(resources[resource.place], now) }
    }

    private func accept(_ profile: DeviceProfile, _ device: ServedDevice, _ now: BootTime) {
        guard device.core.accept(profile) else { return }
        var hasNewInterval: [Int: Bool] = [:]
        for place in device.places {
            let resource = resources[place]
            let former = resource.core.deviceIntervalNanoseconds
            guard resource.core.accept(profile) else { continue }
            hasNewInterval[place] = resource.core.deviceIntervalNanoseconds != former
            fanOut(resource, now)
            regrant(place)
            regrantDerivations(from: place, now)
        }
        settle(device, now)
        for place in device.places {
            if let isNew = hasNewInterval[place] { announce(place, withGrants: isNew, now) }
        }
        tellStates(of: device, now)
    }

    /// Tells how each of a device's resources is doing, where that is news.
    func tellStates(of device: ServedDevice, _ now: BootTime) {
        for resource in device.core.resources {
            let state = device.core.state(of: resource)
            if state != resource.core.state { accept(state, resources[resource.place], now) }
        }
    }

    private func accept(_ state: ResourceState, _ resource: ServedResource, _ now: BootTime) {
        finishAnnouncements(of: resource.index, now)
        guard resource.core.accept(state) else { return }
        fanOut(resource, now)
        for derivation in derivations(from: resource.index) { derivation.follow(state) }
        if resource.device.isJournaled { write(state, of: resource, now) }
        announce(resource.index, now)
    }

    private func write(_ state: ResourceState, of resource: ServedResource, _ now: BootTime) {
        let name = resource.core.name
        if case .unavailable(let reason) = state {
            resource.isMissed = true
            server.log.write(
                .device(name), .warning, "\(name) is unavailable: \(reason)", .resourceUnavailable,
                [.resource: "\(name)", .reason: reason], now: now)
        } else if resource.isMissed, state == .active || state == .idle {
            resource.isMissed = false
            server.log.write(
                .device(name), .notice, "\(name) is available again", .resourceAvailable, [.resource: "\(name)"],
                now: now)
        }
    }

    /// Tells a device what all who ask for its resources need now, if that has changed, and them how its resources are doing.
    func settle(_ device: ServedDevice, _ now: BootTime) {
        let wanted = device.core.wantedCount
        let isChanged = device.core.settle(now: now)
        if let caller = server.acting, device.core.wantedCount != wanted { listWatchers.blame(caller) }
        if isChanged {
            device.follow(now)
            if device.core.demand != nil { hangWatch.begin(now) }
        }
        if device.core.resources.count > 1 { tellStates(of: device, now) }
    }
}
