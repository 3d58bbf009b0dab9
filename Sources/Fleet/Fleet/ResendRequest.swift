public import Spool
internal import Varlink

/// What a consumer lacks: `{"resource":…,"epoch":…,"from":…,"to":…}`.
public struct ResendRequest: Equatable, Sendable {
    /// The resource.
    public let resource: String
    /// The epoch of the numbers.
    public let epoch: Identity
    /// The numbers.
    public let numbers: ClosedRange<UInt64>

    /// A request for some numbers.
    public init(resource: String, epoch: Identity, numbers: ClosedRange<UInt64>) {
        self.resource = resource
        self.epoch = epoch
        self.numbers = numbers
    }

    /// Parses a request; nil if it is none.
    public init?(_ payload: [UInt8]) {
        guard payload.count <= 1_024, case .object(let object)? = try? JSONReader.read(payload),
            let resource = object.string("resource"), let epoch = object.identity("epoch"),
            let from = object.integer("from"), let to = object.integer("to"), from > 0, to >= from, to < .max
        else { return nil }
        self.resource = resource
        self.epoch = epoch
        numbers = UInt64(from)...UInt64(to)
    }

    /// The request as an object.
    public var payload: [UInt8] {
        let object: JSONObject = [
            "resource": .string(resource), "epoch": .string(epoch.description),
            "from": .integer(Int64(clamping: numbers.lowerBound)), "to": .integer(Int64(clamping: numbers.upperBound)),
        ]
        return object.bytes
    }
}
