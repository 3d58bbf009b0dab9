import Testing

@testable import sensorbroker_desktop

/// Who has claimed what, and when a claim is answered.
@Suite("Claims") struct ClaimTests {
    @Test("are answered after the first reading, which is announced to all who claimed")
    func firstReading() throws {
        var proxy = try SensorProxy.ofTablet()
        #expect(proxy.claiming(.accelerometer, by: ":1", 1) == [.subscribe(.accelerometer)])
        #expect(proxy.claiming(.accelerometer, by: ":2", 2) == [])
        let turned = Property(name: "AccelerometerOrientation", value: .text("left-up"))
        #expect(
            proxy.taking(try orientation("left-up"), for: .accelerometer) == [
                .announce(.sensors, [turned], to: [":1", ":2"]), .answer(1), .answer(2),
            ])
        #expect(proxy.claiming(.accelerometer, by: ":3", 3) == [.answer(3)])
    }

    @Test("do not wait for a reading for longer than five seconds")
    func patience() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.light, by: ":1", 1, at: 5 * second)
        #expect(proxy.deadlineNanoseconds == 10 * second)
        #expect(proxy.expiring(at: 10 * second - 1) == [])
        #expect(proxy.expiring(at: 10 * second) == [.answer(1)])
    }

    @Test("are answered at once where there is no such sensor, and hold if one comes")
    func withoutSensor() throws {
        var proxy = try SensorProxy.ofTablet(without: "light")
        #expect(proxy.claiming(.light, by: ":1", 1) == [.answer(1)])
        proxy.take(try tablet())
        let changed = [
            Property(name: "HasAmbientLight", value: .flag(true)),
            Property(name: "LightLevelUnit", value: .text("lux")),
            Property(name: "LightLevel", value: .number(0)),
        ]
        #expect(proxy.takeActs() == [.announce(.sensors, changed, to: nil), .subscribe(.light)])
    }

    @Test("are a set: one release ends two claims, and the subscription some time after it")
    func set() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.compass, by: ":1", 1)
        _ = proxy.claiming(.compass, by: ":1", 2)
        proxy.release(.compass, by: ":1", 3, now: second)
        // Its own calls that wait are answered too.
        #expect(proxy.takeActs() == [.answer(1), .answer(2), .answer(3)])
        #expect(proxy.expiring(at: second + SensorProxy.lingerNanoseconds) == [.unsubscribe(.compass)])
        #expect(proxy.expiring(at: second + SensorProxy.memoryNanoseconds) == [.forgetPrograms])
        #expect(proxy.deadlineNanoseconds == nil)
    }

    @Test("of a program that comes back in time keep the subscription")
    func linger() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.claiming(.proximity, by: ":1", 1)
        proxy.release(.proximity, by: ":1", 2, now: 0)
        _ = proxy.takeActs()
        #expect(proxy.claiming(.proximity, by: ":1", 3) == [])
        #expect(proxy.expiring(at: second / 2) == [])
    }

    @Test("end with their program, without a reply to it")
    func vanished() throws {
        var proxy = try SensorProxy.ofTablet()
        for sensor in DesktopSensor.allCases { _ = proxy.claiming(sensor, by: ":1", sensor.rawValue) }
        proxy.forget(":1", now: 0)
        #expect(proxy.takeActs() == [])
        #expect(proxy.expiring(at: second) == DesktopSensor.allCases.map { .unsubscribe($0) })
    }

    @Test("end with the bus")
    func bus() throws {
        var proxy = try SensorProxy.ofTablet()
        for number in 1...300 { _ = proxy.claiming(.light, by: ":\(number)", number) }
        proxy.forgetAll(now: 0)
        #expect(proxy.expiring(at: second) == [.unsubscribe(.light)])
        #expect(proxy.taking(try values("light", [("value", 3)]), for: .light) == [])
    }

    @Test("of one user have a limit, which is no concern of another user")
    func limit() throws {
        var proxy = try SensorProxy.ofTablet()
        for number in 0..<Claims.mostOfUser { _ = proxy.claiming(.light, by: ":\(number)", number) }
        #expect(proxy.claiming(.light, by: ":more", 9_999) == [.refuse(9_999, .tooMany)])
        proxy.claim(.light, by: ":other", of: seat + 1, 10_000, now: 0)
        #expect(proxy.takeActs() == [])
        proxy.forget(":0", now: 0)
        #expect(proxy.claiming(.light, by: ":more", 10_001) == [])
    }

    @Test("without end are refused: some at once, then some each second; and only of who makes them")
    func allowance() throws {
        var proxy = try SensorProxy.ofTablet()
        let admitted = (0..<1_000).count { _ in proxy.admits(":1", now: 0) }
        let other = proxy.admits(":2", now: 0)
        let later = (0..<1_000).count { _ in proxy.admits(":1", now: second) }
        #expect(admitted == 64 && other && later == 8)
    }

    @Test("keep their programs in mind, and a program that only calls is soon forgotten")
    func memory() throws {
        var proxy = try SensorProxy.ofTablet()
        _ = proxy.admits(":1", now: 0)
        #expect(proxy.deadlineNanoseconds == SensorProxy.memoryNanoseconds)
        _ = proxy.claiming(.light, by: ":1", 1)
        _ = proxy.taking(try values("light", [("value", 3)]), for: .light)
        #expect(proxy.deadlineNanoseconds == nil && proxy.expiring(at: 100 * second) == [])
        proxy.forget(":1", now: 100 * second)
        #expect(proxy.expiring(at: 110 * second) == [.forgetPrograms, .unsubscribe(.light)])
        #expect(proxy.deadlineNanoseconds == nil)
    }

    @Test("of one program do not wait without end")
    func waiting() throws {
        var proxy = try SensorProxy.ofTablet()
        let refused = (0..<20).flatMap { proxy.claiming(.light, by: ":1", $0) }.filter { $0 != .subscribe(.light) }
        #expect(refused == (4..<20).map { .refuse($0, .tooMany) })
    }
}
