internal import Configuration
internal import Mock

/// The rates that a device offers, as they are written: `1Hz 5Hz 10Hz`.
enum Rates {
    /// The intervals in nanoseconds, ascending.
    static func intervals(_ text: String) throws(Refusal) -> [Int64] {
        var intervals: [Int64] = []
        for word in UnitWords.joined(text.split { $0 == " " || $0 == "," }.map(String.init)) {
            guard let hertz = Rate.hertz(word), (0.001...50_000).contains(hertz),
                let interval = Int64(exactly: (1e9 / hertz).rounded())
            else {
                throw Refusal(word, isNo: "rate", write: "rates from 0.001Hz to 50kHz, such as 1Hz 12.5Hz 4kHz")
            }
            if !intervals.contains(interval) { intervals.append(interval) }
        }
        guard intervals.count <= 64 else { throw Refusal("\(intervals.count) rates are too many: 64 at most") }
        return intervals.sorted()
    }
}
