internal import Delivery
internal import Devices
internal import Readings
internal import Varlink

/// What a program offers to provide: the parameters of `Provide`.
struct FeedOffer: Equatable {
    /// A resource, and what the program states that it measures; nil: what its name stands for.
    struct Resource: Equatable {
        let name: ResourceName
        let kind: Kind?
    }

    let resources: [Resource]
    let description: String?
    let isSimulated: Bool
    /// The intervals that it can be asked for; nil: it follows no wishes.
    let intervals: OfferedIntervals?
    /// The interval of its samples if it follows no wishes; nil: unknown.
    let ownNanoseconds: Int64?
    let restNanoseconds: Int64?

    /// A day: longer intervals are none.
    private static let intervalNanoseconds: ClosedRange<Int64> = 1_000...86_400_000_000_000

    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly(
            "resources", "description", "intervalsNanoseconds", "shortestNanoseconds", "longestNanoseconds",
            "intervalNanoseconds", "restNanoseconds", "simulated")
        resources = try Self.resources(parameters)
        description = try parameters.optionalString("description").map(printable)
        isSimulated = try parameters.optionalBool("simulated") ?? false
        intervals = try Self.intervals(parameters)
        ownNanoseconds = try parameters.optionalInteger("intervalNanoseconds", in: Self.intervalNanoseconds)
        restNanoseconds = try parameters.optionalInteger("restNanoseconds", in: Self.intervalNanoseconds)
    }

    var names: [ResourceName] { resources.map(\.name) }

    private static func resources(_ parameters: Parameters) throws(VarlinkError) -> [Resource] {
        let objects = try parameters.optionalObjects("resources") ?? []
        guard (1...Limits.resourcesPerProvider).contains(objects.count) else { throw .invalidParameter("resources") }
        var resources: [Resource] = []
        for object in objects {
            try object.allowOnly("name", "kind")
            guard let name = ResourceName(try object.string("name")) else { throw .invalidParameter("name") }
            let kind = try object.optionalString("kind").map { wire throws(VarlinkError) in
                guard let kind = Kind(wire: wire) else { throw VarlinkError.noSuchKindToProvide(wire) }
                return kind
            }
            guard !resources.contains(where: { $0.name == name }) else { throw .invalidParameter("resources") }
            resources.append(Resource(name: name, kind: kind))
        }
        return resources
    }

    private static func intervals(_ parameters: Parameters) throws(VarlinkError) -> OfferedIntervals? {
        let shortest = try parameters.optionalInteger("shortestNanoseconds", in: intervalNanoseconds)
        let longest = try parameters.optionalInteger("longestNanoseconds", in: intervalNanoseconds)
        if let given = try parameters.optionalArray("intervalsNanoseconds") {
            let intervals = given.compactMap { if case .integer(let interval) = $0 { interval } else { nil } }
            let isAscending = zip(intervals, intervals.dropFirst()).allSatisfy { $0 < $1 }
            guard intervals.count == given.count, (1...Limits.intervalsOfProvider).contains(given.count), isAscending,
                intervals.allSatisfy(intervalNanoseconds.contains), shortest == nil, longest == nil
            else { throw .invalidParameter("intervalsNanoseconds") }
            return .discrete(intervals)
        }
        guard let shortest else {
            if longest != nil { throw .invalidParameter("shortestNanoseconds") }
            return nil
        }
        guard let longest, shortest <= longest else { throw .invalidParameter("longestNanoseconds") }
        return .range(shortestNanoseconds: shortest, longestNanoseconds: longest)
    }

    /// The interval at which it is asked to sample, given the longest that is enough; nil: as it likes.
    func interval(for wanted: Int64?) -> Int64? { wanted.flatMap { intervals?.slowest(satisfying: $0) } }
}
