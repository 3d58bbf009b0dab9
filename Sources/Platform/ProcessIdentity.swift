internal import Glibc

/// Who this process is.
public enum ProcessIdentity {
    /// Its id. `getpid(2)`
    public static var processID: Int32 { getpid() }

    /// The user that it acts as. `geteuid(2)`
    public static var userID: UInt32 { geteuid() }
}
