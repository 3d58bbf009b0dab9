import Spool
import TestTools
import Testing

@testable import sensorbroker_mqtt

@Suite struct SpoolDirectoryTests {
    @Test("at the end everything is written down, and what was to go afterwards is gone")
    func end() throws {
        let folder = try TemporaryDirectory()
        let directory = try SpoolDirectory(path: folder.path)
        for round in 1...50 {
            let names = ["\(round).seg", "\(round)-kept.seg"]
            for name in names {
                try directory.create(name)
                try directory.append([UInt8](repeating: 7, count: 1 << 16), to: name)
            }
            directory.sync(thenRemoving: [names[0]])
            directory.syncNow()
            #expect(try !directory.names().contains(names[0]) && directory.names().contains(names[1]))
        }
    }
}
