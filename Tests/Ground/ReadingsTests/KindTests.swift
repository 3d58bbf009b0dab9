import Testing

@testable import Readings
@testable import SensorValues

@Suite("A kind") struct KindTests {
    @Test("is found by its name on the wire and by the word of its resources, and no other is")
    func found() {
        for kind in Kind.all {
            #expect(Kind(wire: kind.wire) == kind)
            #expect(Kind(resource: kind.row.resource) == kind)
            #expect(Kind(resource: kind.row.firstResource.word) == kind)
            #expect(kind.row.firstResource.description == kind.row.resource)
        }
        #expect(Kind(wire: "accelerometer") == nil && Kind(resource: "acceleration") == nil && Kind(wire: "") == nil)
    }

    @Test("differs from all others by its names, and has a resource name that is one")
    func unique() {
        #expect(Set(Kind.all.map(\.wire)).count == Kind.all.count)
        #expect(Set(Kind.all.map(\.row.resource)).count == Kind.all.count)
        for kind in Kind.all { #expect(ResourceName(kind.row.resource) == kind.row.firstResource) }
    }

    @Test("has named channels and a unit if it is numeric, and no channels otherwise", arguments: Kind.all)
    func channels(_ kind: Kind) {
        let names = kind.row.channels.map(\.description)
        #expect(names.isEmpty == (kind.row.form != .values))
        #expect(names.count <= Values.mostChannels && Set(names).count == names.count)
        let isBare = [Kind.orientation, .rotation, .attitude, .proximity, .rest, .steps].contains(kind)
        #expect(kind.row.unit.symbol.isEmpty == isBare)
    }

    @Test("is closed to all but trusted users unless its row states otherwise; references to other kinds end")
    func access() {
        for kind in Kind.all {
            var guardians = [kind]
            for _ in Kind.all where guardians.contains(where: { !$0.row.guardians.isEmpty }) {
                guardians = guardians.flatMap { $0.row.guardians.isEmpty ? [$0] : $0.row.guardians }
            }
            #expect(guardians.allSatisfy { $0.row.guardians.isEmpty && $0.row.hasDevice }, "\(kind)")
        }
    }

    @Test("converts each spelling of its unit, and no other unit")
    func units() {
        let unit = Kind.acceleration.row.unit
        #expect(unit.factor(of: "m/s²") == 1 && unit.factor(of: "m/s2") == 1)
        #expect(unit.factor(of: "g") == 9.80665 && unit.factor(of: "m") == nil)
        #expect(Kind.location.row.unit.factor(of: "km") == 1_000)
        #expect(Kind.pressure.row.unit.factor(of: "hPa") == 100 && Kind.illuminance.row.unit.factor(of: "lux") == 1)
        #expect(Kind.rotation.row.unit.symbol.isEmpty && Kind.rotation.row.changeUnit.factor(of: "deg") == .pi / 180)
    }

    @Test("has a section with the capitals of its name on the wire, where that is the name of its resource")
    func sections() {
        #expect(Kind.linearAcceleration.row.section == "LinearAcceleration")
        #expect(Kind.magneticField.row.section == "Magnetometer" && Kind.illuminance.row.section == "Light")
    }

    @Test("that is sent on change has a change from which on it is, where that has an amount")
    func changes() {
        for kind in Kind.all {
            #expect((kind.row.usualChange != nil) == (kind.row.reporting == .onChange && kind.row.change != .any))
        }
    }

    @Test(
        "is known by its channels at a device",
        arguments: [
            (Kind.acceleration, ["accel_x", "accel_y", "accel_z", "temp"], ["accel_x", "accel_y", "accel_z"]),
            (.acceleration, ["accel_x", "accel_y"], nil), (.temperature, ["temp", "temp0"], ["temp"]),
            (.voltage, ["voltage10", "voltage2", "voltage2-voltage3", "voltage"], ["voltage"]),
            (.voltage, ["voltage10", "voltage2", "voltage2-voltage3"], ["voltage2"]),
            (.voltage, ["voltage2-voltage3"], ["voltage2-voltage3"]), (.voltage, ["voltage2-current3"], nil),
            (.voltage, ["voltage2-voltage3-voltage4"], nil), (.voltage, ["voltage2_battery"], nil),
            (.rotation, ["rot_quaternion"], ["rot_quaternion"]),
            (.heading, ["rot_from_north_magnetic_tilt_comp"], ["rot_from_north_magnetic_tilt_comp"]),
            (.pm1, ["massconcentration_pm10"], nil), (.pm10, ["massconcentration_pm10"], ["massconcentration_pm10"]),
            (.heading, ["rot0_from_north_magnetic_tilt_comp"], ["rot0_from_north_magnetic_tilt_comp"]),
            (.illuminance, ["intensity_both"], nil), (.location, ["accel_x"], nil),
        ] as [(Kind, [String], [String]?)])
    func channelsOfDevices(kind: Kind, ids: [String], wanted: [String]?) {
        #expect(kind.row.iio?.ids(among: Set(ids)) == wanted)
    }

    @Test("has an input for each numbered channel of a device, in the order of their numbers")
    func inputs() {
        let ids: Set = [
            "voltage10", "voltage2", "voltage2-voltage3", "voltage", "voltage0-voltage1", "current0", "temp",
        ]
        let voltages = ["voltage", "voltage2", "voltage10", "voltage0-voltage1", "voltage2-voltage3"]
        #expect(Kind.voltage.row.iio?.inputs(among: ids) == voltages.map { [$0] })
        #expect(Kind.acceleration.row.iio?.inputs(among: ["accel_x", "accel_y", "accel_z", "accel0"]).count == 1)
        #expect(Kind.power.row.iio?.inputs(among: ids) == [])
        let particles: Set = ["massconcentration_pm1", "massconcentration_pm10", "massconcentration2_pm1"]
        let ones = [["massconcentration_pm1"], ["massconcentration2_pm1"]]
        #expect(Kind.pm1.row.iio?.inputs(among: particles) == ones)
        #expect(Kind.pm10.row.iio?.inputs(among: particles) == [["massconcentration_pm10"]])
        let temperatures: Set = ["temp_object", "temp1_object", "temp1", "temp_ambient", "temp_object2"]
        #expect(Kind.objectTemperature.row.iio?.inputs(among: temperatures) == [["temp_object"], ["temp1_object"]])
        #expect(Kind.temperature.row.iio?.inputs(among: temperatures) == [["temp1"]])
    }
}

@Suite("Values") struct ValuesTests {
    @Test("take no more room in a sample than three numbers and the kind need, so that batches stay small")
    func size() { #expect(MemoryLayout<Sample>.stride == 56) }

    @Test("hold a number for each channel, and are a vector of their own kind only")
    func vector() {
        let value = Acceleration(x: 1, y: -2, z: 9.8)
        #expect(value.values.numbers == [1, -2, 9.8] && value.values.kind == .acceleration)
        #expect(Acceleration(value.values) == value)
        #expect(Acceleration(Measurement.values(value)) == value)
        #expect(Acceleration(Values(.location, [1, 2, 3, 0])) == nil)
        #expect(Acceleration(.orientation(.normal)) == nil)
    }

    @Test("are possible if each number is in the range of the kind")
    func possible() {
        #expect(Acceleration(x: -100_000, y: 100_000, z: 0).values.isPossible)
        for wrong in [100_000.1, .infinity, .nan] {
            #expect(!Acceleration(x: wrong, y: 0, z: 0).values.isPossible)
            #expect(!Acceleration(x: 0, y: 0, z: wrong).values.isPossible)
        }
    }

    @Test("of fewer channels are judged by those alone: the others are 0, which need not be possible")
    func fewerChannels() {
        let row = KindRow(
            "pressure", resource: "barometer", channels: ["p"], range: 300...1_100, source: .driver,
            words: KindWords("pressure", sensor: "barometer", sensorType: "Barometer"))
        #expect(row.isPossible([1_013, 0, 0, 0]))
        for wrong in [299.9, 1_100.1, .infinity, .nan] { #expect(!row.isPossible([wrong, 0, 0, 0])) }
    }
}

@Suite("The fields of a location") struct LocationFieldTests {
    @Test("set, return and encode the same value, each its own")
    func fields() {
        for (index, field) in LocationField.all.enumerated() {
            var location = Location(fix: .noPosition)
            let number = field.words.isEmpty ? index + 1 : 2
            field.put(Double(number), into: &location)
            for other in LocationField.all {
                #expect(other.value(of: location) == (other.name == field.name ? Double(number) : nil))
            }
            let text = field.isWhole ? "\(number)" : "\(Double(number))"
            #expect(field.text(of: location) == (field.words.isEmpty ? text : field.words[number]))
            field.put(nil, into: &location)
            #expect(location == Location(fix: .noPosition))
        }
    }

    @Test("a word is one of its field's, and anything else is unknown")
    func words() throws {
        let status = try #require(LocationField.all.first { $0.name == "status" })
        #expect(status.words == Location.Status.allCases.map(\.rawValue))
        var location = Location(fix: .threeDimensional)
        status.put(status.value(of: "rtkFloat"), into: &location)
        #expect(location.status == .rtkFloat)
        for wrong in [-1, 0.5, Double(status.words.count), .nan, .infinity] {
            status.put(wrong, into: &location)
            #expect(location.status == nil)
        }
        #expect(status.value(of: "rtk") == nil)
        #expect(LocationField.all[0].word(of: 0) == nil)
    }

    @Test("are all the numbers and words that a location has")
    func complete() {
        let numbers = Mirror(reflecting: Location(fix: .noPosition)).children.compactMap { child -> String? in
            ["Optional<Double>", "Optional<Int>", "Optional<Status>"].contains("\(type(of: child.value))")
                ? child.label : nil
        }
        #expect(Set(numbers) == Set(LocationField.all.map(\.name)))
        #expect(LocationField.all.count { $0.isCoordinate } == 2)
    }
}
