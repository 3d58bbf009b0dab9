internal import Readings

/// Which device each kind comes from, at an address where each kind is served once, as behind an iiod.
///
/// A kind comes from a device that is already driven for an earlier kind of the table, if that device has it: then both
/// are measured at one moment, and fewer devices are switched on. Otherwise it comes from the first device that has it.
struct KindOwners: Equatable {
    /// A driven device and the kinds that come from it; the resource of the first kind starts it.
    struct Owner: Equatable {
        let device: Int
        fileprivate(set) var kinds: [Kind]
    }

    private(set) var owners: [Owner] = []

    /// Chooses among devices, each given as the kinds that it measures.
    init(among devices: [KindSet]) {
        for kind in Kind.ofIIO {
            if let index = owners.firstIndex(where: { devices[$0.device].contains(kind) }) {
                owners[index].kinds.append(kind)
            } else if let device = devices.firstIndex(where: { $0.contains(kind) }) {
                owners.append(Owner(device: device, kinds: [kind]))
            }
        }
        assert(owners.allSatisfy { !$0.kinds.isEmpty && devices.indices.contains($0.device) })
        assert(Set(owners.flatMap(\.kinds)).count == owners.reduce(0) { $0 + $1.kinds.count }, "a kind has one owner")
    }

    /// The owner that a kind starts; nil if there is none or another kind starts it.
    func owner(startedBy kind: Kind) -> Owner? { owners.first { $0.kinds.first == kind } }

    /// The kind that starts the device that another kind comes from.
    func starter(of kind: Kind) -> Kind? { owners.first { $0.kinds.contains(kind) }?.kinds.first }
}
