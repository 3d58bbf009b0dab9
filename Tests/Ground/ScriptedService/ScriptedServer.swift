internal import CLinux
internal import Foundation
internal import Platform
public import Varlink

/// A Varlink service that answers by a script: enough of a broker to test a client.
public final class ScriptedServer: Sendable {
    /// The answer to a call.
    public struct Answer: Sendable {
        /// The bytes, each array sent separately.
        public var pieces: [[UInt8]] = []
        /// Whether the connection is closed afterwards.
        public var closes = false

        /// Bytes, and whether the connection is closed afterwards.
        public init(pieces: [[UInt8]] = [], closes: Bool = false) {
            self.pieces = pieces
            self.closes = closes
        }

        /// Replies, of which all but the last continue.
        public static func replies(_ replies: [JSONObject], continues: Bool = false) -> Self {
            Self(
                pieces: replies.enumerated().map { index, reply in
                    var writer = JSONWriter()
                    writer.reply(reply, continues: continues || index < replies.count - 1)
                    return writer.bytes
                })
        }

        /// An error of the broker.
        public static func error(
            _ name: String, _ parameters: JSONObject = [:], of interface: String = "io.sensorbroker.Broker"
        ) -> Self {
            var writer = JSONWriter()
            writer.reply(.other(name: "\(interface).\(name)", parameters: parameters))
            return Self(pieces: [writer.bytes])
        }
    }

    /// The path of its socket.
    public let path: String
    private let directory: URL
    private let listener: Int32
    private let received = Locked<[Call]>([])
    private let open = Locked(0)

    /// The directories of servers that have not ended: a client that is connected when the process exits keeps its own.
    private static let removedAtExit: Locked<Set<URL>> = {
        atexit { ScriptedServer.removedAtExit.withLock { $0.forEach { try? FileManager.default.removeItem(at: $0) } } }
        return Locked([])
    }()

    /// The calls that came, in order.
    public var calls: [Call] { received.withLock { $0 } }

    /// How many connections are open.
    public var connections: Int { open.withLock { $0 } }

    /// A server that answers each call by a function of it, at a socket with the name of the broker's or of another interface's.
    public init(
        of interface: String = "io.sensorbroker.Broker", _ answer: @escaping @Sendable (Call) -> Answer
    ) throws {
        let name = "scripted-\(UUID().uuidString.prefix(8))"
        let directory = FileManager.default.temporaryDirectory.appending(path: name)
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        Self.removedAtExit.withLock { _ = $0.insert(directory) }
        path = directory.appending(path: interface).path
        listener = clinux_blocking_stream_socket()
        guard unsafe clinux_bind_unix(listener, path) == 0, listen(listener, 16) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        let listener = listener
        Foundation.Thread.detachNewThread { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let server = self else { break }
                Foundation.Thread.detachNewThread { server.serve(client, answer) }
            }
            close(listener)
        }
    }

    /// Ends the thread that accepts, which closes the listener: if it were closed here, its number could already be
    /// another's.
    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        Self.removedAtExit.withLock { _ = $0.remove(directory) }
        try? FileManager.default.removeItem(at: directory)
    }

    private func serve(_ client: Int32, _ answer: (Call) -> Answer) {
        open.withLock { $0 += 1 }
        defer {
            close(client)
            open.withLock { $0 -= 1 }
        }
        var framer = MessageFramer(maximumBytes: 1 << 20)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = unsafe recv(client, &buffer, buffer.count, 0), count > 0 {
            framer.append(contentsOf: buffer[..<count])
            while let message = (try? framer.next()) ?? nil, let call = try? Call(parsing: message) {
                received.withLock { $0.append(call) }
                let answer = answer(call)
                for piece in answer.pieces { _ = unsafe clinux_send_blocking(client, piece, piece.count) }
                if answer.closes { return }
            }
        }
    }
}
