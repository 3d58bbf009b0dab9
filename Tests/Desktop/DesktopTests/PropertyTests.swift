import BrokerClient
import Readings
import Testing

@testable import sensorbroker_desktop

/// What is announced of the properties, and to whom.
@Suite("Properties") struct PropertyTests {
    @Test("are announced only to who has claimed, and only if they changed")
    func changes() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        _ = proxy.claiming(.light, by: ":2", 2)
        let level = [
            Property(name: "LightLevelUnit", value: .text("lux")), Property(name: "LightLevel", value: .number(12.5)),
        ]
        #expect(
            proxy.taking(try values("light", [("value", 12.5)]), for: .light) == [
                .announce(.sensors, level, to: [":2"]), .answer(2),
            ])
        #expect(proxy.taking(try values("light", [("value", 12.5)]), for: .light) == [])
        #expect(proxy.value(of: "LightLevel") == .number(12.5))
    }

    @Test("of the compass are those of its own object, and -1 until it was read")
    func compass() throws {
        var proxy = try SensorProxy.ofTablet()
        #expect(proxy.value(of: "CompassHeading") == .number(-1))
        _ = proxy.claiming(.compass, by: ":1", 1)
        #expect(
            proxy.taking(try values("heading", [("value", 42)]), for: .compass) == [
                .announce(.compass, [Property(name: "CompassHeading", value: .number(42))], to: [":1"]), .answer(1),
            ])
    }

    @Test("show whether something is near by the first number")
    func proximity() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.proximity, by: ":1", 1)
        let near = Property(name: "ProximityNear", value: .flag(true))
        #expect(
            proxy.taking(try values("proximity", [("near", 1), ("raw", 900)]), for: .proximity) == [
                .announce(.sensors, [near], to: [":1"]), .answer(1),
            ])
    }

    @Test("keep the orientation that a broker which was started anew does not know")
    func undefined() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        _ = proxy.taking(try orientation("normal"), for: .accelerometer)
        proxy.isInterrupted(.accelerometer)
        #expect(proxy.taking(try orientation("undefined"), for: .accelerometer) == [])
        #expect(proxy.value(of: "AccelerometerOrientation") == .text("normal"))
    }

    @Test("a tilt does not answer a claim, which waits for the orientation")
    func tiltFirst() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        let tilt = Property(name: "AccelerometerTilt", value: .text("face-up"))
        let flat = try values("tilt", [("value", 90)])
        #expect(proxy.taking(flat, for: .accelerometer) == [.announce(.sensors, [tilt], to: [":1"])])
        #expect(proxy.taking(try orientation("undefined"), for: .accelerometer) == [.answer(1)])
    }

    @Test("what comes at once is announced before the answer, the orientation first")
    func together() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        let message = [try values("tilt", [("value", 45)]), try orientation("normal")]
        #expect(
            proxy.taking(message, for: .accelerometer) == [
                .announce(.sensors, [Property(name: "AccelerometerOrientation", value: .text("normal"))], to: [":1"]),
                .announce(.sensors, [Property(name: "AccelerometerTilt", value: .text("tilted-up"))], to: [":1"]),
                .answer(1),
            ])
    }

    @Test("of a sensor that has gone are unknown, whatever of it was still on its way")
    func late() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        _ = proxy.taking(try orientation("normal"), for: .accelerometer)
        let gone = try resource("orientation", state: "unavailable")
        proxy.take(try tablet().map { $0.name == "orientation" ? gone : $0 })
        _ = proxy.takeActs()
        #expect(proxy.taking(try orientation("right-up"), for: .accelerometer) == [])
        #expect(proxy.value(of: "AccelerometerOrientation") == .text("undefined"))
        proxy.note([gone], of: .accelerometer)
        proxy.take(try tablet())
        let all = [
            Property(name: "HasAccelerometer", value: .flag(true)),
            Property(name: "AccelerometerOrientation", value: .text("undefined")),
            Property(name: "AccelerometerTilt", value: .text("undefined")),
        ]
        #expect(proxy.takeActs() == [.announce(.sensors, all, to: nil)])
    }

    @Test(
        "hold while a sensor is away for less time than the list shows: what is measured then is announced if it differs"
    )
    func glitch() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.proximity, by: ":1", 1)
        _ = proxy.taking(try values("proximity", [("near", 1)]), for: .proximity)
        proxy.note([try resource("proximity", state: "unavailable")], of: .proximity)
        #expect(proxy.takeActs() == [] && proxy.value(of: "ProximityNear") == .flag(true))
        #expect(
            proxy.taking(try values("proximity", [("near", 0)]), for: .proximity) == [
                .announce(.sensors, [Property(name: "ProximityNear", value: .flag(false))], to: [":1"])
            ])
    }

    @Test("announce what came and went, to everybody, and forget the orientation of what went")
    func presence() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        _ = proxy.taking(try orientation("right-up"), for: .accelerometer)
        proxy.take(try tablet().map { $0.name == "orientation" ? try resource($0.name, state: "unavailable") : $0 })
        #expect(
            proxy.takeActs() == [
                .announce(.sensors, [Property(name: "HasAccelerometer", value: .flag(false))], to: nil)
            ])
        proxy.take(try tablet())
        let back = [
            Property(name: "HasAccelerometer", value: .flag(true)),
            Property(name: "AccelerometerOrientation", value: .text("undefined")),
            Property(name: "AccelerometerTilt", value: .text("undefined")),
        ]
        #expect(proxy.takeActs() == [.announce(.sensors, back, to: nil)])
        // The claim still holds.
        #expect(
            proxy.taking(try orientation("right-up"), for: .accelerometer) == [
                .announce(.sensors, [Property(name: "AccelerometerOrientation", value: .text("right-up"))], to: [":1"])
            ])
    }

    @Test("survive a restart of the broker; one that stays away takes its sensors along")
    func absence() throws {
        var proxy = try SensorProxy.ofTablet()
        proxy.brokerIsLost(now: 0)
        #expect(proxy.expiring(at: 9 * second) == [])
        proxy.take(try tablet())
        #expect(proxy.takeActs() == [] && proxy.deadlineNanoseconds == nil)
        proxy.brokerIsLost(now: 20 * second)
        // Each attempt to reach it fails anew.
        proxy.brokerIsLost(now: 25 * second)
        #expect(proxy.expiring(at: 30 * second).count == 4)
        #expect(proxy.value(of: "HasCompass") == .flag(false))
        proxy.brokerIsLost(now: 31 * second)
        #expect(proxy.deadlineNanoseconds == nil)
    }

    @Test("hold of what a broker that was started anew finds within ten seconds, and it is subscribed to at once")
    func foundLater() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.light, by: ":1", 1)
        _ = proxy.taking(try values("light", [("value", 3)]), for: .light)
        proxy.brokerIsLost(now: 0)
        proxy.take(try tablet(without: "light"), now: second)
        #expect(proxy.takeActs() == [.unsubscribe(.light)])
        proxy.take(try tablet(), now: 2 * second)
        #expect(proxy.takeActs() == [.subscribe(.light)] && proxy.deadlineNanoseconds == nil)
        // What the same broker does not show any more has gone.
        proxy.take(try tablet(without: "light"), now: 3 * second)
        let gone = SensorProxy.Effect.announce(
            .sensors, [Property(name: "HasAmbientLight", value: .flag(false))], to: nil)
        #expect(proxy.takeActs().contains(gone))
        proxy.take(try tablet(), now: 4 * second)
        _ = proxy.takeActs()
        proxy.brokerIsLost(now: 5 * second)
        for instant in 6...15 { proxy.take(try tablet(without: "light"), now: Int64(instant) * second) }
        #expect(proxy.expiring(at: 15 * second) == [.unsubscribe(.light)])
        #expect(proxy.expiring(at: 16 * second) == [gone] && proxy.deadlineNanoseconds == nil)
    }

    @Test("hold of what a broker that was started anew cannot reach at first; after ten seconds it has gone")
    func reachedLater() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.proximity, by: ":1", 1)
        _ = proxy.taking(try values("proximity", [("near", 1)]), for: .proximity)
        let away = try tablet().map {
            $0.name == "proximity" ? try resource($0.name, state: "unavailable") : $0
        }
        proxy.brokerIsLost(now: 0)
        proxy.take(away, now: second)
        #expect(proxy.takeActs() == [] && proxy.value(of: "ProximityNear") == .flag(true))
        proxy.take(try tablet(), now: 2 * second)
        #expect(proxy.takeActs() == [] && proxy.deadlineNanoseconds == nil)
        proxy.brokerIsLost(now: 3 * second)
        proxy.take(away, now: 4 * second)
        #expect(proxy.expiring(at: 13 * second) == [])
        let gone = Property(name: "HasProximity", value: .flag(false))
        #expect(proxy.expiring(at: 14 * second) == [.announce(.sensors, [gone], to: nil)])
    }

    @Test("of an orientation come without a tilt where there is none, as in a recording of it alone")
    func withoutTilt() throws {
        #expect(try SensorProxy.ofTablet().requests(for: .accelerometer).map(\.resource) == ["orientation", "tilt"])
        let proxy = try SensorProxy.ofTablet(without: "tilt")
        #expect(proxy.requests(for: .accelerometer).map(\.resource) == ["orientation"])
    }

    @Test("are ready with the first list, or without a broker after two seconds")
    func ready() throws {
        var proxy = SensorProxy(now: 0)
        proxy.brokerIsLost(now: 0)
        #expect(!proxy.isReady)
        #expect(proxy.expiring(at: 2 * second) == [])
        #expect(proxy.isReady)
    }

    @Test("light that is not in lux is in the vendor's unit")
    func unit() throws {
        var proxy = SensorProxy(now: 0)
        proxy.take([try resource("light", unit: "%")])
        _ = proxy.claiming(.light, by: ":1", 1)
        _ = proxy.taking(try values("light", [("value", 50)]), for: .light)
        #expect(proxy.value(of: "LightLevelUnit") == .text("vendor"))
    }

    @Test(
        "a tilt has the word of iio-sensor-proxy",
        arguments: [
            (-90.0, TiltWord.faceDown), (-69.6, .faceDown), (-69.4, .tiltedDown), (-20.6, .tiltedDown),
            (-20.4, .vertical),
            (0, .vertical), (20.4, .vertical), (20.6, .tiltedUp), (69.4, .tiltedUp), (69.6, .faceUp), (90, .faceUp),
        ])
    func tilt(degrees: Double, word: TiltWord) throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.accelerometer, by: ":1", 1)
        _ = proxy.taking(try values("tilt", [("value", degrees)]), for: .accelerometer)
        #expect(proxy.value(of: "AccelerometerTilt") == .text(word.rawValue))
    }

    @Test("the HDOP is one from which geoclue derives no less than the error")
    func dilution() {
        // geoclue's table, as its source has it.
        func accuracy(_ dilution: Double) -> Double {
            dilution <= 1 ? 0 : dilution <= 2 ? 1 : dilution <= 5 ? 3 : dilution <= 10 ? 50 : dilution <= 20 ? 100 : 300
        }
        for error in [0, 0.9, 1, 1.1, 3, 3.1, 50, 51, 100, 101, 300] {
            let dilution = NMEASentences.dilution(forError: error)
            #expect(dilution.map { accuracy($0) >= error } == true, "\(error)")
        }
        #expect(NMEASentences.dilution(forError: 301) == nil)
        #expect(NMEASentences.dilution(forError: nil).map { accuracy($0) } == 300)
        var location = Location(fix: .twoDimensional)
        (location.latitudeDegrees, location.longitudeDegrees, location.horizontalErrorMeters) = (48, 11, 2)
        let text = String(decoding: NMEASentences.lines(location), as: UTF8.self)
        #expect(text.contains("GGA,,4800.000000,N,01100.000000,E,1,,5.00,") && text.hasSuffix("\r\n"))
        location.horizontalErrorMeters = 400
        #expect(!String(decoding: NMEASentences.lines(location), as: UTF8.self).contains("4800"))
    }
}
