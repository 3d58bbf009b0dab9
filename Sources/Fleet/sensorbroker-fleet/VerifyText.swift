internal import Fleet
internal import Printable
internal import Readings
internal import Spool
internal import Varlink

/// What follows for the fleet as a whole.
struct VerifyVerdict {
    let hosts: Int
    let incomplete: Int
    let missing: UInt64
    /// How many of these are of hosts that are away, so that they may still come.
    let missingOfAway: UInt64
    let hasRefusedHosts: Bool
    /// Whether only the ends of epochs are not known.
    let isOnlyDoubtful: Bool

    init(_ summaries: [HostSummary], hasRefusedHosts: Bool) {
        hosts = summaries.count
        incomplete = summaries.count { !$0.isComplete }
        missing = summaries.reduce(0) { $0.addingSaturating($1.missing) }
        missingOfAway = summaries.filter(\.isAway).reduce(0) { $0.addingSaturating($1.missing) }
        isOnlyDoubtful = summaries.allSatisfy(\.hasAll)
        self.hasRefusedHosts = hasRefusedHosts
    }

    var isComplete: Bool { hosts > 0 && incomplete == 0 && !hasRefusedHosts }
}

/// The verdict for people: a table for each host and epoch.
enum VerifyText {
    private static let columns = ["RESOURCE", "NUMBERS", "ARRIVED", "TWICE", "GAPS", "LOST", "MISSING"]
    private static let widths = [16, 17, 11, 8, 8, 8, 8]
    private static let mostRanges = 8

    /// The verdict; of some hosts nobody answered when they were asked.
    static func text(
        _ summaries: [HostSummary], _ verdict: VerifyVerdict, unanswering: Set<String> = []
    ) -> String {
        var lines = summaries.flatMap { host($0, isUnanswering: unanswering.contains($0.host)) }
        if verdict.hasRefusedHosts { lines.append("There are more hosts than can be kept account of.") }
        if !summaries.isEmpty {
            let hosts = verdict.hosts.counted("host")
            let missing = verdict.missing.counted("message") + (verdict.missing == 1 ? " was" : " were")
            let away =
                verdict.missingOfAway > 0 ? "; \(verdict.missingOfAway) of them may come once their hosts are back" : ""
            lines.append(
                verdict.isComplete
                    ? "\(hosts): everything came, or was reported as lost."
                    : verdict.isOnlyDoubtful
                        ? "\(verdict.incomplete) of \(hosts): not proved, since it is not known where an epoch ended."
                        : "\(verdict.incomplete) of \(hosts): not everything came, and \(missing) not reported as lost\(away)."
            )
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func host(_ summary: HostSummary, isUnanswering: Bool) -> [String] {
        let incomplete = summary.isAway && summary.missing > 0 ? "NOT COMPLETE while it is away" : "NOT COMPLETE"
        let verdict = summary.isComplete ? "complete" : summary.hasAll ? "NOT PROVED" : incomplete
        var lines = ["\(summary.host.printable): \(summary.state?.rawValue ?? "state unknown"), \(verdict)"]
        if summary.isSilent {
            lines.append("  it did not report its newest numbers, so nobody knows whether its end is missing")
        }
        if isUnanswering {
            lines.append(
                "  it did not answer: do the server's rules let you write …/resend and read …/late, and the host read …/resend?"
            )
        }
        if summary.unreadable > 0 { lines.append("  \(summary.unreadable.counted("message")) could not be read") }
        if summary.isOverrun { lines.append("  more epochs, resources or holes than can be kept account of") }
        for epoch in summary.epochs where !epoch.streams.isEmpty {
            let beginning = epoch.beginning.map { ", after: \($0.rawValue)" } ?? ""
            lines.append("  epoch \(epoch.epoch)\(beginning)")
            lines.append("    " + row(columns))
            for stream in epoch.streams { lines += self.stream(stream) }
        }
        return lines
    }

    private static func stream(_ stream: StreamSummary) -> [String] {
        let numbers = stream.first.map { $0 <= stream.newest ? "\($0)-\(stream.newest)" : "none yet" } ?? "begun before"
        let lost = stream.losses.reduce(UInt64(0)) { $0.adding($1.numbers) }
        let missing = stream.missing.reduce(UInt64(0)) { $0.adding($1) }
        var lines = [
            "    "
                + row([
                    stream.resource.printable, numbers, "\(stream.arrived)", "\(stream.repeated)", "\(stream.gaps)",
                    "\(lost)",
                    "\(missing)",
                ])
        ]
        if !stream.missing.isEmpty { lines.append("      missing: " + list(stream.missing.map(text))) }
        if !stream.losses.isEmpty {
            lines.append("      lost: " + list(stream.losses.map { "\(text($0.numbers)) (\($0.cause.printable))" }))
        }
        switch stream.doubt {
        case .unknown: lines.append("      not proved: the host does not know where it ended")
        case .contradicted(let last, let newest):
            lines.append("      not proved: the host says that it ended with \(last), but \(newest) came")
        case .unreported where stream.first != nil:
            lines.append("      not proved: no other epoch reports where it ended")
        case .unreported, nil: break
        }
        return lines
    }

    private static func row(_ cells: [String]) -> String {
        zip(cells, widths).map { $0.padded($1) }.joined().trimmingEnd
    }

    private static func list(_ texts: [String]) -> String {
        let more = texts.count > mostRanges ? ", and \(texts.count - mostRanges) more ranges" : ""
        return texts.prefix(mostRanges).joined(separator: ", ") + more
    }

    private static func text(_ range: ClosedRange<UInt64>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }
}

extension String {
    fileprivate var trimmingEnd: String {
        var text = self
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}

/// The verdict for programs: an object for each host, and one for all of them.
enum VerifyJSON {
    static func text(_ summaries: [HostSummary], _ verdict: VerifyVerdict) -> String {
        let all: JSONObject = [
            "complete": .bool(verdict.isComplete), "hosts": .integer(Int64(verdict.hosts)),
            "missing": number(verdict.missing),
        ]
        return (summaries.map(host) + [all]).map(line).joined()
    }

    private static func line(_ object: JSONObject) -> String { String(decoding: object.bytes, as: UTF8.self) + "\n" }

    private static func host(_ summary: HostSummary) -> JSONObject {
        var object: JSONObject = ["host": .string(summary.host)]
        object.member("state", summary.state?.rawValue)
        object.member("complete", summary.isComplete)
        object.member("proved", summary.isProved)
        object.member("silent", summary.isSilent)
        object.member("overrun", summary.isOverrun)
        object.member("unreadable", number(summary.unreadable))
        object.member("missing", number(summary.missing))
        object.member("epochs", .array(summary.epochs.map { .object(epoch($0)) }))
        return object
    }

    private static func epoch(_ summary: EpochSummary) -> JSONObject {
        var object: JSONObject = ["epoch": .string(summary.epoch.description)]
        object.member("began", summary.beginning?.rawValue)
        object.member("streams", .array(summary.streams.map { .object(stream($0)) }))
        return object
    }

    private static func stream(_ stream: StreamSummary) -> JSONObject {
        var object: JSONObject = ["resource": .string(stream.resource)]
        object.member("first", stream.first.map(number))
        object.member("newest", number(stream.newest))
        object.member("arrived", number(stream.arrived))
        object.member("twice", number(stream.repeated))
        object.member("gaps", number(stream.gaps))
        object.member(
            "lost",
            .array(
                stream.losses.map { loss in
                    [
                        "from": number(loss.numbers.lowerBound), "to": number(loss.numbers.upperBound),
                        "cause": .string(loss.cause),
                    ]
                }))
        object.member(
            "missing", .array(stream.missing.map { ["from": number($0.lowerBound), "to": number($0.upperBound)] }))
        return object
    }

    private static func number(_ number: UInt64) -> JSONValue { .integer(Int64(clamping: number)) }
}
