/// The host's motion: how a device is turned and moves, in one value of one time.
///
///     let motion = MotionManager(frame: .magneticNorth, updateInterval: .milliseconds(20))
///     for try await event in motion.events { … }
///
/// Without a frame it is that of ``/SensorServices/DeviceMotion/ReferenceFrame/arbitrary``.
public typealias MotionManager = Sensor<DeviceMotion>

extension Sensor where Value == DeviceMotion {
    /// Creates a sensor of motion in a frame, with what else is to be reported.
    ///
    /// Only what is asked for runs: without a frame of north and without extras no magnetometer does. Nil as the interval means the default of
    /// the frame's first resource. Without a broker, it uses ``Broker/current`` at each access.
    public convenience init(
        broker: Broker? = nil, frame: DeviceMotion.ReferenceFrame, including extras: DeviceMotion.Extras = [],
        updateInterval: Duration? = nil
    ) {
        self.init(broker, SensorRequest(motionIn: frame, extras, every: updateInterval))
    }
}

extension Broker {
    /// How a device is turned and moves, in one value of one time, at an interval.
    ///
    ///     for try await motion in broker.deviceMotion(every: .milliseconds(20), frame: .magneticNorth) {
    ///         print(motion.value.attitude.yawRadians)
    ///     }
    ///
    /// All parts are measured at the time of a sample of the gyroscope, and all is one subscription. A motion of which
    /// a part is unknown is a gap (``/SensorServices/Gap/Cause/incomplete``). States are those of what the frame needs
    /// most: `attitude`, `rotation` for magnetic north, `trueheading` for true north. So
    /// ``/SensorServices/SensorReadings/events`` report why there is no motion, such as that the magnetometer is not
    /// calibrated. Nil as the interval means the default of that resource.
    public func deviceMotion(
        every interval: Duration? = nil, frame: DeviceMotion.ReferenceFrame = .arbitrary,
        including extras: DeviceMotion.Extras = []
    ) -> SensorReadings<DeviceMotion> {
        SensorReadings(Tuning(session, SensorRequest(motionIn: frame, extras, every: interval)).events())
    }

    /// The newest motion in the frame ``/SensorServices/DeviceMotion/ReferenceFrame/arbitrary``; nil if none is known.
    public var deviceMotion: DeviceMotion? { latest(of: MotionManager.self)?.value }
}

extension SensorRequest {
    /// The request for motion in a frame.
    fileprivate init(
        motionIn frame: DeviceMotion.ReferenceFrame, _ extras: DeviceMotion.Extras, every interval: Duration?
    ) {
        self.init(frame.lead)
        self.interval = interval
        companions = frame.companions(with: extras)
    }
}
