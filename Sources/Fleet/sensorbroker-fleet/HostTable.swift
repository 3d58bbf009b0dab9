internal import BrokerClient
internal import Fleet
internal import Printable
internal import Readings
internal import Spool
internal import Varlink

/// A fleet as a table: a line for each host, those with a fault first where not all of them fit.
///
/// There may be a hundred thousand hosts: what a picture needs of all is known when something comes, and only what is shown
/// is read and written.
struct HostTable {
    private struct Row {
        var state: HostState?
        var backlog: UInt64?
        var lost: UInt64 = 0
        var newest: NewestReading?
    }

    private struct NewestReading {
        let epoch: Identity
        let reading: JSONObject
        let isPlace: Bool
        let arrived: Int64
        /// CLOCK_BOOTTIME of the host when it was measured, and UTC, once its clocks are known.
        let stamp: Int64?
        var utcMicroseconds: Int64?

        /// How many seconds ago it was measured, or has come if its host reported no clock.
        func age(_ now: Moment) -> Int64 {
            let waited = max(0, now.bootNanoseconds - arrived) / 1_000_000_000
            guard let utcMicroseconds else { return waited }
            let (age, overflow) = now.utcMicroseconds.subtractingReportingOverflow(utcMicroseconds)
            return overflow ? waited : max(waited, age / 1_000_000)
        }
    }

    private var rows: [String: Row] = [:]
    /// The hosts in order, as far as that is known.
    private var names: [String] = []

    private static let columns = [("HOST", 24), ("STATE", 9), ("AGE", 9), ("BACKLOG", 9), ("LOST", 8), ("MISSING", 9)]
    private static let mostHosts = 100_000
    /// A host that has sent nothing for this time has a fault.
    private static let longestAge: Int64 = 60

    /// Takes what came of a host, whose clocks are known as far as that; a message if it had not come before.
    mutating func take(
        _ item: FleetIntake.Item, of host: String, isNew: Bool, _ clocks: HostClocks?, _ now: Int64
    ) {
        guard rows[host] != nil || rows.count < Self.mostHosts else { return }
        var row = rows[host] ?? Row()
        switch item {
        case .report(let report, _):
            row.state = report.state
            row.backlog = report.state == .lost ? row.backlog : report.backlog
        case .message(let message, let resource, let isLate):
            guard isNew else { return }
            if let lost = message.lost { row.lost = row.lost.adding(lost.numbers) }
            // A place shows more of a host than any other reading.
            let isPlace = resource == "location"
            guard !isLate, isPlace || !(row.newest?.isPlace ?? false), let reading = message.objects("readings").last
            else { break }
            row.newest = NewestReading(
                epoch: message.epoch, reading: reading, isPlace: isPlace, arrived: now,
                stamp: MessageSpan.last(of: reading))
        case .unreadable: break
        }
        if let newest = row.newest, let stamp = newest.stamp {
            row.newest?.utcMicroseconds = clocks?.utcMicroseconds(of: stamp, in: newest.epoch)
        }
        rows[host] = row
    }

    /// The lines of the table, at most so many; `missing` is what is missing of all hosts.
    mutating func lines(atMost most: Int, _ now: Moment, missing: [Missing]) -> [String] {
        if names.count != rows.count { names = rows.keys.sorted() }
        let missing = missing.reduce(into: [String: UInt64]()) { counts, missing in
            counts[missing.host] = counts[missing.host, default: 0].addingSaturating(missing.count)
        }
        var (faults, others): ([String], [String]) = ([], [])
        var (away, incomplete) = (0, 0)
        for host in names {
            guard let row = rows[host] else { continue }
            let isAway = row.state != .online
            let isIncomplete = row.lost > 0 || missing[host] ?? 0 > 0
            away += isAway ? 1 : 0
            incomplete += isIncomplete ? 1 : 0
            let isOld = row.newest.map { $0.age(now) > Self.longestAge } ?? false
            if isAway || isIncomplete || isOld { faults.append(host) } else { others.append(host) }
        }
        let room = max(1, most - 2)
        let shown = names.count > room ? (faults + others).prefix(room) : names[...]
        let hidden = names.count - shown.count
        let sum =
            "\(names.count.counted("host")), \(away) not online, \(incomplete) with messages lost or missing"
            + (hidden > 0 ? "; \(hidden) are not shown" : "")
        return [Self.row(Self.columns.map(\.0)) + "NEWEST"] + shown.map { line(of: $0, now, missing[$0] ?? 0) } + [sum]
    }

    private func line(of host: String, _ now: Moment, _ missing: UInt64) -> String {
        let row = rows[host] ?? Row()
        let reading = row.newest.flatMap { try? Reading(Parameters($0.reading)) }
        let cells = [
            host.printable, row.state?.rawValue ?? "-", row.newest.map { Self.text($0.age(now)) } ?? "-",
            row.backlog.map { "\($0)" } ?? "-", "\(row.lost)", "\(missing)",
        ]
        return Self.row(cells) + (reading.map(WatchText.newest) ?? "")
    }

    private static func row(_ cells: [String]) -> String {
        zip(cells, columns).map { cell, column in
            let most = column.1 - 1
            return (cell.count > most ? cell.prefix(most - 1) + "…" : cell).padded(column.1)
        }.joined()
    }

    private static func text(_ seconds: Int64) -> String {
        switch seconds {
        case ..<100: "\(seconds) s"
        case ..<6_000: "\(seconds / 60) min"
        case ..<360_000: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
