/// Reads messages of segments in order, with a buffer for each of those who read: live, backlog, what was asked for again.
struct SegmentReaders {
    private struct Reader {
        let ordinal: UInt64
        /// The serial that comes next, and where its record begins.
        var serial: UInt64
        var offset: Int
        /// Bytes of the file, from an offset on.
        var buffer: [UInt8] = []
        var bufferOffset = 0
    }

    private static let most = 3
    /// Less than the allocator gives back to the kernel at once.
    private static let chunk = 1 << 15

    /// Most recently used last.
    private var readers: [Reader] = []
    /// Whoever looks at a message publishes it next.
    private var last: (ordinal: UInt64, message: SpooledMessage)?

    /// A segment is gone.
    mutating func forget(_ ordinal: UInt64) {
        readers.removeAll { $0.ordinal == ordinal }
        if last?.ordinal == ordinal { last = nil }
    }

    /// The message at a serial of a segment; nil if it cannot be read.
    mutating func message(at serial: UInt64, in segment: Segment, _ disk: any SpoolDisk) -> SpooledMessage? {
        if let last, last.ordinal == segment.ordinal, last.message.serial == serial { return last.message }
        let usable = readers.indices.filter { readers[$0].ordinal == segment.ordinal && readers[$0].serial <= serial }
        var reader: Reader
        if let best = usable.max(by: { readers[$0].serial < readers[$1].serial }) {
            reader = readers.remove(at: best)
        } else {
            reader = Reader(ordinal: segment.ordinal, serial: segment.first, offset: 0)
            if readers.count == Self.most { readers.removeFirst() }
        }
        while let (record, size) = Self.record(&reader, segment, disk) {
            if case .message = record.content {
                guard record.serial <= serial else { break }
                reader.serial = record.serial + 1
            }
            reader.offset += size
            guard reader.serial == serial + 1 else { continue }
            last = SpooledMessage(record, in: segment).map { (segment.ordinal, $0) }
            break
        }
        assert(readers.count < Self.most, "there is room for who reads")
        readers.append(reader)
        return last?.ordinal == segment.ordinal && last?.message.serial == serial ? last?.message : nil
    }

    /// The right record that comes next; nil if there is none.
    private static func record(
        _ reader: inout Reader, _ segment: Segment, _ disk: any SpoolDisk
    ) -> (Record, size: Int)? {
        if let size = size(&reader, segment, disk) {
            let start = reader.offset - reader.bufferOffset
            if let record = Record(reader.buffer[start..<start + size]), record.serial >= reader.serial {
                return (record, size)
            }
        }
        // What is damaged is skipped.
        guard reader.offset < segment.bytes,
            let rest = try? disk.read(segment.name, from: reader.offset, most: segment.bytes - reader.offset)
        else { return nil }
        var search = RecordSearch(rest)
        while let found = search.next() {
            guard found.record.serial >= reader.serial else { continue }
            reader.offset += search.offset - found.size
            return (found.record, found.size)
        }
        return nil
    }

    /// The size of the record at the reader's offset, once all of it is in its buffer; nil if there can be none.
    private static func size(_ reader: inout Reader, _ segment: Segment, _ disk: any SpoolDisk) -> Int? {
        var wanted = Record.headerBytes
        while true {
            let start = reader.offset - reader.bufferOffset
            if start <= reader.buffer.count, reader.buffer.count - start >= wanted {
                guard let size = Record.size(at: reader.buffer[start...]) else { return nil }
                if reader.buffer.count - start >= size { return size }
                wanted = size
            }
            guard reader.offset + wanted <= segment.bytes else { return nil }
            let count = min(max(wanted, chunk), segment.bytes - reader.offset)
            guard let bytes = try? disk.read(segment.name, from: reader.offset, most: count), bytes.count >= wanted
            else {
                return nil
            }
            reader.buffer = bytes
            reader.bufferOffset = reader.offset
        }
    }
}
