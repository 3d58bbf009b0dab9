package import Spool

/// Whether a consumer has everything that the hosts of a fleet sent, or a report of its loss, and what it lacks.
///
/// Pure: it takes what came, in the order of arrival, and knows neither server nor clock.
package struct FleetAccount {
    /// From where on messages are expected.
    package enum Start: Sendable {
        /// From number 1 of each epoch.
        case beginning
        /// From the first one that came at its time; of epochs that begin later, from number 1.
        case joining
    }

    private let start: Start
    private let resources: Set<String>
    private let mostHosts: Int
    private var hosts: [String: HostAccount] = [:]
    /// The hosts of which something may be missing: those to which something happened since that was last looked for, and those of
    /// which something was.
    private var unsettled: Set<String> = []
    private var isFrozen = false
    /// Hosts for which there was no room.
    package private(set) var hasRefusedHosts = false

    /// An account of some resources; of all if none is named.
    package init(from start: Start, resources: Set<String> = [], mostHosts: Int = 200_000) {
        self.start = start
        self.resources = resources
        self.mostHosts = mostHosts
    }

    package func wants(_ resource: String) -> Bool { resources.isEmpty || resources.contains(resource) }

    /// A host reports its status; the server does so for the host if that is lost, or was there before us.
    package mutating func take(_ report: HostReport, of host: String, isRetained: Bool) {
        let resources = resources
        update(host) { $0.take(report, isRetained: isRetained) { resources.isEmpty || resources.contains($0) } }
    }

    /// A message came; false if it had come before, or cannot be kept account of.
    @discardableResult
    package mutating func take(_ message: FleetMessage, of host: String, resource: String, isLate: Bool) -> Bool {
        guard wants(resource) else { return false }
        var isNew = false
        update(host) { isNew = $0.take(message, of: resource, isLate: isLate) }
        return isNew
    }

    /// From now on, each host that is online has to report its numbers again.
    package mutating func expectReports() {
        for host in hosts.keys { hosts[host]?.expectReport() }
    }

    /// Something came of a host that cannot be read.
    package mutating func takeUnreadable(of host: String) { update(host) { $0.countUnreadable() } }

    /// What is sent from now on is not expected; what was sent before still is.
    package mutating func freeze() {
        isFrozen = true
        for host in hosts.keys { hosts[host]?.freeze() }
    }

    private mutating func update(_ host: String, _ change: (inout HostAccount) -> Void) {
        guard hosts[host] != nil || !isFrozen else { return }
        guard hosts[host] != nil || hosts.count < mostHosts else {
            hasRefusedHosts = true
            return
        }
        change(&hosts[host, default: HostAccount()])
        unsettled.insert(host)
    }

    package var names: [String] { hosts.keys.sorted() }

    /// Whether a host that is online has not reported where a stream of a former epoch ended.
    package var lacksEnds: Bool { hosts.values.contains { $0.state == .online && $0.lacksEnds } }

    /// The hosts that are online but have not reported their numbers since we listen.
    package var silent: [String] { hosts.filter { $0.value.isSilent }.keys.sorted() }

    /// What is missing and was not reported as lost.
    package var missing: [Missing] { names.flatMap { missing(of: $0) } }

    /// The same, for who asks each second: there may be a hundred thousand hosts, each of which may have had hundreds of epochs.
    package mutating func findMissing() -> [Missing] {
        let missing = unsettled.sorted().flatMap { hosts[$0]?.findMissing(of: $0, since: start) ?? [] }
        unsettled = Set(missing.map(\.host))
        return missing
    }

    package func missing(of name: String) -> [Missing] {
        hosts[name].map { $0.missing(of: name, in: $0.epochs.keys, $0.begun(since: start)) } ?? []
    }

    /// The first number from one on that neither is there nor was reported as lost.
    package func firstUnknown(of host: String, _ epoch: Identity, _ resource: String, from number: UInt64) -> UInt64 {
        hosts[host]?.epochs[epoch]?.streams[resource]?.firstUnknown(from: number) ?? number
    }

    /// Why numbers did not come, as far as it was reported: parts of them, in order.
    package func causes(
        of host: String, _ epoch: Identity, _ resource: String, _ numbers: ClosedRange<UInt64>
    ) -> [(numbers: ClosedRange<UInt64>, cause: String?)] {
        hosts[host]?.epochs[epoch]?.streams[resource]?.causes(of: numbers) ?? [(numbers, nil)]
    }

    /// Whether more came of a host than can be kept account of.
    package func isOverrun(_ host: String) -> Bool { hosts[host]?.isOverrun ?? false }

    /// The first number of an epoch that is expected; nil if that is unknown.
    package func first(of host: String, _ epoch: Identity, _ resource: String) -> UInt64? {
        guard let account = hosts[host], let stream = account.epochs[epoch]?.streams[resource] else { return nil }
        return account.first(of: stream, in: epoch, account.begun(since: start))
    }

    /// A recording of a host has these numbers already, and goes on after the last one; without one it has only what came late.
    package mutating func resume(
        _ host: String, _ epoch: Identity, _ resource: String, _ numbers: NumberSet, after last: UInt64?
    ) {
        update(host) { $0.resume(epoch, resource, numbers, after: last) }
    }

    /// All that is known, by host.
    package var summaries: [HostSummary] {
        names.compactMap { name in hosts[name].map { summary(of: $0, name) } }
    }

    private func summary(of host: HostAccount, _ name: String) -> HostSummary {
        let begun = host.begun(since: start)
        let epochs = host.epochs.sorted { $0.key < $1.key }.map { epoch, account in
            EpochSummary(
                epoch: epoch, beginning: account.beginning,
                streams: account.streams.sorted { $0.key < $1.key }.map { resource, stream in
                    let first = host.first(of: stream, in: epoch, begun)
                    return StreamSummary(
                        resource: resource, first: first, newest: stream.newest,
                        arrived: stream.arrived, repeated: stream.repeated,
                        gaps: stream.gaps, losses: stream.losses,
                        missing: first.map { stream.missing(from: $0) } ?? [], doubt: host.doubt(of: stream, in: epoch))
                })
        }
        return HostSummary(
            host: name, state: host.state, isSilent: host.isSilent, unreadable: host.unreadable,
            isOverrun: host.isOverrun, epochs: epochs)
    }
}

/// What is missing of a stream in an epoch.
package struct Missing: Equatable, Sendable {
    package let host: String
    package let epoch: Identity
    package let resource: String
    package let ranges: [ClosedRange<UInt64>]
    package let presence: HostPresence

    package var count: UInt64 { ranges.reduce(0) { $0.adding($1) } }
}

extension UInt64 {
    /// The sum with the count of a range, as far as 64 bits go.
    package func adding(_ range: ClosedRange<UInt64>) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(range.upperBound - range.lowerBound)
        return overflow || sum == .max ? .max : sum + 1
    }
}
