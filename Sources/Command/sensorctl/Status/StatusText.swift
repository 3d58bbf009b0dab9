internal import Configuration
internal import Printable
internal import Programs

/// The status of a broker as text.
///
/// `lines` fits a terminal of 80 columns: devices first, and then each client with a line for each of its resources.
/// `wideLines` has every value, and each line is complete by itself, so that the lines can be searched and sorted.
struct StatusText {
    let status: BrokerStatus
    /// The reason for a resource's state, by the resource's name.
    let reasons: [String: String]
    let names: AccountNames
    let clock: WallClock
    let style: Style

    func lines(nowNanoseconds: Int64) -> [String] {
        [heading(nowNanoseconds), ""] + devices + [""] + clients
    }

    func wideLines(nowNanoseconds: Int64) -> [String] {
        [heading(nowNanoseconds), ""] + wideDevices.lines(style) + [""]
            + (status.clients.isEmpty ? ["no clients"] : wideClients.lines(style))
    }

    private func heading(_ now: Int64) -> String {
        let running = now.subtractingReportingOverflow(status.startedNanoseconds).partialValue
        let second: Int64 = 1_000_000_000
        // Whole seconds are enough: `3d 4h 12min 7s`.
        let span = TimeSpan(nanoseconds: max(second, running - running % second))
        return "sensorbrokerd \(status.version.printable), process \(status.processID), "
            + "running for \(span)"
    }

    // MARK: 80 columns

    private var devices: [String] {
        let table = TextTable(
            heading: ["DEVICE", "STATE", "CLIENTS", "INTERVAL", "SAMPLES", "FAULTS"],
            rows: status.devices.map { device in
                [
                    device.resource.printable, device.state.printable, "\(device.clients)",
                    device.intervalNanoseconds.map { IntervalText.text(nanoseconds: $0) } ?? "", "\(device.samples)",
                    "\(device.faults)",
                ]
            }, numbers: [2, 3, 4, 5]
        ).lines(style)
        return table.prefix(1)
            + zip(table.dropFirst(), status.devices).flatMap { line, device in
                [line]
                    + (trouble(of: device).map { HelpLayout.wrapped($0.printable, indent: 2) } ?? []).map(style.warning)
            }
    }

    /// Why a device does not work: the broker's current reason or, without one, the last fault.
    private func trouble(of device: BrokerStatus.Device) -> String? {
        let isWell = ["idle", "warm", "starting", "active"].contains(device.state)
        return reasons[device.resource] ?? (isWell ? nil : device.lastFault)
    }

    private var clients: [String] {
        let groups = status.clients.map { Self.groups(of: $0) }
        let table = TextTable(
            heading: ["CLIENT", "INTERVAL", "BATCH", "FILTER", "DELIVERED", "LOST"],
            rows: groups.flatMap { $0 }.map { Self.row($0) }, numbers: [1, 2, 4, 5]
        ).lines(style)
        guard !status.clients.isEmpty else { return ["no clients"] }
        var rows = table.dropFirst().makeIterator()
        return table.prefix(1)
            + zip(status.clients, groups).flatMap { client, groups in
                heading(of: client)
                    + groups.flatMap { group in
                        [rows.next() ?? ""] + group.flatMap { notes(on: $0) }.prefix(Self.mostRequests)
                    }
            }
    }

    /// So many requests of a client for one resource have a line each; of more there is a sum.
    private static let mostRequests = 8

    /// A client's requests by lines.
    private static func groups(of client: BrokerStatus.Client) -> [[BrokerStatus.Part]] {
        let resources: [String: [BrokerStatus.Part]] = Dictionary(grouping: client.parts, by: \.resource)
        return resources.keys.sorted().flatMap { name -> [[BrokerStatus.Part]] in
            let parts = resources[name] ?? []
            return parts.count > mostRequests ? [parts] : parts.map { [$0] }
        }
    }

    private static func row(_ parts: [BrokerStatus.Part]) -> [String] {
        guard let first = parts.first, let last = parts.last else { return [] }
        let sums = ["\(parts.reduce(0) { $0 + $1.delivered })", "\(parts.reduce(0) { $0 + $1.lost })"]
        guard parts.count > 1 else {
            return [
                "  \(first.name.printable)", TopText.interval(first.intervalNanoseconds), batch(first),
                first.filter.printable,
            ] + sums
        }
        // They are sorted by interval.
        return [
            "  \(first.resource.printable), \(parts.count) requests",
            "\(TopText.interval(first.intervalNanoseconds))-\(TopText.interval(last.intervalNanoseconds))", "", "",
        ]
            + sums
    }

    private func heading(of client: BrokerStatus.Client) -> [String] {
        let process = "process \(client.processID)"
        let who = names.process(client.processID).map { "\($0.printable) (\(process))" } ?? process
        let lines = [
            style.strong(who) + " of \(user(client)), since \(clock.second(client.connectedNanoseconds))"
        ]
        let queued = client.queuedBytes > 0 ? ["\(client.queuedBytes) bytes queued"] : []
        let stream = client.subscription.map { ["subscription \($0.printable)"] } ?? ["no stream"]
        return lines + [style.faint("  " + (stream + queued).joined(separator: ", "))]
    }

    private func notes(on part: BrokerStatus.Part) -> [String] {
        let change = part.minimumChange.map { "minimum change \(DecimalText.short($0, decimals: 6))" }
        let causes = part.causes.map { "\($0.count) \(GapText.words($0.cause))" }
        return (change.map { ["    \($0)"] } ?? [])
            + (causes.isEmpty
                ? [] : HelpLayout.wrapped("lost: " + causes.joined(separator: ", "), indent: 4).map(style.warning))
    }

    // MARK: Wide

    private var wideDevices: TextTable {
        TextTable(
            heading: [
                "DEVICE", "STATE", "CLIENTS", "LANES", "INTERVAL", "SAMPLES", "OPENS", "REUSES", "EVICTIONS", "FAULTS",
                "REASON", "LAST FAULT",
            ],
            rows: status.devices.map { device in
                [
                    device.resource.printable, device.state.printable, "\(device.clients)", "\(device.lanes)",
                    device.intervalNanoseconds.map { IntervalText.text(nanoseconds: $0) } ?? "", "\(device.samples)",
                    "\(device.opens)", "\(device.reuses)", "\(device.evictions)", "\(device.faults)",
                    reasons[device.resource]?.printable ?? "", device.lastFault?.printable ?? "",
                ]
            }, numbers: Set(2...9))
    }

    private var wideClients: TextTable {
        TextTable(
            heading: [
                "CLIENT", "PROCESS", "USER", "SINCE", "QUEUED", "LAG", "RESOURCE", "REQUEST", "INTERVAL", "BATCH",
                "FILTER",
                "CHANGE", "DELIVERED", "LOST", "CAUSES", "SUBSCRIPTION",
            ],
            rows: status.clients.flatMap { client in
                let first = [
                    names.process(client.processID)?.printable ?? "", "\(client.processID)", user(client),
                    clock.second(client.connectedNanoseconds), "\(client.queuedBytes)",
                    client.lagNanoseconds.map { $0 == 0 ? "0" : TopText.span(Double($0)) } ?? "",
                ]
                let last = [client.subscription?.printable ?? ""]
                guard !client.parts.isEmpty else { return [first + Array(repeating: "", count: 9) + last] }
                return client.parts.map { part in
                    let causes = part.causes.map { "\($0.cause.printable) \($0.count)" }.joined(separator: ", ")
                    return first + [
                        part.name.printable, TopText.interval(part.requestedIntervalNanoseconds),
                        TopText.interval(part.intervalNanoseconds),
                        Self.batch(part), part.filter.printable,
                        part.minimumChange.map { DecimalText.short($0, decimals: 6) } ?? "", "\(part.delivered)",
                        "\(part.lost)", causes,
                    ] + last
                }
            }, numbers: [1, 4, 5, 7, 8, 9, 11, 12, 13])
    }

    private func user(_ client: BrokerStatus.Client) -> String {
        names.user(client.userID)?.printable ?? "user \(client.userID)"
    }

    private static func batch(_ part: BrokerStatus.Part) -> String {
        part.batchNanoseconds == 0 ? "" : IntervalText.text(nanoseconds: part.batchNanoseconds)
    }
}
