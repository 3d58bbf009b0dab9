internal import BrokerClient
internal import Varlink

/// Calls that were made while nothing listened at the broker's socket, and are made again for a moment; pure.
///
/// A broker that was started just before has no socket yet, and a program that asks it for one reading would fail. Streams do not need
/// this: they go on trying anyway.
struct EarlyCalls {
    private struct Entry {
        let call: Call
        let until: BootTime
    }

    private var entries: [ConnectionID: Entry] = [:]
    /// When to try them again; nil: there is none.
    private(set) var retryAt: BootTime?

    /// Keeps a call that failed, to be made again; false if that cannot help, or the time for it is over.
    mutating func keep(_ id: ConnectionID, _ call: Call, _ error: SensorError, patience: Int64, now: BootTime) -> Bool {
        let canHelp =
            switch error {
            case .brokerMissing, .brokerStopped: call.mode == .plain
            default: false
            }
        // The call's own time must not be over first: the broker is missing, and the resource may be silent.
        let timeout = (try? call.parameters.optionalInteger("timeoutNanoseconds")) ?? nil
        let until = entries[id]?.until ?? now + min(patience, (timeout ?? .max) / 2)
        guard canHelp, now < until else {
            remove(id)
            return false
        }
        entries[id] = Entry(call: call, until: until)
        retryAt = retryAt ?? now + SocketPath.pauseNanoseconds
        return true
    }

    /// The calls to be made now.
    mutating func due(_ now: BootTime) -> [(id: ConnectionID, call: Call)] {
        guard let at = retryAt, now >= at else { return [] }
        retryAt = nil
        return entries.map { ($0, $1.call) }.sorted { $0.id < $1.id }
    }

    /// Forgets a call that was made, or is not wanted any more.
    mutating func remove(_ id: ConnectionID) {
        entries[id] = nil
        if entries.isEmpty { retryAt = nil }
        assert(retryAt == nil || !entries.isEmpty, "nothing is tried again for nobody")
    }
}
