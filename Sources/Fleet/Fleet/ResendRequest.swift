package import Spool
internal import Varlink

/// What a consumer lacks: `{"resource":…,"epoch":…,"from":…,"to":…}`.
package struct ResendRequest: Equatable, Sendable {
    package let resource: String
    package let epoch: Identity
    package let numbers: ClosedRange<UInt64>

    package init(resource: String, epoch: Identity, numbers: ClosedRange<UInt64>) {
        self.resource = resource
        self.epoch = epoch
        self.numbers = numbers
    }

    /// Parses a request; nil if it is none.
    package init?(_ payload: [UInt8]) {
        guard payload.count <= 1_024, case .object(let object)? = try? JSONReader.read(payload),
            let resource = object.string("resource"), let epoch = object.identity("epoch"),
            let from = object.integer("from"), let to = object.integer("to"), from > 0, to >= from, to < .max
        else { return nil }
        self.resource = resource
        self.epoch = epoch
        numbers = UInt64(from)...UInt64(to)
    }

    package var payload: [UInt8] {
        let object: JSONObject = [
            "resource": .string(resource), "epoch": .string(epoch.description),
            "from": .integer(Int64(clamping: numbers.lowerBound)), "to": .integer(Int64(clamping: numbers.upperBound)),
        ]
        return object.bytes
    }
}
