internal import BrokerClient
internal import Readings

/// A column of a table of `top`.
struct TopColumn<Row>: Sendable where Row: Sendable {
    typealias Piece = Gauges.Piece

    let title: String
    /// The least width.
    let width: Int
    /// Which columns a narrow terminal lacks: the largest first; 0: none.
    var rank = 0
    /// How large a part of what is left it takes.
    var growth = 0
    var isNumber = false
    /// What a row has in it now, in a width.
    let pieces: @Sendable (Row, Int64, Int) -> [Piece]
    /// Whether a row comes before another; nil: the table cannot be sorted by it.
    var isBefore: (@Sendable (Row, Row) -> Bool)?

    static func text(
        _ title: String, _ width: Int, rank: Int = 0, growth: Int = 0, isNumber: Bool = false,
        by isBefore: (@Sendable (Row, Row) -> Bool)? = nil,
        look: @escaping @Sendable (Row) -> Canvas.Look = { _ in .plain },
        _ text: @escaping @Sendable (Row, Int64) -> String
    ) -> Self {
        Self(
            title: title, width: width, rank: rank, growth: growth, isNumber: isNumber,
            pieces: { row, now, _ in [(text(row, now), look(row))] }, isBefore: isBefore)
    }
}

/// The columns of the two tables.
enum TopColumns {
    static let resources: [TopColumn<TopResource>] = [
        .text("RESOURCE", 13, growth: 1, by: { $0.name < $1.name }, look: { _ in .bold }) { row, _ in row.name },
        .text("STATE", 8, by: { ($0.info.state, $0.name) < ($1.info.state, $1.name) }, look: stateLook) { row, _ in
            row.info.state
        },
        .text("RATE", 9, isNumber: true, by: { rate($0) > rate($1) }) { row, now in
            row.hertz(nowNanoseconds: now).map { TopText.rate($0) } ?? ""
        },
        .text("JITTER", 7, rank: 2, isNumber: true) { row, now in
            row.hertz(nowNanoseconds: now) == nil
                ? "" : row.meter.jitter(nowNanoseconds: now).map { TopText.span($0) } ?? ""
        },
        .text("USE", 3, rank: 3, isNumber: true, by: { $0.users ?? 0 > $1.users ?? 0 }) { row, _ in
            row.users.map { "\($0)" } ?? ""
        },
        TopColumn(
            title: "VALUE", width: 22, growth: 2,
            pieces: { row, _, width in
                // The reason of a state that is no good comes first.
                [(row.info.reason ?? TopText.value(of: row, width: width), valueLook(row))]
            }),
        TopColumn(title: "NOW", width: 12, rank: 1, pieces: { row, now, width in picture(row, now, width) }),
        TopColumn(
            title: "LAST 30 s", width: 12, rank: 4, growth: 3,
            pieces: { row, now, width in [(sparkline(row, now, width), .accent)] }),
    ]

    static let clients: [TopColumn<TopClient>] = [
        .text(
            "CLIENT", 12, growth: 1, by: { ($0.process, $0.processID) < ($1.process, $1.processID) }, look: clientLook
        ) {
            row, _ in row.process
        },
        .text("PID", 7, rank: 3, isNumber: true, by: { $0.processID < $1.processID }) { row, _ in "\(row.processID)" },
        .text("USER", 8, rank: 4, by: { ($0.user, $0.process) < ($1.user, $1.process) }) { row, _ in row.user },
        .text("RESOURCE", 14, growth: 1, by: { ($0.resourceName, $0.process) < ($1.resourceName, $1.process) }) {
            row, _ in
            row.resourceName
        },
        .text("REQUEST", 7, rank: 2, isNumber: true) { row, _ in
            row.part.map { TopText.interval($0.requestedIntervalNanoseconds) } ?? ""
        },
        .text(
            "GRANT", 7, isNumber: true,
            by: { ($0.part?.intervalNanoseconds ?? .max) < ($1.part?.intervalNanoseconds ?? .max) }
        ) {
            row, _ in row.part.map { TopText.interval($0.intervalNanoseconds) } ?? ""
        },
        .text("GETS", 9, rank: 1, isNumber: true, by: { $0.hertz ?? -1 > $1.hertz ?? -1 }) { row, _ in
            row.hertz.map { TopText.rate($0) } ?? ""
        },
        .text("LOST", 5, isNumber: true, by: { ($0.part?.lost ?? 0) > ($1.part?.lost ?? 0) }, look: lostLook) {
            row, _ in
            row.part.map { TopText.count($0.lost) } ?? ""
        },
        .text("LAG", 7, isNumber: true, by: { ($0.lagNanoseconds ?? 0) > ($1.lagNanoseconds ?? 0) }, look: lagLook) {
            row, _ in row.lagNanoseconds.map { $0 == 0 ? "0" : TopText.span(Double($0)) } ?? ""
        },
    ]

    @Sendable private static func stateLook(_ row: TopResource) -> Canvas.Look {
        switch row.info.state {
        case "active": .good
        case "stale", "released", "starting": .warning
        case "unavailable": .bad
        default: .faint
        }
    }

    private static func rate(_ row: TopResource) -> Double {
        row.meter.hertz(nowNanoseconds: row.newestNanoseconds ?? 0) ?? -1
    }

    @Sendable private static func valueLook(_ row: TopResource) -> Canvas.Look {
        row.info.reason != nil ? .warning : row.info.state == "active" ? .plain : .faint
    }

    @Sendable private static func clientLook(_ row: TopClient) -> Canvas.Look { row.isOwn ? .faint : .bold }

    @Sendable private static func lostLook(_ row: TopClient) -> Canvas.Look {
        row.part?.lost ?? 0 > 0 ? .warning : .faint
    }

    @Sendable private static func lagLook(_ row: TopClient) -> Canvas.Look {
        switch row.lagNanoseconds ?? 0 {
        case ..<50_000_000: .faint
        case ..<300_000_000: .warning
        default: .bad
        }
    }

    /// What shows a resource at a glance: a level, the satellites' signals and the way, a compass, else its last values.
    private static func picture(_ row: TopResource, _ now: Int64, _ width: Int) -> [Gauges.Piece] {
        guard row.info.state == "active" else { return [] }
        if row.location != nil {
            let track = Gauges.track(row.track, width: 4)
            let signals = Gauges.signals(row.location?.satellites ?? [], width: width - 5)
            return signals + [(String(repeating: " ", count: width - 4 - signals.count), .plain), (track, .accent)]
        }
        let values = row.newest.map(\.value)
        if row.hasGravity, values.count == 3 {
            return Gauges.level(x: values[0], y: values[1], z: values[2], width: width - 1)
        }
        if row.kind == .heading, let heading = values.first {
            return [(Gauges.arrow(heading) + " " + Gauges.compass(heading), .accent)]
        }
        return [(sparkline(row, now, width), .accent)]
    }

    private static func sparkline(_ row: TopResource, _ now: Int64, _ width: Int) -> String {
        let parts = row.history.extremes(
            width, spanNanoseconds: 30_000_000_000, until: now, row.summary)
        return Gauges.sparkline(parts, least: Gauges.least(decimals: row.decimals))
    }
}

extension TopResource {
    /// Whether its values contain gravity, so that they show how the device is tilted.
    var hasGravity: Bool { kind == .acceleration || kind == .gravity }
}

extension TopClient {
    /// The resource with the label of the request.
    var resourceName: String { part?.name ?? "no stream" }
}
