/// The streams of an epoch, each with the number that comes next.
struct StreamNumbers {
    private(set) var names: [String]
    private var next: [UInt64]
    /// The newest number of each stream that the disk has.
    private(set) var written: [UInt64]

    init(_ names: [String]) {
        self.names = Array(names.prefix(Record.mostStreams))
        next = self.names.map { _ in 1 }
        written = self.names.map { _ in 0 }
    }

    /// The number of the next message of a stream.
    subscript(stream: Int) -> UInt64 { next[stream] }

    /// The index of a stream; nil if there is no such stream.
    func index(of name: String) -> Int? { names.firstIndex(of: name) }

    /// Adds a stream; its index, or nil if there are too many.
    mutating func add(_ name: String) -> Int? {
        guard names.count < Record.mostStreams else { return nil }
        names.append(name)
        next.append(1)
        written.append(0)
        return names.count - 1
    }

    /// These numbers are used, whatever becomes of their message.
    mutating func use(_ message: Message, of stream: Int) {
        assert(message.number == next[stream], "each number of a stream is used once, in order")
        next[stream] = message.numbers.upperBound + 1
    }

    /// These numbers are used, and their message is on the disk.
    mutating func write(_ message: Message, of stream: Int) {
        assert(written[stream] < message.number, "what is written is newer than what was")
        use(message, of: stream)
        written[stream] = message.numbers.upperBound
    }

    /// What the head of a segment that begins now states.
    var heads: [(name: String, next: UInt64)] { zip(names, next).map { (name: $0, next: $1) } }
}
