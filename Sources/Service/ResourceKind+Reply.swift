internal import Readings

extension ResourceKind {
    /// About how long a reply with so many readings is.
    func typicalReplyBytes(readings: Int) -> Int {
        switch self {
        case .location: 60 + 420 * readings
        case .acceleration: 180 + 60 * readings
        case .orientation: 60 + 140 * readings
        }
    }
}
