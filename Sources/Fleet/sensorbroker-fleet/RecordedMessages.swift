internal import Fleet
internal import Spool
internal import Varlink

/// Which messages the files of a host have, by their ends.
///
/// In the recording itself all numbers up to the last one have come, but for those that a gap calls missing: they may still come,
/// late. In the recording of what came late, each is there by itself.
struct RecordedMessages {
    /// Of a stream in an epoch.
    struct Part: Equatable {
        let resource: String
        let epoch: Identity
        /// All before it came, or is missing; nil: only some came late.
        fileprivate(set) var last: UInt64?
        fileprivate(set) var missing = NumberSet()
        fileprivate(set) var late = NumberSet()

        /// Those that came, or will never come.
        var numbers: NumberSet {
            var numbers = late
            if let last { for range in missing.missing(in: 1...last) { numbers.insert(range) } }
            return numbers
        }
    }

    private struct Name: Hashable {
        let resource: String
        let epoch: Identity
    }

    private var parts: [Name: Part] = [:]

    /// All streams in all epochs.
    var all: [Part] { Array(parts.values) }

    /// A message of the recording, or one that came late.
    mutating func take(_ mark: LastMessages.Mark, isLate: Bool) {
        change(mark.resource, mark.epoch) { part in
            if isLate { part.late.insert(mark.number) } else { part.last = max(part.last ?? 0, mark.number) }
        }
    }

    /// A line of the recording, which may be a gap.
    mutating func take(_ line: JSONObject) {
        guard let gap = line.object("gap"), gap.string("cause") == RecordedLines.unreportedCause,
            let resource = gap.string("resource"), let messages = gap.object("messages"),
            let epoch = messages.identity("epoch"),
            let first = messages.integer("from"), let last = messages.integer("to"), first > 0, first <= last
        else { return }
        change(resource, epoch) { $0.missing.insert(UInt64(first)...UInt64(last)) }
    }

    private mutating func change(_ resource: String, _ epoch: Identity, _ change: (inout Part) -> Void) {
        change(&parts[Name(resource: resource, epoch: epoch), default: Part(resource: resource, epoch: epoch)])
    }
}
