internal import Glibc
internal import Platform
internal import Readings
internal import Service

/// Serves `org.varlink.certification` on the daemon's own server code, for the certification client of others.
enum CertificationServer {
    static func run(_ words: [String]) -> Int32 {
        guard words.count == 1, !words[0].hasPrefix("-") else {
            print("Usage: certification-server SOCKET-PATH")
            return 64
        }
        do {
            try serve(words[0])
            return 0
        } catch {
            print("certification-server: \(error)")
            return 71
        }
    }

    private static func serve(_ path: String) throws(SystemError) {
        let signals = try Signals()
        let server = try Server()
        try server.clients.add(Listener(ListeningSocket(path: path, mode: 0o600, groupID: nil), CertificationCalls()))
        try server.watch(signals.number) { _ in if signals.take() != nil { server.stop() } }
        try server.run()
    }
}
