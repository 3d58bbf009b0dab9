internal import Glibc
internal import Platform

/// Where the sockets and locks of an instance are.
struct InstancePaths {
    /// Where the service keeps them.
    static let system = "/run/sensorbroker"

    let directory: RuntimeDirectory
    private let suffix: String
    /// The units of systemd whose sockets an instance is given.
    let socketUnits: String
    /// Whether it is nobody else's, and ends with this process.
    let isTemporary: Bool

    /// The given directory; else the service's, else, without rights there, the user's.
    init(_ arguments: Arguments) throws(StartFailure) {
        suffix = arguments.instance.map { ".\($0)" } ?? ""
        let unit = arguments.instance.map { "@\($0)" } ?? ""
        socketUnits = "sensorbrokerd\(unit).socket sensorbrokerd-admin\(unit).socket"
        isTemporary =
            arguments.isTemporary || (!arguments.command.isEmpty && arguments.runtimeDirectory == nil)
        do {
            directory =
                isTemporary
                ? try .temporary(lockedBy: Self.lockName(""))
                : try RuntimeDirectory(path: arguments.runtimeDirectory ?? Self.usual())
        } catch {
            let failure = StartFailure(error)
            throw StartFailure(failure.status, "\(failure); name another directory with --runtime-directory")
        }
    }

    var broker: String { directory.path(of: "io.sensorbroker.Broker" + suffix) }

    var admin: String { directory.path(of: "io.sensorbroker.Admin" + suffix) }

    var lock: String { directory.path(of: Self.lockName(suffix)) }

    private static func lockName(_ suffix: String) -> String { "sensorbrokerd\(suffix).lock" }

    /// Removes what was made for this process alone.
    func tidyUp() {
        guard isTemporary else { return }
        directory.remove()
    }

    private static func usual() -> String {
        if RuntimeDirectory.isWritable(system) || geteuid() == 0 { return system }
        return user ?? system
    }

    /// As the XDG specification demands, a variable that is empty or not an absolute path counts as not set.
    private static var user: String? {
        guard let directory = unsafe getenv("XDG_RUNTIME_DIR").map({ unsafe String(cString: $0) }),
            directory.hasPrefix("/")
        else { return nil }
        return directory + "/sensorbroker"
    }
}
