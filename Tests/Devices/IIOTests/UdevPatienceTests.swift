import Testing

@testable import IIO

@Suite struct UdevPatienceTests {
    @Test("a sensor is not opened until udev is done, or for a second and a half")
    func patience() throws {
        let tree = try SensorTree()
        try tree.plug(0, at: "a")
        try tree.put("udev/control", "")
        let fresh = tree.sightings
        #expect(fresh.count == 1)
        var patience = UdevPatience()
        #expect(patience.ready(among: fresh, at: 1_000).isEmpty)
        #expect(patience.pauseNanoseconds(at: 1_000) == 50_000_000)
        #expect(patience.pauseNanoseconds(at: 30_001_000) == 20_000_000, "whatever else happens meanwhile")
        #expect(patience.pauseNanoseconds(at: 80_000_000) == 0)
        #expect(patience.ready(among: fresh, at: 1_400_000_000).isEmpty)
        #expect(patience.ready(among: fresh, at: 1_500_001_000) == fresh)
        #expect(patience.pauseNanoseconds(at: 1_600_000_000) == nil)
        #expect(patience.ready(among: [], at: 1_600_000_000).isEmpty)
        #expect(patience.ready(among: fresh, at: 1_700_000_000).isEmpty, "it was gone in between")
        try tree.put("udev/data/c245:0", "I:1")
        #expect(patience.ready(among: tree.sightings, at: 1_700_000_001).count == 1)
    }
}
