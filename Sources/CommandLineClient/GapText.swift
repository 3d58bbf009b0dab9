internal import BrokerClient

/// Gaps in words, for people.
enum GapText {
    /// Each cause of the interface: with a number before it, as in "3 taken too slowly", and as the reason of a gap.
    private static let causes: [(cause: String, words: String, reason: String)] = [
        ("slowClient", "taken too slowly", "because this program takes them too slowly"),
        ("deviceOverflow", "overflow of the device", "because the device's buffer ran over"),
        ("deviceLost", "device lost", "because the device was lost"),
        (
            "reconfigured", "device reconfigured",
            "because the device was set to another interval, or configured anew"
        ),
        ("released", "device released", "because the device was released"),
        ("restarted", "broker restarted", "because the broker was restarted"),
    ]

    /// A cause in a few words; one that is not known is shown by its name.
    static func words(_ cause: String) -> String {
        causes.first { $0.cause == cause }?.words ?? cause.printable
    }

    /// What is missing and why.
    static func text(_ gap: Gap) -> String {
        let missing = gap.count.map { $0 == 1 ? "1 reading" : "\($0) readings" } ?? "some readings"
        let span = gap.untilNanoseconds.subtractingReportingOverflow(gap.fromNanoseconds)
        let during =
            span.overflow || span.partialValue <= 0 ? "" : " in \(IntervalText.text(nanoseconds: span.partialValue))"
        let reason = causes.first { $0.cause == gap.cause }?.reason ?? gap.cause.printable
        return "gap: \(missing) missing\(during), \(reason)"
    }
}
