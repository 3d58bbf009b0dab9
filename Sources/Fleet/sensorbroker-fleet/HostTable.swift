internal import BrokerClient
internal import Fleet
internal import Printable
internal import Readings
internal import Spool
internal import Varlink

/// A fleet as a table: a line for each host, those with a fault first where not all of them fit.
struct HostTable {
    private struct Row {
        var state: HostState?
        var backlog: UInt64?
        var lost: UInt64 = 0
        var epoch: Identity?
        var newest: JSONObject?
        var isPlace = false
        var arrived: Int64?
    }

    private var rows: [String: Row] = [:]

    private static let columns = [("HOST", 24), ("STATE", 9), ("AGE", 9), ("BACKLOG", 9), ("LOST", 8), ("MISSING", 9)]
    private static let mostHosts = 100_000
    /// A host that has sent nothing for this time has a fault.
    private static let longestAge: Int64 = 60

    /// Takes what came of a host; a message if it had not come before.
    mutating func take(_ item: FleetIntake.Item, of host: String, isNew: Bool, _ now: Int64) {
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
            guard !isLate, isPlace || !row.isPlace, let reading = message.objects("readings").last else { break }
            (row.epoch, row.newest, row.isPlace, row.arrived) = (message.epoch, reading, isPlace, now)
        case .unreadable: break
        }
        rows[host] = row
    }

    /// The lines of the table, at most so many.
    func lines(
        atMost most: Int, _ now: Moment, _ account: FleetAccount, _ clocks: [String: HostClocks]
    ) -> [String] {
        var all: [(line: String, isFault: Bool)] = []
        var (away, incomplete) = (0, 0)
        for host in rows.keys.sorted() {
            guard let row = rows[host] else { continue }
            let missing = account.missing(of: host).reduce(UInt64(0)) { $0.addingSaturating($1.count) }
            let reading = row.newest.flatMap { try? Reading(Parameters($0)) }
            let age = age(of: reading, row, now, clocks[host])
            let isAway = row.state != .online
            away += isAway ? 1 : 0
            incomplete += row.lost > 0 || missing > 0 ? 1 : 0
            let cells = [
                host.printable, row.state?.rawValue ?? "-", age.map(Self.text) ?? "-",
                row.backlog.map { "\($0)" } ?? "-", "\(row.lost)", "\(missing)",
            ]
            all.append(
                (
                    Self.row(cells) + (reading.map(WatchText.newest) ?? ""),
                    isAway || row.lost > 0 || missing > 0 || age ?? 0 > Self.longestAge
                ))
        }
        let room = max(1, most - 2)
        let first = all.count > room ? all.filter(\.isFault) + all.filter { !$0.isFault } : all
        let hidden = max(0, all.count - room)
        let sum =
            "\(all.count.counted("host")), \(away) not online, \(incomplete) with messages lost or missing"
            + (hidden > 0 ? "; \(hidden) are not shown" : "")
        return [Self.row(Self.columns.map(\.0)) + "NEWEST"] + first.prefix(room).map(\.line) + [sum]
    }

    /// How many seconds ago the newest reading was measured, or has come if its host reported no clock.
    private func age(of reading: Reading?, _ row: Row, _ now: Moment, _ clocks: HostClocks?) -> Int64? {
        guard let reading, let epoch = row.epoch, let arrived = row.arrived else { return nil }
        let waited = max(0, now.bootNanoseconds - arrived) / 1_000_000_000
        let stamp = reading.lastTimestampNanoseconds
        guard let utc = clocks?.utcMicroseconds(of: stamp, in: epoch) else { return waited }
        let (age, overflow) = now.utcMicroseconds.subtractingReportingOverflow(utc)
        return overflow ? waited : max(waited, age / 1_000_000)
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
