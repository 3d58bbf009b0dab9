internal import BrokerClient

/// What the user looks at: the page, what is selected, and how tables are sorted and filtered.
struct TopView {
    enum Page: Equatable {
        case overview
        case resource(String)
        case help
    }

    /// One of the tables of the overview.
    enum Table: Equatable {
        case resources, clients
    }

    /// What is to be done if the user confirms it.
    struct Question: Equatable {
        let text: String
        let action: TopAction
    }

    private(set) var page = Page.overview
    /// The page to which help returns.
    private var former = Page.overview
    private(set) var table = Table.resources
    private(set) var resourceRows = TopRows(TopColumns.resources)
    private(set) var clientRows = TopRows(TopColumns.clients)
    private(set) var filter = ""
    private(set) var isTypingFilter = false
    private(set) var isPaused = false
    private(set) var question: Question?
    /// What was done, or why it was not.
    private(set) var message: String?

    init(page: Page = .overview) { self.page = page }

    /// The resource that has a page of its own now.
    var open: String? {
        switch page {
        case .resource(let name): name
        case .help: if case .resource(let name) = former { name } else { nil }
        case .overview: nil
        }
    }

    mutating func show(_ message: String?) { self.message = message }

    // MARK: rows

    /// The resources of the table, filtered and sorted.
    func resources(_ data: TopData) -> [TopResource] {
        resourceRows.sorted(data.resources.filter { matches([$0.name, $0.info.kind, $0.info.state]) })
    }

    /// The clients of the table, filtered and sorted; this program is the last one.
    func clients(_ data: TopData) -> [TopClient] {
        guard case .known(let all) = data.clients else { return [] }
        let chosen = all.filter { matches([$0.process, "\($0.processID)", $0.user, $0.resourceName]) }
        return clientRows.sorted(chosen.filter { !$0.isOwn }) + clientRows.sorted(chosen.filter(\.isOwn))
    }

    private func matches(_ texts: [String]) -> Bool {
        let wanted = filter.lowercased()
        return wanted.isEmpty || texts.contains { $0.lowercased().contains(wanted) }
    }

    // MARK: keys

    /// Takes a key; returns what is to be done.
    mutating func take(_ key: TopKey, _ data: TopData, rows: Int) -> TopAction? {
        message = nil
        if let question { return answer(key, question) }
        if isTypingFilter {
            type(key)
            return nil
        }
        if page == .help, key != .character("q") {
            page = former
            return nil
        }
        return command(key, data, rows: rows)
    }

    private mutating func answer(_ key: TopKey, _ question: Question) -> TopAction? {
        self.question = nil
        guard key == .character("y") || key == .character("Y") else {
            message = "Nothing was done."
            return nil
        }
        return question.action
    }

    private mutating func type(_ key: TopKey) {
        switch key {
        case .character(let character): filter.append(character)
        case .backspace: if filter.isEmpty { isTypingFilter = false } else { filter.removeLast() }
        case .escape:
            filter = ""
            isTypingFilter = false
        default: isTypingFilter = false
        }
    }

    private mutating func command(_ key: TopKey, _ data: TopData, rows: Int) -> TopAction? {
        switch key {
        case .character("q"): return .quit
        case .character("?"), .character("h"), .help:
            former = page
            page = .help
        case .character("p"), .character(" "): isPaused.toggle()
        case .character("/"):
            page = .overview
            isTypingFilter = true
        case .character("r"), .character("a"), .character("d"): ask(key, data)
        case .character(">"), .right: moveSorting(by: 1)
        case .character("<"), .left: moveSorting(by: -1)
        case .character("s"): moveSorting(by: 1)
        case .character("i"): turnSorting()
        case .tab: table = table == .resources ? .clients : .resources
        case .enter: openSelected(data)
        case .escape, .backspace: goBack()
        case .up, .character("k"): move(by: -1, data)
        case .down, .character("j"): move(by: 1, data)
        case .pageUp: move(by: -max(1, rows - 1), data)
        case .pageDown: move(by: max(1, rows - 1), data)
        case .home: move(by: -1_000_000, data)
        case .end: move(by: 1_000_000, data)
        case .character: break
        }
        return nil
    }

    private mutating func goBack() {
        if page != .overview { page = .overview } else { filter = "" }
    }

    /// Opens the page of the selected resource, or of the one that the selected client gets.
    private mutating func openSelected(_ data: TopData) {
        guard page == .overview, let name = selectedName(data) else { return }
        page = .resource(name)
    }

    private func selectedName(_ data: TopData) -> String? {
        if let open { return open }
        switch table {
        case .resources: return resourceRows.selected(of: resources(data))?.name
        case .clients: return clientRows.selected(of: clients(data))?.part?.resource
        }
    }

    /// Deeds that concern others are done after a question only.
    private mutating func ask(_ key: TopKey, _ data: TopData) {
        guard !isHidden(data) else {
            message = "Only the broker's administrator may do this: sudo sensorctl top"
            return
        }
        if key == .character("d") { return askToDisconnect(data) }
        guard let name = selectedName(data) else { return }
        question =
            key == .character("r")
            ? Question(text: "Release \(name), so that other programs can use its device?", action: .release(name))
            : Question(text: "Take \(name) back?", action: .reacquire(name))
    }

    private mutating func askToDisconnect(_ data: TopData) {
        guard page == .overview, table == .clients, let client = clientRows.selected(of: clients(data)) else {
            message = "Select a client first: Tab goes to their table."
            return
        }
        guard !client.isOwn else {
            message = "This is sensorctl top itself; q ends it."
            return
        }
        question = Question(
            text: "Disconnect \(client.process) (process \(client.processID))?",
            action: .disconnect(client.id.connection))
    }

    private func isHidden(_ data: TopData) -> Bool { if case .hidden = data.clients { true } else { false } }

    private mutating func move(by rows: Int, _ data: TopData) {
        switch (page, table) {
        case (.overview, .resources): resourceRows.move(by: rows, in: resources(data))
        case (.overview, .clients): clientRows.move(by: rows, in: clients(data))
        case (.resource(let name), _): openNeighbour(of: name, rows < 0 ? -1 : 1, data)
        // Any key leaves the help.
        case (.help, _): break
        }
    }

    /// On a resource's page, up and down go to the next resource.
    private mutating func openNeighbour(of name: String, _ step: Int, _ data: TopData) {
        let all = resources(data)
        guard let index = all.firstIndex(where: { $0.name == name }), !all.isEmpty else { return }
        page = .resource(all[(index + step + all.count) % all.count].name)
    }

    private mutating func moveSorting(by step: Int) {
        if table == .resources { resourceRows.moveSorting(by: step) } else { clientRows.moveSorting(by: step) }
    }

    private mutating func turnSorting() {
        if table == .resources { resourceRows.turnSorting() } else { clientRows.turnSorting() }
    }
}

enum TopKey: Equatable {
    case character(Character)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, tab, help
}

/// What is to be done because of a key.
enum TopAction: Equatable {
    case quit
    case release(String)
    case reacquire(String)
    /// Ends a client's connection, by its number.
    case disconnect(Int64)
}
