internal import BrokerClient
internal import Platform
internal import Varlink

/// The connections to the broker: one for the list of resources, and one for each sensor that is subscribed to.
struct BrokerStreams {
    private let paths: [String]
    /// Of the list in the loop; that of each sensor comes after it.
    private let firstToken: UInt64
    private let list: StandingCall
    private var streams: [DesktopSensor: StandingCall] = [:]
    private var complaints: BrokerComplaints

    /// No connection yet; the broker is at the first of these paths.
    init(paths: [String], firstToken: UInt64, _ journal: Journal) {
        (self.paths, self.firstToken) = (paths, firstToken)
        list = StandingCall(Call(Interface.listResources, mode: .more), paths: paths)
        complaints = BrokerComplaints(journal)
    }

    /// When to connect; nil while there are all connections.
    var deadlineNanoseconds: Int64? { ([list] + streams.values).compactMap(\.retryNanoseconds).min() }

    /// Connects where it is time for that.
    mutating func connect(_ loop: borrowing EventLoop, _ proxy: inout SensorProxy, _ now: Int64) {
        connect(list, of: nil, loop, &proxy, now)
        for (sensor, stream) in streams { connect(stream, of: sensor, loop, &proxy, now) }
    }

    /// Subscribes to what a sensor needs.
    mutating func subscribe(
        _ sensor: DesktopSensor, _ loop: borrowing EventLoop, _ proxy: inout SensorProxy, _ now: Int64
    ) {
        let requests = proxy.requests(for: sensor).map(\.json)
        let call = Call(Interface.subscribe, parameters: ["requests": .array(requests)], mode: .more)
        let stream = StandingCall(call, paths: paths)
        streams[sensor] = stream
        connect(stream, of: sensor, loop, &proxy, now)
    }

    /// Ends a sensor's subscription.
    mutating func unsubscribe(_ sensor: DesktopSensor) { streams[sensor] = nil }

    /// Takes what has come on a connection, by its token.
    mutating func read(_ token: UInt64, _ proxy: inout SensorProxy, _ now: Int64) {
        guard token > firstToken else { return take(list.read(now), of: nil, &proxy, now) }
        // A stream may have been closed in the same turn.
        let index = Int(clamping: token - firstToken - 1)
        guard let sensor = DesktopSensor(rawValue: index), let stream = streams[sensor] else { return }
        take(stream.read(now), of: sensor, &proxy, now)
    }

    private mutating func connect(
        _ call: StandingCall, of sensor: DesktopSensor?, _ loop: borrowing EventLoop, _ proxy: inout SensorProxy,
        _ now: Int64
    ) {
        let token = sensor.map { firstToken + 1 + UInt64($0.rawValue) } ?? firstToken
        if let event = call.connect(loop, token: token, now) { take(event, of: sensor, &proxy, now) }
    }

    private mutating func take(
        _ event: StandingCall.Event, of sensor: DesktopSensor?, _ proxy: inout SensorProxy, _ now: Int64
    ) {
        switch (event, sensor) {
        case (.replies(let replies), nil):
            for reply in replies {
                guard let objects = try? reply.optionalObjects("resources"),
                    let all = try? Resource.all(objects)
                else { continue }
                complaints.end()
                proxy.take(all, now: now)
            }
        case (.replies(let replies), let sensor?):
            for reply in replies {
                guard let update = try? Update(reply) else { continue }
                proxy.take(update.readings, for: sensor)
                proxy.note(update.resources, of: sensor)
            }
        case (.lost(let reason), nil):
            complaints.isLost(reason)
            proxy.brokerIsLost(now: now)
        case (.lost, let sensor?): proxy.isInterrupted(sensor)
        case (.refused(let error), let sensor):
            complaints.refuses(sensor?.row.resource ?? "its list", error)
            if let sensor { proxy.isRefused(sensor) }
        }
    }
}
