internal import Admission
internal import Delivery
internal import Platform
internal import Readings

/// What the loop found ready is dealt with in this order: devices and whatever else it waits for, and then clients, of each as
/// many as there is time for: first those whose sockets have room again, whose streams go on, then those who call.
///
/// What a client can have done costs a microsecond or a thousand of them: a call may be 64 KiB of escapes, its bytes may have
/// come one by one. So it is not only counted, and whatever it is, no reading waits for more of it than that.
extension Server {
    func actOnReady(_ now: BootTime) {
        readySources.removeAll(keepingCapacity: true)
        for event in ready {
            if case .source(let source) = Awaited(event.token) { readySources.append(source) }
        }
        if !readySources.isEmpty { actOnSources(now) }
        if ready.count > readySources.count { actOnClients(now) }
    }

    /// Those for which there is no time are still ready in the next turn.
    private func actOnSources(_ now: BootTime) {
        sourceTurns.order(&readySources, now: now)
        let begin = clock()
        var reached = begin
        for source in readySources {
            guard reached - begin < Limits.sourceTurnNanoseconds else { return }
            sources[source].act?(now)
            let end = clock()
            sourceTurns.didServe(source, nanoseconds: end - reached)
            reached = end
        }
    }

    /// Those for whom there is no time are still ready in the next turn, and come first then.
    private func actOnClients(_ now: BootTime) {
        beginServing()
        // By token, because the list of ready descriptors differs from turn to turn.
        let first = ready.firstIndex { Awaited($0.token) == firstServed.map { .connection($0) } } ?? 0
        var postponed: ConnectionToken?
        for offset in ready.indices {
            let event = ready[(first + offset) % ready.count]
            guard case .connection(let token) = Awaited(event.token), let connection = connection(token) else {
                continue
            }
            if event.isWritable {
                if isTimeUp { postponed = postponed ?? token } else { drain(connection, now) }
            }
            if event.isReadable {
                connection.isReadable = true
                enqueue(connection)
            } else if event.isHungUp {
                close(connection)
            }
        }
        firstServed = postponed
    }

    func beginServing() { servedUntil = clock() + Limits.callTurnNanoseconds }

    /// Whether the streams come first now.
    var isTimeUp: Bool { clock() >= servedUntil }
}
