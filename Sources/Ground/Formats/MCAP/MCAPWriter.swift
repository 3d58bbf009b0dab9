/// Writes an MCAP file (mcap.dev/spec) piece by piece: chunks with their checksums and indexes, and at the end a summary.
///
/// Messages are gathered to a chunk; whoever wants them on the disk sooner ends it with `flush`. A file whose writer was interrupted
/// lacks the summary, and readers find everything up to the last complete chunk (`mcap recover` adds the summary).
struct MCAPWriter {
    private static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
    private static let chunkSize = 1 << 20

    private enum Opcode: UInt8 {
        case header = 1, footer, schema, channel, message, chunk, messageIndex, chunkIndex
        case statistics = 0x0B
        case summaryOffset = 0x0E
        case dataEnd = 0x0F
    }

    /// Makes a chunk smaller: its name in the file, and a function that returns nil where it fails.
    typealias Compression = (name: String, compress: ([UInt8]) -> [UInt8]?)

    private struct ChunkIndex {
        let start: UInt64
        let length: UInt64
        let times: ClosedRange<UInt64>
        /// Where the index of each channel is.
        let indexes: [(channel: UInt16, offset: UInt64)]
        let indexLength: UInt64
        let compression: String
        let compressedSize: UInt64
        let size: UInt64
    }

    /// What can be written.
    private(set) var output: [UInt8] = []
    private let compression: Compression?
    private var position: UInt64 = 0
    private var crc = CRC32()
    private var schemas: [[UInt8]] = []
    private var channels: [[UInt8]] = []
    private var counts: [UInt64] = []
    private var sequences: [UInt32] = []
    private var chunks: [ChunkIndex] = []
    private var times: ClosedRange<UInt64>?

    // The chunk that is being gathered.
    private var chunk: [UInt8] = []
    private var chunkTimes: ClosedRange<UInt64>?
    private var index: [[(time: UInt64, offset: UInt64)]] = []

    init(library: String, compression: Compression? = nil) {
        self.compression = compression
        write(Self.magic)
        write(record(.header, Self.string("ros2") + Self.string(library)))
    }

    /// Takes what can be written.
    mutating func take() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Adds a schema; returns its number.
    mutating func addSchema(_ name: String, _ text: String) -> UInt16 {
        var content: [UInt8] = []
        let number = UInt16(clamping: schemas.count + 1)
        content.append(littleEndian: number)
        content += Self.string(name) + Self.string("ros2msg") + Self.string(text)
        let schema = record(.schema, content)
        schemas.append(schema)
        chunk += schema
        return number
    }

    /// Adds a channel of CDR messages; returns its number.
    mutating func addChannel(_ topic: String, schema: UInt16, metadata: [(String, String)]) -> UInt16 {
        var content: [UInt8] = []
        let number = UInt16(clamping: channels.count)
        content.append(littleEndian: number)
        content.append(littleEndian: schema)
        content += Self.string(topic) + Self.string("cdr")
        let pairs = metadata.flatMap { Self.string($0.0) + Self.string($0.1) }
        content.append(littleEndian: UInt32(pairs.count))
        content += pairs
        let channel = record(.channel, content)
        channels.append(channel)
        counts.append(0)
        sequences.append(0)
        index.append([])
        chunk += channel
        return number
    }

    /// Adds a message.
    mutating func add(_ message: [UInt8], channel: UInt16, atNanoseconds time: UInt64) {
        let place = Int(channel)
        index[place].append((time, UInt64(chunk.count)))
        chunk.append(Opcode.message.rawValue)
        chunk.append(littleEndian: UInt64(message.count + 22))
        chunk.append(littleEndian: channel)
        chunk.append(littleEndian: sequences[place])
        chunk.append(littleEndian: time)
        chunk.append(littleEndian: time)
        chunk += message
        counts[place] += 1
        sequences[place] &+= 1
        chunkTimes = Self.including(time, chunkTimes)
        if chunk.count >= Self.chunkSize { flush() }
    }

    /// Ends the chunk.
    mutating func flush() {
        guard !chunk.isEmpty else { return }
        let range = chunkTimes ?? 0...0
        let compressed = compression.flatMap { $0.compress(chunk) }
        let (name, records) = (compressed == nil ? "" : compression?.name ?? "", compressed ?? chunk)
        var head: [UInt8] = []
        for number in [range.lowerBound, range.upperBound, UInt64(chunk.count)] { head.append(littleEndian: number) }
        head.append(littleEndian: CRC32.of(chunk))
        head += Self.string(name)
        head.append(littleEndian: UInt64(records.count))
        let start = position
        var opening = [Opcode.chunk.rawValue]
        opening.append(littleEndian: UInt64(head.count + records.count))
        write(opening + head)
        write(records)
        let end = position
        var indexes: [(UInt16, UInt64)] = []
        for (channel, entries) in index.enumerated() where !entries.isEmpty {
            indexes.append((UInt16(clamping: channel), position))
            var content: [UInt8] = []
            content.append(littleEndian: UInt16(clamping: channel))
            content.append(littleEndian: UInt32(entries.count * 16))
            for entry in entries {
                content.append(littleEndian: entry.time)
                content.append(littleEndian: entry.offset)
            }
            write(record(.messageIndex, content))
            index[channel].removeAll(keepingCapacity: true)
        }
        chunks.append(
            ChunkIndex(
                start: start, length: end - start, times: range, indexes: indexes, indexLength: position - end,
                compression: name, compressedSize: UInt64(records.count), size: UInt64(chunk.count)))
        if let chunkTimes {
            times = Self.including(chunkTimes.upperBound, Self.including(chunkTimes.lowerBound, times))
        }
        chunk.removeAll(keepingCapacity: true)
        chunkTimes = nil
    }

    /// Ends the file with its summary.
    mutating func finish() {
        flush()
        var content: [UInt8] = []
        content.append(littleEndian: crc.sum)
        write(record(.dataEnd, content))
        let start = position
        crc = CRC32()
        var groups: [(opcode: Opcode, start: UInt64, length: UInt64)] = []
        let parts: [(Opcode, [[UInt8]])] = [
            (.schema, schemas), (.channel, channels), (.statistics, [statistics()]),
            (.chunkIndex, chunks.map(indexRecord)),
        ]
        for (opcode, records) in parts {
            let start = position
            for record in records { write(record) }
            if !records.isEmpty { groups.append((opcode, start, position - start)) }
        }
        let offsets = position
        for group in groups {
            var content = [group.opcode.rawValue]
            content.append(littleEndian: group.start)
            content.append(littleEndian: group.length)
            write(record(.summaryOffset, content))
        }
        // The checksum includes the footer up to itself.
        var footer = [Opcode.footer.rawValue]
        footer.append(littleEndian: 20 as UInt64)
        footer.append(littleEndian: start)
        footer.append(littleEndian: offsets)
        write(footer)
        var end: [UInt8] = []
        end.append(littleEndian: crc.sum)
        write(end + Self.magic)
    }

    private func statistics() -> [UInt8] {
        var content: [UInt8] = []
        content.append(littleEndian: counts.reduce(0, +))
        content.append(littleEndian: UInt16(clamping: schemas.count))
        content.append(littleEndian: UInt32(clamping: channels.count))
        content.append(littleEndian: 0 as UInt32)
        content.append(littleEndian: 0 as UInt32)
        content.append(littleEndian: UInt32(clamping: chunks.count))
        content.append(littleEndian: times?.lowerBound ?? 0)
        content.append(littleEndian: times?.upperBound ?? 0)
        content.append(littleEndian: UInt32(clamping: counts.count * 10))
        for (channel, count) in counts.enumerated() {
            content.append(littleEndian: UInt16(clamping: channel))
            content.append(littleEndian: count)
        }
        return record(.statistics, content)
    }

    private func indexRecord(_ chunk: ChunkIndex) -> [UInt8] {
        var content: [UInt8] = []
        for number in [chunk.times.lowerBound, chunk.times.upperBound, chunk.start, chunk.length] {
            content.append(littleEndian: number)
        }
        content.append(littleEndian: UInt32(clamping: chunk.indexes.count * 10))
        for entry in chunk.indexes {
            content.append(littleEndian: entry.channel)
            content.append(littleEndian: entry.offset)
        }
        content.append(littleEndian: chunk.indexLength)
        content += Self.string(chunk.compression)
        content.append(littleEndian: chunk.compressedSize)
        content.append(littleEndian: chunk.size)
        return record(.chunkIndex, content)
    }

    private mutating func write(_ bytes: [UInt8]) {
        output += bytes
        position += UInt64(bytes.count)
        crc.add(bytes)
    }

    private func record(_ opcode: Opcode, _ content: [UInt8]) -> [UInt8] {
        var record = [opcode.rawValue]
        record.append(littleEndian: UInt64(content.count))
        return record + content
    }

    private static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(clamping: text.utf8.count))
        return bytes + text.utf8
    }

    private static func including(_ time: UInt64, _ range: ClosedRange<UInt64>?) -> ClosedRange<UInt64> {
        guard let range else { return time...time }
        return min(range.lowerBound, time)...max(range.upperBound, time)
    }
}
