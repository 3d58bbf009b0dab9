/// The names of this host's loopback interface.
///
/// RFC 6761 reserves them: a program looks up none of them, since a resolver may not know them (as in a container without
/// /etc/hosts), or ask a name server that answers with somebody else's address.
public enum Loopback {
    /// The loopback's addresses, in the order in which to try them; one that does not exist on this host fails at once.
    public static let addresses = ["::1", "127.0.0.1"]

    /// Whether a host is `localhost`, or a name below it.
    public static func isName(_ host: some StringProtocol) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || (name.hasSuffix(".localhost") && !name.hasPrefix("."))
    }
}
