internal import CLinux
internal import Glibc
internal import Platform
internal import Readings
internal import Service
internal import Varlink

/// The other end of a connection of the broker's.
final class Client {
    private let descriptor: Descriptor
    private var framer = MessageFramer(maximumBytes: 1 << 22)
    private var subscription = ""
    /// The last time of each request, since its resource was opened.
    private var lastStamp: [String: Int64] = [:]

    init?(_ server: Server, _ handler: any CallHandler, _ now: BootTime) {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        guard unsafe clinux_stream_pair(&ours, &theirs) == 0 else { return nil }
        _ = fcntl(theirs, F_SETFL, O_NONBLOCK)
        descriptor = Descriptor(owning: ours)
        server.clients.admit(UnixSocket(Descriptor(owning: theirs)), handler, now: now)
    }

    /// A message with `$` in it replaced by the name of the subscription, which no fuzzer could guess.
    func filling(_ message: [UInt8]) -> [UInt8] {
        message.flatMap { $0 == UInt8(ascii: "$") ? Array(subscription.utf8) : [$0] }
    }

    /// False where the broker has closed the connection.
    func say(_ bytes: [UInt8]) -> Bool {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        return count >= 0 || errno == EAGAIN
    }

    func closeWriting() { _ = shutdown(descriptor.number, Int32(SHUT_WR)) }

    /// Takes all that has come, and looks at it.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return }
            framer.append(contentsOf: buffer[..<count])
            while let message = try? framer.next() { check(message) }
        }
    }

    private func check(_ message: [UInt8]) {
        guard let reply = try? Reply(parsing: message) else {
            fatalError("no reply: \(String(decoding: message, as: UTF8.self))")
        }
        guard case .success(let parameters, _) = reply else { return }
        if let name = try? parameters.optionalString("subscription") { subscription = name }
        // What was lost may come anew from another opening.
        if parameters.object["resources"] != nil || parameters.object["gaps"] != nil { lastStamp = [:] }
        guard let readings = try? parameters.optionalObjects("readings") else { return }
        for reading in readings {
            guard let resource = try? reading.string("resource"),
                let stamp = try? reading.integer("timestampNanoseconds")
            else { fatalError("no reading: \(reading)") }
            let name = "\(resource) \((try? reading.optionalString("label")) ?? "")"
            precondition(stamp >= lastStamp[name] ?? .min, "\(name) goes back to \(stamp)")
            lastStamp[name] = stamp
        }
    }
}
