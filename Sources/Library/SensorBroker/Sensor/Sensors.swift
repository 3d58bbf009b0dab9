// Written by 'make generated' from the table of kinds, KindRow+Table.swift.

/// The host's location: position, speed and time of a receiver.
public typealias LocationManager = Sensor<Location>

/// The host's accelerometer: acceleration along the axes of the device, gravity included.
public typealias Accelerometer = Sensor<Acceleration>

/// The host's orientation: which edge of the device is up.
public typealias OrientationSensor = Sensor<Orientation>

/// The host's gyroscope: angular velocity about the axes of the device.
public typealias Gyroscope = Sensor<AngularVelocity>

/// The host's magnetometer: the magnetic field along the axes of the device.
public typealias Magnetometer = Sensor<MagneticField>

/// The host's compass: the direction of the device's top edge, clockwise from magnetic north.
public typealias Compass = Sensor<Heading>

/// The host's sensor of gravity: gravity along the axes of the device.
public typealias GravitySensor = Sensor<Gravity>

/// The host's sensor of acceleration without gravity: acceleration along the axes of the device, without gravity.
public typealias LinearAccelerometer = Sensor<LinearAcceleration>

/// The host's sensor of rotation: how the device is turned from magnetic east, magnetic north and up, as a unit quaternion.
public typealias RotationSensor = Sensor<Rotation>

/// The host's inclinometer: how far the axes of the device are from the horizontal.
public typealias Inclinometer = Sensor<Inclination>

/// The host's light sensor: how bright it is.
public typealias LightSensor = Sensor<Illuminance>

/// The host's proximity sensor: whether something is near.
public typealias ProximitySensor = Sensor<Proximity>

/// The host's barometer: the pressure of the air.
public typealias Barometer = Sensor<Pressure>

/// The host's thermometer: the temperature at the sensor.
public typealias Thermometer = Sensor<Temperature>

/// The host's hygrometer: the relative humidity of the air.
public typealias Hygrometer = Sensor<Humidity>

/// The host's voltmeter: the voltage at an input of a converter.
public typealias Voltmeter = Sensor<Voltage>

/// The host's ammeter: the current through an input of a converter.
public typealias Ammeter = Sensor<Current>

/// The host's tilt: how far the screen leans from the vertical.
public typealias TiltSensor = Sensor<Tilt>

/// The host's wattmeter: the electric power at an input of a converter.
public typealias Wattmeter = Sensor<Power>

/// The host's energy meter: the electric energy that has passed an input of a converter.
public typealias EnergyMeter = Sensor<Energy>

/// The host's ohmmeter: an electric resistance.
public typealias Ohmmeter = Sensor<Resistance>

/// The host's thermometer of what is around an infrared sensor: the temperature around a sensor that measures that of an object.
public typealias AmbientThermometer = Sensor<AmbientTemperature>

/// The host's infrared thermometer: the temperature of the object before a sensor.
public typealias ObjectThermometer = Sensor<ObjectTemperature>

/// The host's sensor of carbon dioxide: how much carbon dioxide is in the air.
public typealias CarbonDioxideSensor = Sensor<CarbonDioxide>

/// The host's sensor of volatile organic compounds: how much of volatile organic compounds is in the air.
public typealias VolatileOrganicCompoundsSensor = Sensor<VolatileOrganicCompounds>

/// The host's sensor of oxygen: how much oxygen is in the air.
public typealias OxygenSensor = Sensor<Oxygen>

/// The host's sensor of particles of up to 1 µm: the mass of particles of up to 1 µm in the air.
public typealias ParticulateMatter1Sensor = Sensor<ParticulateMatter1>

/// The host's sensor of particles of up to 2.5 µm: the mass of particles of up to 2.5 µm in the air.
public typealias ParticulateMatter2p5Sensor = Sensor<ParticulateMatter2p5>

/// The host's sensor of particles of up to 4 µm: the mass of particles of up to 4 µm in the air.
public typealias ParticulateMatter4Sensor = Sensor<ParticulateMatter4>

/// The host's sensor of particles of up to 10 µm: the mass of particles of up to 10 µm in the air.
public typealias ParticulateMatter10Sensor = Sensor<ParticulateMatter10>

/// The host's sensor of ultraviolet light: the ultraviolet index, by which the sun burns the skin.
public typealias UltravioletSensor = Sensor<UltravioletIndex>

/// The host's sensor of attitude: how the device is turned from upright, with a heading that began anywhere, as a unit quaternion.
public typealias AttitudeSensor = Sensor<Attitude>

/// The host's sensor of the attitude's error: how far the derived vertical and the derived north may be off.
public typealias AttitudeErrorSensor = Sensor<AttitudeError>

/// The host's sensor of the gyroscope's bias: what the gyroscope shows when nothing turns it.
public typealias GyroscopeBiasSensor = Sensor<GyroscopeBias>

/// The host's sensor of rest: whether the device lies still: 1, or 0 while it moves.
public typealias RestSensor = Sensor<Rest>

/// The host's compass of true north: the direction of the device's top edge, clockwise from true north.
public typealias TrueCompass = Sensor<TrueHeading>

/// The host's sensor of the hinge: how far a device that can be folded is open.
public typealias HingeSensor = Sensor<Hinge>

/// The host's step counter: the steps that were counted since the counter was turned on.
public typealias StepCounter = Sensor<StepCount>
