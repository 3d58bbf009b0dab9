internal import Readings

/// The channels of a scan that are read: three for each kind that is captured, and perhaps the time.
struct ScanLayout {
    /// A channel with a format that has been checked.
    struct Column {
        let channel: IIOChannel
        let format: SampleFormat

        /// The channel as part of a scan; nil where it cannot be.
        init?(_ channel: IIOChannel) {
            guard channel.isScanElement, let format = channel.format else { return nil }
            self.channel = channel
            self.format = format
        }
    }

    /// The channels of one kind.
    struct Group {
        let x: Column
        let y: Column
        let z: Column

        /// The group, if all three axes can be part of a scan.
        init?(x: IIOChannel, y: IIOChannel, z: IIOChannel) {
            guard let x = Column(x), let y = Column(y), let z = Column(z) else { return nil }
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// One for each kind.
    let groups: [Group]
    /// Where the device stamps its samples.
    let timestamp: Column?

    /// The layout of some groups, each of which can be part of a scan.
    init(_ groups: [Group], timestamp: IIOChannel?) {
        self.groups = groups
        self.timestamp = timestamp.flatMap(Column.init)
    }

    /// All of its columns, group by group, the time at the end.
    var columns: [Column] { groups.flatMap { [$0.x, $0.y, $0.z] } + (timestamp.map { [$0] } ?? []) }
}

/// How one channel's word lies in a scan: checked, because libiio takes what sysfs or an iiod says and computes with it.
struct SampleFormat: Equatable {
    /// Bits in the buffer: 8, 16, 32 or 64.
    let storageBits: Int
    let isSigned: Bool

    /// The format, if libiio can convert it into 64 bits without leaving them; nil otherwise.
    init?(storageBits: UInt32, realBits: UInt32, shift: UInt32, isSigned: Bool, repetitions: UInt32) {
        guard [8, 16, 32, 64].contains(storageBits), repetitions == 1, (1...storageBits).contains(realBits),
            shift <= storageBits - realBits
        else { return nil }
        self.storageBits = Int(storageBits)
        self.isSigned = isSigned
    }

    /// The number in a word whose upper bits are not set: libiio extends the sign to the storage only.
    func value(ofWord word: Int64) -> Int64 {
        let unused = Int64(64 - storageBits)
        return isSigned ? (word << unused) >> unused : word
    }
}

/// Scans as the chip gave them, oldest first.
///
/// Their storage is used again from burst to burst, so that a scan costs no allocation, whatever it holds.
struct RawScans: Equatable {
    /// Three numbers along the axes of the chip.
    struct Axes: Equatable {
        let x: Int64
        let y: Int64
        let z: Int64
    }

    /// One for each group of the layout, scan after scan.
    private(set) var axes: [Axes] = []
    /// One for each scan, in nanoseconds of the device's clock; 0 where it does not stamp.
    var stamps: [Int64] = []

    /// The numbers of the next scan, in the order of the groups; its stamp follows.
    mutating func append(_ axes: Axes) { self.axes.append(axes) }

    /// The stamp that ends a scan.
    mutating func append(stamp: Int64) { stamps.append(stamp) }

    /// Forgets them, and keeps the storage.
    mutating func removeAll() {
        axes.removeAll(keepingCapacity: true)
        stamps.removeAll(keepingCapacity: true)
    }
}
