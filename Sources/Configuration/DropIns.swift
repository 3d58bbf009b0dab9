/// Which of the small files beside a configuration file are read, and in which order: as systemd does it.
///
/// Of files of one name, that in the earlier directory stands for all: an administrator's replaces a distribution's. One
/// that is empty, or a link to /dev/null, is read as nothing, and so hides the others. The names decide the order, whatever
/// the directories: what is read later wins.
public enum DropIns {
    /// The paths to read, in order, of the file names that some directories hold; the first directory is the strongest.
    public static func paths(_ directories: [(path: String, names: [String])]) -> [String] {
        var strongest: [String: String] = [:]
        for (path, names) in directories {
            for name in names where isDropIn(name) && strongest[name] == nil { strongest[name] = "\(path)/\(name)" }
        }
        return strongest.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }

    private static func isDropIn(_ name: String) -> Bool { name.hasSuffix(".conf") && !name.hasPrefix(".") }
}
