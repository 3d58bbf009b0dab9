internal import Locking

/// What the broker has told a provider: what is wanted, what was refused, and how it stands.
package final class ProviderNews: Sendable {
    private struct State {
        var demand = SensorDemand.nobody
        /// Whether the demand is known, or only what holds until it is.
        var isKnown = false
        var error: SensorError?
        var isFinished = false
        /// Those of running iterations, which keep them alive.
        var mailboxes: [WeakMailbox] = []
    }

    private struct WeakMailbox: Sendable {
        weak let mailbox: Mailbox<NewestDemand>?
    }

    private let state = Locked(State())
    /// All iterations share it, and what comes before there is one waits for it.
    private let refused = Mailbox(RefusalSum())

    package init() {}

    /// What is wanted.
    package var demand: SensorDemand { state.withLock { $0.demand } }

    /// Why nothing is provided; nil if it is, or is about to be.
    package var error: SensorError? {
        get { state.withLock { $0.error } }
        set { state.withLock { state in if !state.isFinished { state.error = newValue } } }
    }

    /// Takes in what is wanted now.
    package func tell(_ demand: SensorDemand) {
        let mailboxes = state.withLock { state -> [WeakMailbox] in
            guard !state.isFinished, !state.isKnown || demand != state.demand else { return [] }
            state.isKnown = true
            state.demand = demand
            state.mailboxes.removeAll { $0.mailbox == nil }
            return state.mailboxes
        }
        for one in mailboxes { one.mailbox?.put(demand) }
    }

    /// Takes in that samples were refused.
    package func tell(_ refusal: SensorRefusal) { refused.put(refusal) }

    /// Ends the iterations, with the error if there is one; only the first end counts.
    package func finish(_ error: SensorError?) {
        let mailboxes = state.withLock { state -> [WeakMailbox] in
            guard !state.isFinished else { return [] }
            state.isFinished = true
            state.error = error
            state.demand = .nobody
            defer { state.mailboxes = [] }
            return state.mailboxes
        }
        for one in mailboxes { one.mailbox?.finish(error) }
        refused.finish(error)
    }

    /// What is wanted, and each change.
    var demands: ProviderSequence<NewestDemand> {
        ProviderSequence { [self] in
            let mailbox = Mailbox(NewestDemand())
            // Nobody waits at the mailbox yet, so what is put there under the lock runs nothing else.
            state.withLock { state in
                guard !state.isFinished else { return mailbox.finish(state.error) }
                if state.isKnown { mailbox.put(state.demand) }
                state.mailboxes.append(WeakMailbox(mailbox: mailbox))
            }
            return mailbox
        }
    }

    /// What was refused, as it is told.
    var refusals: ProviderSequence<RefusalSum> { ProviderSequence { [refused] in refused } }
}

/// What comes into a mailbox, in order, until that ends.
struct ProviderSequence<Buffer: BoundedBuffer>: AsyncSequence, Sendable {
    typealias Element = Buffer.Element
    typealias Failure = SensorError

    let listen: @Sendable () -> Mailbox<Buffer>

    func makeAsyncIterator() -> Iterator { Iterator(mailbox: listen()) }

    /// One iteration; it listens as long as it lives.
    struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: Mailbox<Buffer>
        private var hasFailed = false

        init(mailbox: Mailbox<Buffer>) { self.mailbox = mailbox }

        mutating func next() async throws(SensorError) -> Element? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(SensorError) -> Element? {
            if hasFailed { return nil }
            do throws(SensorError) { return try await mailbox.next(isolation: actor) } catch {
                hasFailed = true
                throw error
            }
        }
    }
}

/// Room for one demand: a newer one takes its place.
struct NewestDemand: BoundedBuffer {
    private var demand: SensorDemand?

    mutating func append(_ element: SensorDemand) { demand = element }

    mutating func popFirst() -> SensorDemand? { demand.take() }
}

/// Room for one refusal: later ones are added to it.
struct RefusalSum: BoundedBuffer {
    private var sum: SensorRefusal?

    mutating func append(_ element: SensorRefusal) {
        let (count, overflow) = element.count.addingReportingOverflow(sum?.count ?? 0)
        sum = SensorRefusal(count: overflow ? .max : count, reason: element.reason)
    }

    mutating func popFirst() -> SensorRefusal? { sum.take() }
}
