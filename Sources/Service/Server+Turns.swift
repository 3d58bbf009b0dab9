internal import Platform
internal import Readings

/// What the loop found ready is dealt with in this order: devices and whatever else it waits for, each time, and then clients,
/// as many as there is time for.
///
/// What a client can have done costs a microsecond or a thousand of them: a call may be 64 KiB of escapes, its bytes may have
/// come one by one. So it is not only counted, and whatever it is, no reading waits for more of it than that.
extension Server {
    func actOnReady(_ now: BootTime) {
        var clients = 0
        for index in ready.indices {
            if let source = source(of: ready[index]) { sources[source].act?(now) } else { clients += 1 }
        }
        if clients > 0 { actOnClients(now) }
    }

    /// Those for whom there is no time are still ready in the next turn, and come first then.
    private func actOnClients(_ now: BootTime) {
        beginServing()
        let first = firstServed
        for offset in ready.indices {
            let place = (first + offset) % ready.count
            guard source(of: ready[place]) == nil else { continue }
            guard !isTimeUp else {
                firstServed = place
                return
            }
            act(on: ready[place], now)
        }
    }

    private func act(on event: ReadyDescriptor, _ now: BootTime) {
        guard let connection = connection(event.token) else { return }
        if event.isWritable { drain(connection, now) }
        if event.isReadable { receive(connection, now) } else if event.isHungUp { close(connection) }
    }

    private func source(of event: ReadyDescriptor) -> Int? {
        event.token & Self.sourceBit == 0 ? nil : Int(truncatingIfNeeded: event.token & ~Self.sourceBit)
    }

    func beginServing() { servedUntil = clock() + Limits.callTurnNanoseconds }

    /// Whether the streams come first now.
    var isTimeUp: Bool { clock() >= servedUntil }
}
