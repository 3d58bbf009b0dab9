internal import Glibc

/// Who this process is.
public enum ProcessIdentity {
    /// Its id. `getpid(2)`
    public static var processID: Int32 { getpid() }

    /// The user that it acts as, from the first time that it is asked on. `geteuid(2)`
    public static let userID: UInt32 = geteuid()
}
