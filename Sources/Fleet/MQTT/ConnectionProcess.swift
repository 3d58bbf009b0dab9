internal import Platform
package import Programs

/// The process of a connection, from its first word to its end.
package enum ConnectionProcess {
    /// The program's first word, if it is to be this.
    package static let argument = "--hold-connection"
    /// The memory that the process may take besides that of a program that has just begun: some copies of the largest
    /// message.
    private static let moreBytes = 112 << 20

    /// Whether these words, of the command line, ask for it.
    package static func isAsked(for words: [String]) -> Bool { words.dropFirst().first == argument }

    /// Runs it, with the socket of its program as the standard input; the exit status.
    package static func run() -> ExitStatus {
        let stream = UnixSocket(Descriptor(owning: 0))
        guard (try? stream.peer()) != nil else {
            Journal(program: "sensorbroker").write(.error, "\(argument) is for a program that starts itself again")
            return .usage
        }
        ConfinedChild.confine(named: "mqtt-connection", moreBytes: moreBytes)
        serve(stream)
        return .done
    }

    /// Does what the program at the other end orders, and reports what comes of it, until one of them ends.
    static func serve(_ stream: consuming UnixSocket) {
        MQTTConnection.begin()
        var loop = ConnectionLoop(stream)
        loop.run()
    }
}
