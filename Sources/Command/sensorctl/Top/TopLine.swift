internal import BrokerClient
internal import Platform
internal import Varlink

/// A connection of `top` to the broker, which never blocks.
final class TopLine {
    private var connection: BrokerConnection

    private init(_ connection: consuming BrokerConnection) { self.connection = connection }

    /// Connects to the first of the paths at which somebody listens, and makes a call.
    static func connect(_ paths: [String], _ call: Call) throws(SystemError) -> TopLine {
        var refusal = SystemError("connect", code: 2)
        for path in paths {
            do throws(SystemError) {
                let line = TopLine(try BrokerConnection(path: path, patienceNanoseconds: 0))
                // A broker that is gone already is noticed when its reply is read.
                try? line.ask(call)
                return line
            } catch {
                // One that refuses says more than one that is not there.
                if refusal.code == 2 { refusal = error }
            }
        }
        throw refusal
    }

    /// The descriptor's number, for the loop.
    var number: Int32 { connection.number }

    func ask(_ call: Call) throws(ConnectionFault) { try connection.send(call) }

    /// What has arrived, as whole replies.
    func replies() throws(ConnectionFault) -> [Reply] {
        try connection.receive()
        var replies: [Reply] = []
        while let reply = try connection.nextReply() { replies.append(reply) }
        return replies
    }
}
