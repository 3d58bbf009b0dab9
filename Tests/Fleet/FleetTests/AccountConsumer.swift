import Spool

@testable import Fleet

let firstEpoch = Identity(text: String(repeating: "01", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))
let secondEpoch = Identity(text: String(repeating: "02", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))
let thirdEpoch = Identity(text: String(repeating: "03", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))

/// A consumer of one host, which takes what a test sends.
struct AccountConsumer {
    var account: FleetAccount

    init(_ start: FleetAccount.Start = .joining, resources: Set<String> = []) {
        account = FleetAccount(from: start, resources: resources)
    }

    mutating func take(
        _ numbers: ClosedRange<Int>, _ epoch: Identity = firstEpoch, late: Bool = false, more: String = ""
    ) {
        for number in numbers { take(#"{"epoch":"\#(epoch)","number":\#(number)\#(more)}"#, late: late) }
    }

    mutating func take(_ line: String, late: Bool = false, resource: String = "location") {
        guard let message = FleetMessage(Array(line.utf8)) else { return account.takeUnreadable(of: "truck") }
        account.take(message, of: "truck", resource: resource, isLate: late)
    }

    mutating func status(
        _ last: Int, _ epoch: Identity = firstEpoch, retained: Bool = false, state: HostState = .online,
        resource: String = "location"
    ) {
        let payload = Wire.status(
            state, epoch: epoch, streams: [StreamStatus(name: resource, last: UInt64(last), oldest: nil)])
        guard let report = HostReport(payload) else { return account.takeUnreadable(of: "truck") }
        account.take(report, of: "truck", isRetained: retained)
    }

    mutating func begin(
        _ epoch: Identity, after former: Identity, last: Int, _ cause: BeginCause, late: Bool = false, more: String = ""
    ) {
        take(
            1...1, epoch, late: late,
            more: #","began":{"previous":"\#(former)","last":\#(last),"cause":"\#(cause.rawValue)"\#(more)}"#)
    }

    /// What is missing, as epoch's first digits and ranges.
    var missing: [String] {
        account.missing.flatMap { missing in
            missing.ranges.map { "\(missing.epoch.description.prefix(2)): \($0.lowerBound)-\($0.upperBound)" }
        }
    }

    var stream: StreamSummary? { account.summaries.first?.epochs.last?.streams.first }
}
