internal import Glibc
internal import Readings

/// A sensor of this host as sysfs shows it, before libiio is asked.
struct Sighting: Equatable, Sendable {
    /// The kernel's current name for it: `iio:device0`.
    let id: String
    /// A new one each time that the sensor comes, even under the same name.
    let appearance: Appearance
    /// The driver's name.
    let name: String?
    /// Where in the host it is.
    let placement: Placement
    /// What stays the same when it goes and comes back.
    let identity: Identity
    /// Whether udev has processed it: before that, rights and properties are missing.
    let isSettled: Bool
    /// The channels of each of its inputs, by kind; not empty.
    let inputs: [Kind: [[String]]]
    /// The path of its device in /sys.
    var path = ""
    /// Whether another sensor of the host has its serial number and model, or had it.
    var isSerialShared = false

    /// Identifies it to whoever stores something about it.
    var identityText: String { identity.text(isShared: isSerialShared) }

    /// The kinds that it measures, in the order of the table of kinds.
    var kinds: [Kind] { Kind.ofIIO.filter { inputs[$0] != nil } }

    /// What it measures beyond the first input of each kind.
    var furtherQuantities: [Quantity] {
        kinds.flatMap { kind in
            (inputs[kind] ?? []).indices.dropFirst().map { Quantity(kind, input: UInt8(clamping: $0)) }
        }
    }

    /// `accel_3d (display, serial A1)`; for people.
    var title: String {
        let remarks = [placement.word, identity.serial.map { "serial \($0)" }].compactMap { $0 }
        let model = name ?? kinds.first?.row.resource ?? id
        return model + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    /// Whether a word from the administrator means this sensor: its serial number, place, driver's name or the kernel's
    /// name.
    func answers(to word: String) -> Bool {
        [identity.serial, name, id].contains(word) || placement.answers(to: word)
    }
}

extension Sighting {
    /// One appearance of a sensor, from plugging in to unplugging: the kernel gives its directory another inode each time.
    struct Appearance: Hashable, Sendable {
        private let directory: String
        private let inode: UInt64

        /// The appearance of the device that has a directory in sysfs now; nil if there is none. `stat(2)`
        init?(directory: String) {
            guard let inode = Self.inode(of: directory) else { return nil }
            self.directory = directory
            self.inode = inode
        }

        /// Whether the directory still belongs to this device. `stat(2)`
        var isPresent: Bool { Self.inode(of: directory) == inode }

        private static func inode(of directory: String) -> UInt64? {
            var status = stat()
            return unsafe stat(directory, &status) == 0 ? UInt64(status.st_ino) : nil
        }
    }
}
