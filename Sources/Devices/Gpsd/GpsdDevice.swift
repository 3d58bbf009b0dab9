public import Devices
public import Platform
public import Readings

/// The driver of gpsd: locations of its receivers.
///
/// gpsd sets the pace: demands change nothing, and the interval is learned from the times of the fixes. A reading is a
/// complete epoch of one receiver, stamped with the arrival of its first report.
///
/// The driver follows the best of gpsd's receivers, or a given one; if it asks for one, gpsd does not activate the
/// others. If there is no receiver to follow, the driver reports a fault and asks gpsd again from time to time.
///
/// The process must ignore SIGPIPE, because libgps writes to gpsd without MSG_NOSIGNAL.
public struct GpsdDevice: ~Copyable, DeviceDriver {
    /// At most 20 readings a second: few receivers are faster, and gpsd's own default is one.
    private static let offered = OfferedIntervals.fixed(shortestNanoseconds: 50_000_000)

    private let address: GpsdAddress
    private let receiver: String?
    private let found: @Sendable (String) -> Void
    private let admit: Admission
    private var receiverList = ReceiverList()
    private var session: GpsdSession?
    private var descriptor: Int32 = -1
    private var framing = LineFraming()
    private var feed: GpsdFeed
    private var release: String?
    private var reported: Known?
    private var lastStamp: BootTime?
    /// The last attempt to open failed because there was no receiver, so the next one probes first.
    private var lacksReceiver = false

    /// The values that the profile depends on.
    ///
    /// They are compared after each report, because describing a profile costs more than everything else done for a
    /// report.
    private struct Known: Equatable {
        let release: String?
        let receiver: Receiver?
        let intervalNanoseconds: Int64?
    }

    /// Resolves the address before each connection, on the device's thread.
    ///
    /// Throws if another broker holds the lock.
    public typealias Admission = @Sendable (GpsdAddress) throws(DeviceFault) -> [TCPEndpoint]

    /// Creates a driver that has neither probed nor opened anything.
    ///
    /// It follows the receiver at a path, or with nil the best one. The paths of gpsd's receivers are reported once
    /// each, on the device's thread.
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

    /// Connects, waits for gpsd's greeting and list of receivers, and disconnects; this activates no receiver.
    ///
    /// It takes seven seconds at most, and less than five if gpsd does not answer. Throws if the list has no receiver,
    /// or not the one to follow.
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

    /// Connects and requests reports, which makes gpsd activate its receivers.
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
        reported = known
        return profile
    }

    /// Changes nothing: gpsd sets the pace.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        profile
    }

    /// Ready when gpsd's socket is readable, or when the pending epoch is due.
    public var readiness: Readiness { .descriptor(descriptor, orAt: feed.deadline) }

    /// Reads what gpsd sent: readings of complete epochs, and changes of the profile.
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
            let words = "lost its receiver \(printable(path)): check that it is plugged in and powered"
            throw lost(words)
        }
        lacksReceiver = feed.lacksReceiver(at: now)
        if lacksReceiver { throw noReceiver }
        switch reception {
        case .received, .nothing: return
        case .closed: throw lost("closed the connection: it ended, was restarted, or has too many clients")
        case .failed(let cause): throw lost("broke the connection (\(cause))", cause: cause)
        case .overlong: throw lost("sent a line of more than \(LineFraming.capacity) bytes: check that it is gpsd")
        }
    }

    /// Informs gpsd that the receivers are no longer needed, and disconnects.
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
        receiverList.take(report)
        for path in receiverList.takeUnreported() { found(path) }
    }

    private mutating func hand(over intake: inout Intake) {
        for reading in feed.readings {
            // A busy host may read several epochs at once; their timestamps must still increase.
            let stamp = lastStamp.map { max(reading.timestamp, $0 + 1) } ?? reading.timestamp
            lastStamp = stamp
            intake.append(reading.measurement, at: stamp)
        }
        feed.readings.removeAll(keepingCapacity: true)
        intake.refuse(feed.refusedValues)
        feed.refusedValues = 0
        let known = known
        if known != reported { intake.append(profile) }
        reported = known
    }

    private var noReceiver: DeviceFault {
        guard let receiver else {
            return DeviceFault(
                .missing, "gpsd at \(address) has no receiver: plug one in, or name one with 'gpsdctl add /dev/...'")
        }
        let words = "has no receiver \(printable(receiver)): check that it is plugged in and powered"
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
