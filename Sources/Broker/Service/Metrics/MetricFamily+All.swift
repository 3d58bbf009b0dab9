internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// The table of metrics.
///
/// Each distinguishes only what is bounded: resources, causes, shares; never clients, processes or users.
extension MetricFamily {
    static let all = devices + resources + clients + process

    private static let devices = [
        Self(
            "DeviceSamplesTotal", .counter, "Samples that the device has delivered; those of one scan count as one",
            .device { [Metric($0.samples)] }),
        Self("DeviceOpensTotal", .counter, "Times that the device was opened", .device { [Metric($0.opens)] }),
        Self(
            "DeviceReusesTotal", .counter, "Times that the device was still open when somebody asked for it",
            .device { [Metric($0.reuses)] }),
        Self(
            "DeviceEvictionsTotal", .counter, "Times that the device was closed early because memory was short",
            .device { [Metric($0.evictions)] }),
        Self(
            "DeviceFaultsTotal", .counter, "Faults of the device, including each failed retry, by cause",
            .device { counters in
                DeviceFault.Kind.allCases.map { Metric(counters.faultsByKind[$0], [("cause", $0.rawValue)]) }
            }),
        Self(
            "DeviceRefusedValuesTotal", .counter, "Impossible values from the device, which were not delivered",
            .device { [Metric($0.refusedValues)] }),
    ]

    private static let resources = [
        Self(
            "ResourceInfo", .gauge,
            "The kind of the resource, and the device that owns it, named by its first resource",
            .resource { resource, _ in
                let device = resource.device?.resources.first?.name ?? resource.name
                return [
                    Metric(
                        1,
                        [
                            ("kind", resource.core.kind.wire), ("device", device.description),
                            ("simulated", "\(resource.isSimulated)"),
                        ])
                ]
            }),
        Self(
            "ResourceState", .string, "The state of the resource",
            .resource { resource, _ in [Metric(.string(resource.core.state.name))] }),
        Self(
            "ResourceRateHertz", .gauge,
            "The rate at which the device runs for the resource; absent while it is closed or unknown",
            .resource { resource, _ in
                guard let interval = resource.core.deviceIntervalNanoseconds, interval > 0 else { return [] }
                return [Metric(.number(1e9 / Double(interval)))]
            }),
        Self(
            "ResourceSubscribers", .gauge, "Clients that are subscribed to the resource",
            .resource { resource, _ in [Metric(resource.core.lanes.clientCount)] }),
        Self(
            "ResourceLanes", .gauge, "Groups of subscriptions with equal grants",
            .resource { resource, _ in [Metric(resource.core.lanes.count)] }),
        Self(
            "ResourceReadingsTotal", .counter, "Readings delivered to clients",
            .resource { _, totals in [Metric(totals.delivered)] }),
        Self(
            "ResourceLostReadingsTotal", .counter,
            "Readings that clients should have had and did not get, by the cause of the gap",
            .resource { _, totals in
                Gap.Cause.allCases.map { Metric(totals.losses[$0], [("cause", $0.rawValue)]) }
            }),
    ]

    private static let clients = [
        Self(
            "Connections", .gauge, "Open connections, by socket",
            .broker { broker, _ in quotas(of: broker) { $0.charged } }),
        Self(
            "ConnectionsLimit", .gauge, "Connections that there may be, by socket",
            .broker { broker, _ in quotas(of: broker) { $0.terms.total } }),
        Self(
            "AcceptedConnectionsTotal", .counter, "Connections that were accepted",
            .broker { broker, _ in [Metric(broker.server.clients.acceptedCount)] }),
        Self(
            "Subscriptions", .gauge, "Streams",
            .broker { broker, _ in [Metric(broker.server.clients.quotas.subscriptions.charged)] }),
        Self(
            "SubscriptionsLimit", .gauge, "Streams that there may be",
            .broker { broker, _ in [Metric(broker.server.clients.quotas.subscriptions.terms.total)] }),
        Self(
            "ChargedBytes", .gauge,
            "Memory that clients are charged with: queues in the kernel; batches, unsent messages and calls in the broker",
            .broker { broker, _ in shares(of: broker) { $0.charged } }),
        Self(
            "ChargedLimitBytes", .gauge, "Memory that clients may be charged with together",
            .broker { broker, _ in shares(of: broker) { $0.terms.total } }),
    ]

    private static let process = [
        Self(
            "TurnSecondsBucket", .counter,
            "How long the turns of the loop took, in which it serves devices and clients",
            .broker { broker, _ in
                let times = broker.server.turnTimes
                return TurnTimes.exponents.map { exponent in
                    Metric(times.count(upTo: exponent), [("le", (Double(1 << exponent) / 1e9).description)])
                } + [Metric(times.count, [("le", "+Inf")])]
            }),
        Self(
            "TurnSecondsCount", .counter, "Turns of the loop",
            .broker { broker, _ in [Metric(broker.server.turnTimes.count)] }),
        Self(
            "TurnSecondsSum", .counter, "The time that they took together",
            .broker { broker, _ in [Metric(.number(Double(broker.server.turnTimes.sumNanoseconds) / 1e9))] }),
        Self(
            "ResidentMemoryBytes", .gauge, "Memory of the process that is in RAM",
            .broker { _, _ in ProcessMemory.residentBytes().map { [Metric($0)] } ?? [] }),
        Self(
            "StartTimeSeconds", .gauge, "When the process started, in seconds since 1970",
            .broker { broker, now in
                // The clock is set while the process runs, so the time is derived from the present one, to the second.
                let wall = Clock.realtimeNanoseconds() - (now - broker.startedAt)
                return [Metric((wall + 500_000_000) / 1_000_000_000)]
            }),
        Self(
            "BuildInfo", .gauge, "The version of the program",
            .broker { _, _ in [Metric(1, [("version", Version.text)])] }),
    ]

    private static func quotas(of broker: Broker, _ value: (Quota) -> Int) -> [Metric] {
        let quotas = broker.server.clients.quotas
        let doors = [("broker", quotas.connections), ("admin", quotas.administration), ("feed", quotas.providers)]
        return doors.map { name, quota in Metric(value(quota), [("socket", name)]) }
    }

    private static func shares(of broker: Broker, _ value: (Quota) -> Int) -> [Metric] {
        let quotas = broker.server.clients.quotas
        return [("queues", quotas.queues), ("messages", quotas.bytes)].map { name, quota in
            Metric(value(quota), [("share", name)])
        }
    }
}
