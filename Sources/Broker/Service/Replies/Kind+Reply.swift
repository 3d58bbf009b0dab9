internal import Delivery
internal import Readings

extension Kind {
    /// About how long a reply with so many readings is; a mean has all the digits of a number.
    func typicalReplyBytes(readings: Int, filter: Filter, satellites: Bool) -> Int {
        switch row.form {
        case .location: 60 + (satellites ? 5_000 : 540) * readings
        case .values: 160 + (filter == .mean ? 20 : 9) * row.channels.count * readings
        case .orientation: 180 * readings
        }
    }
}
