public import Readings
public import Varlink

extension Location {
    /// The location as in the interface, without single satellites; unknown values are omitted.
    public var object: JSONObject {
        var object: JSONObject = ["fix": .string(fix.rawValue)]
        object.member("utcMicroseconds", utcMicroseconds)
        for field in LocationField.all {
            guard let value = field.value(of: self) else { continue }
            if let word = field.word(of: value) {
                object.member(field.name, word)
            } else {
                object.member(field.name, field.isWhole ? .integer(Int64(exactly: value) ?? 0) : .number(value))
            }
        }
        return object
    }

    /// The location as in the interface, with each satellite.
    var wholeObject: JSONObject {
        var object = object
        object.member("satellites", satellites.map { .array($0.map { .object($0.object) }) })
        return object
    }
}

extension Location {
    /// The location of an object; absent values are unknown.
    package init(_ parameters: Parameters) throws(VarlinkError) {
        self.init(fix: .noPosition)
        utcMicroseconds = try parameters.optionalInteger("utcMicroseconds")
        for field in LocationField.all {
            guard field.words.isEmpty else {
                // A word that this program does not know is unknown.
                field.put(try parameters.optionalString(field.name).flatMap { field.value(of: $0) }, into: &self)
                continue
            }
            field.put(
                field.isWhole
                    ? try parameters.optionalInteger(field.name).map { Double($0) }
                    : try parameters.optionalNumber(field.name), into: &self)
        }
        satellites = try parameters.optionalObjects("satellites")?.map { object throws(VarlinkError) in
            try Satellite(object)
        }
        // An unknown kind of fix counts by the values that come with it.
        fix = try Fix(rawValue: parameters.string("fix")) ?? fixOfContents
    }

    private var fixOfContents: Fix {
        guard latitudeDegrees != nil, longitudeDegrees != nil else { return .noPosition }
        return altitudeMeters == nil && ellipsoidHeightMeters == nil ? .twoDimensional : .threeDimensional
    }
}

extension Satellite {
    /// The satellite as in the interface; unknown values are omitted.
    fileprivate var object: JSONObject {
        var object: JSONObject = ["prn": .integer(Int64(prn)), "used": .bool(isUsed)]
        object.member("system", system?.rawValue)
        object.member("systemNumber", systemNumber.map { Int64($0) })
        object.member("elevationDegrees", elevationDegrees)
        object.member("azimuthDegrees", azimuthDegrees)
        object.member("signalDecibelHertz", signalDecibelHertz)
        return object
    }

    /// The satellite of an object; a system that this program does not know is unknown.
    init(_ parameters: Parameters) throws(VarlinkError) {
        self.init(
            prn: Int(clamping: try parameters.integer("prn")), isUsed: try parameters.bool("used"))
        system = try parameters.optionalString("system").flatMap { System(rawValue: $0) }
        systemNumber = try parameters.optionalInteger("systemNumber").map { Int(clamping: $0) }
        elevationDegrees = try parameters.optionalNumber("elevationDegrees")
        azimuthDegrees = try parameters.optionalNumber("azimuthDegrees")
        signalDecibelHertz = try parameters.optionalNumber("signalDecibelHertz")
    }
}
