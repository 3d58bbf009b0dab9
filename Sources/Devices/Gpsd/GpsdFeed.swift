internal import Readings

/// Turns gpsd's reports into readings of one receiver.
///
/// Pure: time is an argument.
struct GpsdFeed: Sendable {
    /// Complete readings that have not been taken yet.
    var readings: [EpochReading] = []
    /// The number of invalid values in reports, not reported yet.
    var refusedValues = 0
    /// The followed receiver, if gpsd has lost it.
    private(set) var lostPath: String?
    private var choice: ReceiverChoice
    /// When gpsd reported that it has no receiver, or not the requested one.
    private var noReceiverSince: BootTime?
    /// How long to wait for a receiver after gpsd reported that it has none.
    static let receiverPatienceNanoseconds: Int64 = 500_000_000
    private var epochs = EpochAssembler()
    private var receivers: [Receiver]?
    /// Kept because a receiver's skies come before the first fix, which makes it the followed one.
    private var lastSkies: [(report: SkyReport, path: String, arrival: BootTime)] = []
    /// More than the receivers of one gpsd have in a cycle.
    private static let mostSkies = 16

    /// Creates a feed of the best of gpsd's receivers, or of the one at a path.
    init(receiver path: String? = nil) { choice = ReceiverChoice(only: path) }

    /// When `expire` must be called.
    var deadline: BootTime? {
        BootTime.earlier(epochs.deadline, noReceiverSince.map { $0 + Self.receiverPatienceNanoseconds })
    }

    /// Whether gpsd has no receiver to follow.
    func lacksReceiver(at now: BootTime) -> Bool {
        noReceiverSince.map { now >= $0 + Self.receiverPatienceNanoseconds } ?? false
    }

    /// The interval of the receiver; nil while it is unknown.
    var intervalNanoseconds: Int64? { epochs.intervalNanoseconds }

    /// The followed receiver, with an empty path if gpsd has none.
    ///
    /// Nil while nothing is known.
    var receiver: Receiver? {
        guard let path = choice.path, !path.isEmpty else {
            return receivers?.isEmpty == true ? Receiver(path: "", driver: "") : nil
        }
        return receivers?.first { $0.path == path } ?? Receiver(path: path, driver: "")
    }

    mutating func take(_ report: GpsdReport, at arrival: BootTime) {
        switch report {
        case .version: break
        case .noSuchReceiver: noReceiverSince = arrival
        case .fix(let fix, let path): take(fix, of: path, at: arrival)
        case .sky(let sky, let path):
            if lastSkies.count == Self.mostSkies { lastSkies.removeFirst() }
            lastSkies.append((sky, path, arrival))
            if path == choice.path { epochs.take(sky, at: arrival) }
        case .attitude(let attitude, let path):
            guard path == choice.path else { return }
            refusedValues += epochs.take(attitude, at: arrival)
        case .receivers(let receivers):
            self.receivers = receivers
            noReceiverSince = receivers.contains { Receiver.mayMeasure($0.path) } ? nil : arrival
        case .receiver(let receiver): learn(receiver)
        case .receiverGone(let path): lose(path, at: arrival)
        }
    }

    /// Delivers readings that are due now without a further report.
    mutating func expire(at now: BootTime) { epochs.expire(at: now, into: &readings) }

    /// Delivers the pending reading at the end.
    mutating func finish() { epochs.finish(into: &readings) }

    private mutating func take(_ fix: FixReport, of path: String, at arrival: BootTime) {
        switch choice.take(path, hasFix: fix.mode == 2 || fix.mode == 3, at: arrival) {
        case .ignore: return
        case .use: break
        case .change:
            finish()
            epochs = EpochAssembler()
            for sky in lastSkies where sky.path == path { epochs.take(sky.report, at: sky.arrival) }
        }
        noReceiverSince = nil
        refusedValues += epochs.take(fix, at: arrival, into: &readings)
    }

    private mutating func learn(_ receiver: Receiver) {
        noReceiverSince = nil
        var known = receivers ?? []
        known.removeAll { $0.path == receiver.path }
        if known.count < Receiver.mostRemembered { known.append(receiver) }
        receivers = known
    }

    private mutating func lose(_ path: String, at arrival: BootTime) {
        receivers?.removeAll { $0.path == path }
        if path == choice.path {
            finish()
            lostPath = path
        } else if receivers?.contains(where: { Receiver.mayMeasure($0.path) }) == false {
            noReceiverSince = noReceiverSince ?? arrival
        }
    }
}
