import Delivery
import Readings

/// A member's dealings with the readings of a reply themselves.
extension Member {
    func wanted(of readings: [Sample]) -> ArraySlice<Sample> { firstWanted(of: readings).map { readings[$0...] } ?? [] }

    mutating func didDeliver(_ readings: [Sample]) { if let range = ReadingRange(readings[...]) { didDeliver(range) } }
}
