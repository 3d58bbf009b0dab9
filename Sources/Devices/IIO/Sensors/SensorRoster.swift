internal import Devices
internal import Readings

/// Which sensor has which resources: `accelerometer`, `accelerometer:1`, `gyroscope` and so on.
///
/// A sensor has a resource for each kind that it measures. The resources belong to its identity for as long as the
/// daemon runs: a sensor that comes back has the same resources, whatever its number. It may have been connected
/// elsewhere: a newcomer replaces a missing sensor with its serial number, or without one, of its model. The name
/// `accelerometer` is for the chosen sensor or, without a choice, for the first one by placement and identity, so that it
/// does not depend on the order in which the kernel found them.
///
/// A converter has a resource for each of its inputs. All resources of a kind are numbered together, since clients name
/// a kind and a number, and the number means nothing for the device: `voltage:1` may be the second input of one
/// converter or the first of another. Of all sensors that are found at once, the first inputs come before the others.
/// So `voltage`, `voltage:1`, … are the first inputs of two converters whether or not they have more, and with one
/// converter they are its inputs, in its order. (To number by device would give the second converter another name for
/// each input that the first one has; to add the device's number to the name would make the common case, one converter,
/// the odd one.) A name that was given is never moved: a sensor that comes later gets the next numbers. The description
/// of each resource has the channel, and its label.
struct SensorRoster {
    /// What a sensor measures, and the name of its resource.
    struct NamedQuantity: Equatable, Sendable {
        let name: ResourceName
        let quantity: Quantity

        var kind: Kind { quantity.kind }
    }

    /// A sensor, and the resources that belong to it.
    struct Entry: Equatable {
        /// All that it has ever measured; the first one's name is also the device's.
        fileprivate(set) var named: [NamedQuantity]
        /// nil: not taken yet.
        fileprivate(set) var identity: Sighting.Identity?
        /// nil: the sensor is not there.
        fileprivate(set) var sighting: Sighting?
    }

    private(set) var entries = [
        Entry(named: [NamedQuantity(name: .accelerometer, quantity: Quantity(.acceleration))])
    ]
    private let chosen: String?
    /// The first sensor that got no name, for people.
    private(set) var refusal: String?
    private static let mostInWords = 4

    /// Further resources of a kind are not served.
    static let mostOfKind = 256

    /// Has only the first accelerometer, which is kept for the chosen sensor, or for the first.
    init(choosing chosen: String? = nil) { self.chosen = chosen }

    /// What is wrong with the choice, and what to do about it, for people; nil: a sensor has matched it, or nothing was chosen.
    var unmetChoice: String? {
        guard let chosen, entries[0].identity == nil else { return nil }
        if let late = accelerometers.first(where: { $0.sighting.answers(to: chosen) }) {
            return "it was found out too late that \(late.name) is '\(printable(chosen))', which [Accelerometer] "
                + "Default= names: restart sensorbrokerd"
        }
        let problem = "there is no accelerometer '\(printable(chosen))', which [Accelerometer] Default= names"
        let present = accelerometers.map { "\($0.sighting.title) at \($0.sighting.id)" }
        guard !present.isEmpty else { return "\(problem), and no other: connect it" }
        let named = present.prefix(Self.mostInWords).joined(separator: ", ")
        let more = present.count > Self.mostInWords ? " and \(present.count - Self.mostInWords) more" : ""
        return "\(problem), but \(named)\(more): connect it, or name another by its serial number, place, driver or "
            + "node, and restart sensorbrokerd"
    }

    /// An accelerometer that is there, and whether the administrator chose it.
    typealias Accelerometer = (name: ResourceName, sighting: Sighting, isChosen: Bool)

    var accelerometers: [Accelerometer] {
        entries.indices.compactMap { index in
            guard let sighting = entries[index].sighting, sighting.kinds.contains(.acceleration),
                let own = entries[index].named.first(where: { $0.kind == .acceleration })
            else { return nil }
            return (own.name, sighting, chosen != nil && index == 0)
        }
    }

    /// Takes in the sensors that are there now; returns the numbers of the entries that changed.
    mutating func update(_ sightings: [Sighting]) -> [Int] {
        let before = entries
        for index in entries.indices {
            let sighting = entries[index].identity.flatMap { identity in
                sightings.first { $0.identity == identity }
            }
            entries[index].sighting = sighting
            name(sighting?.firstQuantities ?? [], at: index)
        }
        let known = Set(entries.compactMap(\.identity))
        let newcomers = sightings.filter { !known.contains($0.identity) }
        for newcomer in newcomers.sorted(by: Self.precedes) { enter(newcomer) }
        for index in entries.indices {
            let isShared = isSerialShared(at: index)
            entries[index].sighting?.isSerialShared = isShared
        }
        for index in entries.indices { name(entries[index].sighting?.furtherQuantities ?? [], at: index) }
        return entries.indices.filter { $0 >= before.count || entries[$0] != before[$0] }
    }

    private mutating func enter(_ newcomer: Sighting) {
        if let vacant = vacancy(for: newcomer) {
            entries[vacant].identity = newcomer.identity
            entries[vacant].sighting = newcomer
            return name(newcomer.firstQuantities, at: vacant)
        }
        entries.append(Entry(named: [], identity: newcomer.identity, sighting: newcomer))
        name(newcomer.firstQuantities, at: entries.count - 1)
        if entries[entries.count - 1].named.isEmpty { entries.removeLast() }
    }

    private func vacancy(for newcomer: Sighting) -> Int? {
        let identity = newcomer.identity
        if let own = entries.firstIndex(where: { $0.isMissing(identity.sharesSerial) }) { return own }
        let isFirst = chosen.map { newcomer.answers(to: $0) } ?? true
        if isFirst, entries[0].identity == nil, newcomer.kinds.contains(.acceleration) { return 0 }
        return entries.firstIndex { entry in
            entry.isMissing(identity.mayReplace) && entry.named.contains { newcomer.kinds.contains($0.kind) }
        }
    }

    /// Whether the serial number of a sensor does not distinguish it from another one, which need not be there now.
    private func isSerialShared(at index: Int) -> Bool {
        guard let identity = entries[index].identity else { return false }
        return entries.indices.contains { other in
            other != index && entries[other].identity.map(identity.sharesSerial) ?? false
        }
    }

    /// Names what has no name yet of an entry; less if there is too much of a kind.
    private mutating func name(_ quantities: [Quantity], at index: Int) {
        for quantity in quantities where !entries[index].named.contains(where: { $0.quantity == quantity }) {
            let kind = quantity.kind
            let count = entries.reduce(0) { $0 + $1.named.count { $0.kind == kind } }
            guard count < Self.mostOfKind, let name = kind.row.resourceName(count) else {
                refuse(kind, of: entries[index].sighting)
                continue
            }
            entries[index].named.append(NamedQuantity(name: name, quantity: quantity))
        }
    }

    private mutating func refuse(_ kind: Kind, of sighting: Sighting?) {
        guard refusal == nil, let sighting else { return }
        refusal =
            "not every \(kind.row.resource) of \(sighting.title) at \(sighting.id) is served: there are \(Self.mostOfKind), "
            + "and those that are gone keep their names until sensorbrokerd is restarted"
    }

    private static func precedes(_ first: Sighting, _ second: Sighting) -> Bool {
        let ranks = (first.placement.rank, second.placement.rank)
        return ranks.0 == ranks.1 ? first.identity.sortKey < second.identity.sortKey : ranks.0 < ranks.1
    }
}

extension SensorRoster.Entry {
    /// Whether its sensor is one of these, and not there.
    fileprivate func isMissing(_ matches: (Sighting.Identity) -> Bool) -> Bool {
        sighting == nil && identity.map(matches) ?? false
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
