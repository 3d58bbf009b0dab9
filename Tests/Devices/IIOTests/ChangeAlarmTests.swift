import Devices
import Foundation
import Platform
import Readings
import Testing

@testable import IIO

/// Files as in `events/` of a device, and a pipe in place of the kernel's queue.
@Suite("The alarm of a sensor") final class ChangeAlarmTests {
    private let tree: SensorTree
    private let pipe: [Int32]

    init() throws {
        tree = try SensorTree()
        var ends: [Int32] = [0, 0]
        let isMade = unsafe Glibc.pipe(&ends) == 0
        try #require(isMade)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        pipe = ends
        try put(["in_proximity_thresh_rising_value": "60000", "in_proximity_thresh_falling_value": "7"])
        try put(["in_proximity_thresh_rising_en": "0", "in_proximity_thresh_falling_en": "0"])
    }

    deinit { close(pipe[1]) }

    private func put(_ files: [String: String]) throws {
        for (name, text) in files { try tree.put("events/\(name)", text) }
    }

    private func text(_ name: String) -> String? {
        SmallFile.line(at: tree.root.appending(path: "events/in_proximity_thresh_\(name)").path)
    }

    private func thresholds(of channel: String = "proximity") throws -> ThresholdFiles? {
        try ThresholdFiles(of: channel, in: tree.root.appending(path: "events").path)
    }

    private func alarm() throws -> ChangeAlarm {
        let channel = ChangeAlarm.Channel(try #require(try thresholds()), change: 10, isWhole: true)
        return ChangeAlarm([channel], IIOEvents(from: Descriptor(owning: pipe[0])), due: 100)
    }

    private func send(_ bytes: [UInt8]) {
        let count = unsafe write(pipe[1], bytes, bytes.count)
        #expect(count == bytes.count)
    }

    private func event(id: UInt64 = 1 << 56) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) } + [0, 0, 0, 0, 0, 0, 0, 0x80]
    }

    @Test("sets nothing before the first number; then the thresholds follow, and in the end they are restored")
    func follows() throws {
        do {
            var alarm = try self.alarm()
            #expect(text("rising_value") == "60000" && text("rising_en") == "0")
            #expect(alarm.readiness == .descriptor(pipe[0], orAt: BootTime(nanoseconds: 100)))
            var isTrusted = try alarm.follow([500], standing: [nil], at: 100)
            #expect(isTrusted && text("rising_value") == "509" && text("falling_value") == "491")
            #expect(text("rising_en") == "1" && text("falling_en") == "1")
            // Inside: the window stays, so that changes add up.
            isTrusted = try alarm.follow([505], standing: [nil], at: 200)
            #expect(isTrusted && text("rising_value") == "509" && text("falling_value") == "491")
            isTrusted = try alarm.follow([510], standing: [nil], at: 300)
            #expect(isTrusted && text("rising_value") == "519" && text("falling_value") == "501")
            isTrusted = try alarm.follow([4], standing: [nil], at: 400)
            #expect(isTrusted && text("rising_value") == "13" && text("falling_value") == "0")
        }
        #expect(text("rising_value") == "60000" && text("falling_value") == "7")
        #expect(text("rising_en") == "0" && text("falling_en") == "0")
    }

    @Test("switches off what a killed daemon left on")
    func leftOn() throws {
        try put(["in_proximity_thresh_rising_en": "1", "in_proximity_thresh_falling_en": "1"])
        do { _ = try alarm() }
        #expect(text("rising_en") == "0" && text("falling_en") == "0" && text("rising_value") == "60000")
    }

    @Test("makes the sensor due by an event, whatever it is, and then waits for the time only")
    func events() throws {
        var alarm = try self.alarm()
        _ = try alarm.follow([500], standing: [nil], at: 1_000)
        try alarm.takeEvents(at: 1_100, notBefore: 1_200)
        #expect(alarm.due == 1_000 + EventRhythm.restNanoseconds)
        for id in [0, 1 << 56, UInt64.max] { send(event(id: id)) }
        try alarm.takeEvents(at: 1_100, notBefore: 1_200)
        #expect(alarm.readiness == .at(BootTime(nanoseconds: 1_200)))
        _ = try alarm.follow([600], standing: [nil], at: 1_300)
        #expect(
            alarm.readiness
                == .descriptor(pipe[0], orAt: BootTime(nanoseconds: 1_300 + EventRhythm.restNanoseconds)))
    }

    @Test("reports at once each change that exceeds the minimum of a client by the smallest one", arguments: 1...5)
    func promise(seed: UInt64) throws {
        var alarm = try self.alarm()
        var generator = SplitMix64(seed: seed)
        // Each with its minimum change, and the reading it was sent last; one comes every hundred steps.
        var clients: [(change: Double, last: Double)] = []
        var (value, newest, readings) = (500.0, 500.0, 0)
        _ = try alarm.follow([value], standing: [nil], at: 0)
        for step in 1...500 {
            if step % 100 == 1 { clients.append(([10, 10, 25, 40, 10][step / 100], newest)) }
            let pace = Int64(step.isMultiple(of: 50) ? 200 : 6)
            value = max(0, value + Double(Int64.random(in: -pace...pace, using: &generator)))
            // As a chip: strictly beyond a threshold.
            let limits = try [text("falling_value"), text("rising_value")].map { try #require($0.flatMap(Double.init)) }
            if value < limits[0] || value > limits[1] {
                send(event())
                try alarm.takeEvents(at: Int64(step), notBefore: 0)
                #expect(alarm.due <= Int64(step))
                let isTrusted = try alarm.follow([value], standing: [nil], at: Int64(step))
                #expect(isTrusted)
                (newest, readings) = (value, readings + 1)
                for index in clients.indices where abs(value - clients[index].last) >= clients[index].change {
                    clients[index].last = value
                }
            }
            for client in clients { #expect(abs(value - client.last) < client.change + 10) }
        }
        #expect((10..<300).contains(readings))
    }

    @Test("fails by what is no event", arguments: [1, 15, 17])
    func rubbish(count: Int) throws {
        var alarm = try self.alarm()
        send([UInt8](repeating: 0xff, count: count))
        #expect(code { () throws(SystemError) in try alarm.takeEvents(at: 0, notBefore: 0) } == EPROTO)
    }

    @Test("fails by the end of the events")
    func end() throws {
        let null = unsafe open("/dev/null", O_RDONLY)
        var alarm = ChangeAlarm([], IIOEvents(from: Descriptor(owning: null)), due: 0)
        #expect(code { () throws(SystemError) in try alarm.takeEvents(at: 0, notBefore: 0) } == EPIPE)
    }

    private func code(_ body: () throws(SystemError) -> Void) -> Int32? {
        do throws(SystemError) { try body() } catch { return error.code }
        return nil
    }

    @Test("fails if a threshold cannot be written, and restores the others")
    func unwritable() throws {
        let path = tree.root.appending(path: "events/in_proximity_thresh_rising_en").path
        do {
            var alarm = try self.alarm()
            try FileManager.default.removeItem(atPath: path)
            #expect(
                code { () throws(SystemError) in _ = try alarm.follow([500], standing: [nil], at: 0) } == ENOENT)
            #expect(text("rising_value") == "509")
        }
        #expect(text("rising_value") == "60000" && text("falling_value") == "7")
    }

    @Test("needs both thresholds and a switch; those of a type serve each of its channels")
    func files() throws {
        #expect(try thresholds() != nil && thresholds(of: "proximity0") != nil && thresholds(of: "illuminance") == nil)
        try FileManager.default.removeItem(at: tree.root.appending(path: "events/in_proximity_thresh_falling_en"))
        #expect(try thresholds() == nil)
        try put(["in_proximity_thresh_either_en": "0"])
        #expect(try thresholds() != nil)
        try FileManager.default.removeItem(at: tree.root.appending(path: "events/in_proximity_thresh_falling_value"))
        #expect(try thresholds() == nil)
    }
}
