import Delivery
import Readings

/// A member's dealings with the readings of a reply themselves.
extension Member {
    func wants(_ readings: [Sample]) -> Bool { Portion(readings).map { wants($0) } ?? false }

    mutating func didDeliver(_ readings: [Sample]) { if let portion = Portion(readings) { didDeliver(portion) } }
}
