internal import Platform

/// A bounded buffer that one task takes from while anybody puts into it.
package final class Mailbox<Buffer: BoundedBuffer>: Sendable {
    private struct State {
        var buffer: Buffer
        var isFinished = false
        var error: SensorError?
        var waiting: CheckedContinuation<Result<Buffer.Element?, SensorError>, Never>?
    }

    private let state: Locked<State>

    package init(_ buffer: sending Buffer) { state = Locked(State(buffer: buffer)) }

    /// Puts an element in, or hands it to the one who waits; never waits itself.
    package func put(_ element: Buffer.Element) {
        let handover = state.withLock { state -> Handover? in
            guard !state.isFinished else { return nil }
            state.buffer.append(element)
            return Self.handOver(&state)
        }
        handover?()
    }

    /// What is in it can still be taken; then comes the error, or the end.
    package func finish(_ error: SensorError? = nil) {
        let handover = state.withLock { state -> Handover? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.error = error
            return Self.handOver(&state)
        }
        handover?()
    }

    /// The next element; nil at the end, and where the task is cancelled.
    ///
    /// On the caller's executor: to leave it and come back would cost more than the element.
    func next(isolation actor: isolated (any Actor)? = #isolation) async throws(SensorError) -> Buffer.Element? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let handover = state.withLock { state -> Handover? in
                    // Only one task takes; should there be two after all, the former one is let go.
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

    /// Nobody waits for an element.
    var isEmptyHanded: Bool { state.withLock { $0.waiting == nil } }

    /// Done after the lock is released, since it may run an executor of the user's.
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
