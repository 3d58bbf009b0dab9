/// The host's location.
public typealias LocationManager = Sensor<Location>

/// The host's accelerometer.
public typealias Accelerometer = Sensor<Acceleration>

/// The host's gyroscope.
public typealias Gyroscope = Sensor<AngularVelocity>

/// The host's magnetometer.
public typealias Magnetometer = Sensor<MagneticField>

/// Which edge of the host is up.
public typealias OrientationSensor = Sensor<Orientation>

/// How far the host's screen leans from the vertical.
public typealias TiltSensor = Sensor<Tilt>

/// The host's sensor of gravity.
public typealias GravitySensor = Sensor<Gravity>

/// The host's sensor of acceleration without gravity.
public typealias LinearAccelerometer = Sensor<LinearAcceleration>

/// The host's inclinometer.
public typealias Inclinometer = Sensor<Inclination>

/// The host's compass.
public typealias Compass = Sensor<Heading>

/// The host's sensor of attitude.
public typealias RotationSensor = Sensor<Rotation>

/// The host's light sensor.
public typealias LightSensor = Sensor<Illuminance>

/// The host's proximity sensor.
public typealias ProximitySensor = Sensor<Proximity>

/// The host's barometer.
public typealias Barometer = Sensor<Pressure>

/// The host's thermometer.
public typealias Thermometer = Sensor<Temperature>

/// The host's hygrometer.
public typealias Hygrometer = Sensor<Humidity>

/// The host's voltmeter.
public typealias Voltmeter = Sensor<Voltage>

/// The host's ammeter.
public typealias Ammeter = Sensor<Current>
