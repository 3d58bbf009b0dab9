internal import Platform

/// What came of one attempt to receive.
enum Reception: Equatable {
    /// Bytes.
    case received
    /// Nothing for now.
    case nothing
    /// gpsd closed the connection.
    case closed
    /// The line being received is longer than any line of gpsd.
    case overlong
    /// The connection broke.
    case failed(SystemError)
}
