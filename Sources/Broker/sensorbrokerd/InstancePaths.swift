internal import Glibc
internal import Platform
internal import Programs

/// The paths of an instance's sockets and locks.
struct InstancePaths {
    /// The directory of the system service.
    static let system = "/run/sensorbroker"

    let directory: RuntimeDirectory
    private let suffix: String
    /// The systemd units whose sockets belong to the instance.
    let socketUnits: String
    /// Whether the directory belongs to this process alone and is removed at its end.
    let isTemporary: Bool

    /// Chooses the given directory, else the service's, else, without rights there, the user's.
    init(_ arguments: Arguments) throws(Failure) {
        suffix = arguments.instance.map { ".\($0)" } ?? ""
        let unit = arguments.instance.map { "@\($0)" } ?? ""
        socketUnits = "sensorbrokerd\(unit).socket sensorbrokerd-admin\(unit).socket sensorbrokerd-feed\(unit).socket"
        isTemporary =
            arguments.isTemporary || (!arguments.command.isEmpty && arguments.runtimeDirectory == nil)
        do {
            directory =
                isTemporary
                ? try .temporary(lockedBy: Self.usualLock)
                : try RuntimeDirectory(path: arguments.runtimeDirectory ?? Self.usual())
        } catch {
            let failure = Failure(error)
            throw Failure(failure.status, "\(failure); name another directory with --runtime-directory")
        }
    }

    var broker: String { directory.path(of: "io.sensorbroker.Broker" + suffix) }

    var admin: String { directory.path(of: "io.sensorbroker.Admin" + suffix) }

    var feed: String { directory.path(of: "io.sensorbroker.Feed" + suffix) }

    /// In a temporary directory it has one name, by which the next broker sees whether somebody is in there.
    var lock: String { directory.path(of: isTemporary ? Self.usualLock : "sensorbrokerd\(suffix).lock") }

    private static let usualLock = "sensorbrokerd.lock"

    func tidyUp() {
        guard isTemporary else { return }
        directory.remove()
    }

    private static func usual() -> String {
        if RuntimeDirectory.isWritable(system) || geteuid() == 0 { return system }
        return EnvironmentVariable.absolutePath("XDG_RUNTIME_DIR").map { $0 + "/sensorbroker" } ?? system
    }
}
