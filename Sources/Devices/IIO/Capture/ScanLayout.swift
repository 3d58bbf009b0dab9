/// The channels of a scan that are read: one or three for each captured kind, and perhaps the time.
struct ScanLayout {
    /// A channel whose format has been checked.
    struct Column {
        let channel: IIOChannel
        let format: SampleFormat

        /// The channel as part of a scan; nil if it cannot be one.
        init?(_ channel: IIOChannel) {
            guard channel.isScanElement, let format = channel.format else { return nil }
            self.channel = channel
            self.format = format
        }
    }

    /// The channels of one kind.
    struct Group {
        /// One to four; a channel that repeats is the only one.
        let columns: [Column]

        /// The group, if every channel can be part of a scan and has this many numbers.
        init?(_ channels: [IIOChannel], repetitions: Int) {
            columns = channels.compactMap(Column.init)
            guard !columns.isEmpty, columns.count == channels.count,
                columns.allSatisfy({ $0.format.repetitions == repetitions }), repetitions == 1 || columns.count == 1
            else { return nil }
        }
    }

    /// One for each kind.
    let groups: [Group]
    /// The device's own stamp, if it has one.
    let timestamp: Column?

    /// A layout of these groups, each of which can be part of a scan.
    ///
    /// If numbers repeat, the time is left out: the kernel aligns the end of such a scan to the widest channel, and
    /// libiio 0.24 does not, so that each of its reads would be refused.
    init(_ groups: [Group], timestamp: IIOChannel?) {
        self.groups = groups
        let repeats = groups.contains { $0.columns.contains { $0.format.repetitions > 1 } }
        self.timestamp = repeats ? nil : timestamp.flatMap(Column.init)
    }

    /// All columns, group by group, the time at the end.
    var columns: [Column] { groups.flatMap(\.columns) + (timestamp.map { [$0] } ?? []) }

    /// Whether libiio and the kernel agree on the length of these scans, if nothing else is in them.
    var isEven: Bool {
        var length = 0
        var widest = 1
        for column in columns {
            let bytes = column.format.storageBits / 8 * column.format.repetitions
            assert(bytes > 0)
            length = (length + bytes - 1) / bytes * bytes + bytes
            widest = max(widest, bytes)
        }
        return length % widest == 0
    }
}

/// The layout of one channel's word in a scan: checked, because libiio computes with whatever sysfs or an iiod gives.
struct SampleFormat: Equatable {
    /// Bits of a number in the buffer: 8, 16, 32 or 64.
    let storageBits: Int
    let isSigned: Bool
    /// How many numbers it has: one, or the parts of a quaternion.
    let repetitions: Int

    /// As many as a kind has channels.
    private static let mostRepetitions: UInt32 = 4

    /// The format, if libiio can convert it into 64 bits per number without overrunning them; nil otherwise.
    init?(storageBits: UInt32, realBits: UInt32, shift: UInt32, isSigned: Bool, repetitions: UInt32) {
        guard [8, 16, 32, 64].contains(storageBits), (1...Self.mostRepetitions).contains(repetitions),
            (1...storageBits).contains(realBits),
            shift <= storageBits - realBits
        else { return nil }
        self.storageBits = Int(storageBits)
        self.isSigned = isSigned
        self.repetitions = Int(repetitions)
    }

    /// The number in a word whose upper bits are not set: libiio extends the sign only within the storage.
    func value(ofWord word: Int64) -> Int64 {
        let unused = Int64(64 - storageBits)
        assert((0..<64).contains(unused))
        return isSigned ? (word << unused) >> unused : word
    }
}

/// Scans as the chip gave them, oldest first.
///
/// They lie column by column, so that what is done to thousands of them at once is done in short loops.
struct RawScans: Equatable {
    /// The numbers of a group along the axes of the chip; 0 beyond them.
    typealias Numbers = SIMD4<Int64>

    /// The numbers along each axis of each group, one for each scan; none along an axis that the group does not have.
    private var columns: [[Int64]]
    /// One for each scan, in nanoseconds of the device's clock; 0 if it does not stamp.
    var stamps: [Int64] = []

    /// No scans yet, of a layout with so many groups.
    init(groups: Int) { columns = [[Int64]](repeating: [], count: groups * Numbers.scalarCount) }

    /// How many scans there are.
    var count: Int { stamps.count }

    subscript(scan: Int, group: Int) -> Numbers {
        assert((0..<count).contains(scan))
        assert((group + 1) * Numbers.scalarCount <= columns.count)
        var numbers = Numbers.zero
        for axis in numbers.indices {
            let column = columns[group * Numbers.scalarCount + axis]
            if scan < column.count { numbers[axis] = column[scan] }
        }
        return numbers
    }

    /// The numbers of a group along an axis, one for each scan.
    func column(_ axis: Int, of group: Int) -> [Int64] {
        assert((0..<Numbers.scalarCount).contains(axis))
        return columns[group * Numbers.scalarCount + axis]
    }

    /// Adds the stamps of scans; their numbers along each axis of each group follow.
    mutating func append(stamps: [Int64]) { self.stamps.append(contentsOf: stamps) }

    /// Adds the numbers of these scans along an axis of a group.
    mutating func append(_ numbers: [Int64], along axis: Int, of group: Int) {
        assert((0..<Numbers.scalarCount).contains(axis))
        columns[group * Numbers.scalarCount + axis].append(contentsOf: numbers)
    }

    /// Removes the scans, but keeps the storage.
    mutating func removeAll() {
        for index in columns.indices { columns[index].removeAll(keepingCapacity: true) }
        stamps.removeAll(keepingCapacity: true)
    }
}
