import Delivery
import Readings

/// A member's dealings with the readings of a reply themselves.
extension Member {
    func wanted(of readings: SampleList) -> SampleList { firstWanted(of: readings).map { readings[$0...] } ?? [] }

    mutating func didDeliver(_ readings: SampleList) { if let range = ReadingRange(readings) { didDeliver(range) } }
}
