import Devices
import Foundation
import Readings
import Testing

@testable import Gpsd

/// The driver on the distribution's gpsd, compared with the output that another client of the same gpsd received.
@Suite(.serialized) struct RealGpsdTests {
    @Test("ten epochs per second in bursts, with flaps: each is one reading, with gpsd's last values")
    func bursts() throws {
        let terminal = try Pseudoterminal()
        let gpsd = try RealGpsd(terminal: terminal.path)
        var loop = try open(gpsd)
        let raw = try watch(gpsd, beside: &loop)
        let states: [NMEALog.State] =
            Array(repeating: .noFix, count: 8) + Array(repeating: .flat, count: 10) + Array(repeating: .full, count: 42)
        terminal.play(NMEALog(flaps: true).epochs(states), everyMilliseconds: 100)
        let done = try loop.run { loop in
            raw.finals.count > 48 && loop.locations.last?.utcMicroseconds == Self.microseconds(raw.finals.last?.time)
        }
        #expect(done)
        check(loop, against: raw)
        #expect(loop.locations.contains { $0.fix == .threeDimensional })
        #expect(loop.locations.last?.satellitesVisible == 6)
        #expect(loop.locations.last?.satellitesUsed == 5)
        #expect(loop.profiles.last?.intervalNanoseconds == 100_000_000)
        let description = loop.profiles.last?.description ?? ""
        #expect(description.hasPrefix("gpsd 3."))
        #expect(description.contains("\(terminal.path) (NMEA0183)"))
        loop.device.close()
    }

    /// What a receiver sends of its satellites in a second, before GGA; and the satellites, and how many are used.
    ///
    /// The first is a modem's order: gpsd 3.22 reports GLONASS and Galileo in a sky each, and is silent about GPS.
    private static let skies: [(sentences: [String], numbers: Set<Int>, used: Int)] = [
        (
            [
                "GNGSA,A,3,02,05,07,13,15,,,,,,,,2.0,1.0,1.7,1", "GNGSA,A,3,68,69,78,,,,,,,,,,2.0,1.0,1.7,2",
                "GLGSV,1,1,04,68,55,100,35,69,45,200,36,78,35,300,37,79,15,050,20,1",
                "PQGSV,1,1,03,02,20,116,,03,10,100,,05,34,137,,0,4",
                "GAGSV,1,1,02,04,52,298,,09,03,322,,7",
                "GPGSV,2,1,08,02,60,100,40,05,50,200,41,07,40,300,42,13,30,050,38,1",
                "GPGSV,2,2,08,15,70,010,44,20,10,020,20,24,11,030,20,30,12,040,20,1",
            ], [68, 69, 78, 79, 304, 309], 3
        ),
        (
            [
                "GNGSA,A,3,10,12,13,,,,,,,,,,1.5,0.8,1.2,1", "GPGSV,1,1,03,10,23,294,32,12,41,226,30,13,48,232,28,1",
                "GPGSV,1,1,02,10,23,294,30,12,41,226,29,6",
            ], [10, 12, 13], 3
        ),
    ]

    @Test("satellites of several systems, and with signals of two bands, are all there, each once", arguments: [0, 1])
    func skies(_ index: Int) throws {
        let terminal = try Pseudoterminal()
        let gpsd = try RealGpsd(terminal: terminal.path)
        var loop = try open(gpsd)
        _ = try watch(gpsd, beside: &loop)
        let sky = Self.skies[index]
        let place = "4851.5040,N,00217.6700,E"
        let epochs = (0..<40).map { epoch in
            let time = "1000\(epoch < 20 ? "0" : "1")\(epoch / 2 % 10).\(epoch % 2 * 5)0"
            let first = "GPRMC,\(time),A,\(place),0.10,90.0,010526,,,A"
            let last = "GPGGA,\(time),\(place),1,08,1.0,35.0,M,47.0,M,,"
            return ([first] + sky.sentences + [last]).map(NMEALog.sentence)
        }
        terminal.play(epochs, everyMilliseconds: 200)
        let done = try loop.run { $0.locations.count > 35 }
        #expect(done)
        for location in loop.locations.suffix(20) {
            let satellites = try #require(location.satellites)
            #expect(sky.numbers.isSubset(of: satellites.map(\.prn)))
            #expect(Set(satellites.map(\.prn)).count == location.satellitesVisible)
            #expect(satellites.count { $0.isUsed && sky.numbers.contains($0.prn) } == sky.used)
            #expect(satellites.count(where: \.isUsed) == location.satellitesUsed)
        }
        loop.device.close()
    }

    @Test("probing a real gpsd finds its release and does not activate its receiver")
    func probe() throws {
        let terminal = try Pseudoterminal()
        let gpsd = try RealGpsd(terminal: terminal.path)
        var device = GpsdDevice(try GpsdAddress(parsing: "localhost:\(gpsd.port)"))
        let profile = try device.probe()
        #expect(profile.description?.hasPrefix("gpsd 3.") == true)
    }

    @Test("an artificial log, sentence by sentence: each epoch is one reading, and gpsd's end is reported")
    func inventedLog() throws {
        let states = Array(repeating: NMEALog.State.noFix, count: 3) + Array(repeating: .full, count: 30)
        let log = NMEALog(intervalMilliseconds: 1000, flaps: true).epochs(states).flatMap { $0 }
        try play(log, atLeast: 29)
    }

    @Test(
        "recorded receivers: each epoch makes one reading, and nothing is invented",
        .enabled(if: Recordings.arePresent, "the recordings of receivers are not beside this package"),
        arguments: [("ublox-neo-m9n-nmea.log", 300, 8), ("haicom-305N.log", 400, 25), ("quectel-eg25-g.log", 700, 1)])
    func recordings(_ name: String, _ lines: Int, _ epochs: Int) throws {
        try play(try Recordings.sentences(name, atMost: lines), atLeast: epochs)
    }

    @Test(
        "a receiver that never has a fix yields a reading without one per cycle",
        .enabled(if: Recordings.arePresent, "the recordings of receivers are not beside this package"))
    func noFix() throws {
        try play(try Recordings.sentences("eXplorist110.log", atMost: 1000), atLeast: 0)
    }

    /// Plays a log to its end through a gpsd, one sentence per 5 ms, ends gpsd, and compares.
    private func play(_ log: [String], atLeast epochs: Int) throws {
        let terminal = try Pseudoterminal()
        let gpsd = try RealGpsd(terminal: terminal.path)
        var loop = try open(gpsd)
        let raw = try watch(gpsd, beside: &loop)
        let played = terminal.play(log.map { [$0] }, everyMilliseconds: 5)
        let isSilent = try loop.run { _ in played.value && raw.isSilent(seconds: 5) }
        #expect(isSilent)
        gpsd.stop()
        do throws(DeviceFault) {
            _ = try loop.run { _ in false }
            Issue.record("the end of gpsd is a fault")
        } catch {
            #expect(error.kind == .lost)
        }
        while !raw.ended { raw.take() }
        #expect(raw.finals.count >= epochs)
        check(loop, against: raw)
        loop.device.close()
    }

    private func open(_ gpsd: RealGpsd) throws -> DeviceLoop {
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        return loop
    }

    /// Watches beside the driver, and waits for gpsd's answer: gpsd takes connections in their order, so what is played
    /// from here on reaches both.
    private func watch(_ gpsd: RealGpsd, beside loop: inout DeviceLoop) throws -> RawWatcher {
        let raw = try RawWatcher(port: gpsd.port)
        loop.aside = (raw.descriptor, { raw.take() })
        let isWatching = try loop.run { _ in raw.watching }
        #expect(isWatching)
        return raw
    }

    /// One reading per time, in gpsd's order, with the values of its last TPV; no fix that gpsd did not report.
    private func check(_ loop: borrowing DeviceLoop, against raw: RawWatcher) {
        let timed = loop.locations.filter { $0.utcMicroseconds != nil }
        let finals = raw.finals
        #expect(timed.map(\.utcMicroseconds) == finals.map { Self.microseconds($0.time) })
        for (location, final) in zip(timed, finals) { check(location, against: final) }
        if !raw.tpvs.contains(where: { $0.time == nil && $0.mode >= 2 }) {
            #expect(loop.locations.allSatisfy { $0.utcMicroseconds != nil || $0.fix == .noPosition })
        }
        let timeless = raw.tpvs.count { $0.time == nil }
        #expect(loop.locations.count - timed.count <= timeless)
        if timeless == raw.tpvs.count, timeless > 0 { #expect(!loop.locations.isEmpty) }
    }

    private func check(_ location: Location, against final: RawWatcher.TPV) {
        let hasPosition = final.mode >= 2 && final.values["lat"] != nil
        let fix: Location.Fix = hasPosition ? (final.mode == 2 ? .twoDimensional : .threeDimensional) : .noPosition
        #expect(location.fix == fix)
        guard fix != .noPosition else { return }
        #expect(location.latitudeDegrees == final.values["lat"])
        #expect(location.longitudeDegrees == final.values["lon"])
        if let speed = final.values["speed"] { #expect(location.speedMetersPerSecond == speed) }
        if let track = final.values["track"] { #expect(location.trackDegrees == track) }
        if let error = final.values["eph"] { #expect(location.horizontalErrorMeters == error) }
        guard fix == .threeDimensional else { return }
        if let altitude = final.values["altMSL"] { #expect(location.altitudeMeters == altitude) }
        if let height = final.values["altHAE"] { #expect(location.ellipsoidHeightMeters == height) }
    }

    private static func microseconds(_ time: String?) -> Int64? {
        guard let time else { return nil }
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = try? format.parse(time) else { return nil }
        return Int64((date.timeIntervalSince1970 * 1000).rounded()) * 1000
    }
}
