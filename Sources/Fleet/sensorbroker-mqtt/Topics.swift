/// The topics of a host.
struct Topics {
    let prefix: String
    let host: String

    var status: String { "\(prefix)/\(host)/status" }
    var resend: String { "\(prefix)/\(host)/resend" }

    func readings(of resource: String, isLate: Bool) -> String {
        "\(prefix)/\(host)/\(resource)\(isLate ? "/late" : "")"
    }

    /// What the host subscribes to.
    func filters(withSets takesSets: Bool) -> [String] { [resend, status] + (takesSets ? [sets] : []) }

    /// What whoever operates the fleet wants of any resource.
    var sets: String { "\(prefix)/\(host)/+/set" }

    /// The resource of such a topic; nil for another topic.
    func resource(ofSet topic: String) -> String? {
        let (start, end) = ("\(prefix)/\(host)/", "/set")
        guard topic.hasPrefix(start), topic.hasSuffix(end), topic.utf8.count > start.utf8.count + end.utf8.count else {
            return nil
        }
        return String(topic.dropFirst(start.count).dropLast(end.count))
    }

    /// What a resource got of what was wanted.
    func grant(of resource: String) -> String { "\(prefix)/\(host)/\(resource)/grant" }

    /// The newest values of a resource, for programs that want no more.
    func newest(of resource: String) -> String { "\(prefix)/\(host)/\(resource)/newest" }
}
