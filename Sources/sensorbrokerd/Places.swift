internal import Glibc
internal import Platform

/// Where the sockets and locks of an instance are.
struct Places {
    /// Where the service keeps them.
    static let system = "/run/sensorbroker"

    let directory: RuntimeDirectory
    private let suffix: String
    /// Whether it is nobody else's, and ends with this process.
    let isTemporary: Bool

    /// The given directory; else the service's, else, without rights there, the user's.
    init(_ arguments: Arguments) throws(StartFailure) {
        suffix = arguments.instance.map { ".\($0)" } ?? ""
        isTemporary =
            arguments.isTemporary || (!arguments.command.isEmpty && arguments.runtimeDirectory == nil)
        do {
            directory =
                isTemporary
                ? try .temporary() : try RuntimeDirectory(path: arguments.runtimeDirectory ?? Self.usual())
        } catch {
            let failure = StartFailure(error)
            throw StartFailure(failure.status, "\(failure); name another directory with --runtime-directory")
        }
    }

    var broker: String { directory.path(of: "io.sensorbroker.Broker" + suffix) }

    var admin: String { directory.path(of: "io.sensorbroker.Admin" + suffix) }

    var lock: String { directory.path(of: "sensorbrokerd\(suffix).lock") }

    /// Removes what was made for this process alone.
    func tidyUp() {
        guard isTemporary else { return }
        directory.remove()
    }

    /// The lock of a piece of hardware, which brokers of different runtime directories must not share: it is in the
    /// service's directory where this process may write there, else in the user's, and only else in our own.
    func hardwareLock(_ hardware: String) -> String {
        let name = String(
            decoding: hardware.utf8.map { $0 == UInt8(ascii: "/") || $0 < 0x21 || $0 == 0x7f ? UInt8(ascii: "_") : $0 },
            as: UTF8.self)
        let shared = [Self.system, Self.user].compactMap { $0 }.first { RuntimeDirectory.provide($0) }
        return "\(shared ?? directory.path)/\(name).lock"
    }

    private static func usual() -> String {
        if RuntimeDirectory.isWritable(system) || geteuid() == 0 { return system }
        return user ?? system
    }

    private static var user: String? {
        guard let directory = unsafe getenv("XDG_RUNTIME_DIR") else { return nil }
        return unsafe String(cString: directory) + "/sensorbroker"
    }
}
