internal import BrokerClient
internal import Fleet
internal import Platform
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
    private var connection: BrokerConnection

    /// Asks for the change. `connect(2)`, `send(2)`
    init(_ request: Request, of subscription: String, to cadence: Cadence, path: String) throws {
        self.cadence = cadence
        connection = try BrokerConnection(path: path, patienceNanoseconds: 0)
        try connection.send(
            Call(
                Interface.modify,
                parameters: ["subscription": .string(subscription), "requests": .array([request.json])]))
    }

    /// The descriptor to wait for.
    var number: Int32 { connection.number }

    /// What came of it; nil: nothing yet.
    func receive() -> Outcome? {
        do throws(ConnectionFault) {
            try connection.receive()
            switch try connection.nextReply() {
            case nil: return nil
            case .success(let parameters, _): return .granted(Cadence.granted(in: parameters.object))
            case .failure(let error):
                return error.name == Interface.error("NoSuchSubscription") ? .lost : .refused(error)
            }
        } catch { return .lost }
    }
}

extension Cadence {
    /// The first grant of a reply; nil if it has none.
    static func granted(in reply: JSONObject) -> Cadence? {
        guard case .array(let grants)? = reply["grants"], case .object(let grant)? = grants.first,
            case .integer(let interval)? = grant["intervalNanoseconds"],
            case .integer(let batch)? = grant["batchNanoseconds"]
        else { return nil }
        return Cadence(intervalNanoseconds: interval, batchNanoseconds: batch)
    }
}
