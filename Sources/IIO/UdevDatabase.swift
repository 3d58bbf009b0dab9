internal import Glibc
internal import Platform

/// What udev's rules and its hardware database say of a device; the files are those that libudev reads.
struct UdevDatabase: Sendable {
    private let run: String

    /// The database under a directory; the usual one where none is given.
    init(run: String = "/run/udev") { self.run = run }

    /// Whether the rules have been applied to a device of sysfs; true where no udev is at work.
    func isSettled(_ directory: String) -> Bool {
        guard unsafe access("\(run)/control", F_OK) == 0 else { return true }
        return unsafe access(record(of: directory), F_OK) == 0
    }

    /// A property of a device of sysfs, nil where it has none.
    func property(_ name: String, of directory: String) -> String? {
        let prefix = "E:\(name)="
        guard let text = SmallFile.text(at: record(of: directory), maximumBytes: 65_536) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// By its number, else, for devices without a node, by its name.
    private func record(of directory: String) -> String {
        if let number = SmallFile.line(at: "\(directory)/dev") { return "\(run)/data/c\(number)" }
        let name = directory.split(separator: "/").last ?? ""
        return "\(run)/data/+iio:\(name)"
    }
}
