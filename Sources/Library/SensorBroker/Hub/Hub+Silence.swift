/// Silence: what is known of a resource is not called live if no reading has come for longer than its interval explains.
///
/// The stream goes on, and is given up only later (`doubt`): a busy host may be late, and one that slept could not receive
/// anything.
extension Hub {
    /// The state of a resource, as far as this program can know it; nil if it was never known.
    func state(of resource: ResourceName) -> ResourceState? {
        guard let known = resources[resource]?.state else {
            return absence(of: resource).map { .unavailable(reason: "\($0)") }
        }
        if let error = link.error { return .stale(reason: "\(error)") }
        let concerned = channels.values.filter { $0.request.resource == resource }
        if let silent = concerned.first(where: \.silence.isSilent) { return .stale(reason: Self.reason(silent)) }
        // A program that has too many requests may have one that is carried out beside one that is refused.
        if concerned.contains(where: \.isInterrupted), !concerned.contains(where: { $0.grant != nil }) {
            let fault = concerned.lazy.compactMap(\.fault).first
            return .stale(reason: fault.map { "\($0)" } ?? "its stream is interrupted, and is being renewed")
        }
        return known
    }

    /// Why nothing is known of a resource; nil: it has not been asked for, or not been answered yet.
    private func absence(of resource: ResourceName) -> SensorError? {
        if let error = link.error { return error }
        if resources.isAbsent(resource) { return .noSuchResource(resource) }
        return channels.values.lazy.filter { $0.request.resource == resource }.compactMap(\.fault).first
    }

    /// Why a listener gets nothing; nil if it does, or is about to.
    func failure(of listener: ListenerID) -> SensorError? {
        if let stopped = listeners.stopped(listener) { return stopped.error }
        guard let channel = listeners.channel(of: listener).flatMap({ channels[$0] }), channel.grant == nil else {
            return nil
        }
        return channel.fault
    }

    /// Why the listeners of a resource get nothing, of those that do not.
    func failures(of resource: ResourceName) -> [ListenerID: SensorError] {
        var failures = listeners.allStopped.filter { $0.value.request.resource == resource }.mapValues(\.error)
        for channel in channels.values where channel.request.resource == resource && channel.grant == nil {
            guard let fault = channel.fault else { continue }
            for listener in channel.listeners { failures[listener] = fault }
        }
        return failures
    }

    /// When some channel may count as silent if nothing comes; nil: none will.
    ///
    /// There may be a thousand channels, and this is asked after each reading: a reading only puts the time off.
    var silenceDeadline: BootTime? {
        mutating get {
            if case .at(let instant) = silenceCheck { return instant }
            let instant = channels.values.reduce(nil) { BootTime.earlier($0, silentAt($1)) }
            silenceCheck = .at(instant)
            return instant
        }
    }

    /// Tells the listeners of channels that have been silent for too long.
    mutating func noteSilence(_ now: BootTime) {
        guard let deadline = silenceDeadline, now >= deadline else { return }
        silenceCheck = .unknown
        for (id, channel) in channels {
            guard let instant = silentAt(channel), now >= instant else { continue }
            channels[id]?.silence.setSilent()
            if !channel.listeners.isEmpty {
                actions.append(.send(channel.listeners.sorted(), .state(.stale(reason: Self.reason(channel)))))
            }
        }
    }

    /// Notes a reading of a channel; after a silence, its listeners are told that the resource delivers again.
    mutating func breakSilence(_ id: ChannelID, _ measured: Measured, _ now: BootTime) {
        guard let channel = channels[id] else { return }
        channels[id]?.silence.didReceive(measured.timestamp, now: now)
        if case .at(let instant) = silenceCheck, let next = channels[id].flatMap({ silentAt($0) }) {
            silenceCheck = .at(BootTime.earlier(instant, next))
        }
        guard channel.silence.isSilent, let state = resources[measured.resource]?.state else { return }
        if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), .state(state))) }
    }

    /// Nil if the channel is silent already, or if its silence would mean nothing: the broker knows why nothing comes, or a
    /// reading comes only after a change.
    private func silentAt(_ channel: Channel) -> BootTime? {
        let resource = channel.request.resource
        guard !channel.silence.isSilent, let grant = channel.grant, resources[resource]?.state == .active,
            (channel.request.minimumChange ?? 0) == 0, resources.kind(of: resource)?.row.reporting == .continuous
        else { return nil }
        return channel.silence.ends(after: grant)
    }

    private static func reason(_ channel: Channel) -> String {
        let interval = channel.grant.map { ", although one is due every \($0.interval)" } ?? ""
        return "no reading has come for a while\(interval); perhaps the broker is stopped"
    }
}

/// When to look for silent channels.
enum SilenceCheck: Equatable {
    /// It has to be worked out.
    case unknown
    /// Not before this; nil: never.
    case at(BootTime?)
}
