internal import BrokerClient
internal import Printable

/// An event of a stream besides readings.
enum StreamEvent: Equatable {
    /// The stream began; `set` takes this name.
    case subscription(String)
    /// These intervals hold from here on.
    case grant(Grant, revision: Int64?)
    /// A resource is in this state from here on.
    case resource(Resource)
    /// Readings are missing here.
    case gap(Gap)
    /// The stream ended, for this reason.
    case ended(String)
}

extension Update {
    /// The message's events that are shown before its readings, in order.
    var events: [StreamEvent] {
        let subscription = subscription.map { [StreamEvent.subscription($0)] } ?? []
        let grants = grants.map { StreamEvent.grant($0, revision: revision) }
        return subscription + grants + resources.map { .resource($0) } + gaps.map { .gap($0) }
    }

    /// The end, which is shown after its readings.
    var end: StreamEvent? { ended.map { .ended($0) } }
}

/// Gaps in words, for people.
enum GapText {
    /// Each cause of the interface: with a number before it, as in "3 read too slowly", and as the reason of a gap.
    private static let causes: [(cause: String, words: String, reason: String)] = [
        ("slowClient", "read too slowly", "because this program reads them too slowly"),
        ("deviceOverflow", "overflow of the device", "because the device's buffer overflowed"),
        ("deviceLost", "device lost", "because the device was lost"),
        (
            "reconfigured", "device reconfigured",
            "because the device's interval or configuration was changed"
        ),
        ("released", "device released", "because the device was released"),
        ("restarted", "broker restarted", "because the broker was restarted"),
    ]

    /// A cause in a few words; an unknown one by its name.
    static func words(_ cause: String) -> String {
        causes.first { $0.cause == cause }?.words ?? cause.printable
    }

    /// How many gaps there are.
    static func text(count: Int) -> String { count == 0 ? "no gap" : count.counted("gap") }

    /// What is missing and why.
    static func text(_ gap: Gap) -> String {
        let missing = gap.count.map { $0.counted("reading") } ?? "some readings"
        let span = gap.untilNanoseconds.subtractingReportingOverflow(gap.fromNanoseconds)
        let during =
            span.overflow || span.partialValue <= 0 ? "" : " in \(IntervalText.text(nanoseconds: span.partialValue))"
        let reason = causes.first { $0.cause == gap.cause }?.reason ?? gap.cause.printable
        return "gap: \(missing) missing\(during), \(reason)"
    }
}

extension Grant {
    /// The grant in words, for people.
    var text: String {
        let interval =
            intervalNanoseconds == 0
            ? "every sample" : "a reading every \(IntervalText.text(nanoseconds: intervalNanoseconds))"
        let batch =
            batchNanoseconds == 0 ? "" : ", gathered for \(IntervalText.text(nanoseconds: batchNanoseconds))"
        let device =
            deviceIntervalNanoseconds.map { ", the device measures every \(IntervalText.text(nanoseconds: $0))" } ?? ""
        return interval + batch + device
    }
}

extension Resource {
    var stateText: String { reason.map { "\(state): \($0)".printable } ?? state.printable }
}
