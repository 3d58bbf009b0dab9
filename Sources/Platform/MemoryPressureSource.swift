/// Where this process hears that memory is short.
///
/// The service manager says where, by systemd's protocol: `MEMORY_PRESSURE_WATCH` is a path, `MEMORY_PRESSURE_WRITE` what is
/// written there first, in base64. Without it, the kernel's pressure of the own control group is watched, which is the one
/// that matters in a container, and else that of the host. <https://systemd.io/MEMORY_PRESSURE>
public struct MemoryPressureSource: Equatable, Sendable {
    /// The file, pipe or socket.
    public let path: String
    /// What is written to it first.
    public let trigger: [UInt8]

    /// What systemd asks the kernel for: some task waited for memory for 200 ms of 2 s, the shortest span that a process
    /// without privileges may name.
    static let usualTrigger = Array("some 200000 2000000\0".utf8)

    /// Whether the environment forbids it.
    public static func isForbidden(_ environment: (String) -> String?) -> Bool {
        environment("MEMORY_PRESSURE_WATCH") == "/dev/null"
    }

    /// The places to try, in this order, by the environment and the text of `/proc/self/cgroup`; none where that is forbidden.
    public static func candidates(_ environment: (String) -> String?, controlGroups: String?) -> [Self] {
        guard !isForbidden(environment) else { return [] }
        if let path = environment("MEMORY_PRESSURE_WATCH"), path.hasPrefix("/") {
            return [Self(path: path, trigger: environment("MEMORY_PRESSURE_WRITE").flatMap { bytes(base64: $0) } ?? [])]
        }
        let paths = [controlGroups.flatMap(ownPressureFile), "/proc/pressure/memory"].compactMap { $0 }
        return paths.map { Self(path: $0, trigger: usualTrigger) }
    }

    /// Of the unified hierarchy, whose line begins with `0::`; its root has no pressure of its own.
    private static func ownPressureFile(_ controlGroups: String) -> String? {
        let line = controlGroups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let group = line?.dropFirst(3), group.count > 1 else { return nil }
        return "/sys/fs/cgroup\(group)/memory.pressure"
    }

    /// The bytes of a base64 text, if it is one.
    static func bytes(base64 text: String) -> [UInt8]? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let content = text.utf8.filter { $0 != UInt8(ascii: "=") }
        guard text.utf8.count.isMultiple(of: 4), text.utf8.count - content.count <= 2, text.utf8.starts(with: content),
            content.count % 4 != 1
        else { return nil }
        var (bits, count): (UInt32, Int) = (0, 0)
        var bytes: [UInt8] = []
        for character in content {
            guard let value = digits.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
