internal import Fleet
internal import MQTT
internal import Platform
internal import Spool

/// What of the settings depends on the host.
struct HostFacts {
    /// The second part of all topics.
    let host: String
    /// The topic of locations for OwnTracks.
    let ownTracks: String?
    let bootID: Identity

    init(_ settings: FleetSettings) throws(StartFailure) {
        guard let boot = SmallFile.line(at: "/proc/sys/kernel/random/boot_id").flatMap({ Identity(text: $0) }) else {
            throw StartFailure(71, "cannot read /proc/sys/kernel/random/boot_id: is /proc mounted?")
        }
        bootID = boot
        host = try Self.expanded(settings.host, "[Topics] Host")
        ownTracks = try settings.ownTracks.map { text throws(StartFailure) in
            try Self.expanded(text, "[OwnTracks] Topic")
        }
    }

    /// A text with the host's own names in the places of `%m` and `%H`.
    private static func expanded(_ text: String, _ key: String) throws(StartFailure) -> String {
        var parts = text.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
        for place in parts.indices.dropFirst() {
            switch parts[place].first {
            case "m":
                guard let machine = SmallFile.line(at: "/etc/machine-id"), machine.utf8.count == 32 else {
                    throw StartFailure(
                        78,
                        "\(key)=\(text): this host has no machine id in /etc/machine-id: run systemd-machine-id-setup, or write a name"
                    )
                }
                parts[place] = machine + parts[place].dropFirst()
            case "H":
                let name = SmallFile.line(at: "/proc/sys/kernel/hostname") ?? "localhost"
                parts[place] = name + parts[place].dropFirst()
            default: parts[place] = "%" + parts[place]
            }
        }
        return parts.joined()
    }
}
