public import Readings

extension FaultOrder {
    /// The device that it happens to: the one that is named or, without a name, the only one that it can happen to.
    public func target(
        named name: ResourceName?, among devices: [(name: ResourceName, kind: Kind)]
    ) throws(FaultRefusal) -> ResourceName {
        let known = devices.map(\.name.description).joined(separator: ", ")
        if let name {
            guard let device = devices.first(where: { $0.name == name }) else {
                throw FaultRefusal("there is no device \(name); there is \(known)")
            }
            guard concerns(device.kind) else {
                throw FaultRefusal("\(words) does not happen to \(name): it measures \(device.kind.wire)")
            }
            return name
        }
        let possible = devices.filter { concerns($0.kind) }
        guard let first = possible.first else {
            throw FaultRefusal("there is no device to which \(words) can happen; there is \(known)")
        }
        guard possible.count == 1 else {
            let names = possible.map(\.name.description).joined(separator: ", ")
            throw FaultRefusal("to which device? Write '\(asWritten) \(first.name)'; it can happen to \(names)")
        }
        return first.name
    }

    private func concerns(_ kind: Kind) -> Bool {
        switch self {
        case .begin(let fault, _): fault.kind.concerns(kind)
        case .end: kind.row.hasDevice
        }
    }

    /// The order with its amounts, so that a proposed command does what the user meant.
    private var asWritten: String {
        guard case .begin(let fault, _) = self else { return words }
        return ([fault.kind.rawValue] + fault.amounts.words).joined(separator: " ")
    }

    private var words: String {
        switch self {
        case .begin(let fault, _): fault.kind.rawValue
        case .end(let kind): kind == nil ? "clear" : "replug"
        }
    }
}
