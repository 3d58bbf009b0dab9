import Configuration
import Testing

@testable import sensorbrokerd

@Suite("A list of groups") struct GroupListTests {
    private let host: [String: UInt32] = ["audio": 29, "sensorbroker-fast": 990]

    @Test("consists of groups that exist when it is read, and of numbers")
    func known() throws {
        let list = try GroupList("audio 7 sensorbroker-fast", lookUp: { host[$0] })
        #expect(list.groupIDs == [29, 7, 990] && !list.lacksFastGroup)
        #expect(list.description == "audio 7 sensorbroker-fast")
    }

    @Test("changes if a group was created again with another number")
    func renumbered() throws {
        #expect(try GroupList("audio", lookUp: { host[$0] }) != GroupList("audio", lookUp: { _ in 30 }))
        #expect(GroupList.usual { host[$0] } != GroupList.usual { _ in 991 })
    }

    @Test("is refused if a group was deleted; a missing default group is noted and has no members")
    func deleted() throws {
        for name in ["audio", "sensorbroker-fast"] {
            #expect(throws: SettingRefusal.self) { try GroupList(name, lookUp: { _ in nil }) }
        }
        #expect(throws: SettingRefusal.self) { try GroupList("audio", ofFastReaders: true, lookUp: { _ in nil }) }
        let fast = try GroupList("sensorbroker-fast", ofFastReaders: true, lookUp: { _ in nil })
        for list in [GroupList.usual { _ in nil }, fast] { #expect(list.lacksFastGroup && list.groupIDs.isEmpty) }
        #expect(!(try GroupList("7", lookUp: { _ in nil })).lacksFastGroup)
    }
}
