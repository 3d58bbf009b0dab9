import Configuration
import Formats
import Foundation
import GPX
import Readings
import Testing

@testable import Mock
@testable import Scenarios

/// Scenarios that use other files.
@Suite final class ScenarioFileTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("scenarios-\(UUID())").path

    private static let gpx: Scenario.GPX = { (bytes) throws(FormatError) in try GPXReader.paths(bytes) }

    init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/" + name))
    }

    private func measure(_ text: String, _ seconds: Double...) throws -> [Readings.Measurement] {
        let scenario = try Scenario(text: text, directory: directory, gpx: Self.gpx)
        return seconds.map { seconds in
            scenario.plans[0].script.measure(
                MockScript.Instant(
                    elapsedNanoseconds: Int64((seconds * 1e9).rounded()), index: Int64(seconds * 100), utcNanoseconds: 0
                ))
        }
    }

    private static let track = """
        <?xml version="1.0"?>
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="0" lon="0"><ele>10</ele><time>2026-01-01T00:00:00Z</time></trkpt>
        <trkpt lat="0" lon="0.001"><ele>20</ele><time>2026-01-01T00:00:10Z</time></trkpt>
        <trkpt lat="0" lon="0.001"><time>2026-01-01T00:01:10Z</time></trkpt>
        <trkpt lat="0" lon="0.002"><ele>0</ele><time>2026-01-01T00:01:20Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    @Test("a GPX track is driven at its own times, or at a given speed")
    func gpx() throws {
        try write("track.gpx", Self.track)
        let timed = try measure("[location]\nGpx=track.gpx\n", 5, 40, 75).map { measurement -> Location in
            guard case .location(let location) = measurement else { throw CancellationError() }
            return location
        }
        #expect(timed.map { ($0.longitudeDegrees ?? 0).rounded(to: 1e6) } == [0.0005, 0.001, 0.0015])
        #expect(timed.map { ($0.altitudeMeters ?? 0).rounded() } == [15, 20, 10])
        #expect(timed[1].speedMetersPerSecond == 0)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write("track.gpx", Self.track)
        let fast = try measure("[location]\nGpx=track.gpx\nSpeed=10m/s\n", 10)
        guard case .location(let location) = fast[0] else { throw CancellationError() }
        #expect(abs((location.longitudeDegrees ?? 0) - 100 / 111_319.49) < 1e-7)
    }

    @Test("points without a time are interpolated; times that go back are an error unless a speed is given")
    func halfTimed() throws {
        func track(_ times: [String]) -> String {
            let points = times.enumerated().map { "<trkpt lat=\"0\" lon=\"0.00\($0)\">\($1)</trkpt>" }
            return "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
        }
        try write(
            "half.gpx", track(["", "<time>2026-01-01T00:00:00Z</time>", "", "<time>2026-01-01T00:00:20Z</time>", ""]))
        let measured = try measure("[location]\nGpx=half.gpx\n", 10, 30).map { measurement -> Double in
            guard case .location(let location) = measurement else { throw CancellationError() }
            return (location.longitudeDegrees ?? 0).rounded(to: 1e6)
        }
        #expect(measured == [0.002, 0.004])
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write("back.gpx", track(["<time>2026-01-01T00:00:10Z</time>", "<time>2026-01-01T00:00:00Z</time>"]))
        #expect(throws: ConfigurationErrors.self) {
            try Scenario(text: "[location]\nGpx=back.gpx\n", directory: directory, gpx: Self.gpx)
        }
        _ = try Scenario(text: "[location]\nGpx=back.gpx\nSpeed=5m/s\n", directory: directory, gpx: Self.gpx)
    }

    @Test("an error in another file has that file's name and line")
    func wrong() throws {
        try write("track.gpx", "<gpx>\n<trk><trkseg>\n<trkpt lat=\"95\" lon=\"0\"/>\n</trkseg></trk></gpx>")
        do throws(ConfigurationErrors) {
            _ = try Scenario(text: "[location]\nGpx=track.gpx\n", directory: directory, gpx: Self.gpx)
            Issue.record("a latitude of 95°")
        } catch {
            #expect(error.first.file == directory + "/track.gpx")
            #expect(error.first.line == 3)
        }
        try write("a.csv", "time,x,y,z\n0,1,2,3\n1,1,two,3\n")
        do throws(ConfigurationErrors) {
            _ = try Scenario(text: "[accelerometer]\nCsv=a.csv\n", directory: directory, gpx: Self.gpx)
            Issue.record("a word for a number")
        } catch {
            #expect(error.first.file == directory + "/a.csv")
            #expect(error.first.line == 3)
        }
    }

    @Test(
        "columns are found by their usual names, in the given units",
        arguments: [
            ("time,x,y,z\n0,1,2,3\n1,3,2,3\n", ""), ("z;y;x;t\n3;2;1;10\n3;2;3;11\n", ""),
            ("# a logger's\ntimestamp_ms,acc_x,acc_y,acc_z,temp\n500,1,2,3,20\n1500,3,2,3,20\n", ""),
            ("Time (s),Acceleration X,Acceleration Y,Acceleration Z\n0,1,2,3\n1,3,2,3\n", ""),
            ("a,b,c,d\n2000,1000,2000,3000\n3000,3000,2000,3000\n", "Columns=a, b, c, d\nUnit=mg\nTimeUnit=ms\n"),
            ("time,seconds_elapsed,z,y,x\n1700000000000000000,0,3,2,1\n1700000001000000000,1,3,2,3\n", ""),
            (
                "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"\n0,1,2,3\n1,3,2,3\n",
                ""
            ),
            (
                "timestamp,Accelerometer_X [m/s²],Accelerometer_Y [m/s²],Accelerometer_Z [m/s²]\r\n1700000000000,1,2,3\r\n1700000001000,3,2,3",
                ""
            ),
            (
                "resource,sequence,timestampNanoseconds,time,x,y,z\naccelerometer,0,5,2026-01-01T00:00:00.000000Z,1,2,3\naccelerometer,1,1000000005,2026-01-01T00:00:01.000000Z,3,2,3\n",
                ""
            ),
            (
                "loggingTime,accelerometerAccelerationX,accelerometerAccelerationY,accelerometerAccelerationZ\n2026-01-01 00:00:00,1,2,3\n2026-01-01 00:00:01,3,2,3\n",
                ""
            ),
            ("milliseconds,xaxis,yaxis,zaxis\n0,1,2,3\n1000,3,2,3\n", ""),
            ("elapsed_us,x_accel,y_accel,z_accel\n0,1,2,3\n1000000,3,2,3\n", ""),
            ("when,ax,ay,az\n2026-01-01T00:00:00Z,1,2,3\n2026-01-01T00:00:01Z,3,2,3\n", "Columns=when, ax, ay, az\n"),
        ])
    func columns(csv: String, keys: String) throws {
        try write("a.csv", csv)
        let scale = keys.contains("Unit=mg") ? 9.80665 : 1
        let values = try measure("[accelerometer]\nCsv=a.csv\nAtEnd=hold\n" + keys, 0, 0.5, 1).map { measurement in
            guard let value = Acceleration(measurement) else { throw CancellationError() }
            return (value.x / scale * 1e3).rounded() / 1e3
        }
        #expect(values == [1, 2, 3])
    }

    @Test("without times there is one value per sample; without axes the error lists the columns")
    func timeless() throws {
        try write("a.csv", "x,y,z\n1,0,0\n2,0,0\n3,0,0\n")
        let values = try measure("[accelerometer]\nCsv=a.csv\n", 0, 0.01, 0.02, 0.03).map { measurement in
            guard let value = Acceleration(measurement) else { throw CancellationError() }
            return value.x
        }
        #expect(values == [1, 2, 3, 1])
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write("b.csv", "p,q\n1,0\n")
        do throws(ConfigurationErrors) {
            _ = try Scenario(text: "[accelerometer]\nCsv=b.csv\n", directory: directory, gpx: Self.gpx)
            Issue.record("no axes")
        } catch { #expect(error.first.message.contains("'p', 'q'")) }
    }
}

extension Double {
    fileprivate func rounded(to steps: Double) -> Double { (self * steps).rounded() / steps }
}
