public import Readings

/// A client's request for one resource.
///
/// An absent option has the resource's default.
public struct Request: Equatable, Sendable {
    /// The resource it is about.
    public var resource: ResourceName
    /// Distinguishes it from others of its stream, if the resource does not.
    public var label: String?
    /// Nanoseconds from one reading to the next, not negative; 0: every sample that the device makes.
    public var intervalNanoseconds: Int64?
    /// How long readings may be gathered into one reply, not negative.
    public var batchNanoseconds: Int64?
    /// What an interval's samples become.
    public var filter: Filter?
    /// How much a reading must differ from the one delivered before, in metres or the kind's unit; finite and not negative.
    public var minimumChange: Double?
    /// Whether locations contain each satellite.
    public var wantsSatellites = false
    /// Whether values of several samples come packed.
    public var wantsPacked = false
    /// Whether others of the stream are aligned to this one, as they ask (`aligned(_:)`).
    public var leads = false
    /// The name of the request whose readings carry the values of this one at their times; nil: this one has readings of its own.
    public var alignTo: String?

    /// A request that leaves everything to the resource's defaults.
    public init(resource: ResourceName) { self.resource = resource }

    /// What the request is called within its stream: its label or, without one, its resource.
    public var name: String { label ?? resource.description }

    /// Whether it is one of a lead and its companions.
    public var isAligned: Bool { leads || alignTo != nil }
}

/// Why a request cannot be aligned to another.
public enum AlignmentFault: Error, Equatable {
    /// The request is aligned to one that does not exist, or that is aligned itself.
    case noLead
    /// There is nothing between two measurements of its kind.
    case noInterpolation
    /// The request leaves out readings, which cannot be interpolated.
    case minimumChange
}

extension Request {
    /// The requests of a stream, with `leads` set in those to which others are aligned.
    public static func aligned(_ requests: [Request]) throws(AlignmentFault) -> [Request] {
        var requests = requests
        for index in requests.indices { requests[index].leads = false }
        let companions = requests.filter { $0.alignTo != nil }
        guard !companions.isEmpty else { return requests }
        let indices = Dictionary(zip(requests.map(\.name), requests.indices)) { first, _ in first }
        for request in companions {
            guard let lead = request.alignTo.flatMap({ indices[$0] }), requests[lead].alignTo == nil else {
                throw .noLead
            }
            guard Kind(resource: request.resource.word)?.row.mean != .newest else { throw .noInterpolation }
            guard (request.minimumChange ?? 0) == 0 else { throw .minimumChange }
            requests[lead].leads = true
        }
        return requests
    }
}

/// What an interval's samples become; the raw value is its name on the wire.
public enum Filter: String, Sendable {
    /// The newest of them.
    case newest
    /// The arithmetic mean of the samples.
    case mean
}
