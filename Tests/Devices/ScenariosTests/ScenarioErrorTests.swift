import Configuration
import Formats
import Foundation
import GPX
import Mock
import Readings
import Testing

@testable import Scenarios

@Suite struct ScenarioErrorTests {
    private static func problems(_ text: String) -> [ConfigurationProblem] {
        do throws(ConfigurationErrors) {
            _ = try Scenario(
                text: text, directory: "/nonexistent",
                gpx: { (bytes) throws(FormatError) in try GPXReader.paths(bytes) })
            return []
        } catch { return error.all }
    }

    @Test(
        "each error has its line and a remedy",
        arguments: [
            (
                "[camera]", 1,
                "write one of [Scenario] "
                    + Kind.all.map(\.row).filter(\.hasDevice).map { "[\($0.resource)]" }.joined(separator: " ")
                    + " [Events]"
            ),
            ("[locatoin]", 1, "did you mean [location]?"), ("[orientation]", 1, "derived from [accelerometer]"),
            ("[light:]", 1, "did you mean [light]?"),
            ("[location]\nRates=,", 2, "has no rate; write rates such as 1Hz"),
            ("[location]\n[location]", 2, "there are two sections [location]"),
            ("[location]\nRate=1Hz", 2, "did you mean Rates=?"), ("[location]\nNoise=", 2, "needs a value"),
            ("[location]\nNoise=1m\nNoise=2m", 3, "occurs twice"), ("[location]\nRates=fast", 2, "such as 1Hz"),
            ("[location]\nRates=0Hz", 2, "from 0.001Hz"), ("[location]\nRates=5Hz nan", 2, "'nan' is not a valid rate"),
            ("[location]\nPosition=91, 0", 2, "52.5200, 13.4050"),
            ("[location]\nPosition=inf, 0", 2, "not a valid place"),
            ("[location]\nPosition=0x10, 0", 2, "not a valid place"),
            ("[location]\nPosition=1 2 3 4", 2, "not a valid place"),
            ("[location]\nWaypoint=1 1\nCircle=1 1 radius 5m", 1, "two paths: leave one of them out"),
            ("[location]\nSpeed=10m/s", 1, "there is no path"), ("[location]\nSpeed=ten\nPosition=0 0", 2, "50km/h"),
            ("[location]\nWaypoint=0 0\nSpeed=0 at 0s, 5m/s at 0s", 3, "do not increase"),
            ("[location]\nWaypoint=0 0\nSpeed=5m/s at 1s, 5m/s at 2s", 3, "at 0s"),
            ("[location]\nWaypoint=0 0\nSpeed=0 at 0s, 0 at 2s", 3, "never moves"),
            ("[location]\nWaypoint=0 0\nAtEnd=explode", 3, "stop, repeat or return"),
            ("[location]\nCircle=0 0 radius 0m", 2, "radius 500m"),
            ("[location]\nGreatCircle=0 0 to 0 180", 2, "antipodes"),
            ("[location]\nGpx=none.gpx", 2, "there is no file /nonexistent/none.gpx"),
            ("[location]\nSatellites=13 of 12", 2, "9 of 12"), ("[location]\nStatus=rtk", 2, "rtkFixed"),
            ("[location]\nCorrectionAge=-1s", 2, "1.5s"), ("[location]\nCorrectionStation=5000", 2, "0 to 4095"),
            ("[location]\nBaseline=0", 2, "1.2m"),
            ("[accelerometer]\nMotion=fly for 10s", 2, "'fly' is not a motion"),
            ("[accelerometer]\nMotion=wak for 10s", 2, "did you mean 'walk at"),
            ("[accelerometer]\nMotion=walk", 2, "walk at 1.8Hz for 30s"),
            ("[accelerometer]\nMotion=still at 5Hz for 3s", 2, "still for 10s"),
            ("[accelerometer]\nMotion=rotate 90deg", 2, "rotate x by 90deg"),
            ("[accelerometer]\nMotion=drop from 1m\nSamples=0 0 0", 1, "two sources"),
            ("[accelerometer]\nMotion=walk for 3s and shake x for 3s", 2, "write 'for' once"),
            ("[accelerometer]\nMotion=walk and ", 2, "is not a motion"),
            ("[accelerometer]\nMotion=walk and fly for 3s", 2, "'fly' is not a motion"),
            ("[accelerometer]\nMotion=hand", 2, "hand for 30s"), ("[light]\nMotion=hand for 3s", 2, "has no 'Motion='"),
            ("[accelerometer]\nMountedOn=lid", 1, "write a section for one"),
            ("[accelerometer]\n[light]\n[gyroscope]\nMountedOn=light", 3, "write accelerometer"),
            ("[gyroscope]\nTemperatureDrift=0.1", 1, "add a [temperature]"),
            ("[gyroscope]\nBias=1 2", 2, "one for all"),
            ("[gyroscope]\nBias=0.1g", 2, "in rad/s for each of x y z"),
            ("[magnetometer]\nDisturbance=75uT for 3s", 2, "75uT dip 30deg from 20s for 15s"),
            ("[rotation]\nBias=1", 2, "has no 'Bias='"), ("[heading]\nDisturbance=x", 2, "has no 'Disturbance='"),
            ("[accelerometer]\nSamples=1 2", 2, "0 0 9.81"), ("[accelerometer]\nUnit=furlong", 2, "m/s2, g or mg"),
            ("[accelerometer]\nUnit=g", 1, "add Csv="), ("[accelerometer]\nMountMatrix=1", 2, "three rows of three"),
            ("[accelerometer]\nColumns=a,b", 2, "3 or 4 names"), ("[accelerometer]\nRange=0", 2, "such as 16 m/s2"),
            ("[gyroscope]\nPartOf=accelerometer", 1, "write a section for one"),
            ("[accelerometer]\n[gyroscope]\nPartOf=nothing", 2, "write accelerometer"),
            ("[accelerometer]\n[gyroscope]\nPartOf=accelerometer\nRates=1Hz", 2, "leave out Rates="),
            ("[accelerometer]\n[accelerometer:1]\nPartOf=accelerometer", 2, "another accelerometer"),
            ("[accelerometer]\nNoise=-1", 2, "0.05"), ("[Scenario]\nSeed=-1", 2, "such as 42"),
            ("[Scenario]\nSpeed=0.5", 2, "from 1 to 100000"), ("[Scenario]\nStart=tomorrow", 2, "2026-05-01T12:00:00Z"),
            ("[Events]\nWhen=5s stall", 2, "write At=30s"),
            ("[Events]\nAt=stall location", 2, "a time and what happens"),
            ("[Events]\nAt=5s", 2, "which fault?"), ("[Events]\nAt=5s stall", 2, "to which device?"),
            ("[Events]\nAt=5s no-fix accelerometer", 2, "it measures acceleration"),
            ("[Events]\nAt=5s unplug camera", 2, "there is no device camera"),
            ("[Events]\nEvery=5s stall location", 2, "add 'for' with less than 5s"),
            ("[Events]\nEvery=5s stall location for 5s", 2, "ends before it begins again"),
            ("[Events]\nEvery=5s replug location", 2, "give the fault a duration"),
            ("[location]\n[Events]\nAt=5s drop 5 accelerometer", 3, "the devices are location"),
            ("Noise=5", 1, "write [Section] above it"), ("[location]\nwhat is this", 2, "no '='"),
        ] as [(String, Int, String)])
    func isReported(text: String, line: Int, remedy: String) {
        let problems = Self.problems(text)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.line == line)
        #expect(problems.first?.message.contains(remedy) == true, "\(problems)")
    }

    @Test("all errors are reported, in the order of their lines")
    func all() {
        let lines = Self.problems("[location]\nNoise=x\nRates=y\n[Events]\nAt=z\n[camera]\n").map(\.line)
        #expect(lines == [2, 3, 5, 6])
    }

    @Test(
        "an error is reported once, and not again by what depends on it",
        arguments: [
            ("[accelerometer]\nRange=4q\n[gyroscope]\nPartOf=accelerometer", [2]),
            ("[accelerometer]\nRates=x\n[gyroscope]\nPartOf=accelerometer\n[Events]\nAt=1s unplug accelerometer", [2]),
            ("[accelerometer]\nRange=4q\n[gyroscope]\nMountedOn=accelerometer", [2]),
            ("[accelerometer]\nMountedOn=gyroscope\n[gyroscope]\nMountedOn=accelerometer", [1, 3]),
            ("[headng]\n[accelerometer]\n[Events]\nAt=1s unplug heading", [1]),
            ("[acelerometer]\n[gyroscope]\nPartOf=accelerometer", [1]),
            // These are errors of their own.
            ("[accelerometer]\nRange=4q\n[gyroscope]\nPartOf=light", [2, 3]),
            ("[gyroscope]\nPartOf=gyroscope", [1]),
        ])
    func once(text: String, lines: [Int]) {
        #expect(Self.problems(text).map(\.line) == lines)
    }

    @Test("the most devices of a scenario are those of the documents", arguments: ["mock", "limits"])
    func mostDevices(page: String) throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../docs/\(page).md").standardized
        #expect(try String(contentsOf: file, encoding: .utf8).contains("at most \(Scenario.mostDevices) devices"))
        let sections = (1...Scenario.mostDevices + 1).map { "[light:\($0)]" }
        let problems = Self.problems(sections.joined(separator: "\n"))
        #expect(problems.map(\.line) == [Scenario.mostDevices + 1])
        #expect(problems.first?.message.contains("leave this one out") == true, "\(problems)")
        #expect(Self.problems(sections.dropLast().joined(separator: "\n")).isEmpty)
    }

    @Test("an unknown name is answered with the known ones")
    func names() {
        func message(_ name: String) -> String {
            do throws(ConfigurationErrors) {
                _ = try Scenario(name)
                return ""
            } catch { return error.first.description }
        }
        #expect(message("city-driv").contains("did you mean city-drive?"))
        #expect(message("/nonexistent/a.scenario").contains("no such file"))
        #expect(message("/").contains("plain file"))
    }

    @Test("garbage of any kind is refused, with the line and words, or is a scenario", arguments: 0..<200)
    func garbage(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let words = [
            "[location]", "[accelerometer]", "[Events]", "[Scenario]", "\n", "\n", "\n", "=", "Rates=", "Noise=",
            "Waypoint=",
            "Circle=", "GreatCircle=", "Speed=", "Motion=", "Samples=", "At=", "Every=", "from", "for", "to", "at",
            "by",
            "radius", "unplug", "drop", "jump", "lie", "shake", "rotate", "drop", "hand", "and", "MountedOn=", "Bias=",
            "TemperatureDrift=", "Disturbance=", "dip", "[gyroscope]",
            "[magnetometer]", "9223372036854775807", "-1e308",
            "1e999",
            "nan", "0", "0s", "5s", "1h", "infinity", "50Hz", "1e-300Hz", "2km", "x", ";", ",", " ", " ", " ", "\u{0}",
            "é",
            "18446744073709551616", "90deg", "1000000000000w", "AtEnd=", "repeat", "return", "Position=", "90", "-180",
        ]
        var text = ""
        for _ in 0..<200 { text += words[next(words.count)] + (next(3) == 0 ? " " : "") }
        do throws(ConfigurationErrors) {
            let scenario = try Scenario(text: text, directory: "/nonexistent")
            for plan in scenario.plans { _ = plan.script.measure(.init(beginning: nil)) }
        } catch {
            let lines = 1...text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(error.all.allSatisfy { $0.line.map(lines.contains) != false && !$0.message.isEmpty })
        }
    }
}
