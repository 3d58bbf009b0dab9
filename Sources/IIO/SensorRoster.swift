internal import Readings

/// Which sensor has which resources: `accelerometer`, `accelerometer:1`, `gyroscope` and so on.
///
/// A sensor has a resource for each kind that it measures. The resources belong to its identity for as long as the
/// daemon runs: a sensor that comes back has the same resources, whatever its number. One without a serial number may
/// have been connected elsewhere: such a newcomer takes the place of a missing sensor of its model. The name
/// `accelerometer` is for the chosen sensor or, without a choice, for the first one by place and identity, so that it
/// does not depend on the order in which the kernel found them.
struct SensorRoster {
    /// A resource of a sensor.
    struct Seat: Equatable, Sendable {
        let name: ResourceName
        let kind: Kind
    }

    /// A sensor, and the resources that belong to it.
    struct Place: Equatable {
        /// One for each kind that it has ever measured; the first one's name is also the device's.
        fileprivate(set) var seats: [Seat]
        /// nil: not taken yet.
        fileprivate(set) var identity: SensorIdentity?
        /// nil: the sensor is not there.
        fileprivate(set) var sighting: Sighting?
    }

    private(set) var places = [Place(seats: [Seat(name: .accelerometer, kind: .acceleration)])]
    private let chosen: String?

    /// Further sensors of a kind are not served.
    static let mostOfKind = 16

    /// Has only the first accelerometer, which is kept for the chosen sensor, or for the first.
    init(choosing chosen: String? = nil) { self.chosen = chosen }

    /// The choice, as long as no sensor has ever matched it.
    var unmetChoice: UnmetChoice? {
        guard let chosen, places[0].identity == nil else { return nil }
        return UnmetChoice(chosen, among: places.compactMap(\.sighting).filter { $0.kinds.contains(.acceleration) })
    }

    /// The accelerometers that are there.
    var accelerometers: [ScreenSensor.Candidate] {
        places.indices.compactMap { index in
            guard let sighting = places[index].sighting, sighting.kinds.contains(.acceleration),
                let seat = places[index].seats.first(where: { $0.kind == .acceleration })
            else { return nil }
            return ScreenSensor.Candidate(name: seat.name, sighting: sighting, isChosen: chosen != nil && index == 0)
        }
    }

    /// Takes in the sensors that are there now; returns the numbers of the places that changed.
    mutating func update(_ sightings: [Sighting]) -> [Int] {
        let before = places
        for index in places.indices {
            let sighting = places[index].identity.flatMap { identity in
                sightings.first { $0.identity == identity }
            }
            places[index].sighting = sighting
            places[index].seats += seats(for: sighting?.kinds ?? [], besides: places[index].seats)
        }
        let known = Set(places.compactMap(\.identity))
        let newcomers = sightings.filter { !known.contains($0.identity) }
        for newcomer in newcomers.sorted(by: Self.precedes) { seat(newcomer) }
        return places.indices.filter { $0 >= before.count || places[$0] != before[$0] }
    }

    private mutating func seat(_ newcomer: Sighting) {
        let vacant = vacancy(for: newcomer)
        let seats = seats(for: newcomer.kinds, besides: vacant.map { places[$0].seats } ?? [])
        if let vacant {
            places[vacant].seats += seats
            places[vacant].identity = newcomer.identity
            places[vacant].sighting = newcomer
        } else if !seats.isEmpty {
            places.append(Place(seats: seats, identity: newcomer.identity, sighting: newcomer))
        }
    }

    private func vacancy(for newcomer: Sighting) -> Int? {
        let isFirst = chosen.map { newcomer.answers(to: $0) } ?? true
        if isFirst, places[0].identity == nil, newcomer.kinds.contains(.acceleration) { return 0 }
        return places.firstIndex { place in
            place.sighting == nil && place.identity.map { newcomer.identity.mayReplace($0) } ?? false
                && place.seats.contains { newcomer.kinds.contains($0.kind) }
        }
    }

    /// Seats for those of the given kinds that have none yet; fewer if there are too many sensors of a kind.
    private func seats(for kinds: [Kind], besides others: [Seat]) -> [Seat] {
        kinds.compactMap { kind in
            let count = places.count { $0.seats.contains { $0.kind == kind } }
            guard !others.contains(where: { $0.kind == kind }), count < Self.mostOfKind else { return nil }
            let name = count == 0 ? kind.row.firstResource : ResourceName("\(kind.row.resource):\(count)")
            return name.map { Seat(name: $0, kind: kind) }
        }
    }

    private static func precedes(_ first: Sighting, _ second: Sighting) -> Bool {
        let ranks = (first.placement.rank, second.placement.rank)
        return ranks.0 == ranks.1 ? first.identity.sortKey < second.identity.sortKey : ranks.0 < ranks.1
    }
}
