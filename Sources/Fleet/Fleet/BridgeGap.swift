public import Spool
public import Varlink

/// Readings that are missing, which the broker cannot report.
public struct BridgeGap: Equatable, Sendable {
    /// Why; the raw value is its name on the wire.
    public enum Cause: String, CaseIterable, Sendable {
        /// There was no broker, or no stream from it.
        case brokerLost
        /// This program was stopped in order, and started again.
        case bridgeRestarted
        /// This program ended without an order to.
        case bridgeCrashed
        /// The host ended without an order to.
        case powerLoss
    }

    /// Why.
    public var cause: Cause
    /// CLOCK_BOOTTIME of the last instant that is known.
    public var since: Int64

    /// A gap after an instant.
    public init(_ cause: Cause, since: Int64) {
        self.cause = cause
        self.since = since
    }
}

extension BridgeGap.Cause {
    /// What an epoch is missing of the time before it; nil if there was none.
    public init?(_ cause: BeginCause) {
        switch cause {
        case .first: return nil
        case .restart: self = .bridgeRestarted
        case .crash: self = .bridgeCrashed
        case .powerLoss: self = .powerLoss
        }
    }
}

/// The part of a gap that lies in a former boot of the host, whose clock ended with it.
public struct FormerGap: Equatable, Sendable {
    /// That boot.
    public let bootID: Identity
    /// Why, and by CLOCK_BOOTTIME of that boot after which instant.
    public let gap: BridgeGap
    /// About when that boot ended, by the same clock; nil if nobody knows.
    public let until: Int64?

    /// The end of a boot.
    public init(bootID: Identity, _ gap: BridgeGap, until: Int64?) {
        self.bootID = bootID
        self.gap = gap
        self.until = until
    }

    /// Parses the gap in the first message of an epoch; nil if it has none.
    public init?(_ object: JSONObject) {
        guard let bootID = object.identity("bootId"),
            let cause = object.string("cause").flatMap(BridgeGap.Cause.init(rawValue:)),
            let from = object.integer("fromNanoseconds"), from > 0
        else { return nil }
        let until = object.integer("untilNanoseconds")
        guard until ?? from >= from else { return nil }
        self.init(bootID: bootID, BridgeGap(cause, since: from - 1), until: until)
    }

    /// The gap as an object, also for a recording of that boot if it is of a resource; there each gap has an end.
    public func object(of resource: String? = nil) -> JSONObject {
        let from = gap.since + 1
        var object: JSONObject = resource.map { ["resource": .string($0)] } ?? ["bootId": .string(bootID.description)]
        object.member("cause", gap.cause.rawValue)
        object.member("fromNanoseconds", from)
        object.member("untilNanoseconds", until ?? resource.map { _ in from })
        return object
    }
}
