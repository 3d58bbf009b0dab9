extension Location {
    /// The position is valid or invalid as a whole.
    private static let judgedAlone = LocationField.all.filter { !$0.isCoordinate }

    /// Removes values that are out of range, and returns their number.
    ///
    /// Without latitude or longitude there is no position, hence no fix.
    public mutating func refuseImpossible() -> Int {
        var refused = 0
        // By index in a span: a loop over the fields would retain the closures in each.
        let (location, table) = (self, Self.judgedAlone)
        let fields = table.span
        for index in fields.indices where fields[index].refuses(location) {
            fields[index].put(nil, into: &self)
            refused += 1
        }
        if let all = satellites {
            let possible = all.map(\.possible)
            let changed = zip(all, possible).count { $0 != $1 }
            if changed > 0 { satellites = possible.compactMap { $0 } }
            refused += changed
        }
        return refused + refuseImpossiblePosition()
    }

    private mutating func refuseImpossiblePosition() -> Int {
        let latitude = latitudeDegrees.map { PossibleValues.latitudes.contains($0) }
        let longitude = longitudeDegrees.map { PossibleValues.longitudes.contains($0) }
        guard latitude != longitude || latitude == false else { return 0 }
        latitudeDegrees = nil
        longitudeDegrees = nil
        fix = .noPosition
        return latitude == false && longitude == false ? 2 : 1
    }
}

extension Satellite {
    /// The satellite without values that are out of range; nil if its number is.
    public var possible: Satellite? {
        guard PossibleValues.satelliteNumbers.contains(prn) else { return nil }
        var satellite = self
        satellite.elevationDegrees = elevationDegrees.flatMap { PossibleValues.elevations.contains($0) ? $0 : nil }
        satellite.azimuthDegrees = azimuthDegrees.flatMap { PossibleValues.directions.contains($0) ? $0 : nil }
        satellite.signalDecibelHertz = signalDecibelHertz.flatMap { PossibleValues.signals.contains($0) ? $0 : nil }
        return satellite
    }
}
