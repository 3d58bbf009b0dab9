internal import Glibc
internal import Platform
internal import Readings

/// The sensors of this host, and the programs that use them.
enum SensorSurvey {
    private static let devices = "/sys/bus/iio/devices"

    /// Each with its permissions and the programs that have it open. `stat(2)`, `readlink(2)`
    static func views() -> [SensorView] {
        let ids = Directory.names(in: devices).filter { $0.hasPrefix("iio:device") }
        let sensors = ids.compactMap { id in kind(of: id).map { (id, $0) } }
        guard !sensors.isEmpty else { return [] }
        let group = Accounts.groupID(named: "iio")
        let users = openers(of: Set(ids.map { "/dev/\($0)" }))
        return sensors.map { id, kind in
            var view = SensorView(
                id: id, name: SmallFile.line(at: "\(devices)/\(id)/name") ?? "without a name",
                users: users["/dev/\(id)"] ?? [])
            view.kind = kind.wire
            view.hasNode = unsafe access("/dev/\(id)", F_OK) == 0
            view.nodeIsOpen = isOpen("/dev/\(id)", to: group, S_IRGRP | S_IWGRP)
            let enable = "\(devices)/\(id)/buffer/enable"
            view.attributesAreOpen = unsafe access(enable, F_OK) != 0 || isOpen(enable, to: group, S_IWGRP)
            return view
        }
    }

    /// The first of the kinds that a device measures.
    private static func kind(of id: String) -> Kind? {
        let directory = "\(devices)/\(id)"
        return kind(among: Directory.names(in: directory) + Directory.names(in: "\(directory)/scan_elements"))
    }

    /// The first of the kinds whose channels have files with these names.
    static func kind(among files: [String]) -> Kind? {
        let ids = Set(files.compactMap(ChannelName.init(ofFile:)).map(\.id))
        return Kind.all.first { $0.row.iio?.ids(among: ids) != nil }
    }

    private static func isOpen(_ path: String, to group: gid_t?, _ rights: mode_t) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_gid == group && status.st_mode & rights == rights
    }

    /// The programs other than the daemon that have a file open, as `NAME (process N)`, by path.
    private static func openers(of paths: Set<String>) -> [String: [String]] {
        var openers: [String: [String]] = [:]
        for process in Directory.names(in: "/proc") where Int32(process) != nil {
            let name = SmallFile.line(at: "/proc/\(process)/comm") ?? "a program"
            guard name != "sensorbrokerd" else { continue }
            let files = Directory.names(in: "/proc/\(process)/fd").compactMap {
                SmallFile.target(ofLink: "/proc/\(process)/fd/\($0)")
            }
            for path in Set(files).intersection(paths) {
                openers[path, default: []].append("\(name) (process \(process))")
            }
        }
        return openers
    }
}

/// A sensor, as /sys, /dev and /proc show it.
struct SensorView: Equatable {
    var id: String
    var name: String
    /// The first of the kinds that it measures, as `--kind` takes it.
    var kind = Kind.acceleration.wire
    /// Whether the sensor has a buffer, and so a device node.
    var hasNode = true
    /// Whether the group of the daemon may use the node.
    var nodeIsOpen = true
    /// Whether the group of the daemon may write the attributes that a capture sets.
    var attributesAreOpen = true
    /// Programs other than the daemon that have the node open, as `NAME (process N)`; only root sees other users' programs.
    var users: [String] = []
}
