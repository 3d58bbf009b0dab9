import Readings
import Testing

@testable import IIO

struct KindOwnersTests {
    private func owners(_ devices: KindSet...) -> [String] {
        KindOwners(among: devices).owners.map { owner in
            "\(owner.device): " + owner.kinds.map(\.row.resource).joined(separator: " ")
        }
    }

    @Test("a kind comes from a device that is already driven, else from the first that has it")
    func owners() {
        #expect(owners() == [])
        #expect(owners([]) == [])
        #expect(owners([.angularVelocity]) == ["0: gyroscope"])
        #expect(owners([.angularVelocity], [.acceleration]) == ["1: accelerometer", "0: gyroscope"])
        #expect(owners([.acceleration, .angularVelocity], [.angularVelocity]) == ["0: accelerometer gyroscope"])
        #expect(owners([.angularVelocity], [.acceleration, .angularVelocity]) == ["1: accelerometer gyroscope"])
        #expect(owners([.acceleration], [.acceleration, .angularVelocity]) == ["0: accelerometer", "1: gyroscope"])
    }

    @Test("a kind that comes from another kind's device does not start a device")
    func starter() {
        let owners = KindOwners(among: [[.acceleration, .angularVelocity]])
        #expect(owners.owner(startedBy: .acceleration)?.device == 0)
        #expect(owners.owner(startedBy: .angularVelocity) == nil)
        #expect(owners.starter(of: .angularVelocity) == .acceleration)
    }
}
