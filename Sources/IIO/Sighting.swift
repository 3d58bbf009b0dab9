internal import Glibc
internal import Readings

/// A sensor of this host as sysfs shows it, before libiio is asked.
struct Sighting: Equatable, Sendable {
    /// The kernel's name for it at present: `iio:device0`.
    let id: String
    /// Another each time that it comes, even under the same name.
    let appearance: SensorAppearance
    /// The driver's name.
    let name: String?
    /// Where in the host it is.
    let placement: Placement?
    /// What stays the same when it goes and comes back.
    let identity: SensorIdentity
    /// Whether udev has dealt with it: before that, rights and properties are missing.
    let isSettled: Bool
    /// What it measures, in the order of the table of kinds; not empty.
    var kinds = [Kind.acceleration]

    /// `accel_3d (display, serial A1)`; for people.
    var title: String {
        let remarks = [placement?.words, identity.serial.map { "serial \($0)" }].compactMap { $0 }
        let model = name ?? kinds.first?.row.resource ?? id
        return model + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    /// Whether it is what somebody means by a word: its serial number, place, driver's name or the kernel's name.
    func answers(to word: String) -> Bool {
        [identity.serial, placement?.words, placement?.label, name, id].contains(word)
    }
}

/// One appearance of a sensor, from plugging it in to pulling it out: the kernel gives its directory another inode each time.
struct SensorAppearance: Hashable, Sendable {
    private let directory: String
    private let inode: UInt64

    /// Of the device that has a directory of sysfs now; nil where there is none. `stat(2)`
    init?(directory: String) {
        guard let inode = Self.inode(of: directory) else { return nil }
        self.directory = directory
        self.inode = inode
    }

    /// Whether the directory is still that of this device. `stat(2)`
    var isPresent: Bool { Self.inode(of: directory) == inode }

    private static func inode(of directory: String) -> UInt64? {
        var status = stat()
        return unsafe stat(directory, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}

/// Where in the host a sensor is, in the words of its driver: `accel-display`, `accel-base`, `accel-camera`.
struct Placement: Equatable, Sendable {
    /// The attribute `label`, or the older `location`, as it is.
    let label: String

    /// `display`, `base`, `camera`, or whatever the driver says.
    var words: String { label.hasPrefix("accel-") ? String(label.dropFirst(6)) : label }

    /// A display's comes first, since it is what programs mean that know of one accelerometer only; then one that says
    /// nothing, then the others.
    static func rank(_ placement: Placement?) -> Int {
        switch placement?.words {
        case "display", "lid": 0
        case nil: 1
        case "base": 2
        default: 3
        }
    }
}
