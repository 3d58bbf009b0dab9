/// Where the wanted channels lie in the bytes of a READBUF reply.
///
/// An iiod may send more channels than requested: those that its other clients want.
struct RemoteScan: Equatable {
    /// One wanted channel.
    private struct Column: Equatable {
        let offset: Int
        let bytes: Int
        let word: RemoteWord
        let repetitions: Int
    }

    /// How many bytes a scan has.
    let step: Int
    private let columns: [Column]

    private static let mostBytes = 65_536

    /// The scan of the channels that a mask names; nil if a wanted channel is not among them or one of them has an
    /// impossible format.
    ///
    /// Each word lies at a multiple of its own length, and channels with the same index share one word: libiio's rule,
    /// at both ends.
    init?(_ device: RemoteDescription.Device, mask: [UInt32], wanted: [Int]) {
        var offsets: [Int: Int] = [:]
        var end = 0
        var last: (index: Int, offset: Int)?
        for word in mask.indices {
            for bit in 0..<32 where mask[word] >> UInt32(bit) & 1 == 1 {
                let number = word * 32 + bit
                guard number < device.channels.count, let index = device.channels[number].index,
                    let bytes = device.channels[number].word?.bytes
                else { return nil }
                if let last, last.index == index {
                    offsets[number] = last.offset
                    continue
                }
                end += (bytes - end % bytes) % bytes
                offsets[number] = end
                last = (index, end)
                end += bytes
                guard end <= Self.mostBytes else { return nil }
            }
        }
        var columns: [Column] = []
        for number in wanted {
            guard let offset = offsets[number], let word = device.channels[number].word, let format = word.format,
                let bytes = word.bytes, offset + bytes <= end
            else { return nil }
            columns.append(
                Column(
                    offset: offset, bytes: bytes / format.repetitions, word: word, repetitions: format.repetitions))
        }
        guard end > 0 else { return nil }
        step = end
        self.columns = columns
        assert((1...Self.mostBytes).contains(step) && columns.count == wanted.count)
        assert(columns.allSatisfy { $0.offset + $0.bytes * $0.repetitions <= step }, "each column lies within a scan")
    }

    /// The words of a mask in the form that an iiod writes.
    static func mask(of digits: [UInt8]) -> [UInt32] {
        stride(from: digits.count - 8, through: 0, by: -8).map { start in
            digits[start..<start + 8].reduce(0) { $0 << 4 | ($1.hexadecimalValue ?? 0) }
        }
    }

    /// The mask of some channels, in this many words.
    static func mask(of numbers: [Int], words: Int) -> [UInt32] {
        var mask = [UInt32](repeating: 0, count: words)
        for number in numbers where number / 32 < words { mask[number / 32] |= 1 << UInt32(number % 32) }
        return mask
    }

    /// A mask in the form that an iiod reads.
    static func digits(of mask: [UInt32]) -> String {
        mask.reversed().map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// The numbers of a wanted channel, or of one of its repetitions, in scans that lie one after the other.
    func numbers(_ column: Int, _ repetition: Int = 0, in bytes: [UInt8], count: Int) -> [Int64] {
        assert(columns.indices.contains(column) && count >= 0)
        let column = columns[column]
        return column.word.numbers(
            in: bytes, from: column.offset + repetition * column.bytes, every: step, count: count)
    }

    /// Reads scans that lie one after the other: as many columns for each kind as in `groups`, and perhaps the time.
    ///
    /// Column by column, since a fast device yields thousands at once.
    func read(_ bytes: [UInt8], count: Int, groups: [Int], into scans: inout RawScans) {
        let last = groups.reduce(0, +)
        assert(last <= columns.count)
        let isStamped = last < columns.count
        scans.append(stamps: isStamped ? numbers(last, in: bytes, count: count) : [Int64](repeating: 0, count: count))
        var column = 0
        for (group, columnsOfIt) in groups.enumerated() {
            var axis = 0
            for _ in 0..<columnsOfIt {
                for repetition in 0..<columns[column].repetitions where axis < RawScans.Numbers.scalarCount {
                    scans.append(numbers(column, repetition, in: bytes, count: count), along: axis, of: group)
                    axis += 1
                }
                column += 1
            }
        }
    }
}
