internal import Glibc

/// The host's users and groups.
///
/// Several threads may ask at the same time.
///
/// Name services may be on another host, so an answer may take long. The loop's thread does not ask while it serves.
public enum Accounts {
    /// The largest entry that is read, such as that of a group with thousands of members.
    private static let mostBytes = 1 << 20

    /// The id of a group, if the host knows it. `getgrnam_r(3)`
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group()
        return unsafe withBuffer { unsafe getgrnam_r(name, &entry, $0, $1, $2) } ? unsafe entry.gr_gid : nil
    }

    /// The id of a user, if the host knows it. `getpwnam_r(3)`
    public static func userID(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        return unsafe withBuffer { unsafe getpwnam_r(name, &entry, $0, $1, $2) } ? unsafe entry.pw_uid : nil
    }

    /// The groups of a user in the host's database; a process of the user may have others. `getpwuid_r(3)`,
    /// `getgrouplist(3)`
    public static func groupIDs(ofUser userID: UInt32) -> Set<UInt32> {
        var entry = unsafe passwd()
        var groups = [gid_t](repeating: 0, count: 256)
        var count = Int32(groups.count)
        let isKnown = unsafe withBuffer(
            { unsafe getpwuid_r(userID, &entry, $0, $1, $2) },
            use: { _ = unsafe getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) })
        return isKnown ? Set(groups.prefix(max(0, Int(min(count, 256))))) : []
    }

    /// Calls a function with a buffer, and enlarges it until the entry fits; false if there is no entry.
    private static func withBuffer<Entry>(
        _ fill: (UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>) -> Int32,
        use: () -> Void = {}
    ) -> Bool {
        var size = 1_024
        while true {
            var found: UnsafeMutablePointer<Entry>?
            var texts = [CChar](repeating: 0, count: size)
            let code = unsafe texts.withUnsafeMutableBufferPointer { texts in
                guard let base = texts.baseAddress else { return ENOMEM }
                let code = unsafe fill(base, texts.count, &found)
                // The entry points into the buffer.
                if code == 0, unsafe found != nil { use() }
                return code
            }
            guard code == ERANGE, size < mostBytes else { return unsafe code == 0 && found != nil }
            size *= 4
        }
    }
}
