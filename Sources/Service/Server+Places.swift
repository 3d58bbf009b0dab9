public import Platform
public import Readings

/// Restores listening sockets whose paths were removed.
extension Server {
    /// What was done about a socket that is no longer at its path.
    public enum LostPlace {
        /// Its path was removed, and a new socket is there now.
        case restored(path: String)
        /// Its path was removed, and only the service manager can restore it.
        case managers(path: String)
        /// Another file is at its path.
        case taken(path: String)
        /// Its path was removed, and it cannot be restored.
        case failed(SystemError)
    }

    /// Restores the sockets whose paths were removed; returns all that were not at their paths.
    public func restoreSockets(now: BootTime) -> [LostPlace] {
        listeners.compactMap { listener in
            guard let path = listener.socket.path else { return nil }
            switch listener.socket.standing {
            case .inPlace: return nil
            case .replaced: return .taken(path: path)
            case .vanished where !listener.socket.isOwn: return .managers(path: path)
            case .vanished:
                do throws(SystemError) {
                    try renew(listener, now)
                    return .restored(path: path)
                } catch { return .failed(error) }
            }
        }
    }

    private func renew(_ listener: Listener, _ now: BootTime) throws(SystemError) {
        // Clients in the old socket's backlog are served; the new one takes over its place among the sources.
        if acceptPausedUntil == nil { accept(from: listener, isLast: true, now) }
        let before = listener.socket.number
        // Where this fails, the old socket is still waited for. Where it succeeds, that one is closed, which ends the wait.
        try listener.renew()
        guard let index = sources.firstIndex(where: { $0.number == before && $0.act != nil }) else { return }
        sources[index].number = listener.socket.number
        if acceptPausedUntil == nil {
            try loop.add(listener.socket.number, .read, token: Awaited.source(index).bits)
        }
    }
}
