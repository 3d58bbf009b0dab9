import Devices
import Platform
import Readings

extension WakeQueue<Announcement> {
    func announce(_ arrival: ResourceArrival) { put(.arrival(arrival)) }
    func announce(_ source: DerivationSource) { put(.source(source)) }
    func announce(_ sources: HingeSources) { put(.hinge(sources)) }
}

extension ResourceArrival {
    init(name: ResourceName, kind: Kind, input: UInt8 = 0, isSimulated: Bool, ofDeviceOf other: ResourceName) {
        self.init(name, Quantity(kind, input: input), isSimulated: isSimulated, from: .deviceOf(other))
    }

    init(name: ResourceName, kind: Kind, isSimulated: Bool, start: @escaping Start) {
        self.init(name, Quantity(kind), isSimulated: isSimulated, from: .device(start: start))
    }
}
