import SensorBroker
import SensorBrokerSimulation
import SensorBrokerTesting

/// How a device is turned and moves, in one value: what CMDeviceMotion is to an iPhone.
enum WholeMotion {
    /// Code that takes a service runs on the host's sensors or on a script.
    struct Spirit {
        let motion: any SensorService<DeviceMotion>

        func isLevel() async throws -> Bool {
            let attitude = try await motion.requestReading().value.attitude
            return abs(attitude.pitchRadians) < 0.02 && abs(attitude.rollRadians) < 0.02
        }
    }

    static func run() async throws {
        let host = try SimulatedHost(
            scenarioText: """
                [accelerometer]
                Motion=hand for 1min
                [gyroscope]
                PartOf=accelerometer
                [magnetometer]
                """)
        let broker = Broker(.simulated(host))
        var left = 5
        for try await motion in broker.deviceMotion(every: .milliseconds(20), frame: .magneticNorth) {
            let north = motion.value.attitude.turned(motion.value.userAcceleration).y
            print("\(motion.value), \(north) m/s² to the north, heading \(motion.value.headingDegrees ?? .nan)°")
            left -= 1
            if left == 0 { break }
        }
        try hold("one subscription has all of it", broker.usage.subscriptions == 1)

        let still = try SimulatedHost(
            scenarioText: "[accelerometer]\nMotion=still for 1min\n[gyroscope]\nPartOf=accelerometer\n")
        let manager = MotionManager(broker: Broker(.simulated(still)), updateInterval: .milliseconds(20))
        try hold("a device on a table is level", try await Spirit(motion: manager).isLevel())

        let time = VirtualTime()
        let half = 0.5.squareRoot()
        let upright = DeviceMotion(attitude: Attitude(x: half, y: 0, z: 0, w: half))
        let scripted = ScriptedSensor(motion: time, .wait(.seconds(1)), .reading(upright))
        async let isLevel = Spirit(motion: scripted).isLevel()
        await scripted.untilRequested()
        time.advance(by: .seconds(1))
        try hold("a scripted one that stands is not", try await !isLevel)
    }
}
