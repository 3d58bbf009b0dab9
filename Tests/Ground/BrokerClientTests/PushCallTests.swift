import Readings
import Testing
import Varlink

@testable import BrokerClient

/// The calls of a provider as bytes.
@Suite struct PushCallTests {
    private func calls(_ names: [String], times: [Int64], _ measurements: [Measurement]) throws -> [[Parameters]] {
        var writer = JSONWriter()
        writer.push(names, times: times, measurements)
        let messages = writer.bytes.split(separator: 0).map(Array.init)
        return try messages.map { message in
            let call = try Call(parsing: message, limits: .replies)
            #expect(call.qualifiedMethod == "io.sensorbroker.Feed.Push" && call.mode == .oneway)
            return try call.parameters.objects("samples")
        }
    }

    private func acceleration(_ x: Double) -> Measurement {
        .values(Vector<AccelerationKind>(x: x, y: -0.5, z: 9.81))
    }

    private func temperature(_ value: Double) -> Measurement {
        .values(Values(.temperature, SIMD4(value, 0, 0, 0)))
    }

    @Test("a sample has its time and a number for each channel; several resources are in one call")
    func single() throws {
        let samples = try calls(["accelerometer:arm", "thermometer"], times: [7], [acceleration(1), temperature(20)])
        #expect(
            samples.map { $0.map(\.object) } == [
                [
                    [
                        "resource": "accelerometer:arm", "timestampNanoseconds": 7,
                        "values": ["columns": ["x": [1.0], "y": [-0.5], "z": [9.81]]],
                    ],
                    [
                        "resource": "thermometer", "timestampNanoseconds": 7,
                        "values": ["columns": ["value": [20.0]]],
                    ],
                ]
            ])
    }

    @Test("a batch has columns, and a period if its times are even, else each time")
    func batch() throws {
        let rows = [
            acceleration(1), temperature(20), acceleration(2), temperature(21), acceleration(3), temperature(22),
        ]
        let even = try calls(["a", "t"], times: [10, 20, 30], rows)[0]
        #expect(try even[0].object("values").object("columns").object["x"] == [1.0, 2.0, 3.0])
        #expect(try even[1].object("values").object("columns").object["value"] == [20.0, 21.0, 22.0])
        #expect(try even.map { try $0.object("values").integer("periodNanoseconds") } == [10, 10])
        let uneven = try calls(["a", "t"], times: [10, 20, 31], rows)[0]
        #expect(try uneven[0].integer("timestampNanoseconds") == 10)
        #expect(try uneven[0].object("values").object["timestampsNanoseconds"] == [10, 20, 31])
        #expect(try uneven[0].object("values").object["periodNanoseconds"] == nil)
    }

    @Test("a long batch is several calls, which together have each sample once")
    func long() throws {
        let times = (0..<600).map { Int64($0) * 5 }
        let calls = try calls(["t"], times: times, times.map { temperature(Double($0)) })
        #expect(try calls.map { try $0[0].integer("timestampNanoseconds") } == [0, 2_560])
        let numbers = try calls.flatMap { call in try call[0].object("values").object("columns").array("value") }
        #expect(numbers == times.map { .number(Double($0)) })
    }

    @Test("no call is longer than the broker takes, however many resources there are and however long their numbers")
    func length() {
        let names = (0..<16).map { "accelerometer:" + String(repeating: "x", count: 60) + "\($0)" }
        var writer = JSONWriter()
        writer.push(
            names, times: (0..<300).map { .max - 100_000 + $0 * $0 },
            Array(
                repeating: acceleration(-1.234_567_890_123_456_7e-100), count: 16 * 300))
        let lengths = writer.bytes.split(separator: 0).map(\.count)
        #expect(lengths.count > 1 && lengths.allSatisfy { $0 < 48 << 10 }, "\(lengths)")
    }

    @Test("each location is a call, with its satellites")
    func locations() throws {
        var location = Location(fix: .twoDimensional)
        location.latitudeDegrees = 52.5
        var satellite = Satellite(prn: 7, isUsed: true)
        satellite.system = .gps
        satellite.elevationDegrees = 45
        location.satellites = [satellite]
        let calls = try calls(["location"], times: [1, 2], [.location(location), .location(location)])
        #expect(try calls.map { try $0[0].integer("timestampNanoseconds") } == [1, 2])
        for call in calls { #expect(try Location(call[0].object("location")) == location) }
    }

    @Test("a number that is not finite is found in any field")
    func finite() {
        #expect(acceleration(1).isFinite && !acceleration(.nan).isFinite && !temperature(.infinity).isFinite)
        var location = Location(fix: .noPosition)
        #expect(Measurement.location(location).isFinite)
        location.speedMetersPerSecond = .nan
        #expect(!Measurement.location(location).isFinite)
        location.speedMetersPerSecond = nil
        var satellite = Satellite(prn: 1, isUsed: false)
        satellite.signalDecibelHertz = .infinity
        location.satellites = [satellite]
        #expect(!Measurement.location(location).isFinite)
    }
}
