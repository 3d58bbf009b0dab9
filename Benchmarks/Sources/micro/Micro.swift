import Delivery
import Readings
@testable import Service
import Varlink

/// What the work between a device's sample and the send costs, without the kernel.
@main
enum Micro {
    static func main() {
        for lanes in [1, 10, 100, 1000] { turn(lanes: lanes) }
        encode("encode one acceleration", accelerations(1), .accelerometer)
        encode("encode 100 accelerations", accelerations(100), .accelerometer)
        encode("encode one location", [location], .location)
        parse()
    }

    /// A turn with a sample of a device of 1 kHz, for lanes of 10 ms, 11 ms and so on: who is due, what is sent, and until when
    /// there is nothing to do.
    private static func turn(lanes: Int) {
        let millisecond: Int64 = 1_000_000
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        let offered = OfferedIntervals.range(
            shortestNanoseconds: millisecond, longestNanoseconds: 1_000_000 * millisecond)
        let profile = DeviceProfile(
            offered: offered, intervalNanoseconds: millisecond, description: nil, simulated: true)
        _ = resource.accept(profile)
        resource.deviceOpened()
        for client in 0..<lanes {
            var request = Request(resource: .accelerometer)
            request.intervalNanoseconds = Int64(10 + client) * millisecond
            let grant = Grant(request, within: resource.limits)
            _ = resource.join(.derivation(DerivationIndex(client)), grant, now: BootTime(nanoseconds: 0))
        }
        let measurement = Measurement.values(Acceleration(x: 0.1234567, y: -9.80665, z: 0.0478))
        var (sequence, sent): (UInt64, Int) = (0, 0)
        Timing.report("who is due, \(lanes) lanes", calls: 5_000) { _ in
            sequence += 1
            let timestamp = BootTime(nanoseconds: Int64(sequence) * millisecond)
            resource.accept(Sample(sequence: sequence, timestamp: timestamp, measurement: measurement), now: timestamp)
            if resource.hasOutgoing() { resource.sendOutgoing { sent += $0.readings.count } }
            return sent + (resource.deadline == nil ? 0 : 1)
        }
    }

    private static func encode(_ name: String, _ samples: [Sample], _ resource: ResourceName) {
        var writer = JSONWriter()
        let list = SampleList(samples)
        Timing.report(name, calls: 20_000 / samples.count) { _ in
            writer.removeAll()
            writer.beginReply()
            writer.readings(list, of: resource)
            writer.endReply(continues: true)
            return writer.bytes.count
        }
    }

    private static func parse() {
        let text = #"""
            {"method":"io.sensorbroker.Broker.Subscribe","parameters":{"requests":[{"resource":"accelerometer",\#
            "intervalNanoseconds":10000000,"batchNanoseconds":0,"filter":"newest"}]},"more":true}
            """#
        let bytes = Array(text.utf8)
        Timing.report("parse a call", calls: 20_000) { _ in
            guard let call = try? Call(parsing: bytes) else { return 0 }
            return call.method.utf8.count
        }
    }

    private static func accelerations(_ count: Int) -> [Sample] {
        (0..<count).map { index in
            let value = Acceleration(
                x: 0.1234567 * Double(index % 7), y: -9.80665 + Double(index % 11) / 1_000, z: 0.0478)
            return Sample(
                sequence: UInt64(index),
                timestamp: BootTime(nanoseconds: 1_000_000_000_000 + Int64(index) * 10_000_000),
                measurement: .values(value))
        }
    }

    private static var location: Sample {
        var location = Location(fix: .threeDimensional)
        location.utcMicroseconds = 1_700_000_000_123_000
        location.latitudeDegrees = 48.1173012
        location.longitudeDegrees = 11.5167345
        location.altitudeMeters = 519.87
        location.horizontalErrorMeters = 2.3
        location.speedMetersPerSecond = 13.9
        location.trackDegrees = 77.5
        return Sample(
            sequence: 1, timestamp: BootTime(nanoseconds: 1_000_000_000_000), measurement: .location(location))
    }
}
