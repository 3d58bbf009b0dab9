import Admission
import Delivery
import Foundation
import Service
import Testing
import Varlink

@Suite struct LimitsTests {
    /// docs/limits.md of this checkout.
    private static let page = URL(filePath: #filePath).appending(path: "../../../../docs/limits.md").standardized

    /// The numbers in the row of each resource, with their units; a row without numbers is not here.
    private static let numbers: [String: [String]] = [
        "connections for readings": users(Limits.connections),
        "connections for administrators": ["\(Limits.administration.perTrustedUser)"],
        "connections of programs that are sensors": users(Limits.providers),
        "resources of such a program": ["\(Limits.resourcesPerProvider)"],
        "time for the messages of a user's such programs": ["\(Limits.feedPercent) %"],
        "subscriptions": users(Limits.subscriptions),
        "subscriptions of a connection": ["1"],
        "requests in a subscription": ["\(Limits.requestsPerSubscription)"],
        "requests in a subscription that are aligned to others": ["\(Limits.companionsPerSubscription)"],
        "requests with labels": users(Limits.labels),
        "readings in a reply": ["\(Limits.readingsPerReply)"],
        "calls and connects of a user": [
            "\(Limits.callsPerSecond)", "\(Limits.callsInBurst)", "\(Limits.callsOfTrusted)",
        ],
        "calls in one turn of the loop": ["\(Limits.callsPerTurn)", "\(Limits.allCallsPerTurn)"],
        "time for calls in one turn of the loop": ["\(Limits.callTurnNanoseconds / 1_000) µs"],
        "share of the loop's time, while there are streams": [
            "\(Limits.callPercent) %", "\(Limits.connectPercent) %", "\(Limits.listPercent) %",
        ],
        "changes of the list of resources, sent to those who watch it": [
            "\(1_000_000_000 / Limits.listPauseNanoseconds)", "\(Limits.watchersOfCheapCall)",
        ],
        "connections accepted in one turn": ["\(Limits.acceptsPerTurn)"],
        "a call": [bytes(Limits.bytesOfCheapCall)],
        "size of a call": [bytes(Limits.callBytes)],
        "depth of a call's JSON": ["\(Limits.callStructure.depth)"],
        "keys in an object of a call's JSON": ["\(Limits.callStructure.keysPerObject)"],
        "time for a call to arrive": [seconds(Limits.callNanoseconds)],
        "bytes of an unfinished call": [bytes(Limits.leastCallBytes)],
        "bytes that wait for a client": [bytes(Limits.leastQueuedBytes), bytes(Limits.queuedBytes)],
        "bytes of a batch of one resource": [bytes(Limits.leastBatchBytes)],
        "readings that wait to be aligned, of each resource": [
            "\(Limits.alignedReadings)", "\(Limits.alignedLocations)",
        ],
        "bytes of replies that its socket has no room for": [bytes(Limits.leastUnsentBytes)],
        "the shares of queues": users(Limits.queues, bytes),
        "the shares of memory": users(Limits.bytes, bytes),
        "reads nothing while its queue is full": [seconds(Limits.stuckNanoseconds)],
        "interval of users in no fast group": ["\(AccessPolicy.usualShortestNanoseconds / 1_000_000) ms"],
        "waiting of a `Read`": [seconds(Limits.readNanoseconds)],
        "resources": ["\(Limits.resources)"],
        "lines in the log": ["1", seconds(Limits.logNanoseconds)],
    ]

    private static func users(_ terms: Quota.Terms, _ text: (Int) -> String = { "\($0)" }) -> [String] {
        [text(terms.total), text(terms.perUser)]
    }

    private static func bytes(_ count: Int) -> String {
        count >= 1 << 20 ? "\(count >> 20) MiB" : "\(count >> 10) KiB"
    }

    private static func seconds(_ nanoseconds: Int64) -> String { "\(nanoseconds / 1_000_000_000) s" }

    @Test("the page shows the numbers")
    func documented() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let head = "| resource | limit | when it is exceeded |\n| --- | --- | --- |\n"
        let start = try #require(text.range(of: head)).upperBound
        let end = try #require(text.range(of: "\n\n", range: start..<text.endIndex)).lowerBound
        var shown: [String: [String]] = [:]
        for row in text[start..<end].split(separator: "\n") {
            let cells = row.split(separator: "|", maxSplits: 1)
            let resource = try #require(cells.first).trimmingCharacters(in: .whitespaces)
            let numbers = try #require(cells.last).matches(of: /[0-9]+( (KiB|MiB|%|s|ms|µs)(?=[ ,]))?/)
            if !numbers.isEmpty { shown[resource] = numbers.map { String($0.0) } }
        }
        #expect(shown == Self.numbers)
    }

    @Test("shares of bytes are larger than one client needs, and trusted users leave something")
    func consistent() {
        #expect(Limits.queues.perUser >= Limits.queuedBytes && Limits.bytes.perUser >= Limits.callBytes)
        for terms in [Limits.connections, Limits.subscriptions, Limits.queues, Limits.bytes, Limits.administration] {
            #expect(terms.perTrustedUser < terms.total)
            #expect(terms.perUser <= terms.perTrustedUser)
        }
    }
}
