internal import Delivery
internal import Readings

extension ResourceKind {
    /// About how long a reply with so many readings is; a mean has all the digits of a number.
    func typicalReplyBytes(readings: Int, filter: Filter, satellites: Bool) -> Int {
        switch (self, filter) {
        case (.location, _): 60 + (satellites ? 5_000 : 540) * readings
        case (.acceleration, .newest): 160 + 27 * readings
        case (.acceleration, .mean): 160 + 60 * readings
        case (.orientation, _): 180 * readings
        }
    }
}
