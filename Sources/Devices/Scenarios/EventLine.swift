internal import Configuration
internal import Mock

/// An event on a scenario's time line.
struct EventLine: Equatable, Sendable {
    /// The event's time since the start.
    let atNanoseconds: Int64
    /// The event's period; nil: it happens once.
    let everyNanoseconds: Int64?
    /// The fault, with its device if that is named.
    let words: FaultWords
    /// The line where it is written.
    let line: Int

    /// Parses `10s unplug accelerometer for 5s`.
    init(at text: String, line: Int) throws(Refusal) {
        var words = UnitWords.joined(text.split(separator: " ").map(String.init))[...]
        atNanoseconds = try Self.time(&words, "30s unplug accelerometer for 5s")
        everyNanoseconds = nil
        self.words = try Self.order(words)
        self.line = line
    }

    /// Parses `1min from 10s drop 20 accelerometer`; without `from` it first happens after one period.
    init(every text: String, line: Int) throws(Refusal) {
        var words = UnitWords.joined(text.split(separator: " ").map(String.init))[...]
        let example = "1min from 10s drop 20 accelerometer"
        let every = try Self.time(&words, example)
        var first = every
        if words.first == "from" {
            words.removeFirst()
            first = try Self.time(&words, example)
        }
        self.words = try Self.order(words)
        (atNanoseconds, everyNanoseconds, self.line) = (first, every, line)
        guard every > 0 else { throw Refusal("needs an interval, such as 1min") }
        switch self.words.order {
        case .end:
            throw Refusal("cannot repeat the end of a fault: give the fault a duration with 'for', or write At=")
        case .begin(let fault, let nanoseconds):
            let length = nanoseconds ?? fault.kind.usualNanoseconds
            guard fault.kind.isMomentary || length.map({ $0 < every }) ?? false else {
                throw Refusal(
                    "needs a fault that ends before it begins again: add 'for' with less than \(TimeSpan(nanoseconds: every))"
                )
            }
        }
    }

    // The words of a time begin with a digit.
    private static func time(_ words: inout ArraySlice<String>, _ example: String) throws(Refusal) -> Int64 {
        let time = words.prefix { $0.first.map { $0.isASCII && $0.isNumber } ?? false }
        guard !time.isEmpty else {
            throw Refusal(words.joined(separator: " "), isNo: "event", write: "a time and what happens: \(example)")
        }
        let span: TimeSpan
        do throws(TimeSpanError) { span = try TimeSpan(parsing: time.joined(separator: " ")) } catch {
            throw Refusal("\(error)")
        }
        guard span.nanoseconds < 1 << 60 else {
            throw Refusal("this is later than a scenario can last, which is 36 years")
        }
        words = words.dropFirst(time.count)
        return span.nanoseconds
    }

    private static func order(_ words: ArraySlice<String>) throws(Refusal) -> FaultWords {
        do throws(FaultRefusal) { return try FaultWords(Array(words)) } catch { throw Refusal(error.words) }
    }
}

extension EventLine: CustomStringConvertible {
    /// The event as text, which can be parsed again.
    var description: String {
        let time = TimeSpan(nanoseconds: atNanoseconds)
        guard let everyNanoseconds else { return "At=\(time) \(words)" }
        return "Every=\(TimeSpan(nanoseconds: everyNanoseconds)) from \(time) \(words)"
    }
}
