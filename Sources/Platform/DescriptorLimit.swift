internal import CLinux

/// How many descriptors the process may have open.
public enum DescriptorLimit {
    /// How many the process may have once `raise` has been called; `.max` if there is no limit. `getrlimit(2)`
    public static var most: Int {
        let limit = clinux_descriptor_limit()
        return limit < 0 ? .max : limit
    }

    /// Raises the soft limit to the hard one: each client takes a descriptor. `setrlimit(2)`
    public static func raise() { clinux_raise_descriptor_limit() }
}
