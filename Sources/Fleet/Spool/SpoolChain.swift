/// What outlives what when the spool is full, and leaves first when there is a connection.
public enum Priority: String, CaseIterable, Comparable, Sendable {
    /// Goes first when the spool is full: debug data.
    case low
    /// As all others.
    case normal
    /// Goes last when the spool is full: what must not be missing.
    case high

    /// In the order in which they go.
    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A stream of the spool, and what it may take.
public struct SpoolStream: Equatable, Sendable {
    /// The stream's name.
    public let name: String
    /// Which other streams' messages this stream's outlive.
    public let priority: Priority
    /// The most that it takes of the spool, in percent; nil: as much as there is.
    public let percent: Int?

    /// A stream.
    public init(_ name: String, priority: Priority = .normal, percent: Int? = nil) {
        self.name = name
        self.priority = priority
        self.percent = percent
    }
}

/// Segments of streams that stay and go together: those of one priority, or one stream that has a share of its own.
struct SpoolChain: Equatable {
    /// The first part of the names of its files, which is empty for streams that are as all others.
    let prefix: String
    let priority: Priority
    let percent: Int?
    /// The streams whose messages the chain numbers; none: its messages are of a former configuration, and are only
    /// read.
    private(set) var streams: [String]

    private static let ofPriority = "priority."
    private static let ofStream = "stream."

    /// The chains of some streams, and those whose files are on the disk: what leaves first comes first.
    static func all(of streams: [SpoolStream], and files: [String]) -> [SpoolChain] {
        var chains = [SpoolChain(prefix: "", priority: .normal, percent: nil, streams: [])]
        for stream in streams {
            let prefix = prefix(of: stream)
            if let index = chains.firstIndex(where: { $0.prefix == prefix }) {
                chains[index].streams.append(stream.name)
            } else {
                chains.append(
                    SpoolChain(
                        prefix: prefix, priority: stream.priority, percent: stream.percent, streams: [stream.name]))
            }
        }
        for prefix in Set(files.compactMap(prefix(ofFile:))).sorted()
        where !chains.contains(where: { $0.prefix == prefix }) {
            let priority = priority(ofFormer: prefix, among: streams)
            chains.append(SpoolChain(prefix: prefix, priority: priority, percent: nil, streams: []))
        }
        return Priority.allCases.reversed().flatMap { priority in chains.filter { $0.priority == priority } }
    }

    private static func prefix(of stream: SpoolStream) -> String {
        if stream.percent != nil { return "\(ofStream)\(stream.name)-" }
        return stream.priority == .normal ? "" : "\(ofPriority)\(stream.priority.rawValue)-"
    }

    /// The first part of the name of a segment; nil for other files, and for segments without one.
    private static func prefix(ofFile name: String) -> String? {
        guard let end = name.lastIndex(of: "-"), Segment.ordinal(String(name[name.index(after: end)...])) != nil else {
            return nil
        }
        let prefix = name[...end]
        return prefix.hasPrefix(ofPriority) || prefix.hasPrefix(ofStream) ? String(prefix) : nil
    }

    private static func priority(ofFormer prefix: String, among streams: [SpoolStream]) -> Priority {
        let word = String(prefix.drop { $0 != "." }.dropFirst().dropLast())
        if prefix.hasPrefix(ofPriority) { return Priority(rawValue: word) ?? .normal }
        return streams.first { $0.name == word }?.priority ?? .normal
    }
}
