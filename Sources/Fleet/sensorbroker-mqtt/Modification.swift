internal import BrokerClient
internal import Fleet
internal import Varlink

/// One change of a running stream, by a call of its own on a connection of its own.
final class Modification {
    enum Outcome {
        case granted(Cadence?)
        /// The broker does not make that change.
        case refused(VarlinkError)
        /// The broker is gone, or the stream is.
        case lost
    }

    /// What the stream is to have.
    let cadence: Cadence
    private let stream: any BrokerStream

    init(
        _ request: Request, of subscription: String, to cadence: Cadence, on stream: any BrokerStream
    ) throws(ConnectionFault) {
        self.cadence = cadence
        self.stream = stream
        try stream.send(
            Call(
                Interface.modify,
                parameters: ["subscription": .string(subscription), "requests": .array([request.json])]))
    }

    /// The descriptor to wait for.
    var number: Int32 { stream.number }

    /// What came of it; nil: nothing yet.
    func receive() -> Outcome? {
        do {
            try stream.receive()
            guard let message = try stream.nextMessage() else { return nil }
            switch try Reply(parsing: message) {
            case .success(let parameters, _): return .granted(Cadence(grantedIn: parameters))
            case .failure(let error):
                return error.name == Interface.error("NoSuchSubscription") ? .lost : .refused(error)
            }
        } catch { return .lost }
    }
}

extension Cadence {
    /// The first grant of a reply; nil if it has none.
    init?(grantedIn reply: Parameters) {
        guard let grants = try? reply.optionalObjects("grants"), let first = grants.first,
            let grant = try? Grant(first)
        else { return nil }
        self.init(intervalNanoseconds: grant.intervalNanoseconds, batchNanoseconds: grant.batchNanoseconds)
    }
}
