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
        let number = UInt16(clamping: schemas.count + 1)
        let content = Self.numbers(number) + Self.string(name) + Self.string("ros2msg") + Self.string(text)
        let schema = record(.schema, content)
        schemas.append(schema)
        chunk += schema
        return number
    }

    /// Adds a channel of CDR messages; returns its number.
    mutating func addChannel(_ topic: String, schema: UInt16, metadata: [(String, String)]) -> UInt16 {
        let number = UInt16(clamping: channels.count)
        let pairs = metadata.flatMap { Self.string($0.0) + Self.string($0.1) }
        let head = Self.numbers(number, schema) + Self.string(topic) + Self.string("cdr")
        let channel = record(.channel, head + Self.numbers(UInt32(pairs.count)) + pairs)
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
        let span = Self.numbers(range.lowerBound, range.upperBound, UInt64(chunk.count), CRC32.of(chunk))
        let head = span + Self.string(name) + Self.numbers(UInt64(records.count))
        let start = position
        write(Self.numbers(Opcode.chunk.rawValue, UInt64(head.count + records.count)) + head)
        write(records)
        let end = position
        var indexes: [(UInt16, UInt64)] = []
        for (channel, entries) in index.enumerated() where !entries.isEmpty {
            indexes.append((UInt16(clamping: channel), position))
            var content = Self.numbers(UInt16(clamping: channel), UInt32(entries.count * 16))
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
        write(record(.dataEnd, Self.numbers(crc.sum)))
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
            write(record(.summaryOffset, Self.numbers(group.opcode.rawValue, group.start, group.length)))
        }
        // The checksum includes the footer up to itself.
        write(Self.numbers(Opcode.footer.rawValue, 20 as UInt64, start, offsets))
        write(Self.numbers(crc.sum) + Self.magic)
    }

    private func statistics() -> [UInt8] {
        let messages: UInt64 = counts.reduce(0, +)
        let none: UInt32 = 0
        let span = times ?? 0...0
        var content = Self.numbers(
            messages, UInt16(clamping: schemas.count), UInt32(clamping: channels.count), none, none,
            UInt32(clamping: chunks.count), span.lowerBound, span.upperBound, UInt32(clamping: counts.count * 10))
        for (channel, count) in counts.enumerated() { content += Self.numbers(UInt16(clamping: channel), count) }
        return record(.statistics, content)
    }

    private func indexRecord(_ chunk: ChunkIndex) -> [UInt8] {
        let place = Self.numbers(
            chunk.times.lowerBound, chunk.times.upperBound, chunk.start, chunk.length,
            UInt32(clamping: chunk.indexes.count * 10))
        let entries = chunk.indexes.flatMap { Self.numbers($0.channel, $0.offset) }
        let end = Self.string(chunk.compression) + Self.numbers(chunk.compressedSize, chunk.size)
        return record(.chunkIndex, place + entries + Self.numbers(chunk.indexLength) + end)
    }

    private mutating func write(_ bytes: [UInt8]) {
        output += bytes
        position += UInt64(bytes.count)
        crc.add(bytes)
    }

    private func record(_ opcode: Opcode, _ content: [UInt8]) -> [UInt8] {
        Self.numbers(opcode.rawValue, UInt64(content.count)) + content
    }

    /// Integers one after the other, each with its lowest byte first.
    private static func numbers(_ numbers: any FixedWidthInteger...) -> [UInt8] {
        numbers.reduce(into: []) { $0.append(littleEndian: $1) }
    }

    private static func string(_ text: String) -> [UInt8] {
        numbers(UInt32(clamping: text.utf8.count)) + text.utf8
    }

    private static func including(_ time: UInt64, _ range: ClosedRange<UInt64>?) -> ClosedRange<UInt64> {
        guard let range else { return time...time }
        return min(range.lowerBound, time)...max(range.upperBound, time)
    }
}
