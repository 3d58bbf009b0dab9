internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// What devices say: samples to their lanes, what else they tell to who is concerned.
extension Broker {
    func deviceSpoke(_ index: Int, _ now: BootTime) {
        let resource = resources[index]
        resource.channel.take(into: &events)
        tellReturn(index, now)
        // Clients are not heard meanwhile: only another profile gives them other lanes.
        var isGathering = resource.core.isGathering
        var unsent = 0
        for event in events {
            switch event {
            case .sample(let sample):
                resource.core.accept(sample, now: now)
                resource.didTake(sample.timestamp)
                serveReads(resource, sample, now)
                unsent += 1
                if unsent == Grant.readingsPerReply {
                    fanOut(resource, now)
                    unsent = 0
                } else if isGathering {
                    // Batches that end within one handover go out one by one, each no longer than was granted.
                    fanOut(resource, now, onlyGathering: true)
                }
            case .gap(let gap), .missing(let gap, _): resource.core.accept(gap)
            case .profile(let profile):
                accept(profile, index, now)
                isGathering = resource.core.isGathering
            case .opened:
                fanOut(resource, now)
                resource.core.deviceOpened()
                writeDueTimes(of: resource)
                for derivation in derivations(from: index) { derivation.restart() }
            case .replaced:
                fanOut(resource, now)
                resource.core.deviceReplaced()
            case .state(let state):
                resource.reported = state
                accept(state, index, now)
            case .failed(let reason):
                failReads(resource, reason, now)
                for derivation in derivations(from: index) { derivation.channel.send(.failed(reason: reason)) }
            }
        }
        fanOut(resource, now)
        endRound(resource)
        if !pendingReleases.isEmpty { finishReleases(now) }
    }

    private func accept(_ profile: DeviceProfile, _ index: Int, _ now: BootTime) {
        let resource = resources[index]
        let former = resource.core.deviceIntervalNanoseconds
        guard resource.core.accept(profile) else { return }
        fanOut(resource, now)
        regrant(index)
        regrantDerivations(from: index, now)
        settle(resource, now)
        announce(index, withGrants: resource.core.deviceIntervalNanoseconds != former, now)
    }

    func accept(_ state: ResourceState, _ index: Int, _ now: BootTime) {
        let resource = resources[index]
        if state != resource.core.state { finishAnnouncements(of: index, now) }
        guard resource.core.accept(state) else { return }
        fanOut(resource, now)
        for derivation in derivations(from: index) { derivation.follow(state) }
        if resource.derivation != nil {
            // Its source has been spoken of.
        } else if case .unavailable(let reason) = state {
            resource.isMissed = true
            server.log.write(
                .device(resource.core.name), .warning, "\(resource.core.name) is unavailable: \(reason)",
                .resourceUnavailable, [.resource: "\(resource.core.name)", .reason: reason], now: now)
        } else if resource.isMissed, state == .active || state == .idle {
            resource.isMissed = false
            server.log.write(
                .device(resource.core.name), .notice, "\(resource.core.name) is available again", .resourceAvailable,
                [.resource: "\(resource.core.name)"], now: now)
        }
        announce(index, now)
    }

    /// Tells the device's thread what its clients need now, if that has changed.
    func settle(_ resource: ServedResource, _ now: BootTime) {
        let wasWanted = resource.core.demand != nil
        guard resource.core.settle(now: now) else { return }
        if let caller = server.acting, (resource.core.demand != nil) != wasWanted { lists.blame(caller) }
        if let derivation = resource.derivation { return followDemand(derivation, now) }
        resource.channel.setDemand(resource.core.demand)
        if resource.core.demand != nil { scheduleHangCheck(now) }
    }
}
