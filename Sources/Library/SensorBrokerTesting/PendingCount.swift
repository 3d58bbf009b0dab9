internal import Locking

/// How many of something are pending, and who waits until there are as many.
final class PendingCount: Sendable {
    private struct State {
        var count = 0
        var lastID = 0
        var waiting: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state = Locked(State())

    /// Counts some more, or less; changes that come from several threads may come in any order.
    func change(by difference: Int) {
        let reached = state.withLock { state in
            state.count += difference
            let reached = state.waiting.filter { $0.value.count <= state.count }
            for id in reached.keys { state.waiting[id] = nil }
            return reached.values.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }

    /// Waits until so many are pending, or until the task is cancelled.
    func reach(_ count: Int) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.count >= count { return true }
                    state.waiting[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id)?.continuation }?.resume()
        }
    }
}
