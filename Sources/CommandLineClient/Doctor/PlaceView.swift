/// Where a TCP service is that the configuration names.
enum PlaceView: Equatable {
    /// On this host, by an address that all of it can reach.
    case here
    /// On another one, or on this one by a public address; with its first address outside of private networks, if it has any.
    case elsewhere(outside: String?)
    /// Nobody knows the host.
    case unknown
}

/// Why a TCP service could not be talked to.
enum Silence: Error, Equatable {
    /// The host answers, but nobody listens there.
    case refused
    /// Anything else, in words.
    case other(String)

    var words: String {
        switch self {
        case .refused: "nobody listens there"
        case .other(let words): words.printable
        }
    }
}
