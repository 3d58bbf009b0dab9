import Configuration
import Fleet
import Glibc
import Testing

@testable import Spool
@testable import sensorbroker_mqtt

/// What a bridge makes of its spool: after restarts, damage, and when there is no room.
@Suite struct RestartTests {
    @Test(
        "a restarted bridge counts in a new epoch that states where the former ended, and why",
        arguments: [true, false])
    func restarted(isKilled: Bool) throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 20)
        if isKilled { rig.kill() } else { try rig.stop() }
        try rig.run(seconds: 5)
        try rig.start().runUntilComplete()
        let epochs = rig.receiver.epochs(of: "location")
        #expect(epochs.count == 2 && rig.receiver.losses.isEmpty)
        let began = try #require(
            rig.receiver.messages.first { $0.message.epoch == epochs[1] && $0.message.number == 1 })
        #expect(began.message.beginning == (isKilled ? .crash : .restart) && began.message.former?.epoch == epochs[0])
        let last = rig.receiver.counts.keys.filter { $0.epoch == epochs[0] && $0.resource == began.resource }.map(
            \.number)
        #expect(began.message.former?.last == last.max())
        // What was acknowledged is written down each second.
        #expect(rig.receiver.counts.values.reduce(0) { $0 + $1 - 1 } <= 100 + 4)
    }

    @Test(
        "where a stream ended that is left out after a crash is reported", arguments: [true, false], ["low", "normal"])
    func leftOut(isKilled: Bool, priority: String) throws {
        let rig = try BridgeRig([("location", "1s"), ("light", "1s priority \(priority)")]).start()
        try rig.run(seconds: 20)
        let epoch = try #require(rig.receiver.epochs(of: "light").first)
        if isKilled { rig.kill() } else { try rig.stop() }
        rig.settings.readings = [try WantedReading(resource: "location", parsing: "1s")]
        try rig.start().runUntilComplete()
        let began = rig.receiver.messages.first { $0.resource == "light" && $0.message.epoch != epoch }?.message
        #expect(began?.former?.epoch == (isKilled ? epoch : nil))
        #expect(began?.former?.last == (isKilled ? rig.receiver.numbers(of: "light").max() : nil))
        // Those that go on as well, and no more than once.
        #expect(rig.receiver.epochs(of: "location").count == 2)
        try rig.run(seconds: 400)
        #expect(rig.receiver.messages.count { $0.resource == "light" && $0.message.epoch != epoch } <= 1)
    }

    @Test("after a boot of the host the cause is a loss of power")
    func booted() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 20)
        rig.kill()
        rig.boot = .init(utcMicroseconds: 2, random: (2, 2))
        try rig.start().runUntilComplete()
        #expect(rig.receiver.messages.contains { $0.message.beginning == .powerLoss })
    }

    @Test("a step of the clock is sent in each stream")
    func step() throws {
        let rig = try BridgeRig().start()
        try rig.run(seconds: 10)
        rig.stepMicroseconds = -3_600_000_000
        try rig.runUntilComplete()
        for resource in ["location", "light"] {
            let clocks = rig.receiver.messages.filter { $0.resource == resource }.compactMap(\.message.clock)
            #expect(clocks.count == 2)
            let offsets = clocks.map { $0.moment.utcMicroseconds - $0.moment.bootNanoseconds / 1_000 }
            #expect(offsets.last.map { $0 - offsets[0] } == -3_600_000_000)
        }
    }

    @Test(
        "what is too old at the start is logged for the administrator too, and a clock that is set makes nothing old",
        arguments: [true, false])
    func expired(wasSet: Bool) throws {
        let rig = try BridgeRig([("location", "1s")]) { $0.maximumAge = .init(nanoseconds: 86_400_000_000_000) }
        rig.isSynchronized = !wasSet
        rig.server.set(.refusing)
        try rig.start().run(seconds: 60)
        rig.kill()
        rig.reboot(offSeconds: 30 * 86_400)
        rig.isSynchronized = true
        try rig.start().run(seconds: 20)
        #expect(rig.log.has(" lost; their numbers are reported to consumers") == !wasSet)
        rig.server.set(.open)
        try rig.runUntilComplete()
        #expect(rig.receiver.losses.isEmpty == wasSet)
    }

    @Test("a full spool reports what it evicted, and keeps within its bytes")
    func evicted() throws {
        let rig = try BridgeRig([("location", "10ms")]) { settings in
            settings.maximumBytes = 64 << 10
            settings.sync = .init(nanoseconds: 100_000_000)
        }
        rig.server.set(.refusing)
        try rig.start().run(seconds: 120)
        #expect(rig.log.has(" lost; their numbers are reported to consumers"))
        rig.server.set(.open)
        try rig.runUntilComplete(within: 1_200)
        #expect(Set(rig.receiver.losses.keys) == ["evicted"])
        // What is evicted is removed by the thread that waits for the disk, which knows no virtual time.
        try rig.stop()
        try rig.wait { $0.bytes <= 80 << 10 }
    }

    @Test("a damaged spool is reported to the administrator, and to consumers with the numbers")
    func damaged() throws {
        let rig = try BridgeRig([("location", "10ms")]) { settings in
            settings.maximumBytes = 64 << 10
            settings.sync = .init(nanoseconds: 200_000_000)
        }
        rig.server.set(.refusing)
        try rig.start().run { $0.segments.count > 3 }
        try rig.stop()
        let segment = rig.segments[1]
        var bytes = rig.read(segment)
        bytes[bytes.count / 2] ^= 4
        rig.write(bytes, to: segment)
        rig.server.set(.open)
        try rig.start().runUntilComplete(within: 1_200)
        #expect(rig.log.has("the spool was damaged, "))
        let lost = try #require(rig.receiver.losses["corrupted"])
        #expect(lost.count == 1 && lost[0].count > 1)
        let epoch = rig.receiver.epochs(of: "location")[0]
        #expect(!rig.receiver.counts.keys.contains { $0.epoch == epoch && lost[0].contains($0.number) })
    }

    @Test("a file that grows has room for what comes next, which is given back")
    func room() throws {
        let rig = try BridgeRig([("location", "10ms")]) { settings in
            settings.maximumBytes = 256 << 10
            settings.sync = .init(nanoseconds: 200_000_000)
        }
        rig.server.set(.refusing)
        try rig.start().run { $0.segments.count > 2 }
        try rig.run(seconds: 1)
        let unused = rig.segments.map(rig.unusedBytes)
        #expect(unused.last.map { $0 > 0 } == true && unused.dropLast().allSatisfy { $0 <= 0 }, "\(unused)")
        try rig.stop()
        #expect(rig.segments.map(rig.unusedBytes).allSatisfy { $0 <= 0 })
    }

    @Test(
        "a segment that cannot be made is a failure that is logged once a minute, and what it was for is reported as lost"
    )
    func noFile() throws {
        let rig = try BridgeRig([("location", "10ms")]) { settings in
            settings.maximumBytes = 64 << 10
            settings.sync = .init(nanoseconds: 200_000_000)
        }
        try rig.start().run(seconds: 1)
        // The name of the next segment is taken by a folder.
        let taken = rig.nextSegments(40)
        for path in taken { unsafe mkdir(path, 0o700) }
        try rig.run(seconds: 120)
        #expect((1...2).contains(rig.log.count("the spool: create")))
        for path in taken { unsafe rmdir(path) }
        try rig.runUntilComplete()
        let losses = rig.receiver.losses
        #expect(Set(losses.keys).isSubset(of: ["diskFailed", "diskFull"]) && !losses.isEmpty, "\(losses)")
        // Once a minute, with how often it happened.
        #expect(rig.log.count("the spool: create") <= 3 && rig.log.has(" times)"))
    }
}

extension BridgeRig {
    /// The paths of the spool's segments, oldest first.
    var segments: [String] {
        let names = (try? SpoolDirectory(path: directory).names()) ?? []
        return names.filter { $0.hasSuffix(".seg") }.sorted().map { "\(directory)/\($0)" }
    }

    /// Waits in the host's time.
    func wait(until isThere: (BridgeRig) -> Bool) throws {
        for _ in 0..<12_000 {
            if isThere(self) { return }
            usleep(10_000)
        }
        throw Stuck()
    }

    /// All bytes of the spool.
    var bytes: Int { segments.reduce(0) { $0 + read($1).count } }

    /// The paths that the next segments would have.
    func nextSegments(_ count: Int) -> [String] {
        let last = segments.last.flatMap { Segment.ordinal(String($0.suffix(20))) } ?? 0
        return (1...UInt64(count)).map { "\(directory)/\(Segment.name(last + $0))" }
    }

    func read(_ path: String) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 2 << 20)
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    func write(_ bytes: [UInt8], to path: String) {
        let file = unsafe open(path, O_WRONLY | O_TRUNC)
        _ = unsafe Glibc.write(file, bytes, bytes.count)
        close(file)
    }

    /// The bytes of a file's room that are not used; its last block, and a block of its extents, are not counted.
    func unusedBytes(_ path: String) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return 0 }
        return Int(status.st_blocks) * 512 - Int(status.st_size) - 2 * Int(status.st_blksize)
    }
}
