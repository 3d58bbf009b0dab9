internal import Platform

/// A bounded buffer that one task reads and anybody may write.
package final class Mailbox<Buffer: BoundedBuffer>: Sendable {
    private struct State {
        var buffer: Buffer
        var isFinished = false
        var error: SensorError?
        var waiting: CheckedContinuation<Result<Buffer.Element?, SensorError>, Never>?
    }

    private let state: Locked<State>

    package init(_ buffer: sending Buffer) { state = Locked(State(buffer: buffer)) }

    /// Adds an element, or hands it to the waiting task; never waits itself.
    package func put(_ element: Buffer.Element) {
        let handover = state.withLock { state -> Handover? in
            guard !state.isFinished else { return nil }
            state.buffer.append(element)
            return Self.handOver(&state)
        }
        handover?()
    }

    /// Ends the mailbox: what is in it can still be read, then comes the error or the end.
    package func finish(_ error: SensorError? = nil) {
        let handover = state.withLock { state -> Handover? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.error = error
            return Self.handOver(&state)
        }
        handover?()
    }

    /// The next element; nil at the end, and if the task is cancelled.
    ///
    /// It stays on the caller's executor: leaving it and coming back would cost more than the element.
    func next(isolation actor: isolated (any Actor)? = #isolation) async throws(SensorError) -> Buffer.Element? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let handover = state.withLock { state -> Handover? in
                    // Only one task may read; if a second one comes, the first is released.
                    let former = state.waiting
                    state.waiting = continuation
                    let handover = Task.isCancelled ? Self.letGo(&state) : Self.handOver(&state)
                    return former.map { former in
                        {
                            former.resume(returning: .success(nil))
                            handover?()
                        }
                    } ?? handover
                }
                handover?()
            }
        } onCancel: {
            state.withLock { Self.letGo(&$0) }?()
        }
        return try result.get()
    }

    /// True if no task is waiting.
    var isEmptyHanded: Bool { state.withLock { $0.waiting == nil } }

    /// Called after the lock is released, since it may run an executor of the user.
    private typealias Handover = () -> Void

    private static func handOver(_ state: inout State) -> Handover? {
        guard let waiting = state.waiting else { return nil }
        let result: Result<Buffer.Element?, SensorError>
        if let element = state.buffer.popFirst() {
            result = .success(element)
        } else if state.isFinished {
            result = state.error.map { .failure($0) } ?? .success(nil)
            state.error = nil
        } else {
            return nil
        }
        state.waiting = nil
        return { waiting.resume(returning: result) }
    }

    private static func letGo(_ state: inout State) -> Handover? {
        guard let waiting = state.waiting else { return nil }
        state.waiting = nil
        return { waiting.resume(returning: .success(nil)) }
    }
}
