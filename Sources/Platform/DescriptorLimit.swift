internal import CLinux

/// How many descriptors the process may have open.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard one: each client takes a descriptor. `setrlimit(2)`
    public static func raise() { clinux_raise_descriptor_limit() }
}
