internal import Readings
internal import Varlink

extension Location {
    /// The location of an object; what is absent is unknown.
    init(_ parameters: Parameters) throws(VarlinkError) {
        self.init(fix: .none)
        utcMicroseconds = try parameters.optionalInteger("utcMicroseconds")
        for field in LocationField.all {
            field.put(
                field.isWhole
                    ? try parameters.optionalInteger(field.name).map { Double($0) }
                    : try parameters.optionalNumber(field.name), into: &self)
        }
        satellites = try parameters.optionalObjects("satellites")?.map { object throws(VarlinkError) in
            try Satellite(object)
        }
        // A kind of fix that came after this program is worth what it brings.
        fix = try Fix(rawValue: parameters.string("fix")) ?? fixOfContents
    }

    private var fixOfContents: Fix {
        guard latitudeDegrees != nil, longitudeDegrees != nil else { return .none }
        return altitudeMeters == nil && ellipsoidHeightMeters == nil ? .twoDimensional : .threeDimensional
    }
}
