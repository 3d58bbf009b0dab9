internal import Locking

/// A bounded buffer that anybody may write and read; each element goes to one reader.
package final class Mailbox<Buffer: BoundedBuffer>: Sendable {
    private typealias Answer = Result<Buffer.Element?, SensorError>

    private struct State {
        var buffer: Buffer
        var isFinished = false
        var error: SensorError?
        /// Readers that wait, the first of them first; there are none while there are elements.
        var waiting: [(id: Int, continuation: CheckedContinuation<Answer, Never>)] = []
        var lastID = 0

        /// What the next reader gets; nil if it has to wait.
        mutating func take() -> Answer? {
            if let element = buffer.popFirst() { return .success(element) }
            guard isFinished else { return nil }
            return error.map { .failure($0) } ?? .success(nil)
        }
    }

    private let state: Locked<State>

    package init(_ buffer: sending Buffer) { state = Locked(State(buffer: buffer)) }

    /// Adds an element, or hands it to a waiting task; never waits itself.
    package func put(_ element: Buffer.Element) { put([element]) }

    /// Adds elements that came together, or hands them to waiting tasks; never waits itself.
    package func put(_ elements: [Buffer.Element]) {
        let handovers = state.withLock { state -> [Handover] in
            guard !state.isFinished else { return [] }
            state.buffer.append(contentsOf: elements)
            var handovers: [Handover] = []
            while !state.waiting.isEmpty, let answer = state.take() {
                let (_, reader) = state.waiting.removeFirst()
                handovers.append { reader.resume(returning: answer) }
            }
            return handovers
        }
        for handover in handovers { handover() }
    }

    /// Takes all elements that wait.
    package func takeAll() -> [Buffer.Element] {
        state.withLock { state in
            var all: [Buffer.Element] = []
            while let element = state.buffer.popFirst() { all.append(element) }
            return all
        }
    }

    /// Ends the mailbox: what is in it can still be read, then every reader gets the error or the end.
    package func finish(_ error: SensorError? = nil) {
        let handover = state.withLock { state -> Handover? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.error = error
            // Nobody waits while there are elements.
            guard !state.waiting.isEmpty, let answer = state.take() else { return nil }
            if case .success(.some) = answer { assertionFailure("nobody waits while there are elements") }
            let readers = state.waiting.map(\.continuation)
            state.waiting = []
            return { for reader in readers { reader.resume(returning: answer) } }
        }
        handover?()
    }

    /// The next element; nil at the end, and if the task is cancelled.
    ///
    /// The wait stays on the caller's executor: leaving it and coming back would cost more than the element.
    package func next(
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws(SensorError) -> Buffer.Element? {
        if Task.isCancelled { return nil }
        let (known, id) = state.withLock { state -> (Answer?, Int) in
            state.lastID += 1
            return (state.take(), state.lastID)
        }
        if let known { return try known.get() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if Task.isCancelled { return .success(nil) }
                    if let answer = state.take() { return answer }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            reader?.resume(returning: .success(nil))
        }
        return try answer.get()
    }

    /// How many tasks wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Called after the lock is released, since it may run an executor of the user.
    private typealias Handover = () -> Void
}
