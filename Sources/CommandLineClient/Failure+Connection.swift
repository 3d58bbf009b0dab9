internal import BrokerClient
internal import Varlink

extension Failure {
    /// What is wrong with the connection, and what to do about it.
    init(_ fault: ConnectionFault) {
        switch fault {
        case .closed:
            self.init(.unavailable, "the broker closed the connection; see whether it still runs: sensorctl list")
        case .unintelligible(let what):
            self.init(
                .unavailable, "this is no broker, or one of another version: \(what). Is it the right --socket?")
        }
    }
}

extension BrokerConnection {
    /// Sends a call.
    func ask(_ call: Call) throws(Failure) {
        do { try send(call) } catch { throw Failure(error) }
    }

    /// The next reply; nil where none came until an instant of CLOCK_BOOTTIME.
    mutating func answer(until deadlineNanoseconds: Int64) throws(Failure) -> Reply? {
        do { return try reply(until: deadlineNanoseconds) } catch { throw Failure(error) }
    }
}

/// Reads an answer; one that lacks what the interface promises is not from a broker that we know.
func understand<Value>(_ read: () throws(VarlinkError) -> Value) throws(Failure) -> Value {
    do { return try BrokerClient.understand(read) } catch { throw Failure(error) }
}
