import Configuration
import Delivery
import Readings
import Testing

@testable import Mock
@testable import Scenarios

@Suite struct ScenarioTests {
    private static func value(_ scenario: Scenario, _ device: Int = 0, seconds: Double) -> Measurement {
        scenario.plans[device].script.measure(
            MockScript.Instant(
                elapsedNanoseconds: Int64(seconds * 1e9), index: Int64(seconds * 100), utcNanoseconds: 0))
    }

    private static func location(_ text: String, seconds: Double = 0) throws -> Location {
        guard case .location(let location) = value(try Scenario(text: "[location]\n" + text), seconds: seconds) else {
            throw CancellationError()
        }
        return location
    }

    private static func acceleration(_ text: String, seconds: Double = 0) throws -> Acceleration {
        let scenario = try Scenario(text: "[accelerometer]\n" + text)
        guard let acceleration = Acceleration(value(scenario, seconds: seconds)) else {
            throw CancellationError()
        }
        return acceleration
    }

    @Test("the built-in scenarios are valid and have events", arguments: Scenario.shippedNames)
    func shipped(name: String) throws {
        let scenario = try Scenario(name)
        #expect(scenario.description != nil)
        let names = scenario.plans.flatMap { [$0.name] + $0.further.map(\.name) }
        #expect(names == [.location, .accelerometer] || names.count > 5)
        for name in names { #expect(scenario.summary.contains("[\(name)]\n")) }
        #expect(name == "hand-held" || !scenario.events.isEmpty)
        #expect(Self.value(scenario, 1, seconds: 1) != Self.value(scenario, 1, seconds: 2))
    }

    @Test("the built-in scenarios have a section for each kind that IIO measures")
    func kinds() throws {
        let plans = try Scenario.shippedNames.flatMap { try Scenario($0).plans }
        let kinds = KindSet(plans.flatMap { [$0.script.kind] + $0.further.map(\.script.kind) })
        #expect(kinds == KindSet(Kind.all.filter(\.row.hasDevice)))
    }

    @Test(
        "an edge that a scenario turns up is the one that the orientation names, as iio-sensor-proxy and Android have it",
        arguments: [
            ([], "undefined"), (["x by 90deg"], "normal"), (["x by -90deg"], "bottom-up"),
            (["x by 90deg", "z by 90deg"], "right-up"), (["x by 90deg", "z by -90deg"], "left-up"),
            (["y by 90deg"], "left-up"), (["y by -90deg"], "right-up"), (["x by 180deg"], "undefined"),
        ])
    func edges(turns: [String], orientation: String) throws {
        let motions = turns.map { "Motion=rotate \($0) for 1s\n" }.joined()
        let mountings = ["", "MountMatrix=-1, 0, 0; 0, -1, 0; 0, 0, 1\n", "MountMatrix=-1, 0, 0; 0, -1, 0; 0, 0, -1\n"]
        for mounting in mountings {
            let value = try Self.acceleration(motions + "Motion=still for 10s\n" + mounting, seconds: 5)
            var tracker = OrientationTracker()
            _ = tracker.follow(value)
            #expect(tracker.orientation.rawValue == orientation)
        }
    }

    @Test("without devices there are the two default ones, with values from the seed")
    func empty() throws {
        let one = try Scenario(text: "")
        #expect(one.plans.map(\.name) == [.location, .accelerometer])
        let other = try Scenario(text: "[Scenario]\nSeed=9\n")
        #expect(Self.value(one, seconds: 5) == Self.value(try Scenario(text: ""), seconds: 5))
        #expect(Self.value(one, seconds: 5) != Self.value(other, seconds: 5))
    }

    @Test("devices have their names, kinds and rates")
    func devices() throws {
        let scenario = try Scenario(
            text: """
                [accelerometer:1]
                Rates=4kHz, 12.5Hz 100Hz
                [location:ttyUSB0]
                Rates=10Hz
                Position=52.5, 13.4
                [accelerometer]
                """)
        #expect(scenario.plans.map(\.name.description) == ["accelerometer:1", "location:ttyUSB0", "accelerometer"])
        #expect(scenario.plans[0].script.offeredNanoseconds == [250_000, 10_000_000, 80_000_000])
        #expect(scenario.plans[1].script.kind == .location)
        #expect(Self.value(scenario, 0, seconds: 1) != Self.value(scenario, 2, seconds: 1))
    }

    @Test("the [Scenario] section is read")
    func whole() throws {
        let scenario = try Scenario(
            text: "[Scenario]\nDescription=a try\nSeed=18446744073709551615\nSpeed=max\nStart=2026-05-01T12:00:00Z\n")
        #expect(scenario.description == "a try")
        #expect(scenario.seed == .max)
        #expect(scenario.tempo == .infinity)
        #expect(scenario.utcNanoseconds == 1_777_636_800_000_000_000)
    }

    @Test("a receiver is stationary, or moves along waypoints, circles and great circles")
    func ways() throws {
        let here = try Self.location("Position=52.5, 13.4, 34m\nSatellites=7 of 9\n")
        #expect(here.latitudeDegrees == 52.5)
        #expect(here.altitudeMeters == 34)
        #expect(here.speedMetersPerSecond == 0)
        #expect(here.satellitesUsed == 7)
        let there = try Self.location("Waypoint=0 0\nWaypoint=0 1\nSpeed=36km/h\n", seconds: 100)
        #expect(abs((there.longitudeDegrees ?? 0) - 1_000 / 111_319.49) < 1e-6)
        #expect(there.trackDegrees == 90)
        let plane = try Self.location("GreatCircle=52.52, 13.40 to 40.64, -73.78\nSpeed=900km/h\n", seconds: 3_600)
        #expect(abs((plane.speedMetersPerSecond ?? 0) - 250) < 1e-3)
        let round = try Self.location("Circle=47.4, 8.5, 500m radius 1km counterclockwise\nSpeed=10m/s\n", seconds: 0)
        #expect(round.trackDegrees.map { abs($0 - 270) < 0.2 } == true)
        #expect(round.altitudeMeters == 500)
        let lights = "Waypoint=0 0\nWaypoint=0 1\nSpeed=0 at 0s, 50km/h at 10s, 50km/h at 1min, 0 at 1min 10s\n"
        #expect(abs((try Self.location(lights, seconds: 5).speedMetersPerSecond ?? 0) - 25 / 3.6) < 1e-3)
    }

    @Test("a receiver has the satellites, the corrections and the second antenna of its section, on any way")
    func receiver() throws {
        let keys = "Status=rtkFixed\nCorrectionAge=1.5s\nCorrectionStation=120\nBaseline=0.8m\nSatellites=7 of 9\n"
        for way in ["", "Waypoint=0 0\nWaypoint=0 1\n"] {
            let location = try Self.location(way + keys, seconds: 50)
            #expect((location.status, location.correctionAgeSeconds) == (.rtkFixed, 1.5))
            #expect(location.correctionStation == 120)
            #expect((location.satellitesUsed, location.satellitesVisible) == (7, 9))
            #expect((location.satellites?.count, location.satellites?.count(where: \.isUsed)) == (9, 7))
            #expect(location.headingDegrees == location.trackDegrees && location.baselineLengthMeters == 0.8)
            #expect(location.horizontalDilution != nil)
        }
        let east = try Self.location("Waypoint=0 0\nWaypoint=0 1\nBaseline=0.8m\nStatus=rtkFixed\n", seconds: 50)
        #expect((east.baselineNorthMeters, east.baselineEastMeters) == (0, 0.8))
        #expect((east.headingDegrees, east.pitchDegrees) == (90, 0))
        #expect(east.horizontalErrorMeters == 0.01)
        let plain = try Self.location("")
        #expect(plain.status == nil && plain.headingDegrees == nil && plain.correctionAgeSeconds == nil)
    }

    @Test("noise moves a position by the given amount")
    func noise() throws {
        let scenario = try Scenario(text: "[location]\nPosition=0, 0\nNoise=10m\n")
        let meters = (0..<5_000).map { index -> Double in
            guard case .location(let location) = Self.value(scenario, seconds: Double(index)) else { return 0 }
            return (location.latitudeDegrees ?? 0) * 110_574
        }
        let sigma = (meters.reduce(0) { $0 + $1 * $1 } / 5_000).squareRoot()
        #expect((9.3...10.7).contains(sigma), "\(sigma)")
    }

    @Test("an accelerometer has motions, a mounting, a range and values of a file")
    func accelerations() throws {
        let up = try Self.acceleration("Motion=rotate x by 90deg for 1s\nMotion=still for 10s\n", seconds: 5)
        #expect(up == Acceleration(x: 0, y: 9.8067, z: 0))
        let mounted = try Self.acceleration("Samples=3 4 5\nMountMatrix=0, 1, 0; -1, 0, 0; 0, 0, 1\n")
        #expect(mounted == Acceleration(x: -4, y: 3, z: 5))
        let limited = try Self.acceleration("Samples=300 4 -500\nRange=2g\n")
        #expect(limited == Acceleration(x: 19.6133, y: 4, z: -19.6133))
        #expect(try Self.acceleration("Samples=1 0 0; 2 0 0\nSamples=3 0 0\n", seconds: 0.02).x == 3)
        #expect(try Self.acceleration("Motion=drop from 10m\n", seconds: 0.5) == Acceleration(x: 0, y: 0, z: 0))
    }

    @Test("units may be separated from their numbers")
    func spaces() throws {
        let scenario = try Scenario(
            text: """
                [location]
                Rates=5 Hz, 10 Hz
                Waypoint=0 0
                Waypoint=0 1
                Speed=0 km/h at 0 s, 36 km/h at 10 s
                Noise=2 m
                [accelerometer]
                Motion=walk at 1.8 Hz for 30 s
                Motion=shake x at 5 Hz by 2 g for 1 min
                [Events]
                At=10 s unplug accelerometer for 5 s
                Every=1 min from 90 s drop 5 of accelerometer
                """)
        #expect(scenario.plans[0].script.offeredNanoseconds == [100_000_000, 200_000_000])
        #expect(scenario.events.map(\.atNanoseconds) == [10_000_000_000, 90_000_000_000])
    }

    @Test("the time line is sorted, whatever the order of the lines, and each event has its device")
    func events() throws {
        let scenario = try Scenario(
            text: """
                [Events]
                At=1min 30s replug accelerometer
                At=10s unplug accelerometer
                Every=1min from 5s drop 3 of accelerometer
                At=0 jump 2km east for 10s
                """)
        #expect(
            scenario.events.map(\.description) == [
                "At=0 jump 2000.0m 90.0deg for 10s", "Every=1min from 5s overflow 3 accelerometer",
                "At=10s unplug accelerometer", "At=1min 30s replug accelerometer",
            ])
        let second: Int64 = 1_000_000_000
        let accelerometer = scenario.plans[1].faults
        #expect(accelerometer.holds([.unplug], at: 89 * second))
        #expect(!accelerometer.holds([.unplug], at: 90 * second))
        #expect(accelerometer.losses(after: 0, upTo: 130 * second) == 9)
        #expect(scenario.plans[0].faults.faults(at: 0) == [.jump(meters: 2_000, degrees: 90)])
    }

    @Test("a sensor that is part of another one's device has its rates and its faults")
    func parts() throws {
        let scenario = try Scenario(
            text: """
                [gyroscope]
                PartOf=accelerometer
                [accelerometer]
                Rates=100Hz
                [Events]
                At=5s unplug gyroscope for 1s
                """)
        #expect(scenario.plans.map(\.name) == [.accelerometer])
        #expect(scenario.plans[0].further.map(\.name.description) == ["gyroscope"])
        #expect(scenario.plans[0].further.map(\.script.kind) == [.angularVelocity])
        #expect(scenario.plans[0].faults.holds(.unplug, at: 5_500_000_000))
        #expect(scenario.summary.contains("PartOf=accelerometer"))
    }
}
