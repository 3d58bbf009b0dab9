internal import BrokerClient
internal import Printable
internal import Readings

/// Draws the page that the user looks at.
struct TopPages {
    let data: TopData
    let view: TopView
    let nowNanoseconds: Int64
    let clock: WallClock

    /// The page in so many columns and lines.
    func canvas(width: Int, height: Int, hasKeys: Bool = true) -> Canvas {
        var canvas = Canvas(width: width, height: height)
        drawTitle(on: &canvas)
        switch view.page {
        case .overview: drawTables(on: &canvas)
        case .help: TopHelp.draw(on: &canvas, from: 2)
        case .resource(let name):
            if let resource = data.resource(name) {
                draw(resource, on: &canvas)
            } else {
                canvas.put("There is no resource \(name).", 1, 2, .warning)
            }
        }
        if hasKeys { drawFooter(on: &canvas) }
        return canvas
    }

    /// The lines that the whole page takes: for a terminal that does not move.
    var wholeHeight: Int {
        switch view.page {
        case .overview: 4 + data.resources.count + 2 + max(1, view.clients(data).count)
        case .resource, .help: 24
        }
    }

    // MARK: the first and the last line

    private func drawTitle(on canvas: inout Canvas) {
        let look = Canvas.Look.bold
        var parts = ["sensorbrokerd" + (data.version.map { " \($0)" } ?? "")]
        if let started = data.startedNanoseconds {
            parts.append("up \(TopText.uptime(BootClock.span(from: started, to: nowNanoseconds)))")
        }
        let active = data.resources.count { $0.info.state == "active" }
        parts.append("\(active) of \(data.resources.count) active")
        if let clients = data.otherClients {
            let count = Set(clients.map(\.id.connection)).count
            parts.append(count.counted("client"))
        }
        var title = " " + parts[0]
        for part in parts.dropFirst() {
            let longer = "\(title) · \(part)"
            if longer.count < canvas.width { title = longer }
        }
        let end = canvas.put(title, 0, 0, look)
        let time = String(clock.timeOfDay(nowNanoseconds).prefix(8)) + " "
        if canvas.width - end > time.count + 1 { canvas.put(time, endingAt: canvas.width, 0, look) }
        if let loss = data.loss {
            canvas.put(" " + loss.padded(to: canvas.width), 0, 0, Canvas.Look.bad.reversed)
        } else if view.isPaused {
            canvas.put(" PAUSED ", endingAt: canvas.width, 0, Canvas.Look.warning.reversed)
        }
    }

    private func drawFooter(on canvas: inout Canvas) {
        let row = canvas.height - 1
        guard row > 0 else { return }
        canvas.put(String(repeating: " ", count: canvas.width), 0, row)
        if let question = view.question {
            let answers = " y: yes, any other key: no"
            let text = TerminalText.cut(" \(question.text)", to: canvas.width - answers.count)
            canvas.put(text + answers, 0, row, Canvas.Look.warning.reversed)
        } else if view.isTypingFilter {
            canvas.put(" Filter: \(view.filter)_   Enter: keep it, Esc: no filter", 0, row, Canvas.Look.accent.reversed)
        } else if let message = view.message {
            canvas.put(TerminalText.cut(" \(message)", to: canvas.width), 0, row, .warning)
        } else {
            drawKeys(on: &canvas, row)
        }
    }

    private var keys: [(key: String, meaning: String)] {
        switch view.page {
        case .overview:
            [
                ("q", "quit"), ("?", "help"), ("Enter", "open"), ("Tab", "table"), ("/", "filter"), ("s", "sort"),
                ("p", "pause"), ("r", "release"), ("a", "reacquire"), ("d", "disconnect"),
            ]
        case .resource:
            [
                ("q", "quit"), ("?", "help"), ("Esc", "all"), ("↑↓", "next"), ("p", "pause"), ("r", "release"),
                ("a", "reacquire"),
            ]
        case .help: [("q", "quit"), ("any other key", "back")]
        }
    }

    private func drawKeys(on canvas: inout Canvas, _ row: Int) {
        var column = 0
        for (key, meaning) in keys where column + key.count + meaning.count + 2 <= canvas.width {
            column = canvas.put(" \(key)", column, row, Canvas.Look(colour: .cyan, isBold: true))
            column = canvas.put(" \(meaning)", column, row, .faint)
        }
        if !view.filter.isEmpty {
            canvas.put(" filter: \(view.filter) ", endingAt: canvas.width, row, Canvas.Look.accent.reversed)
        }
    }

    // MARK: the overview

    private func drawTables(on canvas: inout Canvas) {
        let resources = view.resources(data)
        let clients = view.clients(data)
        // Between title and keys; a line stays empty between the tables.
        let room = canvas.height - 3
        let (upper, lower) = Self.share(room, resources.count + 1, max(1, clients.count) + 1)
        let isUpper = view.table == .resources
        TopTable(order: view.resourceRows, rows: resources, hasKeys: isUpper)
            .draw(on: &canvas, 1, height: upper, nowNanoseconds)
        TopTable(order: view.clientRows, rows: clients, hasKeys: !isUpper, isFaint: \.isOwn)
            .draw(on: &canvas, upper + 2, height: lower, nowNanoseconds)
        guard clients.isEmpty, lower > 1 else { return }
        canvas.put(emptyText, 0, upper + 3, .faint)
    }

    private var emptyText: String {
        switch data.clients {
        case .unknown: ""
        case .hidden(let reason): reason
        case .known: view.filter.isEmpty ? "no clients" : "no client matches the filter"
        }
    }

    /// The lines of the two tables: as many as they want or, if there are too few, at least half of them for each.
    static func share(_ room: Int, _ upper: Int, _ lower: Int) -> (upper: Int, lower: Int) {
        guard upper + lower > room else { return (upper, max(0, room - upper)) }
        let half = room / 2
        if lower <= half { return (max(0, room - lower), lower) }
        let first = min(upper, half)
        return (max(0, first), max(0, room - first))
    }

    // MARK: the page of a resource

    private func draw(_ resource: TopResource, on canvas: inout Canvas) {
        drawHeading(of: resource, on: &canvas)
        let body = canvas.height - 4
        guard body > 0 else { return }
        if resource.kind == .location {
            LocationPage(resource: resource, clock: clock).draw(on: &canvas, from: 3, lines: body)
        } else {
            ValuesPage(resource: resource, nowNanoseconds: nowNanoseconds).draw(on: &canvas, from: 3, lines: body)
        }
    }

    private func drawHeading(of resource: TopResource, on canvas: inout Canvas) {
        let name = resource.name + (resource.info.simulated ? " (simulated)" : "")
        var column = canvas.put(" \(name)", 0, 1, Canvas.Look(colour: .cyan, isBold: true))
        column = canvas.put("  " + resource.info.stateText, column, 1, resource.info.reason == nil ? .good : .warning)
        canvas.put("  " + (resource.info.description ?? ""), column, 1, .faint)
        var facts: [String] = []
        if let hertz = resource.hertz(nowNanoseconds: nowNanoseconds) { facts.append(TopText.rate(hertz)) }
        if let jitter = resource.meter.jitter(nowNanoseconds: nowNanoseconds) {
            facts.append("jitter \(TopText.span(jitter))")
        }
        if let newest = resource.newestNanoseconds {
            facts.append("\(TopText.span(Double(max(0, BootClock.span(from: newest, to: nowNanoseconds))))) old")
        }
        if let device = resource.device {
            facts.append("\(TopText.count(device.samples)) samples")
            if device.faults > 0 { facts.append("\(device.faults) faults") }
        }
        if resource.missed > 0 { facts.append("\(resource.missed) missed here") }
        canvas.put(" " + facts.joined(separator: " · "), 0, 2)
    }
}
