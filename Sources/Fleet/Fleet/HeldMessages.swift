internal import Spool

/// The messages of an epoch that wait for those before them.
///
/// As many as fit into megabytes may wait, and each may come after a hole. So neither the lowest nor the oldest is searched for.
struct HeldMessages<Piece> {
    struct Message {
        let piece: Piece
        let bytes: Int
        let arrived: Int64
    }

    private var messages: [UInt64: Message] = [:]
    private var numbers = NumberSet()
    /// In the order of arrival; the first one still waits.
    private var arrivals: ArraySlice<(number: UInt64, instant: Int64)> = []

    var isEmpty: Bool { messages.isEmpty }

    /// The lowest number; nil: none waits.
    var lowest: UInt64? { numbers.ranges.first?.lowerBound }

    /// When the first of them arrived; `.max`: none waits.
    var oldest: Int64 { arrivals.first?.instant ?? .max }

    mutating func add(_ message: Message, _ number: UInt64) {
        assert(messages[number] == nil, "a message waits once")
        messages[number] = message
        numbers.insert(number)
        arrivals.append((number, message.arrived))
    }

    /// Takes out the message of a number, if it waits; none that waits is lower.
    mutating func take(_ number: UInt64) -> Message? {
        guard let message = messages.removeValue(forKey: number) else { return nil }
        assert(lowest == number, "messages are taken in the order of their numbers")
        numbers.removeAll(below: number + 1)
        while let first = arrivals.first, messages[first.number] == nil { arrivals.removeFirst() }
        return message
    }
}
