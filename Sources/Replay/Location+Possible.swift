internal import Readings

extension Location {
    /// Whether it can be one of this Earth: whoever wrote the file, no other leaves the broker.
    var isPossible: Bool {
        func fits(_ value: Double?, _ range: ClosedRange<Double>) -> Bool { value.map { range.contains($0) } ?? true }
        return fits(latitudeDegrees, -90...90) && fits(longitudeDegrees, -180...180) && fits(trackDegrees, 0...360)
            && (latitudeDegrees == nil) == (longitudeDegrees == nil)
            && (satellitesUsed ?? 0) >= 0 && (satellitesVisible ?? 0) >= 0
    }
}
