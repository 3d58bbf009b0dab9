/// A request of a client as `top` shows it: one line.
struct TopClient: Identifiable {
    /// The client's connection, and the request.
    struct Identity: Hashable {
        let connection: Int64
        let request: String
    }

    let id: Identity
    let process: String
    let processID: Int64
    let user: String
    /// The part of a stream; nil: the connection has no stream.
    let part: BrokerStatus.Part?
    /// Readings a second that it gets; nil: not known yet.
    let hertz: Double?
    let lagNanoseconds: Int64?
    let queuedBytes: Int64
    /// Whether the client is this program.
    let isOwn: Bool

    /// The lines of a status, with rates by the former one.
    static func all(
        _ status: BrokerStatus, names: AccountNames, ownProcess: Int64, former: FormerCounts,
        nowNanoseconds now: Int64
    ) -> [TopClient] {
        status.clients.flatMap { client in
            let process = names.process(client.processID) ?? "?"
            let user = names.user(client.userID) ?? "\(client.userID)"
            let parts = client.parts.isEmpty ? [nil] : client.parts.map { Optional($0) }
            return parts.map { part in
                let id = Identity(connection: client.id, request: part?.label ?? part?.resource ?? "")
                return TopClient(
                    id: id, process: process, processID: client.processID, user: user, part: part,
                    hertz: part.flatMap { former.hertz(.request(id), $0.delivered, nowNanoseconds: now) },
                    lagNanoseconds: client.lagNanoseconds,
                    queuedBytes: client.queuedBytes, isOwn: client.processID == ownProcess)
            }
        }
    }
}

/// What the broker had counted in the last seconds, which makes rates of its counts.
struct FormerCounts {
    /// Long enough for what is gathered, and for devices that measure once a second.
    private static let spanNanoseconds: Int64 = 5_000_000_000
    /// Too short a time is not enough for a client that gets a reading a second.
    private static let leastNanoseconds: Int64 = 900_000_000

    /// What is counted.
    enum Subject: Hashable {
        /// Readings of a client's request.
        case request(TopClient.Identity)
        /// Samples of a resource's device.
        case device(String)
    }

    private var all: [(nanoseconds: Int64, counts: [Subject: Int64])] = []

    /// How many there are a second, by the oldest count that is there.
    func hertz(_ subject: Subject, _ count: Int64, nowNanoseconds now: Int64) -> Double? {
        for former in all where now - former.nanoseconds >= Self.leastNanoseconds {
            guard let before = former.counts[subject], before <= count else { continue }
            return (Double(count) - Double(before)) * 1e9 / Double(now - former.nanoseconds)
        }
        return nil
    }

    /// Notes the counts of a status.
    mutating func note(_ status: BrokerStatus, _ clients: [TopClient], _ now: Int64) {
        var counts: [Subject: Int64] = [:]
        for client in clients { counts[.request(client.id)] = client.part?.delivered }
        for device in status.devices { counts[.device(device.resource)] = device.samples }
        all.removeAll { now - $0.nanoseconds > Self.spanNanoseconds }
        all.append((now, counts))
    }
}
