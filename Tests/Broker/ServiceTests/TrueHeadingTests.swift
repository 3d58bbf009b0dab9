import Devices
import Motion
import Readings
import Testing

@testable import Service

/// True north from magnetic north, a place and a date: never a made-up one.
@Suite struct TrueHeadingTests {
    private static let hour: Int64 = 3_600_000_000_000

    private static func berlin(utcSeconds: Int64? = 1_798_000_000) -> Location {
        var location = Location(fix: .twoDimensional)
        location.latitudeDegrees = 52.5
        location.longitudeDegrees = 13.4
        location.utcMicroseconds = utcSeconds.map { $0 * 1_000_000 }
        return location
    }

    private static func sample(_ location: Location, at nanoseconds: Int64 = 0) -> Sample {
        Sample(sequence: 0, timestamp: BootTime(nanoseconds: nanoseconds), measurement: .location(location))
    }

    /// Both headings of a device that lies still, each as it was reported last.
    private static func headings(_ locations: [Location], clockSeconds: Double = 0) -> [Kind: Double] {
        var calibration = MotionCalibration()
        calibration.magnetometerIsCalibrated = true
        var stream = MotionStream(calibration)
        stream.want([.heading, .trueHeading], every: nil)
        stream.take(SampleList(locations.map { sample($0) }), of: .receiver, clockSeconds: clockSeconds)
        var motion = RigidMotion()
        motion.yaw.offset = 0.1
        var intake = Intake()
        func vector(_ kind: Kind, _ vector: Vector3, _ time: Int64) -> Sample {
            Sample(
                sequence: 0, timestamp: BootTime(nanoseconds: time),
                measurement: .values(Values(kind, SIMD4(vector.x, vector.y, vector.z, 0))))
        }
        for index in Int64(0)..<300 {
            let (time, moment) = (index * 10_000_000, motion.moment(at: Double(index) / 100))
            stream.take([vector(.angularVelocity, moment.rate, time)], of: .gyroscope)
            stream.take([vector(.acceleration, moment.acceleration, time)], of: .accelerometer)
            stream.take([vector(.magneticField, moment.field, time)], of: .magnetometer)
            stream.conclude(into: &intake)
        }
        var reported: [Kind: Double] = [:]
        for case .sample(let sample) in intake.events {
            if case .values(let values) = sample.measurement { reported[values.kind] = values[0] }
        }
        return reported
    }

    @Test("it is the magnetic one and the declination of the place, at the receiver's date")
    func declination() throws {
        let reported = Self.headings([Self.berlin()])
        let (magnetic, geographic) = (try #require(reported[.heading]), try #require(reported[.trueHeading]))
        #expect(abs(magnetic - (360 - 0.1 * 180 / .pi)) < 1)
        let turned = (geographic - magnetic + 360).truncatingRemainder(dividingBy: 360)
        #expect(turned > 4.9 && turned < 5.6, "\(turned)")
        #expect(geographic >= 0 && geographic < 360)
    }

    @Test("without a place, or at another date, there is none")
    func none() {
        let nowhere = Location(fix: .noPosition)
        for locations in [[], [nowhere], [Self.berlin(utcSeconds: 1_600_000_000)], [Self.berlin(utcSeconds: nil)]] {
            let reported = Self.headings(locations)
            #expect(reported[.heading] != nil && reported[.trueHeading] == nil)
        }
        #expect(Self.headings([Self.berlin(utcSeconds: nil)], clockSeconds: 1_798_000_000)[.trueHeading] != nil)
        #expect(Self.headings([Self.berlin(), nowhere])[.trueHeading] != nil, "it is where it was")
    }

    @Test("what is missing is reported")
    func reasons() {
        var declination = Declination()
        let now = BootTime(nanoseconds: Self.hour)
        #expect(declination.absence(at: now) == nil && declination.degrees(at: now) == nil, "it has not been asked")
        declination.take(Location(fix: .noPosition), at: now, clockSeconds: 0)
        #expect(declination.absence(at: now) == "no place is known: location has no position")
        declination.take(Self.berlin(utcSeconds: 0), at: now, clockSeconds: 0)
        #expect(declination.absence(at: now) == "the World Magnetic Model is not of this date")
        declination.take(Self.berlin(), at: now, clockSeconds: 0)
        #expect(declination.absence(at: now) == nil && declination.degrees(at: now) != nil)
        let later = now + Self.hour
        #expect(declination.degrees(at: later) == nil, "it may be anywhere")
        #expect(declination.absence(at: later)?.contains("for an hour") == true)
        var pole = Self.berlin()
        pole.latitudeDegrees = 86
        pole.longitudeDegrees = 140
        declination.take(pole, at: now, clockSeconds: 0)
        #expect(declination.absence(at: now) == "a magnetic pole is too near for a compass")
    }
}
