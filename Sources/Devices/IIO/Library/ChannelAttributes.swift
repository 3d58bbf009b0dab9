/// The attributes of a channel, without the name that its driver gives it.
///
/// libiio 0.24, here and at an iiod, takes that name off only if several attributes begin with it.
struct ChannelAttributes: Equatable {
    /// The driver's name of the channel; nil if it has none.
    let name: String?
    /// The attributes: `raw`, `scale`.
    let all: [String]
    /// Those that libiio lists with the name, as it lists them.
    private let listed: [String: String]

    /// The attributes as libiio lists them, and the name that it has found.
    init(_ listed: [String], name: String? = nil) {
        let value = listed.first { $0.hasSuffix("_raw") || $0.hasSuffix("_input") }
        guard name == nil, !listed.contains("raw"), !listed.contains("input"), let value,
            let end = value.lastIndex(of: "_")
        else {
            (self.name, all, self.listed) = (name, listed, [:])
            return
        }
        let prefix = value[...end]
        self.name = String(value[..<end])
        all = listed.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        self.listed = Dictionary(zip(all, listed).filter { $0 != $1 }) { first, _ in first }
    }

    /// The name of an attribute for libiio.
    func forLibIIO(_ attribute: String) -> String { listed[attribute] ?? attribute }
}
