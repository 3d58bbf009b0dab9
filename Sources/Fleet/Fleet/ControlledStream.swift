internal import Configuration
internal import Timing
internal import Varlink

/// A stream whose cadence messages of the server change: what was wanted, what is in force, and the broker's answer.
struct ControlledStream: Sendable {
    private enum Wish: Equatable {
        case none
        case wanted(Cadence)
        case refused(String)
    }

    let name: String
    /// The cadence that the stream is to have.
    private(set) var inForce: Cadence
    /// Whether the broker has still to answer.
    private(set) var isAsked = false
    /// When the newest message may be followed; nil if there is none.
    var due: Int64? { pending == nil ? nil : earliest }

    private let configured: Cadence
    private let least: Int64
    private var pending: [UInt8]?
    private var earliest = Int64.min
    private var isConfirmed = true
    private var wish = Wish.none
    private var granted: Cadence?
    /// Why the broker does not give what is wanted.
    private var brokersWords: String?
    private var reported: [UInt8]?
    /// Whether something changed since the last report.
    private var hasChanged = false

    private static let spacingNanoseconds = Nanoseconds.second

    init(_ reading: WantedReading, leastNanoseconds: Int64?) {
        name = reading.resource
        configured = Cadence(reading)
        inForce = configured
        least = leastNanoseconds ?? configured.intervalNanoseconds
    }

    /// A message came; an empty one removes the former.
    ///
    /// Of one that is too long, the length is enough.
    mutating func take(_ payload: [UInt8]) {
        pending = Array(payload.prefix(Cadence.mostBytes + 1))
        isConfirmed = true
    }

    /// The message that is in force has to come again.
    mutating func doubt() -> Bool {
        isConfirmed = wish == .none
        return !isConfirmed
    }

    /// The stream has not come again: it was removed.
    mutating func expire() { if !isConfirmed { take([]) } }

    /// Follows the newest message, if it is time; whether the broker has to be asked for something else.
    mutating func follow(_ now: Int64) -> Bool {
        guard let payload = pending, earliest <= now else { return false }
        (pending, earliest, hasChanged) = (nil, now + Self.spacingNanoseconds, true)
        var wanted = configured
        if payload.isEmpty {
            wish = .none
        } else {
            do throws(SettingRefusal) {
                let cadence = try Cadence(parsing: payload)
                wish = .wanted(cadence)
                wanted = Cadence(
                    intervalNanoseconds: max(cadence.intervalNanoseconds, least),
                    batchNanoseconds: cadence.batchNanoseconds ?? configured.batchNanoseconds)
            } catch { wish = .refused(error.words) }
        }
        guard wanted != inForce || brokersWords != nil else { return false }
        (inForce, brokersWords, isAsked) = (wanted, nil, true)
        return true
    }

    /// The broker grants this.
    mutating func grant(_ cadence: Cadence) {
        (granted, brokersWords, isAsked, hasChanged) = (cadence, nil, false, true)
    }

    /// The broker does not give what was asked for.
    mutating func refuse(_ words: String) { (brokersWords, isAsked, hasChanged) = (words, false, true) }

    /// There is no stream at present.
    mutating func postpone() { (granted, isAsked, hasChanged) = (nil, false, true) }

    /// What is to be reported of it, unless it was, or the broker has still to answer.
    mutating func takeReport() -> [UInt8]? {
        guard hasChanged, !isAsked, granted != nil || wish != .none || brokersWords != nil else { return nil }
        hasChanged = false
        let text = text
        guard text != reported else { return nil }
        reported = text
        return text
    }

    /// What was requested and granted, and why it is refused, as far as there is any of that.
    private var text: [UInt8] {
        var object = JSONObject()
        if case .wanted(let cadence) = wish { object.member("requested", cadence.json) }
        object.member("granted", granted?.json)
        if case .refused(let words) = wish {
            object.member("refused", words)
        } else {
            object.member("refused", brokersWords)
        }
        return object.bytes
    }
}
