import ChildPrograms
import Foundation
import Testing

/// The driver of a polled sensor with thresholds, whose sysfs and events are faked: no driver that the virtual machine
/// has reports any.
@Suite(.serialized, .timeLimit(.minutes(30))) struct EventsTests {
    private static let interval = "20000000"

    /// A run in which the kernel answers the request for events; without `pipe`, another program has them.
    private func run(
        _ events: String, pipe: Bool = true, shy: String = "", _ probe: [String]
    ) throws -> NamespaceRun {
        let library = try Self.library()
        defer { try? FileManager.default.removeItem(at: library) }
        return try NamespaceRun(
            ["--proximity", "--events", events],
            variables: ["LD_PRELOAD": library.path, "FAKE_EVENTS": pipe ? "/sys/.events" : "", "FAKE_SHY": shy],
            probe: probe)
    }

    /// `fakeevents.c` as a library.
    private static func library() throws -> URL {
        let library = FileManager.default.temporaryDirectory.appending(path: "fakeevents-\(UUID().uuidString).so")
        let compiler = try ChildProgram([
            "cc", "-shared", "-fPIC", "-o", library.path,
            FakeIIOD.support.appendingPathComponent("fakeevents.c").path, "-ldl",
        ])
        try #require(compiler.waitUntilExit() == 0, "no C compiler, so events are NOT tested")
        return library
    }

    private func counts(_ run: NamespaceRun) -> [Int] {
        run.fields("proximity").compactMap { Double($0[3]) }.map(Int.init)
    }

    private func profiles(_ run: NamespaceRun) -> [String] { run.lines.filter { $0.hasPrefix("profile") } }

    private func isAsFound(_ run: NamespaceRun) -> Bool {
        run.left("events/in_proximity_thresh_rising_value") == "60000"
            && run.left("events/in_proximity_thresh_falling_value") == "3"
            && run.left("events/in_proximity_thresh_either_en") == "0"
    }

    @Test("each reported change is read, and the thresholds follow it; in the end they are as they were found")
    func follows() throws {
        let run = try run("approach", ["proximity=5", "local:", "10", Self.interval, "0"])
        #expect(run.status == 0)
        let words = "chip, iio:device0 at local:, polled on events (it has no buffer)"
        #expect(profiles(run).allSatisfy { $0.contains(words) })
        #expect(profiles(run).count == 1)
        // Only a threshold above the count makes it rise: at 100 it is 104, and then the count is 114.
        let steps = Set(counts(run)).sorted()
        #expect(steps.count >= 5)
        #expect(steps == (0..<steps.count).map { 100 + 14 * $0 })
        #expect(isAsFound(run))
    }

    @Test("without an event, the sensor sleeps for five seconds")
    func quiet() throws {
        let clock = ContinuousClock()
        let elapsed = try clock.measure {
            let run = try run("quiet", ["proximity=5", "local:", "2", Self.interval, "0"])
            #expect(run.status == 0 && counts(run) == [100, 100] && isAsFound(run))
        }
        #expect(elapsed >= .seconds(5))
    }

    @Test("whoever wants every sample gets one an interval, also from a sensor that was asleep")
    func everySample() throws {
        let words = ["local:", "4", Self.interval, "0", "proximity=0", "adjust", Self.interval, "0", "20"]
        let run = try run("approach", ["proximity=5"] + words)
        #expect(run.status == 0)
        #expect(profiles(run).last?.contains("polled (it has no buffer)") == true)
        let last = counts(run).suffix(20)
        // The count may still rise for the thresholds of before, but only once.
        #expect(last.count == 20 && Set(last).count <= 2)
        #expect(isAsFound(run))
    }

    @Test(
        "what keeps events from being used is reported once, and the sensor is polled",
        arguments: [
            ("approach", false, "another program has them"), ("flood", true, "they do not agree with the values"),
            ("bad", true, "read events: Protocol error"),
        ])
    func falls(events: String, pipe: Bool, why: String) throws {
        let run = try run(events, pipe: pipe, ["proximity=5", "local:", "40", Self.interval, "0"])
        #expect(run.status == 0)
        let words = "polled (it has no buffer; no events: \(why))"
        #expect(profiles(run).count { $0.contains(words) } == 1)
        #expect(counts(run).count >= 30 && Set(counts(run)) == [100])
        #expect(run.fields("gap").isEmpty && isAsFound(run))
    }

    @Test("a driver that gives no value while its events are on is polled without them, and nothing is lost")
    func shy() throws {
        let events = "/sys/bus/iio/devices/iio:device0/events"
        let run = try run(
            "flood", shy: "\(events)/in_proximity_thresh_either_en",
            ["proximity=5", "local:", "20", Self.interval, "0"])
        #expect(run.status == 0 && counts(run).count >= 15 && Set(counts(run)) == [100])
        let reasons = profiles(run).filter { $0.contains("no events: with them on, read raw: Device or resource busy") }
        #expect(reasons.count == 1 && run.fields("gap").isEmpty && isAsFound(run))
    }

    @Test("a node without events is no obstacle")
    func noEvents() throws {
        let run = try NamespaceRun(
            ["--proximity", "--events", "approach"], probe: ["proximity=5", "local:", "5", Self.interval, "0"])
        #expect(run.status == 0 && counts(run) == [100, 100, 100, 100, 100])
        let why = "no events: get the events of /dev/iio:device0: Inappropriate ioctl"
        #expect(profiles(run).contains { $0.contains(why) })
        let none = try NamespaceRun(["--proximity"], probe: ["proximity=5", "local:", "3", Self.interval, "0"])
        #expect(profiles(none).contains { $0.contains("polled (it has no buffer)") })
    }
}
