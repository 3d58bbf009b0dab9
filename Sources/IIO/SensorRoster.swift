internal import Readings

/// Which sensor of a kind is which resource: `accelerometer`, `accelerometer:1` and so on.
///
/// Each resource belongs to one sensor, known by its identity, for as long as the daemon runs; a sensor that comes back is
/// the same resource, under whatever number. One without a serial number may have been connected elsewhere: such a
/// newcomer takes the place of a missing one of its kind. The first name is for the sensor that was chosen or, without a
/// choice, for the first one by place and identity, so that it does not depend on the order in which the kernel found them.
struct SensorRoster {
    /// A resource and the sensor that it belongs to.
    struct Place: Equatable {
        let name: ResourceName
        /// nil: nobody's yet.
        var identity: SensorIdentity?
        /// nil: it is not there.
        var sighting: Sighting?
    }

    private(set) var places: [Place]
    private let kind: Kind
    private let chosen: String?

    /// Sensors beyond these are not served.
    static let mostPlaces = 16

    /// Nothing but the first resource of the kind, which is for the chosen sensor, or for the first.
    init(of kind: Kind = .acceleration, choosing chosen: String? = nil) {
        places = [Place(name: kind.row.firstResource)]
        self.kind = kind
        self.chosen = chosen
    }

    /// The choice, while no sensor has ever answered to it.
    var unmetChoice: UnmetChoice? {
        guard let chosen, places[0].identity == nil else { return nil }
        return UnmetChoice(chosen, among: places.compactMap(\.sighting))
    }

    /// Takes in what is there now; returns the numbers of the places where that is another than before.
    mutating func update(_ sightings: [Sighting]) -> [Int] {
        let before = places
        for index in places.indices {
            places[index].sighting = places[index].identity.flatMap { identity in
                sightings.first { $0.identity == identity }
            }
        }
        let known = Set(places.compactMap(\.identity))
        let newcomers = sightings.filter { !known.contains($0.identity) }
        for newcomer in newcomers.sorted(by: Self.precedes) { seat(newcomer) }
        return places.indices.filter { $0 >= before.count || places[$0] != before[$0] }
    }

    private mutating func seat(_ newcomer: Sighting) {
        guard let index = place(for: newcomer) else { return }
        places[index].identity = newcomer.identity
        places[index].sighting = newcomer
    }

    private mutating func place(for newcomer: Sighting) -> Int? {
        let isFirst = chosen.map { newcomer.answers(to: $0) } ?? true
        if isFirst, places[0].identity == nil { return 0 }
        let vacant = places.firstIndex {
            $0.sighting == nil && $0.identity.map { newcomer.identity.mayReplace($0) } ?? false
        }
        if let vacant { return vacant }
        guard places.count < Self.mostPlaces, let name = ResourceName("\(kind.row.resource):\(places.count)") else {
            return nil
        }
        places.append(Place(name: name))
        return places.count - 1
    }

    private static func precedes(_ first: Sighting, _ second: Sighting) -> Bool {
        let ranks = (Placement.rank(first.placement), Placement.rank(second.placement))
        return ranks.0 == ranks.1 ? first.identity.sortKey < second.identity.sortKey : ranks.0 < ranks.1
    }
}
