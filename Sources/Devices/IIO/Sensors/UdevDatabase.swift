internal import Glibc
internal import Platform
internal import Readings

/// What udev's rules and hardware database have of a device; reads the same files as libudev.
struct UdevDatabase: Sendable {
    private let run: String

    /// The database under a directory; the usual one by default.
    init(run: String = "/run/udev") { self.run = run }

    /// Whether the rules have been applied to a device of sysfs; true if no udev is running.
    func isSettled(_ directory: String) -> Bool {
        guard unsafe access("\(run)/control", F_OK) == 0 else { return true }
        return unsafe access(record(of: directory), F_OK) == 0
    }

    /// A property of a device of sysfs; nil if it has none or an empty one, which is none for libudev.
    func property(_ name: String, of directory: String) -> String? {
        let prefix = "E:\(name)="
        guard let text = SmallFile.text(at: record(of: directory), maximumBytes: 65_536) else { return nil }
        let value = text.split(separator: "\n").first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
        return value.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// By its number, or by its name for devices without a node.
    private func record(of directory: String) -> String {
        if let number = SmallFile.line(at: "\(directory)/dev") { return "\(run)/data/c\(number)" }
        let name = directory.split(separator: "/").last ?? ""
        return "\(run)/data/+iio:\(name)"
    }
}

/// Leaves a sensor that has just appeared to udev first, for a while.
struct UdevPatience: Sendable {
    private var firstSeen: [Sighting.Appearance: Int64] = [:]
    /// When to look again; nil if nothing is awaited.
    private(set) var nextLook: Int64?

    private static let longestNanoseconds: Int64 = 1_500_000_000
    private static let stepNanoseconds: Int64 = 50_000_000

    /// The sensors that udev has processed, or has had time enough for.
    mutating func ready(among sightings: [Sighting], at now: Int64) -> [Sighting] {
        firstSeen = firstSeen.filter { seen in sightings.contains { $0.appearance == seen.key } }
        let ready = sightings.filter { sighting in
            let since = firstSeen[sighting.appearance] ?? now
            firstSeen[sighting.appearance] = since
            return sighting.isSettled || now.subtractingSaturating(since) >= Self.longestNanoseconds
        }
        nextLook = ready.count < sightings.count ? now.addingSaturating(Self.stepNanoseconds) : nil
        return ready
    }

    /// How long to wait; nil: until something happens.
    func pauseNanoseconds(at now: Int64) -> Int64? { nextLook.map { max(0, $0.subtractingSaturating(now)) } }
}
