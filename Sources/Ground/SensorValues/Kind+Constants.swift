// Written by 'make generated' from the table of kinds, KindRow+Table.swift.

/// The kinds by name.
extension Kind {
    /// Position, speed and time of a receiver.
    public static var location: Self { Self(row: 0) }
    /// Acceleration along the axes of the device, gravity included.
    public static var acceleration: Self { Self(row: 1) }
    /// Which edge of the device is up.
    public static var orientation: Self { Self(row: 2) }
    /// Angular velocity about the axes of the device.
    public static var angularVelocity: Self { Self(row: 3) }
    /// The magnetic field along the axes of the device.
    public static var magneticField: Self { Self(row: 4) }
    /// The direction of the device's top edge, clockwise from magnetic north.
    public static var heading: Self { Self(row: 5) }
    /// Gravity along the axes of the device.
    public static var gravity: Self { Self(row: 6) }
    /// Acceleration along the axes of the device, without gravity.
    public static var linearAcceleration: Self { Self(row: 7) }
    /// How the device is turned from magnetic east, magnetic north and up, as a unit quaternion.
    public static var rotation: Self { Self(row: 8) }
    /// How far the axes of the device are from the horizontal.
    public static var inclination: Self { Self(row: 9) }
    /// How bright it is.
    public static var illuminance: Self { Self(row: 10) }
    /// Whether something is near.
    public static var proximity: Self { Self(row: 11) }
    /// The pressure of the air.
    public static var pressure: Self { Self(row: 12) }
    /// The temperature at the sensor.
    public static var temperature: Self { Self(row: 13) }
    /// The relative humidity of the air.
    public static var humidity: Self { Self(row: 14) }
    /// The voltage at an input of a converter.
    public static var voltage: Self { Self(row: 15) }
    /// The current through an input of a converter.
    public static var current: Self { Self(row: 16) }
    /// How far the screen leans from the vertical.
    public static var tilt: Self { Self(row: 17) }
    /// The electric power at an input of a converter.
    public static var power: Self { Self(row: 18) }
    /// The electric energy that has passed an input of a converter.
    public static var energy: Self { Self(row: 19) }
    /// An electric resistance.
    public static var resistance: Self { Self(row: 20) }
    /// The temperature around a sensor that measures that of an object.
    public static var ambientTemperature: Self { Self(row: 21) }
    /// The temperature of the object before a sensor.
    public static var objectTemperature: Self { Self(row: 22) }
    /// How much carbon dioxide is in the air.
    public static var carbonDioxide: Self { Self(row: 23) }
    /// How much of volatile organic compounds is in the air.
    public static var volatileOrganicCompounds: Self { Self(row: 24) }
    /// How much oxygen is in the air.
    public static var oxygen: Self { Self(row: 25) }
    /// The mass of particles of up to 1 µm in the air.
    public static var pm1: Self { Self(row: 26) }
    /// The mass of particles of up to 2.5 µm in the air.
    public static var pm2p5: Self { Self(row: 27) }
    /// The mass of particles of up to 4 µm in the air.
    public static var pm4: Self { Self(row: 28) }
    /// The mass of particles of up to 10 µm in the air.
    public static var pm10: Self { Self(row: 29) }
    /// The ultraviolet index, by which the sun burns the skin.
    public static var ultravioletIndex: Self { Self(row: 30) }
    /// How the device is turned from upright, with a heading that began anywhere, as a unit quaternion.
    public static var attitude: Self { Self(row: 31) }
    /// How far the derived vertical and the derived north may be off.
    public static var attitudeError: Self { Self(row: 32) }
    /// What the gyroscope shows when nothing turns it.
    public static var gyroscopeBias: Self { Self(row: 33) }
    /// Whether the device lies still: 1, or 0 while it moves.
    public static var rest: Self { Self(row: 34) }
    /// The direction of the device's top edge, clockwise from true north.
    public static var trueHeading: Self { Self(row: 35) }
    /// How far a device that can be folded is open.
    public static var hinge: Self { Self(row: 36) }
    /// The steps that were counted since the counter was turned on.
    public static var steps: Self { Self(row: 37) }
}

/// The first sensor of each kind.
extension ResourceName {
    /// The location of the host: position, speed and time of a receiver.
    public static let location = Kind.location.row.firstResource
    /// The accelerometer of the host: acceleration along the axes of the device, gravity included.
    public static let accelerometer = Kind.acceleration.row.firstResource
    /// The orientation of the host: which edge of the device is up.
    public static let orientation = Kind.orientation.row.firstResource
    /// The gyroscope of the host: angular velocity about the axes of the device.
    public static let gyroscope = Kind.angularVelocity.row.firstResource
    /// The magnetometer of the host: the magnetic field along the axes of the device.
    public static let magnetometer = Kind.magneticField.row.firstResource
    /// The compass of the host: the direction of the device's top edge, clockwise from magnetic north.
    public static let heading = Kind.heading.row.firstResource
    /// The sensor of gravity of the host: gravity along the axes of the device.
    public static let gravity = Kind.gravity.row.firstResource
    /// The sensor of acceleration without gravity of the host: acceleration along the axes of the device, without gravity.
    public static let linearAcceleration = Kind.linearAcceleration.row.firstResource
    /// The sensor of rotation of the host: how the device is turned from magnetic east, magnetic north and up, as a unit quaternion.
    public static let rotation = Kind.rotation.row.firstResource
    /// The inclinometer of the host: how far the axes of the device are from the horizontal.
    public static let inclination = Kind.inclination.row.firstResource
    /// The light sensor of the host: how bright it is.
    public static let light = Kind.illuminance.row.firstResource
    /// The proximity sensor of the host: whether something is near.
    public static let proximity = Kind.proximity.row.firstResource
    /// The barometer of the host: the pressure of the air.
    public static let pressure = Kind.pressure.row.firstResource
    /// The thermometer of the host: the temperature at the sensor.
    public static let temperature = Kind.temperature.row.firstResource
    /// The hygrometer of the host: the relative humidity of the air.
    public static let humidity = Kind.humidity.row.firstResource
    /// The voltmeter of the host: the voltage at an input of a converter.
    public static let voltage = Kind.voltage.row.firstResource
    /// The ammeter of the host: the current through an input of a converter.
    public static let current = Kind.current.row.firstResource
    /// The tilt of the host: how far the screen leans from the vertical.
    public static let tilt = Kind.tilt.row.firstResource
    /// The wattmeter of the host: the electric power at an input of a converter.
    public static let power = Kind.power.row.firstResource
    /// The energy meter of the host: the electric energy that has passed an input of a converter.
    public static let energy = Kind.energy.row.firstResource
    /// The ohmmeter of the host: an electric resistance.
    public static let resistance = Kind.resistance.row.firstResource
    /// The thermometer of what is around an infrared sensor of the host: the temperature around a sensor that measures that of an object.
    public static let ambientTemperature = Kind.ambientTemperature.row.firstResource
    /// The infrared thermometer of the host: the temperature of the object before a sensor.
    public static let objectTemperature = Kind.objectTemperature.row.firstResource
    /// The sensor of carbon dioxide of the host: how much carbon dioxide is in the air.
    public static let carbonDioxide = Kind.carbonDioxide.row.firstResource
    /// The sensor of volatile organic compounds of the host: how much of volatile organic compounds is in the air.
    public static let volatileOrganicCompounds = Kind.volatileOrganicCompounds.row.firstResource
    /// The sensor of oxygen of the host: how much oxygen is in the air.
    public static let oxygen = Kind.oxygen.row.firstResource
    /// The sensor of particles of up to 1 µm of the host: the mass of particles of up to 1 µm in the air.
    public static let pm1 = Kind.pm1.row.firstResource
    /// The sensor of particles of up to 2.5 µm of the host: the mass of particles of up to 2.5 µm in the air.
    public static let pm2p5 = Kind.pm2p5.row.firstResource
    /// The sensor of particles of up to 4 µm of the host: the mass of particles of up to 4 µm in the air.
    public static let pm4 = Kind.pm4.row.firstResource
    /// The sensor of particles of up to 10 µm of the host: the mass of particles of up to 10 µm in the air.
    public static let pm10 = Kind.pm10.row.firstResource
    /// The sensor of ultraviolet light of the host: the ultraviolet index, by which the sun burns the skin.
    public static let ultravioletIndex = Kind.ultravioletIndex.row.firstResource
    /// The sensor of attitude of the host: how the device is turned from upright, with a heading that began anywhere, as a unit quaternion.
    public static let attitude = Kind.attitude.row.firstResource
    /// The sensor of the attitude's error of the host: how far the derived vertical and the derived north may be off.
    public static let attitudeError = Kind.attitudeError.row.firstResource
    /// The sensor of the gyroscope's bias of the host: what the gyroscope shows when nothing turns it.
    public static let gyroscopeBias = Kind.gyroscopeBias.row.firstResource
    /// The sensor of rest of the host: whether the device lies still: 1, or 0 while it moves.
    public static let rest = Kind.rest.row.firstResource
    /// The compass of true north of the host: the direction of the device's top edge, clockwise from true north.
    public static let trueHeading = Kind.trueHeading.row.firstResource
    /// The sensor of the hinge of the host: how far a device that can be folded is open.
    public static let hinge = Kind.hinge.row.firstResource
    /// The step counter of the host: the steps that were counted since the counter was turned on.
    public static let steps = Kind.steps.row.firstResource
}
