internal import BrokerClient

extension Gap {
    /// What is missing and why, for people.
    var text: String {
        let missing = count.map { $0 == 1 ? "1 reading" : "\($0) readings" } ?? "some readings"
        let span = untilNanoseconds.subtractingReportingOverflow(fromNanoseconds)
        let during =
            span.overflow || span.partialValue <= 0 ? "" : " in \(IntervalText.text(nanoseconds: span.partialValue))"
        return "gap: \(missing) missing\(during), \(causeText)"
    }

    private var causeText: String {
        switch cause {
        case "slowClient": "because this program takes them too slowly"
        case "deviceOverflow": "because the device's buffer ran over"
        case "deviceLost": "because the device was lost"
        case "reconfigured": "because the device was set to another interval, or configured anew"
        case "restarted": "because the broker was restarted"
        case "released": "because the device was released"
        default: cause.printable
        }
    }
}
