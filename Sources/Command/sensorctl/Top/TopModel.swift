internal import BrokerClient
internal import Readings

/// `sensorctl top` without terminal and sockets: what came in, what the user looks at, and the page that follows from them.
struct TopModel {
    var data: TopData
    var view: TopView
    private let clock: WallClock
    /// What the screen shows while it is paused.
    private var frozen: (data: TopData, nowNanoseconds: Int64)?

    init(_ data: TopData, _ view: TopView, _ clock: WallClock) {
        (self.data, self.view, self.clock) = (data, view, clock)
    }

    /// Whether what comes in changes the screen.
    var isPaused: Bool { frozen != nil }

    /// Takes a key; returns what is to be done.
    mutating func take(_ key: TopKey, rows: Int, nowNanoseconds now: Int64) -> TopAction? {
        let action = view.take(key, frozen?.data ?? data, rows: rows)
        if view.isPaused, frozen == nil { frozen = (data, now) }
        if !view.isPaused { frozen = nil }
        return action
    }

    /// The page in so many columns and lines; without lines it is as long as it has to be.
    func canvas(width: Int, height: Int?, nowNanoseconds now: Int64) -> Canvas {
        let pages = TopPages(
            data: frozen?.data ?? data, view: view, nowNanoseconds: frozen?.nowNanoseconds ?? now, clock: clock)
        return pages.canvas(width: width, height: height ?? pages.wholeHeight, hasKeys: height != nil)
    }

    /// Whether a page has all that it shows: readings of each resource that delivers, and the clients' rates.
    func isComplete(nowNanoseconds now: Int64) -> Bool {
        let isWaiting = data.resources.contains { resource in
            guard resource.grant != nil else { return true }
            return switch resource.info.state {
            case "starting": true
            case "active": resource.newestNanoseconds == nil || resource.lacksRate(nowNanoseconds: now)
            default: false
            }
        }
        return !isWaiting && data.hasClients
    }
}

extension TopResource {
    /// Whether its rate will be known with the next reading.
    fileprivate func lacksRate(nowNanoseconds now: Int64) -> Bool {
        kind?.row.reporting == .continuous && meter.hertz(nowNanoseconds: now) == nil
    }
}
