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

/// The host's wattmeter.
public typealias Wattmeter = Sensor<Power>

/// The host's energy meter.
public typealias EnergyMeter = Sensor<Energy>

/// The host's ohmmeter.
public typealias Ohmmeter = Sensor<Resistance>

/// The host's thermometer of what is around an infrared sensor.
public typealias AmbientThermometer = Sensor<AmbientTemperature>

/// The host's infrared thermometer.
public typealias ObjectThermometer = Sensor<ObjectTemperature>

/// The host's sensor of carbon dioxide.
public typealias CarbonDioxideSensor = Sensor<CarbonDioxide>

/// The host's sensor of volatile organic compounds.
public typealias VolatileOrganicCompoundsSensor = Sensor<VolatileOrganicCompounds>

/// The host's sensor of oxygen.
public typealias OxygenSensor = Sensor<Oxygen>

/// The host's sensor of particles of up to 1 µm.
public typealias ParticulateMatter1Sensor = Sensor<ParticulateMatter1>

/// The host's sensor of particles of up to 2.5 µm.
public typealias ParticulateMatter2p5Sensor = Sensor<ParticulateMatter2p5>

/// The host's sensor of particles of up to 4 µm.
public typealias ParticulateMatter4Sensor = Sensor<ParticulateMatter4>

/// The host's sensor of particles of up to 10 µm.
public typealias ParticulateMatter10Sensor = Sensor<ParticulateMatter10>
