public import Devices
public import Platform
public import Readings

/// Location from the receivers of a gpsd.
///
/// gpsd sets the pace: demands change nothing, and the interval is learned from the times of the fixes. A reading is a
/// whole epoch of one receiver, stamped with the arrival of its first report.
///
/// It follows the best of gpsd's receivers, or one of them only: asked for one, gpsd wakes no other. Where there is none to
/// follow, that is a fault, and gpsd is asked again and again whether one has come.
///
/// The process must ignore SIGPIPE: libgps writes to gpsd without MSG_NOSIGNAL.
public struct GpsdDevice: ~Copyable, DeviceDriver {
    /// At best 20 readings a second; few receivers do more, and gpsd's own default is one.
    private static let offered = OfferedIntervals.fixed(shortestNanoseconds: 50_000_000)

    private let address: GpsdAddress
    private let receiver: String?
    private let found: @Sendable (String) -> Void
    private let admit: Admission
    private var roll = ReceiverRoll()
    private var session: GpsdSession?
    private var descriptor: Int32 = -1
    private var framing = LineFraming()
    private var feed: GpsdFeed
    private var release: String?
    private var told: Known?
    private var lastStamp: BootTime?
    /// The last opening failed for want of a receiver, so the next one looks first.
    private var lacksReceiver = false

    /// The values that a profile is made of.
    ///
    /// They are compared after each report, because making a profile's description costs more than everything else done for
    /// a report.
    private struct Known: Equatable {
        let release: String?
        let receiver: Receiver?
        let intervalNanoseconds: Int64?
    }

    /// Resolves an address, on the device's thread, before each connection.
    ///
    /// Throws if another broker holds the lock.
    public typealias Admission = @Sendable (GpsdAddress) throws(DeviceFault) -> [TCPEndpoint]

    /// A device that is neither looked for nor opened yet.
    ///
    /// It follows the receiver at a path, or the best where that is nil. Where gpsd has several, the path of each is found,
    /// once, on the device's thread.
    public init(
        _ address: GpsdAddress = .localhost, receiver: String? = nil,
        found: @escaping @Sendable (_ path: String) -> Void = { _ in },
        admit: @escaping Admission = { (address) throws(DeviceFault) in try address.resolved() }
    ) {
        self.address = address
        self.receiver = receiver
        self.found = found
        self.admit = admit
        feed = GpsdFeed(receiver: receiver)
    }

    /// Connects, waits for gpsd's greeting and its list of receivers, and goes again: no receiver is woken.
    ///
    /// Takes seven seconds at most, and less than five if gpsd does not answer. Throws if the list has no receiver, or lacks the
    /// one to follow.
    public mutating func probe() throws(DeviceFault) -> DeviceProfile {
        try GpsdSession.checkLibrary()
        var session = try GpsdSession()
        try session.connect(to: admit(address), of: address)
        let greeting = try Greeting.await(on: &session, of: address)
        release = greeting.release
        guard let receivers = greeting.receivers else { return profile }
        note(.receivers(receivers))
        let paths = receivers.map(\.path).filter(Receiver.mayMeasure)
        guard receiver.map(paths.contains) ?? !paths.isEmpty else { throw noReceiver }
        return profile
    }

    /// Connects and asks for reports, which makes gpsd open its receivers.
    public mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        close()
        if lacksReceiver { _ = try probe() }
        try GpsdSession.checkLibrary()
        var session = try GpsdSession()
        try session.connect(to: admit(address), of: address)
        guard session.watch(receiver) else { throw lost("closed the connection at once: see 'journalctl -u gpsd'") }
        framing = LineFraming()
        feed = GpsdFeed(receiver: receiver)
        lacksReceiver = false
        descriptor = session.descriptor
        self.session = consume session
        told = known
        return profile
    }

    /// Changes nothing: gpsd sets the pace.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        profile
    }

    /// gpsd's socket is readable, or the epoch that is being gathered is due.
    public var readiness: Readiness { .descriptor(descriptor, orAt: feed.deadline) }

    /// Takes what gpsd sent: the readings it makes whole, and what became known of the receiver.
    public mutating func read(into intake: inout Intake) throws(DeviceFault) {
        guard let reception = session?.receive(into: &framing) else { throw lost("is not connected") }
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        switch reception {
        case .received: takeLines(at: now)
        case .nothing: break
        case .closed, .failed, .overlong: feed.finish()
        }
        feed.expire(at: now)
        hand(over: &intake)
        if let path = feed.lostPath {
            let words = "lost its receiver \(printable(path)): see whether it is plugged in and powered"
            throw DeviceFault(.lost, "gpsd at \(address) \(words)")
        }
        lacksReceiver = feed.lacksReceiver(at: now)
        if lacksReceiver { throw noReceiver }
        switch reception {
        case .received, .nothing: return
        case .closed: throw lost("closed the connection: it ended, was restarted, or has too many clients")
        case .failed(let cause): throw lost("broke the connection (\(cause))", cause: cause)
        case .overlong: throw lost("sent a line of more than \(LineFraming.capacity) bytes: see whether it is a gpsd")
        }
    }

    /// Tells gpsd that its receivers are not needed any more, and disconnects.
    public mutating func close() {
        _ = session?.unwatch()
        session = nil
        descriptor = -1
    }

    private mutating func takeLines(at now: BootTime) {
        while let report = framing.takeLine({ session?.unpack($0) }) {
            guard let report else { continue }
            if case .version(let release) = report { self.release = release }
            note(report)
            feed.take(report, at: now)
        }
    }

    private mutating func note(_ report: GpsdReport) {
        roll.take(report)
        for path in roll.takeNews() { found(path) }
    }

    private mutating func hand(over intake: inout Intake) {
        for reading in feed.readings {
            // A busy host may read several epochs at once; their timestamps must still differ and increase.
            let stamp = lastStamp.map { max(reading.timestamp, $0 + 1) } ?? reading.timestamp
            lastStamp = stamp
            intake.append(.location(reading.location), at: stamp)
        }
        feed.readings.removeAll(keepingCapacity: true)
        intake.refuse(feed.refusedValues)
        feed.refusedValues = 0
        let known = known
        if known != told { intake.append(profile) }
        told = known
    }

    private var noReceiver: DeviceFault {
        guard let receiver else {
            return DeviceFault(
                .missing, "gpsd at \(address) has no receiver: plug one in, or name one with 'gpsdctl add /dev/...'")
        }
        let words = "has no receiver \(printable(receiver)): see whether it is plugged in and powered"
        return DeviceFault(.missing, "gpsd at \(address) \(words)")
    }

    private func lost(_ what: String, cause: SystemError? = nil) -> DeviceFault {
        DeviceFault(.lost, "gpsd at \(address) \(what)", cause: cause)
    }

    private var known: Known {
        Known(release: release, receiver: feed.receiver, intervalNanoseconds: feed.intervalNanoseconds)
    }

    private var profile: DeviceProfile {
        let name = release.map { printable($0) } ?? ""
        let gpsd = "gpsd \(name.isEmpty ? "" : "\(name) ")at \(address)"
        return DeviceProfile(
            offered: Self.offered, intervalNanoseconds: feed.intervalNanoseconds,
            description: feed.receiver.map { "\(gpsd), \($0.words)" } ?? gpsd, simulated: false)
    }
}
