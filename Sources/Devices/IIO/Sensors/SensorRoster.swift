internal import Readings

/// Which sensor has which resources: `accelerometer`, `accelerometer:1`, `gyroscope` and so on.
///
/// A sensor has a resource for each kind that it measures. The resources belong to its identity for as long as the
/// daemon runs: a sensor that comes back has the same resources, whatever its number. One without a serial number may
/// have been connected elsewhere: such a newcomer takes the place of a missing sensor of its model. The name
/// `accelerometer` is for the chosen sensor or, without a choice, for the first one by place and identity, so that it
/// does not depend on the order in which the kernel found them.
///
/// A converter has a resource for each of its inputs. All resources of a kind are numbered together, since clients name a kind
/// and a number, and the number says nothing of the device: `voltage:1` may be the second input of one converter or the first
/// of another. Of all sensors that are found at once, the first inputs come before the others. So `voltage`, `voltage:1`, … are
/// the first inputs of two converters whether or not they have more, and with one converter they are its inputs, in its order.
/// (To number by device would give the second converter another name for each input that the first one has; to add the
/// device's number to the name would make the common case, one converter, the odd one.) A name that was given is never moved:
/// a sensor that comes later gets the next numbers. The description of each resource has the channel, and its label.
struct SensorRoster {
    /// A resource of a sensor.
    struct Seat: Equatable, Sendable {
        let name: ResourceName
        let quantity: Quantity

        var kind: Kind { quantity.kind }
    }

    /// A sensor, and the resources that belong to it.
    struct Place: Equatable {
        /// One for all that it has ever measured; the first one's name is also the device's.
        fileprivate(set) var seats: [Seat]
        /// nil: not taken yet.
        fileprivate(set) var identity: Sighting.Identity?
        /// nil: the sensor is not there.
        fileprivate(set) var sighting: Sighting?
    }

    private(set) var places = [Place(seats: [Seat(name: .accelerometer, quantity: Quantity(.acceleration))])]
    private let chosen: String?

    /// Further resources of a kind are not served.
    static let mostOfKind = 32

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
            seat(sighting?.firstQuantities ?? [], at: index)
        }
        let known = Set(places.compactMap(\.identity))
        let newcomers = sightings.filter { !known.contains($0.identity) }
        for newcomer in newcomers.sorted(by: Self.precedes) { seat(newcomer) }
        for index in places.indices { seat(places[index].sighting?.furtherQuantities ?? [], at: index) }
        return places.indices.filter { $0 >= before.count || places[$0] != before[$0] }
    }

    private mutating func seat(_ newcomer: Sighting) {
        if let vacant = vacancy(for: newcomer) {
            places[vacant].identity = newcomer.identity
            places[vacant].sighting = newcomer
            return seat(newcomer.firstQuantities, at: vacant)
        }
        places.append(Place(seats: [], identity: newcomer.identity, sighting: newcomer))
        seat(newcomer.firstQuantities, at: places.count - 1)
        if places[places.count - 1].seats.isEmpty { places.removeLast() }
    }

    private func vacancy(for newcomer: Sighting) -> Int? {
        let isFirst = chosen.map { newcomer.answers(to: $0) } ?? true
        if isFirst, places[0].identity == nil, newcomer.kinds.contains(.acceleration) { return 0 }
        return places.firstIndex { place in
            place.sighting == nil && place.identity.map { newcomer.identity.mayReplace($0) } ?? false
                && place.seats.contains { newcomer.kinds.contains($0.kind) }
        }
    }

    /// Adds seats for what has none yet at a place; fewer if there are too many of a kind.
    private mutating func seat(_ quantities: [Quantity], at place: Int) {
        for quantity in quantities where !places[place].seats.contains(where: { $0.quantity == quantity }) {
            let kind = quantity.kind
            let count = places.reduce(0) { $0 + $1.seats.count { $0.kind == kind } }
            guard count < Self.mostOfKind, let name = kind.row.resourceName(count) else { continue }
            places[place].seats.append(Seat(name: name, quantity: quantity))
        }
    }

    private static func precedes(_ first: Sighting, _ second: Sighting) -> Bool {
        let ranks = (first.placement.rank, second.placement.rank)
        return ranks.0 == ranks.1 ? first.identity.sortKey < second.identity.sortKey : ranks.0 < ranks.1
    }
}

extension Sighting {
    /// What it measures at the first input of each kind.
    fileprivate var firstQuantities: [Quantity] { kinds.map { Quantity($0) } }
}

extension KindRow {
    /// The name of a resource of the kind: the first has none but the word, further ones are numbered.
    func resourceName(_ number: Int) -> ResourceName? {
        number == 0 ? firstResource : ResourceName("\(resource):\(number)")
    }
}
