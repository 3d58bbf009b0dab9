internal import Readings

/// What gpsd reports becomes readings of one receiver.
///
/// Pure: time is an argument.
struct GpsdFeed: Sendable {
    /// Readings that are whole and have not been taken away yet.
    var readings: [EpochReading] = []
    /// Values of reports that cannot be true, and have not been told yet.
    var refusedValues = 0
    /// The receiver that was followed and that gpsd has lost.
    private(set) var lostPath: String?
    private var choice: ReceiverChoice
    /// When gpsd said that it has no receiver, or not the one that is asked for.
    private var noReceiverSince: BootTime?
    /// How long a receiver may still come, although gpsd said that there is none.
    static let receiverPatienceNanoseconds: Int64 = 500_000_000
    private var epochs = EpochAssembler()
    private var receivers: [Receiver]?
    /// Kept, because the sky of a receiver comes before its first fix makes it the one that is followed.
    private var lastSky: (report: SkyReport, path: String, arrival: BootTime)?

    /// A feed of the best of gpsd's receivers, or of the one at a path only.
    init(receiver path: String? = nil) { choice = ReceiverChoice(only: path) }

    /// When `expire` has something to do.
    var deadline: BootTime? {
        BootTime.earlier(epochs.deadline, noReceiverSince.map { $0 + Self.receiverPatienceNanoseconds })
    }

    /// Whether gpsd has no receiver to follow.
    func lacksReceiver(at now: BootTime) -> Bool {
        noReceiverSince.map { now >= $0 + Self.receiverPatienceNanoseconds } ?? false
    }

    /// The interval of the receiver, once it is known.
    var intervalNanoseconds: Int64? { epochs.intervalNanoseconds }

    /// The receiver that is followed; its path is empty if gpsd has no receiver.
    ///
    /// Nil while nothing is known.
    var receiver: Receiver? {
        guard let path = choice.path, !path.isEmpty else {
            return receivers?.isEmpty == true ? Receiver(path: "", driver: "") : nil
        }
        return receivers?.first { $0.path == path } ?? Receiver(path: path, driver: "")
    }

    /// gpsd reported.
    mutating func take(_ report: GpsdReport, at arrival: BootTime) {
        switch report {
        case .version: break
        case .noSuchReceiver: noReceiverSince = arrival
        case .fix(let fix, let path): take(fix, of: path, at: arrival)
        case .sky(let sky, let path):
            lastSky = (sky, path, arrival)
            if path == choice.path { epochs.take(sky, at: arrival) }
        case .receivers(let receivers):
            self.receivers = receivers
            noReceiverSince = receivers.contains { Receiver.mayMeasure($0.path) } ? nil : arrival
        case .receiver(let receiver): learn(receiver)
        case .receiverGone(let path): lose(path)
        }
    }

    /// Time has come to here without a further report.
    mutating func expire(at now: BootTime) { epochs.expire(at: now, into: &readings) }

    /// Nothing more will come.
    mutating func finish() { epochs.finish(into: &readings) }

    private mutating func take(_ fix: FixReport, of path: String, at arrival: BootTime) {
        switch choice.take(path, hasFix: fix.mode == 2 || fix.mode == 3, at: arrival) {
        case .ignore: return
        case .use: break
        case .change:
            finish()
            epochs = EpochAssembler()
            if let sky = lastSky, sky.path == path { epochs.take(sky.report, at: sky.arrival) }
        }
        noReceiverSince = nil
        refusedValues += FixValidation.refusals(in: fix)
        epochs.take(fix, at: arrival, into: &readings)
    }

    private mutating func learn(_ receiver: Receiver) {
        noReceiverSince = nil
        var known = receivers ?? []
        known.removeAll { $0.path == receiver.path }
        if known.count < Receiver.mostRemembered { known.append(receiver) }
        receivers = known
    }

    private mutating func lose(_ path: String) {
        receivers?.removeAll { $0.path == path }
        guard path == choice.path else { return }
        finish()
        lostPath = path
    }
}
