internal import Glibc
internal import Platform

/// The accelerometers of this host, and the programs that use them.
enum AccelerometerSurvey {
    private static let devices = "/sys/bus/iio/devices"

    /// Each with its permissions and the programs that have it open. `stat(2)`, `readlink(2)`
    static func views() -> [AccelerometerView] {
        let ids = Directory.names(in: devices).filter { $0.hasPrefix("iio:device") && isAccelerometer($0) }
        guard !ids.isEmpty else { return [] }
        let group = unsafe getgrnam("iio").map { unsafe $0.pointee.gr_gid }
        let users = openers(of: Set(ids.map { "/dev/\($0)" }))
        return ids.map { id in
            var view = AccelerometerView(
                id: id, name: SmallFile.line(at: "\(devices)/\(id)/name") ?? "without a name",
                users: users["/dev/\(id)"] ?? [])
            view.hasNode = unsafe access("/dev/\(id)", F_OK) == 0
            view.nodeIsOpen = isOpen("/dev/\(id)", to: group, S_IRGRP | S_IWGRP)
            let enable = "\(devices)/\(id)/buffer/enable"
            view.attributesAreOpen = unsafe access(enable, F_OK) != 0 || isOpen(enable, to: group, S_IWGRP)
            return view
        }
    }

    private static func isAccelerometer(_ id: String) -> Bool {
        ["in_accel_x_raw", "scan_elements/in_accel_x_en"].contains {
            unsafe access("\(devices)/\(id)/\($0)", F_OK) == 0
        }
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
                target(of: "/proc/\(process)/fd/\($0)")
            }
            for path in Set(files).intersection(paths) {
                openers[path, default: []].append("\(name) (process \(process))")
            }
        }
        return openers
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(link, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// An accelerometer, as /sys, /dev and /proc show it.
struct AccelerometerView: Equatable {
    var id: String
    var name: String
    /// Whether it has a buffer, and so a device node.
    var hasNode = true
    /// Whether the group of the daemon may use the node.
    var nodeIsOpen = true
    /// Whether the group of the daemon may write the attributes that a capture sets.
    var attributesAreOpen = true
    /// Programs other than the daemon that have the node open, as `NAME (process N)`; only root sees other users' programs.
    var users: [String] = []
}
