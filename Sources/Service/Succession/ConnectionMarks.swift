/// Why a connection cannot go over to another process, should this one die now.
struct ConnectionMarks: OptionSet {
    let rawValue: UInt8

    /// A message may be on its way in part, or the client is owed what it missed.
    static let amidMessage = ConnectionMarks(rawValue: 1)
    /// What was written down of it no longer holds.
    static let outOfDate = ConnectionMarks(rawValue: 2)
}
