internal import Fleet
internal import Platform
internal import Programs
internal import Spool

/// What of the settings depends on the host.
struct HostFacts {
    /// The second part of all topics.
    let host: String
    /// The topic of locations for OwnTracks.
    let ownTracks: String?
    let bootID: Identity

    init(_ settings: FleetSettings) throws(Failure) {
        guard let boot = SmallFile.line(at: "/proc/sys/kernel/random/boot_id").flatMap({ Identity(text: $0) }) else {
            throw Failure(.system, "cannot read /proc/sys/kernel/random/boot_id: is /proc mounted?")
        }
        bootID = boot
        let names = HostNames(
            machine: SmallFile.line(at: "/etc/machine-id"), host: SmallFile.line(at: "/proc/sys/kernel/hostname"))
        host = try names.expanded(settings.host, "[Topics] Host")
        ownTracks = try settings.ownTracks.map { text throws(Failure) in
            try names.expanded(text, "[OwnTracks] Topic")
        }
    }
}

/// The names of a host, for topics.
struct HostNames {
    /// What /etc/machine-id has; nil if it cannot be read.
    let machine: String?
    /// The kernel's name of the host; nil if it cannot be read.
    let host: String?

    /// A text with the host's own names in the places of `%m` and `%H`.
    func expanded(_ text: String, _ key: String) throws(Failure) -> String {
        var parts = text.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            switch parts[index].first {
            case "m":
                guard let machine, machine.utf8.count == 32 else {
                    throw Failure(
                        .configuration,
                        "\(key)=\(text): this host has no machine id in /etc/machine-id: run systemd-machine-id-setup, or write a name"
                    )
                }
                parts[index] = machine + parts[index].dropFirst()
            case "H":
                parts[index] = (host ?? "localhost") + parts[index].dropFirst()
            default: parts[index] = "%" + parts[index]
            }
        }
        return parts.joined()
    }
}
