internal import Readings

/// The newest sample, for clients that changed their requests before they had seen it.
///
/// The lane of the new grant does not know it. The next sample replaces it; if none comes, it is the last sample of a source that
/// fell silent, and each of these clients must get it.
struct Undelivered: Sendable {
    private struct Held {
        let client: Client
        let sample: Sample
        let arrival: BootTime
        let notBefore: BootTime

        func dueAt(_ pace: Pace) -> BootTime { max(notBefore, arrival + pace.silenceNanoseconds) }
    }

    private var held: [Held] = []

    var isEmpty: Bool { held.isEmpty }

    /// Keeps a sample for a client until the source is silent, and an interval has passed since the client's last reading.
    mutating func keep(_ sample: Sample, for client: Client, arrival: BootTime, notBefore: BootTime) {
        held.append(Held(client: client, sample: sample, arrival: arrival, notBefore: notBefore))
    }

    /// Another sample arrived.
    mutating func overtake() { held.removeAll() }

    mutating func forget(_ client: Client) { held.removeAll { $0.client == client } }

    func deadline(_ pace: Pace) -> BootTime? { held.map { $0.dueAt(pace) }.min() }

    mutating func take(now: BootTime, _ pace: Pace) -> [(client: Client, reading: Sample)] {
        let due = held.filter { now >= $0.dueAt(pace) }
        if !due.isEmpty { held.removeAll { now >= $0.dueAt(pace) } }
        return due.map { ($0.client, $0.sample) }
    }
}
