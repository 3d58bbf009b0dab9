import SensorBrokerSimulation
import Testing

@testable import SensorBroker

/// Motion as programs get it from a broker whose host moves.
@Suite(.timeLimit(.minutes(30))) struct MotionManagerTests {
    private static func imu(then motion: String) -> String {
        """
        [accelerometer]
        Rates=100Hz
        Noise=0
        Motion=still for 2s
        Motion=rotate z by 90deg for 4s
        \(motion)
        [gyroscope]
        PartOf=accelerometer
        Noise=0
        Bias=0.5deg/s -0.5deg/s 0.2deg/s

        """
    }
    private static let imu = imu(then: "Motion=rotate x by 60deg for 4s\nMotion=hand for 1min")
    /// The same in a device that stays level, whenever a test looks at it: there a heading and a yaw are one angle.
    private static let level = imu(then: "Motion=still for 1h")
    /// The same, and it turns on, so that a busy host sees it turn, too.
    private static let turning = imu(then: "Motion=rotate z by 3600deg for 80s")
    private static let compass = "[magnetometer]\nRates=25Hz\nNoise=0\n"
    private static let receiver = "[location]\nPosition=52.52, 13.405\nNoise=0m\n"

    private func broker(_ scenario: String) throws -> Broker {
        Broker(.simulated(try SimulatedHost(scenarioText: scenario)))
    }

    private func degrees(_ radians: Double) -> Double { radians * 180 / .pi }

    /// The angle between two directions, without turns.
    private func difference(_ one: Double, _ other: Double) -> Double {
        abs((one - other + 540).truncatingRemainder(dividingBy: 360) - 180)
    }

    @Test("a request from elsewhere, and another frame, ask for what a motion is made of")
    func anotherRequest() throws {
        let manager = MotionManager(broker: try broker(Self.imu), frame: .arbitrary, including: .magneticField)
        let extended = manager.request.companions
        manager.mutateRequest { $0.interval = .milliseconds(10) }
        #expect(manager.request.companions == extended && extended.contains(.magnetometer))
        manager.mutateRequest { $0 = SensorRequest(.attitude) }
        #expect(manager.request.companions == DeviceMotion.ReferenceFrame.arbitrary.companions(with: []))
        manager.mutateRequest { $0.resource = .trueHeading }
        #expect(manager.request.companions == DeviceMotion.ReferenceFrame.trueNorth.companions(with: []))
        let other = MotionManager(broker: try broker(Self.imu), frame: .magneticNorth, including: .magneticField)
            .request
        manager.mutateRequest { $0 = other }
        #expect(manager.request.companions == other.companions)
        let attitude = Sensor<Attitude>(broker: try broker(Self.imu))
        attitude.mutateRequest {
            $0 = other; $0.resource = .attitude
        }
        #expect(attitude.request.companions.isEmpty)
    }

    @Test("a request for one motion reports that there is no broker")
    func noBroker() async throws {
        let manager = MotionManager(broker: Broker(.daemon(socket: "/nonexistent/io.sensorbroker.Broker")))
        // On a busy host it may take longer to learn that.
        var error: SensorError? = .timedOut
        for timeout: Duration in [.milliseconds(500), .seconds(5), .seconds(50)] where error == .timedOut {
            error = await #expect(throws: SensorError.self) { try await manager.requestReading(timeout: timeout) }
        }
        #expect(error != .timedOut && error != nil)
    }

    @Test("all parts of a motion are of one time, and no magnetometer runs for it")
    func oneTime() async throws {
        let broker = try broker(Self.turning + Self.compass)
        var former: Reading<DeviceMotion>?
        var (count, compared, fastest) = (0, 0, 0.0)
        for try await motion in broker.deviceMotion(every: .milliseconds(20)) {
            let value = motion.value
            #expect(value.frame == .arbitrary && value.headingDegrees == nil && value.tiltErrorDegrees == nil)
            let up = value.attitude.matrix.z * 9.81
            #expect(abs(up.x - value.gravity.x) < 0.05 && abs(up.y - value.gravity.y) < 0.05)
            if let former {
                // What it turned between two motions is the mean of their rates, if these are of the same times.
                let seconds = former.timestamp.duration(to: motion.timestamp) / .seconds(1)
                let turn = value.attitude.since(former.value.attitude)
                let rate = (former.value.rotationRate.z + value.rotationRate.z) / 2
                // Over a longer time, the rate is no line.
                if seconds < 0.03 {
                    #expect(abs(degrees(2 * turn.z - rate * seconds)) < 0.1)
                    compared += 1
                }
                fastest = max(fastest, abs(degrees(rate)))
            }
            former = motion
            count += 1
            if count >= 200 && compared > 50 && fastest > 20 || count == 5_000 { break }
        }
        #expect(compared > 50 && fastest > 20 && broker.usage.subscriptions == 1)
        let magnetometer = try #require(try await broker.resources().first { $0.name == .magnetometer })
        #expect(magnetometer.state == .idle)
    }

    @Test("north is where heading has it, and errors are reported")
    func magneticNorth() async throws {
        let broker = try broker(Self.level + Self.compass)
        let manager = MotionManager(
            broker: broker, frame: .magneticNorth, including: .magneticField, updateInterval: .milliseconds(20))
        let motion = try await manager.requestReading(maximumAge: .zero, timeout: .patience).value
        let heading = try #require(motion.headingDegrees)
        #expect(motion.frame == .magneticNorth && difference(heading, -degrees(motion.attitude.yawRadians)) < 0.01)
        #expect(try #require(motion.tiltErrorDegrees) < 5 && motion.headingErrorDegrees != nil)
        let magnetic = try #require(try await manager.readings.first { $0.value.magneticField != nil }).value
        let field = try #require(magnetic.magneticField)
        #expect((magnetic.attitude.matrix * SIMD3(field.x, field.y, field.z)).z < 0, "in the north it points downwards")
    }

    @Test("true north is magnetic north and the declination of the place")
    func trueNorth() async throws {
        let broker = try broker(Self.level + Self.compass + Self.receiver)
        let motions = broker.deviceMotion(every: .milliseconds(20), frame: .trueNorth)
        let motion = try #require(try await motions.first { _ in true }).value
        let truly = try #require(motion.headingDegrees)
        #expect(motion.frame == .trueNorth && difference(truly, -degrees(motion.attitude.yawRadians)) < 0.01)
        let headings = broker.aligned(TrueHeading.self, Heading.self, every: .milliseconds(20))
        // The newest true heading comes at once, and nothing may be known of the other one then.
        let (north, magnetic) = try #require(try await headings.first { $0.value.1 != nil }).value
        #expect((3...7) ~= difference(north.degrees, try #require(magnetic).degrees), "the declination in Berlin")
    }

    @Test("a manager keeps the newest motion, which a view shows, and its interval can be changed")
    func latest() async throws {
        let broker = try broker(Self.imu)
        let manager = MotionManager(broker: broker, updateInterval: .milliseconds(50))
        #expect(manager.latest == nil && manager.error == nil)
        manager.startUpdates()
        // Somebody else reads the attitude alone.
        let other = AttitudeSensor(broker: broker, updateInterval: .milliseconds(10))
        for try await _ in other.readings where manager.latest != nil { break }
        #expect(manager.latest?.value.frame == .arbitrary && manager.error == nil)
        @Latest(\.deviceMotion, of: broker, every: .milliseconds(50)) var shown
        for try await _ in other.readings where shown != nil { break }
        #expect(shown?.frame == .arbitrary && $shown.error == nil)
        manager.updateInterval = .milliseconds(20)
        for try await event in manager.events {
            if case .grant(let grant) = event, grant.interval == .milliseconds(20) { break }
        }
        let kept = try await manager.requestReading(maximumAge: .seconds(60), timeout: .patience)
        #expect(kept.value.frame == .arbitrary)
    }

    @Test("a lost sensor is a gap, and motion goes on with it")
    func gap() async throws {
        let host = try SimulatedHost(scenarioText: Self.imu)
        let motions = Broker(.simulated(host)).deviceMotion(every: .milliseconds(20))
        var (isLost, isAway, isBack) = (false, false, false)
        for try await event in motions.events {
            switch event {
            case .reading:
                if !isLost { try host.begin(.unplug, of: .gyroscope) }
                isLost = true
                if isBack { return }
            case .state(.unavailable):
                if !isAway { try host.endFaults(of: .gyroscope) }
                isAway = true
            case .gap(let gap) where gap.resource == .attitude && gap.cause == .deviceLost: isBack = isAway
            default: break
            }
        }
    }

    @Test("a host without the sensors reports that")
    func missing() async throws {
        let broker = try broker("[accelerometer]\n[magnetometer]\n")
        await #expect(throws: SensorError.noSuchResource(.attitude)) {
            for try await _ in broker.deviceMotion() { break }
        }
        let still = try self.broker(Self.imu)
        let error = await #expect(throws: SensorError.self) {
            for try await _ in still.deviceMotion(frame: .magneticNorth) { break }
        }
        #expect(error == .noSuchResource(.rotation) || error == .noSuchResource(.heading))
        await #expect(throws: SensorError.wrongKind(.accelerometer)) {
            for try await _ in Sensor<DeviceMotion>(broker: broker, resource: .accelerometer).readings { break }
        }
    }

    @Test("where nobody has calibrated the magnetometer there is no north, with the reason, and attitude all the same")
    func uncalibrated() async throws {
        // What a program provides is not taken for simulated, whose magnetometers have no iron beside them.
        let broker = try broker("[light]\n")
        let offer = SensorOffer(
            device: "an IMU", intervals: .range(.milliseconds(5) ... .seconds(1)), rest: nil, isSimulated: false)
        let imu = broker.provide(Acceleration.self, AngularVelocity.self, MagneticField.self, offer: offer)
        let sender = Task {
            while !Task.isCancelled {
                imu.send(
                    Acceleration(x: 0, y: 0, z: 9.81), AngularVelocity(x: 0, y: 0, z: 0),
                    MagneticField(x: 0, y: 20, z: -45))
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        defer { sender.cancel() }
        for await event in broker.lifecycle {
            if case .resource(let resource) = event, resource.name == .rotation { break }
        }
        var reason: String?
        for try await event in broker.deviceMotion(frame: .magneticNorth).events {
            if case .state(.unavailable(let why)) = event { reason = why }
            if reason != nil { break }
        }
        #expect(reason?.contains("not calibrated") == true)
        let manager = MotionManager(broker: broker, frame: .magneticNorth)
        let error = await #expect(throws: SensorError.self) { try await manager.requestReading(timeout: .patience) }
        guard case .resourceUnavailable(.rotation, let why)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(why == reason)
        let upright = try await MotionManager(broker: broker, updateInterval: .milliseconds(20))
            .requestReading(timeout: .patience)
        #expect(abs(upright.value.gravity.z - 9.81) < 0.01)
    }
}
