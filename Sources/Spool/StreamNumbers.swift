/// The streams of an epoch, each with the number that comes next.
struct StreamNumbers {
    private(set) var names: [String]
    private var next: [UInt64]

    init(_ names: [String]) {
        self.names = Array(names.prefix(Record.mostStreams))
        next = self.names.map { _ in 1 }
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
        return names.count - 1
    }

    /// These numbers are used, whatever becomes of their message.
    mutating func use(_ message: Message, of stream: Int) { next[stream] = message.numbers.upperBound + 1 }

    /// What a segment that begins now tells.
    var heads: [(name: String, next: UInt64)] { zip(names, next).map { (name: $0, next: $1) } }
}
