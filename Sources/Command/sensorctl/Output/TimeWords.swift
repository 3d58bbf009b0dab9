internal import Configuration
internal import Programs

/// Times of the command line, in nanoseconds.
enum TimeWords {
    /// A time span: `10s`, `1min 30s`, `0.5`.
    static func nanoseconds(_ text: String) throws(UsageError) -> Int64 {
        do { return try TimeSpan(parsing: text).nanoseconds } catch { throw UsageError("\(error)") }
    }

    /// An interval: a time span or a rate; 0 is every sample.
    static func interval(_ text: String) throws(UsageError) -> Int64 {
        do { return try TimeSpan(parsingInterval: text).nanoseconds } catch { throw UsageError("\(error)") }
    }

    /// A rate as an interval; a number without a unit is in hertz.
    static func interval(rate text: String) throws(UsageError) -> Int64 {
        let rate = text.last?.isNumber == true ? text + "Hz" : text
        guard Rate.hertz(rate) != nil, let interval = try? TimeSpan(parsingInterval: rate).nanoseconds else {
            throw UsageError("'\(text)' is not a rate: write it like 50Hz or 0.5Hz")
        }
        return interval
    }
}
